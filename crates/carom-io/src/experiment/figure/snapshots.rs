//! Snapshots: where the points of a scene are at the times of a run's `states_at`.

use super::super::run::Found;
use super::super::{Plan, PlanKind};
use crate::document::TableReader;
use crate::figure::{Axis, Panel as Plot, Scale, Series, Trace};

/// Corners of a disc that is drawn.
const CORNERS: u32 = 48;
/// What is left free around the points, as a share of their extent.
const MARGIN: f64 = 0.05;

/// How the points are drawn.
pub struct Snapshots {
    /// The coordinates of a point to the right and upwards.
    plane: [usize; 2],
    /// Radius of the discs around them; a dot without it.
    radius: f64,
    /// A place for every point that a line leads to from it.
    anchors: Vec<(f64, f64)>,
}

impl Snapshots {
    /// Reads what a panel shows.
    pub fn read(table: &TableReader, plan: &Plan) -> Option<Self> {
        let PlanKind::Run { times, ensemble, .. } = &plan.kind else { return None };
        if times.is_empty() || *ensemble {
            let message = format!("`{}` is an ensemble or has no `states_at`", plan.name);
            table.item("snapshots")?.report(message, None);
            return None;
        }
        let pair = |key: &str| -> Option<Option<[f64; 2]>> {
            let Some(item) = table.item(key) else { return Some(None) };
            let numbers: Option<Vec<f64>> = item.array()?.iter().map(|item| item.number()).collect();
            match numbers?[..] {
                [a, b] => Some(Some([a, b])),
                _ => item.mismatch("two numbers"),
            }
        };
        let plane = pair("plane")?.unwrap_or([0.0, 1.0]).map(|place| place as usize);
        let radius = table.item("radius").map_or(Some(0.0), |item| item.number())?;
        let mut anchors = Vec::new();
        for item in table.array("anchors").unwrap_or_default() {
            let numbers: Option<Vec<f64>> = item.array()?.iter().map(|item| item.number()).collect();
            match numbers?[..] {
                [x, y] => anchors.push((x, y)),
                _ => return item.mismatch("two numbers"),
            }
        }
        Some(Self { plane, radius, anchors })
    }

    /// The coordinates that this panel shows of points, if every point has them.
    fn places(&self, found: &Found, state: usize) -> Option<Vec<(f64, f64)>> {
        let all = found.quantities.as_ref().ok()?;
        let at = |index: usize| all.get(&format!("at{state}.q"), Some(index)).ok();
        let [right, up] = self.plane;
        found.points.iter().map(|point| Some((at(*point.get(right)?)?, at(*point.get(up)?)?))).collect()
    }

    /// A plot of every state that the run has kept.
    pub fn plots(&self, found: &Found, times: &[f64]) -> Vec<Plot> {
        let states: Vec<(f64, Vec<(f64, f64)>)> =
            times.iter().enumerate().filter_map(|(state, t)| Some((*t, self.places(found, state)?))).collect();
        let (mut low, mut high) = ([f64::INFINITY; 2], [f64::NEG_INFINITY; 2]);
        for (x, y) in states.iter().flat_map(|(_, places)| places).chain(&self.anchors) {
            for (side, value) in [*x, *y].into_iter().enumerate() {
                low[side] = low[side].min(value - self.radius);
                high[side] = high[side].max(value + self.radius);
            }
        }
        let axis = |side: usize| {
            let margin = MARGIN * (high[side] - low[side]);
            let name = ["x", "y", "z"].get(self.plane[side]).copied().unwrap_or_default();
            Axis::linear(name).range(low[side] - margin, high[side] + margin)
        };
        let plot = |(t, places): &(f64, Vec<(f64, f64)>)| {
            let mut plot = Plot::new().title(format!("t = {t}")).x(axis(0)).y(axis(1)).equal_aspect().no_legend();
            for (place, anchor) in places.iter().zip(&self.anchors) {
                plot = plot.series(Series::new("", line([*anchor, *place])).colour(5).width(0.8));
            }
            for place in places {
                plot = match self.radius > 0.0 {
                    true => plot.series(Series::new("", line(disc(*place, self.radius))).colour(0)),
                    false => plot.markers("", [*place]),
                };
            }
            plot
        };
        states.iter().map(plot).collect()
    }
}

fn line(points: impl IntoIterator<Item = (f64, f64)>) -> Trace {
    let mut trace = Trace::line(Scale::Linear, Scale::Linear);
    trace.extend(points);
    trace
}

fn disc((x, y): (f64, f64), radius: f64) -> impl Iterator<Item = (f64, f64)> {
    (0..=CORNERS).map(move |corner| {
        let angle = std::f64::consts::TAU * f64::from(corner) / f64::from(CORNERS);
        (x + radius * angle.cos(), y + radius * angle.sin())
    })
}
