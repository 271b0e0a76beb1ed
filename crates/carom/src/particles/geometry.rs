//! Functions of a squared distance, and where their derivatives go.
//!
//! Every element between two points is a function `u(w)` of `w = |d|²`, `d = x_j − x_i`. Its gradient is `2u'd` by `x_j`
//! and the opposite by `x_i`; its Hessian block is `2u'I + 4u''ddᵀ`. A potential in even powers of the distance then
//! needs no square root. Cost: a few products per component.

use crate::system::Pattern;

/// `u(w)` with its first and second derivative by `w`.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Jet {
    pub value: f64,
    pub first: f64,
    pub second: f64,
}

impl Jet {
    /// The distance `√w` itself.
    #[inline]
    pub fn distance(w: f64) -> Self {
        let value = w.sqrt();
        let first = 0.5 / value;
        Self { value, first, second: -0.5 * first / w }
    }

    /// A function of the distance from its value and derivatives by `r = √w`.
    #[inline]
    pub fn of_distance(w: f64, [value, slope, curvature]: [f64; 3]) -> Self {
        let first = 0.5 * slope / w.sqrt();
        Self { value, first, second: (0.25 * curvature - 0.5 * first) / w }
    }
}

/// Coordinates as points.
#[inline]
pub fn points<const D: usize>(q: &[f64]) -> &[[f64; D]] {
    q.as_chunks().0
}

/// Coordinates as points that can be changed.
#[inline]
pub fn points_mut<const D: usize>(q: &mut [f64]) -> &mut [[f64; D]] {
    q.as_chunks_mut().0
}

/// `b − a`.
#[inline(always)]
pub fn difference<const D: usize>(a: &[f64; D], b: &[f64; D]) -> [f64; D] {
    std::array::from_fn(|k| b[k] - a[k])
}

/// `(a + b)/2`.
#[inline(always)]
pub fn mean<const D: usize>(a: &[f64; D], b: &[f64; D]) -> [f64; D] {
    std::array::from_fn(|k| 0.5 * (a[k] + b[k]))
}

/// `a · b`.
#[inline(always)]
pub fn product<const D: usize>(a: &[f64; D], b: &[f64; D]) -> f64 {
    (1..D).fold(a[0] * b[0], |sum, k| sum + a[k] * b[k])
}

/// `a += b`.
#[inline(always)]
pub fn add<const D: usize>(a: &mut [f64; D], b: &[f64; D]) {
    for k in 0..D {
        a[k] += b[k];
    }
}

/// The first `D` components of a point in space.
#[inline]
pub fn truncated<const D: usize>(point: &[f64; 3]) -> [f64; D] {
    std::array::from_fn(|k| point[k])
}

/// Below this last component of a normal the other chart of [`frame`] is taken: a small cap, in which the first would lose
/// digits.
const CAP: f64 = -0.999;

/// Directions perpendicular to a unit vector and to each other; the first `D − 1` of them count.
///
/// In the plane the normal turned to the right. In space a reflection that swaps the last axis with the normal, applied to
/// the other axes: smooth but for the border of a small cap around the opposite of the last axis (no field of directions on
/// a sphere is smooth everywhere).
pub fn frame<const D: usize>(normal: &[f64; D]) -> [[f64; D]; 2] {
    let mut out = [[0.0; D]; 2];
    if D == 2 {
        (out[0][0], out[0][D - 1]) = (normal[D - 1], -normal[0]);
    } else if D == 3 {
        let mut mirror = *normal;
        mirror[D - 1] += if normal[D - 1] < CAP { -1.0 } else { 1.0 };
        let factor = 2.0 / product(&mirror, &mirror);
        for (k, out) in out.iter_mut().enumerate() {
            *out = mirror.map(|m| -(factor * mirror[k] * m));
            out[k] += 1.0;
        }
    }
    out
}

/// `scale (2u'I + 4u''ddᵀ)`.
#[inline]
pub fn radial_block<const D: usize>(d: &[f64; D], jet: Jet, scale: f64) -> [[f64; D]; D] {
    let (diagonal, outer) = (2.0 * scale * jet.first, 4.0 * scale * jet.second);
    std::array::from_fn(|a| std::array::from_fn(|b| outer * (d[a] * d[b]) + if a == b { diagonal } else { 0.0 }))
}

/// A Hessian that blocks are added to: dense, row-major, or of the pairs of a pattern.
pub struct Blocks<'a, const D: usize> {
    form: Form<'a>,
    out: &'a mut [f64],
}

#[derive(Clone, Copy)]
enum Form<'a> {
    /// With so many columns.
    Dense(usize),
    /// A row per coordinate, a block per particle.
    Sparse(&'a Pattern),
}

impl<'a, const D: usize> Blocks<'a, D> {
    /// Starts from zero.
    pub fn new(columns: usize, out: &'a mut [f64]) -> Self {
        out.fill(0.0);
        Self { form: Form::Dense(columns), out }
    }

    /// Starts from zero, with the entries of a pattern alone.
    pub fn within(pattern: &'a Pattern, out: &'a mut [f64]) -> Self {
        out.fill(0.0);
        Self { form: Form::Sparse(pattern), out }
    }

    /// Adds `sign · block` at the rows of particle `i` and the columns of particle `j`. A block that is not in the pattern is left out.
    #[inline]
    pub fn add(&mut self, i: usize, j: usize, sign: f64, block: &[[f64; D]; D]) {
        for (a, values) in block.iter().enumerate() {
            let begin = match self.form {
                Form::Dense(columns) => (D * i + a) * columns + D * j,
                Form::Sparse(pattern) => {
                    let range = pattern.range(D * i + a);
                    let Ok(place) = pattern.blocks()[range.clone()].binary_search(&j) else { return };
                    D * (range.start + place)
                }
            };
            for (out, value) in self.out[begin..begin + D].iter_mut().zip(values) {
                *out += sign * value;
            }
        }
    }

    /// Adds the four blocks of an element that depends on `x_j − x_i`.
    #[inline]
    pub fn add_pair(&mut self, i: usize, j: usize, block: &[[f64; D]; D]) {
        self.add(i, i, 1.0, block);
        self.add(j, j, 1.0, block);
        self.add(i, j, -1.0, block);
        self.add(j, i, -1.0, block);
    }
}
