//! Gaps as lengths, and directions of sliding at right angles to them: what Coulomb's law needs.
//!
//! The force of a contact is `λ∇g`, and friction is bounded by its size in newtons, `λ|∇g|`, not by `λ`. The two are the same if the gap is a
//! length: `|∇g| = 1` where it is closed, in the Cartesian metric of the place that is touched. What tells that metric:
//! ```text
//! Notation
//! ∇_i g      derivative of the gap by the Cartesian position of point i
//! ν          slope of the gap, |∇_i g|: the same for all points that the gap depends on, or there is no one metric
//! ĝ = g/ν    the gap as a length; where it is closed, ∇ĝ = ∇g/ν
//! s          a length along the surface; t its direction of sliding
//!
//! t = (∇s − α∇ĝ)/τ,   α = ∇_i s·∇_i ĝ,   τ = |∇_i s − α∇_i ĝ|
//! ```
//! `t·v` is the rate of `s` on a closed contact, whatever α is; but a force along `∇s` with `α ≠ 0` would have a part along the normal. Without points, a pair of coordinates (three of them with two directions of
//! sliding) on which `∇s` is a unit vector at right angles to `∇g` is taken for Cartesian: a translation of the body along them moves the contact by as much.
//!
//! Whether slopes are 1, or alike, is found at places where the gap is closed, near the start. Quotients and roots are expressions: all
//! derivatives are exact. Cost: a few dozen evaluations of the gap when a system is made, for contacts with friction alone.

mod probe;

use super::definition::{Definition, Unit};
use super::expression::{Graph, NodeId, Op};
use crate::problem::Points;
use probe::{Block, Probe};

/// What a gap is measured in.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum GapUnit {
    /// A length as it is written.
    Length,
    /// Divided by its slope, which has this value near the start.
    Normalised(f64),
    /// A length by what is said of it; points or directions of sliding would give it this slope near the start.
    Said(f64),
    /// Something else: its slope near the start.
    Own(f64),
    /// Nothing tells.
    Unknown,
}

/// Why a gap cannot be made a length.
#[derive(Debug, Clone, Copy, PartialEq, thiserror::Error)]
pub enum Unfit {
    /// No metric.
    #[error("this gap must be a length, for friction or by `unit`, and nothing says whether it is one")]
    Untold,
    /// Points on which the gap has different slopes.
    #[error(
        "this gap must be a length, for friction or by `unit`, and the points that it depends on do not agree: its slopes are {0} and {1}"
    )]
    Uneven(f64, f64),
    /// No gradient.
    #[error("the gap cannot be made a length: its gradient vanishes where it is closed")]
    Flat,
    /// A direction of sliding along the normal.
    #[error("the direction of sliding is at right angles to the surface")]
    Across,
    /// Two directions of sliding that are one.
    #[error("both directions of sliding are the same along the surface")]
    Alike,
}

impl Unfit {
    /// Whether directions of sliding are to blame, and not the gap.
    pub fn is_of_slides(self) -> bool {
        matches!(self, Self::Across | Self::Alike)
    }

    /// What helps.
    pub fn help(self) -> &'static str {
        match self {
            Self::Untold => {
                "name the Cartesian coordinates, like points = [[\"x\", \"y\"]], or say unit = \"length\" if the gap is a length as it is written"
            }
            Self::Uneven(..) => "write the gap as a length and say unit = \"length\"",
            Self::Flat => "write it so that its gradient does not vanish on the surface",
            Self::Across => "give a length along the surface",
            Self::Alike => "give two lengths at right angles, or one",
        }
    }
}

/// Where a gap has its slope.
enum Metric {
    /// On every one of these blocks of coordinates: points that it depends on.
    Points(Vec<Block>),
    /// On these coordinates, by the directions of sliding.
    Frame(Block),
}

impl Metric {
    fn block(&self) -> &Block {
        match self {
            Self::Points(blocks) => &blocks[0],
            Self::Frame(block) => block,
        }
    }
}

fn metric(probe: &Probe, points: &Points) -> Result<Metric, Unfit> {
    let blocks = probe.touched(points);
    if blocks.is_empty() {
        return probe.frame().map(Metric::Frame).ok_or(Unfit::Untold);
    }
    match probe.uneven(&blocks) {
        Some([one, other]) => Err(Unfit::Uneven(one, other)),
        None => Ok(Metric::Points(blocks)),
    }
}

/// Makes the gaps of contacts with friction lengths, and their directions of sliding unit vectors along the surface, where they are not;
/// and those that are to be. `friction` replaces the coefficients of all contacts. Returns the slopes of the gaps that were changed,
/// near the start, or every contact that cannot be.
pub fn make_lengths(
    definition: &mut Definition,
    points: &Points,
    start: &[f64],
    friction: Option<f64>,
) -> Result<Vec<Option<f64>>, Vec<(usize, Unfit)>> {
    let mut slopes = vec![None; definition.inequalities.len()];
    let mut unfit = Vec::new();
    for contact in 0..slopes.len() {
        let known = &definition.contacts[contact];
        let rough = friction.unwrap_or(known.friction) > 0.0 && !known.slides.is_empty();
        let asked = match known.unit {
            Unit::Found => rough,
            Unit::Length => false,
            Unit::Normalised => true,
        };
        if asked {
            match make_length(definition, points, start, contact) {
                Ok(slope) => slopes[contact] = slope,
                Err(reason) => unfit.push((contact, reason)),
            }
        }
    }
    if unfit.is_empty() { Ok(slopes) } else { Err(unfit) }
}

fn make_length(
    definition: &mut Definition,
    points: &Points,
    start: &[f64],
    contact: usize,
) -> Result<Option<f64>, Unfit> {
    let (layout, gap) = (definition.layout(), definition.inequalities[contact].node);
    let slides = definition.contacts[contact].slides.clone();
    let graph = &mut definition.graph;
    let probe = Probe::new(graph, layout, gap, &slides, start);
    let metric = metric(&probe, points)?;
    let slope = probe.slope(metric.block());
    if !(slope > 0.0 && slope.is_finite()) {
        return Err(Unfit::Flat);
    }
    let nu = length_of(graph, metric.block().iter().map(|&place| probe.g[place]));
    if let Metric::Points(blocks) = &metric
        && probe.tilted(blocks)?
    {
        let rows = tangents(graph, &probe, (&blocks[0], nu), layout.n);
        definition.contacts[contact].tangents = rows;
    }
    if probe.is_length(metric.block()) {
        return Ok(None);
    }
    definition.inequalities[contact].node = definition.graph.div(gap, nu);
    Ok(Some(slope))
}

/// The root of a sum of squares.
fn length_of(graph: &mut Graph, parts: impl Iterator<Item = NodeId>) -> NodeId {
    let mut sum = Graph::ZERO;
    for part in parts {
        let square = graph.powi(part, 2);
        sum = graph.add(sum, square);
    }
    graph.apply(Op::Sqrt, sum, sum)
}

/// The directions of sliding as rows of `n` entries: the gradients of the lengths along the surface, without what they have along the
/// normal and, of a second one, along the first; of unit length on a block.
fn tangents(graph: &mut Graph, probe: &Probe, (block, nu): (&Block, NodeId), n: usize) -> Vec<NodeId> {
    let mut units: Vec<Vec<NodeId>> = vec![probe.g.iter().map(|&g| graph.div(g, nu)).collect()];
    for slide in &probe.slides {
        let mut row = slide.clone();
        for unit in &units {
            let mut along = Graph::ZERO;
            for &place in block {
                let product = graph.mul(row[place], unit[place]);
                along = graph.add(along, product);
            }
            for (entry, &unit) in row.iter_mut().zip(unit) {
                let part = graph.mul(along, unit);
                *entry = graph.sub(*entry, part);
            }
        }
        let length = length_of(graph, block.iter().map(|&place| row[place]));
        units.push(row.into_iter().map(|entry| graph.div(entry, length)).collect());
    }
    let mut rows = vec![Graph::ZERO; (units.len() - 1) * n];
    for (out, unit) in rows.chunks_exact_mut(n).zip(&units[1..]) {
        probe.support.iter().zip(unit).for_each(|(&k, &entry)| out[k] = entry);
    }
    rows
}

/// What the gaps are measured in, as far as points or directions of sliding tell; `slopes` are those of [`make_lengths`].
pub fn gap_units(definition: &Definition, points: &Points, start: &[f64], slopes: &[Option<f64>]) -> Vec<GapUnit> {
    let mut graph = definition.graph.clone();
    let each = definition.inequalities.iter().zip(&definition.contacts).zip(slopes);
    let unit = each.map(|((row, contact), slope)| match slope {
        Some(slope) => GapUnit::Normalised(*slope),
        None => {
            let probe = Probe::new(&mut graph, definition.layout(), row.node, &contact.slides, start);
            match (metric(&probe, points), contact.unit) {
                (Ok(metric), _) if probe.is_length(metric.block()) => GapUnit::Length,
                (Ok(metric), Unit::Length) => GapUnit::Said(probe.slope(metric.block())),
                (Ok(metric), _) => GapUnit::Own(probe.slope(metric.block())),
                (Err(_), Unit::Length) => GapUnit::Length,
                (Err(_), _) => GapUnit::Unknown,
            }
        }
    });
    unit.collect()
}
