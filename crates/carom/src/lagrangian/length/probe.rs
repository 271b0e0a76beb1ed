//! A gap and its directions of sliding at places where it is closed.

use super::Unfit;
use crate::lagrangian::definition::Layout;
use crate::lagrangian::expression::{Graph, NodeId, Tape};
use crate::linear::dot;
use crate::problem::Points;

/// Places among the coordinates that something depends on.
pub type Block = Vec<usize>;

/// How far slopes may be from each other, relative, to count as the same function.
const SAME: f64 = 1e-8;
/// Places beside the start.
const PLACES: usize = 6;
/// How far they are from it, relative to the coordinates.
const AWAY: f64 = 0.2;
/// Steps onto the surface.
const STEPS: usize = 40;
/// A gradient that is this small beside that a little off the surface vanishes on it.
const FLAT: f64 = 1e-6;
/// How far that is off it, relative to the coordinates.
const OFF: f64 = 1e-3;
/// So many coordinates are searched for three that are Cartesian.
const MOST: usize = 40;

/// Gradients at one place, over the coordinates of the probe.
struct Sample {
    g: Vec<f64>,
    slides: Vec<Vec<f64>>,
    /// Whether the gradient of the gap vanishes here.
    flat: bool,
}

/// Gradients of a gap and of lengths along its surface, as expressions and at some places.
pub struct Probe {
    /// The coordinates that any of them depends on.
    pub support: Vec<usize>,
    /// `∂g/∂q` over them.
    pub g: Vec<NodeId>,
    /// `∂s/∂q`, one list per length.
    pub slides: Vec<Vec<NodeId>>,
    /// The first is the nearest to the start.
    samples: Vec<Sample>,
}

fn same(a: f64, b: f64) -> bool {
    (a - b).abs() <= SAME * a.abs().max(b.abs())
}

fn vanishes(value: f64) -> bool {
    value.abs() <= SAME
}

fn norm(row: &[f64], block: &Block) -> f64 {
    block.iter().fold(0.0, |sum, &place| sum + row[place] * row[place]).sqrt()
}

fn product(a: &[f64], b: &[f64], block: &Block) -> f64 {
    block.iter().fold(0.0, |sum, &place| sum + a[place] * b[place])
}

impl Probe {
    pub fn new(graph: &mut Graph, layout: Layout, gap: NodeId, slides: &[NodeId], start: &[f64]) -> Self {
        let coordinates = layout.coordinates();
        let all: Vec<Vec<NodeId>> =
            [gap].iter().chain(slides).map(|&node| graph.gradient(node, &coordinates)).collect();
        let support: Vec<usize> = (0..layout.n).filter(|&k| all.iter().any(|row| row[k] != Graph::ZERO)).collect();
        let mut rows = all.iter().map(|row| support.iter().map(|&k| row[k]).collect::<Vec<_>>());
        let g = rows.next().unwrap_or_default();
        let mut probe = Self { g, slides: rows.collect(), support, samples: Vec::new() };
        probe.sample(graph, layout, gap, start);
        probe
    }

    /// Looks at the surface near the start and near places beside it; where no way leads onto it, at these themselves.
    fn sample(&mut self, graph: &Graph, layout: Layout, gap: NodeId, start: &[f64]) {
        let (width, count) = (self.support.len(), self.slides.len());
        let outputs: Vec<NodeId> =
            [gap].iter().chain(&self.g).chain(self.slides.iter().flatten()).copied().collect();
        let tape = Tape::compile(graph, &outputs, layout.n + 1);
        let (mut scratch, mut out) = (tape.scratch(), vec![0.0; outputs.len()]);
        scratch[..layout.n].copy_from_slice(start);
        let largest = self.support.iter().fold(0.0_f64, |max, &k| max.max(start[k].abs()));
        let mut seed = 0x9E37_79B9_7F4A_7C15_u64;
        for onto in [true, false] {
            for place in 0..=PLACES {
                for &k in &self.support {
                    seed ^= seed << 13;
                    seed ^= seed >> 7;
                    seed ^= seed << 17;
                    let random = (seed >> 11) as f64 / (1_u64 << 52) as f64 - 1.0;
                    let scale = if largest > 0.0 { start[k].abs().max(0.1 * largest) } else { 1.0 };
                    scratch[k] = start[k] + if place == 0 { 0.0 } else { AWAY * scale * random };
                }
                tape.evaluate_loaded(&mut scratch, &mut out);
                for _ in 0..if onto { STEPS } else { 0 } {
                    let (value, g) = (out[0], &out[1..=width]);
                    let square = dot(g, g);
                    for (&k, g) in self.support.iter().zip(g) {
                        scratch[k] -= value * g / square;
                    }
                    tape.evaluate_loaded(&mut scratch, &mut out);
                }
                let g = &out[1..=width];
                let size = self.support.iter().zip(g).fold(0.0, |sum, (&k, g)| sum + (g * scratch[k]).abs());
                let closed = !onto || out[0].abs() <= 1e-10 * (size + dot(g, g).sqrt());
                if closed && out.iter().all(|value| value.is_finite()) {
                    let slide = |j: usize| out[1 + (j + 1) * width..][..width].to_vec();
                    let (g, slides) = (g.to_vec(), (0..count).map(slide).collect());
                    let slope = dot(&g, &g).sqrt();
                    for (&k, g) in self.support.iter().zip(&g) {
                        scratch[k] += OFF * if largest > 0.0 { largest } else { 1.0 } * g / slope;
                    }
                    tape.evaluate_loaded(&mut scratch, &mut out);
                    let beside = dot(&out[1..=width], &out[1..=width]).sqrt();
                    let flat = slope <= FLAT * beside || slope <= f64::MIN_POSITIVE;
                    self.samples.push(Sample { g, slides, flat });
                }
            }
            if !self.samples.is_empty() {
                break;
            }
        }
    }

    /// The points that the gap depends on.
    pub fn touched(&self, points: &Points) -> Vec<Block> {
        let place = |k: &usize| self.support.binary_search(k).ok();
        let blocks = points.members.iter().map(|members| members.iter().filter_map(place).collect::<Block>());
        blocks.filter(|block| block.iter().any(|&place| self.g[place] != Graph::ZERO)).collect()
    }

    /// Slopes on two blocks that differ, if there are any.
    pub fn uneven(&self, blocks: &[Block]) -> Option<[f64; 2]> {
        self.samples.iter().find_map(|sample| {
            let first = norm(&sample.g, &blocks[0]);
            let other = blocks.iter().map(|block| norm(&sample.g, block)).find(|other| !same(first, *other))?;
            Some([first, other])
        })
    }

    /// The slope on a block near the start; 0 if the gap is nowhere defined, or its gradient vanishes at any of the places.
    pub fn slope(&self, block: &Block) -> f64 {
        let slope = |sample: &Sample| norm(&sample.g, block);
        let flat = self.samples.iter().any(|sample| sample.flat || slope(sample) <= f64::MIN_POSITIVE);
        self.samples.first().filter(|_| !flat).map_or(0.0, slope)
    }

    /// Whether the slope on a block is 1 everywhere.
    pub fn is_length(&self, block: &Block) -> bool {
        !self.samples.is_empty() && self.samples.iter().all(|sample| same(norm(&sample.g, block), 1.0))
    }

    /// Coordinates on which the directions of sliding are unit vectors at right angles to the gap's gradient, and to each other. None
    /// if several would give the gap different slopes.
    pub fn frame(&self) -> Option<Block> {
        let width = self.support.len();
        let pairs = (0..width).flat_map(|k| (k + 1..width).map(move |l| vec![k, l]));
        let found: Vec<Block> = if self.slides.len() == 2 && width <= MOST {
            // Both directions have to fit: one alone says nothing of the other.
            let triple = |k: usize| (k + 1..width).flat_map(move |l| (l + 1..width).map(move |m| vec![k, l, m]));
            (0..width).flat_map(triple).filter(|block| self.frames(block, &[0, 1])).collect()
        } else {
            (0..self.slides.len()).flat_map(|j| pairs.clone().filter(move |b| self.frames(b, &[j]))).collect()
        };
        let first = found.first()?.clone();
        let agree = |sample: &Sample| {
            let slope = norm(&sample.g, &first);
            found.iter().all(|block| same(norm(&sample.g, block), slope))
        };
        self.samples.iter().all(agree).then_some(first)
    }

    fn frames(&self, block: &Block, slides: &[usize]) -> bool {
        let fits = |sample: &Sample| {
            let slope = norm(&sample.g, block);
            let along = |j: &usize| {
                let slide = &sample.slides[*j];
                same(norm(slide, block), 1.0) && vanishes(product(slide, &sample.g, block) / slope)
            };
            let crossed = match slides {
                [i, j] => vanishes(product(&sample.slides[*i], &sample.slides[*j], block)),
                _ => true,
            };
            slope > 0.0 && slides.iter().all(along) && crossed
        };
        !self.samples.is_empty() && self.samples.iter().all(fits)
    }

    /// Whether both directions of sliding are one, without what they have along the normal.
    fn are_alike(&self, sample: &Sample, block: &Block) -> bool {
        let slope = norm(&sample.g, block);
        let [first, second] = [0, 1].map(|j| {
            let slide = &sample.slides[j];
            let along = product(slide, &sample.g, block) / (slope * slope);
            slide.iter().zip(&sample.g).map(|(slide, g)| slide - along * g).collect::<Vec<f64>>()
        });
        let [a, b] = [norm(&first, block), norm(&second, block)];
        // |sin| of the angle between them.
        let along = product(&first, &second, block) / (a * b);
        1.0 - along * along <= 1e-12
    }

    /// Whether directions of sliding are to be made unit vectors along the surface: not if they are, nor if they are no vectors that all
    /// of these points share.
    pub fn tilted(&self, blocks: &[Block]) -> Result<bool, Unfit> {
        let mut fine = true;
        for sample in &self.samples {
            for (j, slide) in sample.slides.iter().enumerate() {
                // Along the normal, across it, and along the other direction.
                let parts = |block: &Block| {
                    let (slope, size) = (norm(&sample.g, block), norm(slide, block));
                    let along = product(slide, &sample.g, block) / slope;
                    let other = if j == 0 { 0.0 } else { product(slide, &sample.slides[0], block) };
                    (along, (size * size - along * along).max(0.0).sqrt(), other, size)
                };
                let (along, across, other, size) = parts(&blocks[0]);
                let alike = |block: &Block| {
                    let found = parts(block);
                    let close = |a: f64, b: f64| (a - b).abs() <= SAME * size.max(1.0);
                    close(found.0, along) && close(found.1, across) && close(found.2, other)
                };
                if !blocks.iter().all(alike) {
                    return Ok(false);
                }
                if across <= 1e-6 * size {
                    return Err(Unfit::Across);
                }
                if j > 0 && self.are_alike(sample, &blocks[0]) {
                    return Err(Unfit::Alike);
                }
                fine &= vanishes(along) && same(across, 1.0) && vanishes(other);
            }
        }
        Ok(!fine)
    }
}
