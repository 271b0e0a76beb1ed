//! Curves of runs: one or several quantities of nodes against others, beside a curve that is known.

use carom::lagrangian::expression::{Graph, NameError, NodeId, Scope, Tape, parse};

use super::super::PlanKind;
use super::column::{Column, Curve};
use super::{Plan, WIDE};
use crate::document::{Item, Kind, Source, TableReader};
use crate::figure::{Panel as Plot, Scale, Series, Trace};

/// Points of a known curve per px of a panel.
const DENSITY: u32 = 4;

/// What a panel shows of every run.
pub struct Curves {
    /// One against another.
    pub list: Vec<Curve>,
    /// Names of the curves of a run, where it has several.
    labels: Vec<String>,
    exact: Option<Exact>,
}

/// A known function of the quantity to the right, with its name.
struct Exact {
    tape: Tape,
    label: String,
}

/// The name in an expression of a known curve.
struct Right;

impl Scope for Right {
    fn name(&self, graph: &mut Graph, name: &str, index: Option<i64>) -> Result<NodeId, NameError> {
        match (name, index) {
            ("t", None) => Ok(graph.input(0)),
            _ => Err(NameError::Unknown),
        }
    }

    fn velocity(&self, _: &mut Graph, _: &str, _: Option<i64>) -> Result<NodeId, NameError> {
        Err(NameError::Invalid("there are no rates here".into()))
    }

    fn known_names(&self) -> Vec<String> {
        vec!["t".into()]
    }
}

impl Exact {
    fn read(table: &TableReader) -> Option<Option<Self>> {
        let Some(item) = table.item("exact") else { return Some(None) };
        let mut graph = Graph::new();
        let node = match parse(&mut graph, item.string()?, &Right) {
            Ok(node) => node,
            Err(error) => {
                item.report_inside(error.column - 1, error.length, error.message, error.help);
                return None;
            }
        };
        let label = table.string("exact_label").unwrap_or("exact").to_string();
        Some(Some(Self { tape: Tape::compile(&graph, &[node], 1), label }))
    }

    fn value(&self, t: f64) -> f64 {
        let mut out = [f64::NAN];
        self.tape.evaluate(&mut self.tape.scratch(), &[&[t]], &mut out);
        out[0]
    }
}

impl Curves {
    /// Reads what a panel shows of these runs.
    pub fn read(
        item: &Item,
        table: &TableReader,
        (plans, runs): (&[Plan], &[usize]),
        log: bool,
        source: &Source,
    ) -> Option<Self> {
        let y = columns(&table.required("y")?)?;
        let x = match table.item("x") {
            None => vec![Column::Time; y.len()],
            Some(item) => columns(&item)?,
        };
        let labels: Option<Vec<Option<&str>>> =
            Some(table.array("labels").unwrap_or_default().iter().map(|item| item.string()).collect());
        let labels: Option<Vec<String>> = labels?.into_iter().map(|label| label.map(str::to_string)).collect();
        let labels = labels?;
        let several = !labels.is_empty() || y.len() > 1;
        if x.len() != y.len() || (several && labels.len() != y.len()) {
            item.report("`x`, `y` and `labels` are not of one length", None);
            return None;
        }
        let scale = if log { Scale::Log10 } else { Scale::Linear };
        let position = super::super::read::position(item, source);
        let curve = |(x, y)| Curve { x, y, scales: (Scale::Linear, scale), position };
        let list: Vec<Curve> = x.into_iter().zip(y).map(curve).collect();
        for curve in &list {
            let fits = |column: &Column| matches!(column, Column::Time | Column::Inside(_));
            if curve.inside() && ![curve.x, curve.y].iter().all(fits) {
                item.report("one of `x` and `y` is of nodes, the other of the inside of steps", None);
                return None;
            }
            for &run in runs {
                let PlanKind::Run { inside, .. } = &plans[run].kind else { continue };
                if let Some(key) = curve.parts().find_map(|part| part.missing(inside)) {
                    let message = format!("this needs the key `{key}` of [[run]] `{}`", plans[run].name);
                    item.report(message, None);
                }
            }
        }
        let exact = Exact::read(table)?;
        if exact.is_some() && list.iter().any(|curve| curve.x != Column::Time) {
            table.item("exact")?.report("a known curve is one over the time", None);
            return None;
        }
        Some(Self { list, labels, exact })
    }

    /// The label of a curve of a run, by its place among those of the run, in a panel of one run or of several.
    pub fn label(&self, place: usize, several: bool, run: String) -> String {
        match self.labels.get(place) {
            None => run,
            Some(label) if several => format!("{run}, {label}"),
            Some(label) => label.clone(),
        }
    }

    /// The plot with these curves and the known one.
    pub fn plot(&self, mut plot: Plot, shown: Vec<(String, &Trace)>) -> Plot {
        let single = shown.len() == 1 && self.exact.is_none();
        let traces: Vec<&Trace> = shown.iter().map(|(_, trace)| *trace).collect();
        for (label, trace) in shown {
            plot = plot.series(Series::new(label, trace.clone()));
        }
        plot = self.beside(plot, &traces);
        if self.paths() {
            plot = plot.equal_aspect();
        }
        if single { plot.no_legend() } else { plot.legend_above() }
    }

    /// Whether they are paths in a plane, a unit being as long to the right as upwards.
    fn paths(&self) -> bool {
        self.list.iter().all(|curve| matches!((curve.x, curve.y), (Column::Coordinate(_), Column::Coordinate(_))))
    }

    /// The plot with the known curve, over the times of the curves that it has.
    fn beside(&self, plot: Plot, traces: &[&Trace]) -> Plot {
        let Some(exact) = &self.exact else { return plot };
        let ends = traces.iter().filter_map(|trace| trace.span());
        let Some((start, end)) = ends.reduce(|(a, b), (c, d)| (a.min(c), b.max(d))) else { return plot };
        let (scale, curve) = (self.list[0].scales, &self.list[0]);
        let mut trace = Trace::line(scale.0, scale.1);
        let points = WIDE * DENSITY;
        for place in 0..=points {
            let t = start + (end - start) * f64::from(place) / f64::from(points);
            let [x, y] = curve.sized([t, exact.value(t)]);
            trace.push(x, y);
        }
        // Black of the palette, which a third curve or a fourth does not have.
        plot.series(Series::new(exact.label.clone(), trace).colour(5).dashed())
    }
}

/// One column, or several.
fn columns(item: &Item) -> Option<Vec<Column>> {
    match item.kind() {
        Kind::Array(_) => item.array()?.iter().map(Column::read).collect(),
        _ => Column::read(item).map(|column| vec![column]),
    }
}
