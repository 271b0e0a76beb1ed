//! What a curve shows at a node of a run.

use carom::measures::Momentum;
use carom::observe::Frame;

use super::super::gauge::Gauge;
use super::super::inside::{Interior, Part};
use super::interior::Inner;
use crate::document::{Diagnostic, Item, Position, Source, help};
use crate::figure::{Scale, Trace};
use crate::scene::Scene;

/// A quantity of a node.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Column {
    /// The time.
    Time,
    /// The energy.
    Energy,
    /// Its change since the start.
    EnergyError,
    /// That relative to the energy at the start.
    RelativeEnergyError,
    /// A component of angular momentum.
    Angular(usize),
    /// The least gap.
    Gap,
    /// A coordinate.
    Coordinate(usize),
    /// A momentum.
    Momentum(usize),
    /// The size of the jumps of the ansatz functions in the step before.
    Jump,
    /// The size of their error in the step before.
    AnsatzError,
    /// A quantity of the motion inside steps.
    Inside(Inner),
}

const NAMES: [&str; 15] = [
    "t",
    "energy",
    "energy_error",
    "relative_energy_error",
    "angular_momentum",
    "gap",
    "q[0]",
    "p[0]",
    "jump",
    "ansatz_error",
    "ansatz_q[0]",
    "ansatz_p[0]",
    "ansatz_energy",
    "ansatz_equality[0]",
    "constraint_force[0]",
];

impl Column {
    /// Reads the name of a column.
    pub fn read(item: &Item) -> Option<Self> {
        let text = item.string()?;
        let (name, index) = match text.strip_suffix(']').and_then(|text| text.split_once('[')) {
            Some((name, index)) => (name, index.trim().parse().ok()),
            None => (text, None),
        };
        let indexed = text.contains('[');
        match (name, indexed, index) {
            ("t", false, _) => Some(Self::Time),
            ("energy", false, _) => Some(Self::Energy),
            ("energy_error", false, _) => Some(Self::EnergyError),
            ("relative_energy_error", false, _) => Some(Self::RelativeEnergyError),
            ("angular_momentum", false, _) => Some(Self::Angular(0)),
            ("angular_momentum", true, Some(index)) => Some(Self::Angular(index)),
            ("gap", false, _) => Some(Self::Gap),
            ("q", true, Some(index)) => Some(Self::Coordinate(index)),
            ("p", true, Some(index)) => Some(Self::Momentum(index)),
            ("jump", false, _) => Some(Self::Jump),
            ("ansatz_error", false, _) => Some(Self::AnsatzError),
            ("ansatz_q", true, Some(index)) => Some(Self::Inside(Inner::Coordinate(index))),
            ("ansatz_p", true, Some(index)) => Some(Self::Inside(Inner::Momentum(index))),
            ("ansatz_energy", false, _) => Some(Self::Inside(Inner::Energy)),
            ("ansatz_equality", true, Some(index)) => Some(Self::Inside(Inner::Equality(index))),
            ("constraint_force", true, Some(index)) => Some(Self::Inside(Inner::Force(index))),
            _ => {
                item.report(format!("`{text}` is nothing that can be drawn"), help("known", text, &NAMES));
                None
            }
        }
    }

    /// The label of an axis.
    pub fn label(self, log: bool) -> String {
        let bars = |text: &str| if log { format!("|{text}|") } else { text.to_string() };
        match self {
            Self::Time => "t".into(),
            Self::Energy => "energy".into(),
            Self::EnergyError => bars("E − E₀"),
            Self::RelativeEnergyError if log => "|E − E₀| / |E₀|".into(),
            Self::RelativeEnergyError => "(E − E₀) / |E₀|".into(),
            Self::Angular(_) => "angular momentum".into(),
            Self::Gap => "least gap".into(),
            Self::Coordinate(index) => bars(&format!("q[{index}]")),
            Self::Momentum(index) => bars(&format!("p[{index}]")),
            Self::Jump => "jump".into(),
            Self::AnsatzError => "error of the ansatz functions".into(),
            Self::Inside(inner) => bars(&inner.label()),
        }
    }
}

/// One quantity against another.
#[derive(Debug, Clone)]
pub struct Curve {
    pub x: Column,
    pub y: Column,
    pub scales: (Scale, Scale),
    /// Of the panel in the experiment's file.
    pub position: Option<Position>,
}

impl Curve {
    /// The empty curve.
    pub fn trace(&self) -> Trace {
        Trace::line(self.scales.0, self.scales.1)
    }

    /// The point of a node; `first` is the energy at the start.
    pub fn point(&self, frame: &Frame, first: f64, gauge: &Gauge, interior: &Interior) -> (f64, f64) {
        let value = |column: Column| match column {
            Column::Time => frame.state.t,
            Column::Energy => frame.energy(),
            Column::EnergyError => frame.energy() - first,
            Column::RelativeEnergyError => (frame.energy() - first) / first.abs(),
            Column::Angular(component) => gauge.angular(component).unwrap_or(f64::NAN),
            Column::Gap => Gauge::gap(frame).unwrap_or(f64::NAN),
            Column::Coordinate(index) => frame.state.q[index],
            Column::Momentum(index) => frame.state.p[index],
            Column::Jump => interior.last.0.unwrap_or(f64::NAN),
            Column::AnsatzError => interior.last.1.unwrap_or(f64::NAN),
            Column::Inside(_) => f64::NAN,
        };
        let [x, y] = self.sized([value(self.x), value(self.y)]);
        (x, y)
    }

    /// What it wants to know of the motion inside steps.
    pub fn parts(&self) -> impl Iterator<Item = Part> {
        [self.x, self.y].into_iter().filter_map(|column| match column {
            Column::Jump => Some(Part::Jumps),
            Column::AnsatzError => Some(Part::Estimate),
            _ => None,
        })
    }

    /// Whether it is of the motion inside steps.
    pub fn inside(&self) -> bool {
        [self.x, self.y].iter().any(|column| matches!(column, Column::Inside(_)))
    }

    /// A point as the axes show it: on a logarithmic one signed errors show their size.
    pub fn sized(&self, [x, y]: [f64; 2]) -> [f64; 2] {
        let sized = |scale: Scale, value: f64| if scale == Scale::Log10 { value.abs() } else { value };
        [sized(self.scales.0, x), sized(self.scales.1, y)]
    }

    /// What the scene does not have of it.
    pub fn misfit(&self, scene: &Scene, source: &Source) -> Option<Diagnostic> {
        let (dim, gaps) = (scene.problem.system.dim(), scene.problem.system.contacts().count());
        let (_, angular) = Momentum::new(scene.problem.points.clone()).components();
        let rows = scene.problem.system.equalities().count();
        let wrong = |column: &Column| match *column {
            Column::Coordinate(index)
            | Column::Momentum(index)
            | Column::Inside(Inner::Coordinate(index) | Inner::Momentum(index))
                if index >= dim =>
            {
                Some(format!("the scene `{}` has {dim} coordinates, and none of number {index}", scene.name))
            }
            Column::Angular(index) if index >= angular => {
                Some(format!("the scene `{}` has {angular} components of angular momentum", scene.name))
            }
            Column::Inside(Inner::Equality(index) | Inner::Force(index)) if index >= rows => {
                Some(format!("the scene `{}` has {rows} equality constraints", scene.name))
            }
            Column::Gap if gaps == 0 => Some(format!("the scene `{}` has no gaps", scene.name)),
            _ => None,
        };
        let message = [self.x, self.y].iter().find_map(wrong)?;
        let (source, key) = (source.name().to_string(), "panels".to_string());
        Some(Diagnostic { source, position: self.position, key, message, help: None })
    }
}
