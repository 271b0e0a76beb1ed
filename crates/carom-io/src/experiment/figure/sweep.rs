//! Ensembles as curves: one quantity of every member over another.

use super::super::quantities::{RUN_QUANTITIES, Shape, shape};
use super::super::run::Found;
use crate::document::{Item, TableReader, help};
use crate::figure::{Panel as Plot, Scale, Series, Trace};

/// Where a line of an order starts below the first point of the first curve, as a factor.
const BELOW: f64 = 0.5;

/// What a panel shows of the members of ensembles.
#[derive(Debug)]
pub struct Sweep {
    /// The quantity to the right.
    pub x: String,
    /// The quantity upwards.
    pub y: String,
    /// A quantity that is drawn beside it as a dashed line.
    beside: Option<String>,
    /// Whether the horizontal axis is logarithmic.
    pub log_x: bool,
    /// Orders that have a line to compare with.
    guides: Vec<f64>,
}

impl Sweep {
    /// Reads what a panel shows.
    pub fn read(table: &TableReader) -> Option<Self> {
        let (x, y) = (quantity(&table.required("x")?), quantity(&table.required("y")?));
        let guides: Option<Vec<f64>> =
            table.array("guides").unwrap_or_default().iter().map(|item| item.number()).collect();
        let beside = match table.item("beside") {
            None => None,
            Some(item) => Some(quantity(&item)?),
        };
        Some(Self { x: x?, y: y?, beside, log_x: table.boolean("log_x").unwrap_or(false), guides: guides? })
    }

    /// A curve of every ensemble, with its label; members that failed or have no such quantity have no point.
    pub fn plot(&self, plot: Plot, scales: (Scale, Scale), ensembles: &[(usize, &str)], found: &[Found]) -> Plot {
        let points = |plan: usize, y: &str| -> Vec<(f64, f64)> {
            let point = |found: &Found| {
                let quantities = found.quantities.as_ref().ok().filter(|_| found.ended.is_none())?;
                Some((quantities.get(&self.x, None).ok()?, quantities.get(y, None).ok()?))
            };
            found.iter().filter(|found| found.plan == plan).filter_map(point).collect()
        };
        let mut plot = plot;
        for (plan, label) in ensembles {
            plot = plot.line_markers(*label, points(*plan, &self.y));
        }
        for (place, (plan, _)) in ensembles.iter().enumerate() {
            let Some(beside) = &self.beside else { continue };
            let mut trace = Trace::line(scales.0, scales.1);
            trace.extend(points(*plan, beside));
            // One entry of the legend stands for all.
            let label = if place == 0 { beside.replace('_', " ") } else { String::new() };
            plot = plot.series(Series::new(label, trace).colour(place).dashed());
        }
        let first = ensembles.iter().find_map(|(plan, _)| points(*plan, &self.y).first().copied());
        if let Some((x, y)) = first {
            for order in &self.guides {
                plot = plot.guide(format!("order {order}"), *order, (x, BELOW * y));
            }
        }
        plot.legend_above()
    }
}

fn quantity(item: &Item) -> Option<String> {
    let name = item.string()?;
    if shape(RUN_QUANTITIES, name) == Some(Shape::Number) {
        return Some(name.to_string());
    }
    let known: Vec<&str> =
        RUN_QUANTITIES.iter().filter(|(_, shape)| *shape == Shape::Number).map(|(name, _)| *name).collect();
    item.report(format!("`{name}` is no number of a run"), help("known", name, &known));
    None
}
