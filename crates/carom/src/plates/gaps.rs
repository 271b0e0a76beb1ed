//! Corners of plates in front of walls: `g = n·(x + R(θ)c) − d`, with a unit normal `n` and a corner `c` of the body.
//!
//! With `a = n·c` and `b = n·Jc`, `J` the quarter turn, this is `n·x − d + a cos θ + b sin θ`. The direction of sliding is `n`
//! turned clockwise: along a floor, to the right.

use crate::system::{Parabola, Softness};

/// A half-plane `normal · x ≥ offset` that corners stay in. Any length of the normal gives the same half-plane.
#[derive(Debug, Clone, PartialEq)]
pub struct Wall {
    /// Points into the half-plane.
    pub normal: [f64; 2],
    /// Value of `normal · x` on the wall.
    pub offset: f64,
    /// Newton's coefficient of restitution.
    pub restitution: f64,
    /// Coulomb's coefficient of friction.
    pub friction: f64,
}

/// A corner in front of a wall.
#[derive(Debug, Clone, Copy)]
pub struct Row {
    pub plate: usize,
    pub corner: usize,
    pub wall: usize,
    a: f64,
    b: f64,
    /// `|c|`.
    radius: f64,
}

/// The rows of one plate at one wall.
#[derive(Debug, Clone, Copy)]
struct Span {
    wall: usize,
    first: usize,
    end: usize,
}

/// All gaps of a system, wall by wall, plate by plate, corner by corner. The normals of the walls have unit length.
#[derive(Debug, Clone, Default)]
pub struct Gaps {
    walls: Vec<Wall>,
    /// By wall.
    softness: Vec<Softness>,
    rows: Vec<Row>,
    /// By plate: its sine and cosine serve all of its rows.
    spans: Vec<Vec<Span>>,
}

impl Gaps {
    /// No gaps of that many plates.
    pub fn new(plates: usize) -> Self {
        Self { spans: vec![Vec::new(); plates], ..Self::default() }
    }

    /// Adds a wall for plates given by number and corners. The normal must not be zero.
    pub fn push<'a>(&mut self, of: &Wall, plates: impl Iterator<Item = (usize, &'a [[f64; 2]])>) {
        let inverse = of.normal[0].hypot(of.normal[1]).recip();
        let normal @ [nx, ny] = of.normal.map(|n| n * inverse);
        let wall = self.walls.len();
        self.walls.push(Wall { normal, offset: of.offset * inverse, ..*of });
        self.softness.push(Softness::default());
        for (plate, vertices) in plates {
            let first = self.rows.len();
            let row = |(corner, &[x, y]): (usize, &[f64; 2])| {
                let (a, b) = (nx * x + ny * y, ny * x - nx * y);
                Row { plate, corner, wall, a, b, radius: a.hypot(b) }
            };
            self.rows.extend(vertices.iter().enumerate().map(row));
            self.spans[plate].push(Span { wall, first, end: self.rows.len() });
        }
    }

    pub fn len(&self) -> usize {
        self.rows.len()
    }

    pub fn row(&self, index: usize) -> &Row {
        &self.rows[index]
    }

    /// The wall of a row.
    pub fn wall(&self, index: usize) -> &Wall {
        &self.walls[self.rows[index].wall]
    }

    /// How many walls there are.
    pub fn walls(&self) -> usize {
        self.walls.len()
    }

    /// Says how soft a wall is.
    pub fn set_softness(&mut self, wall: usize, softness: Softness) {
        self.softness[wall] = softness;
    }

    /// How soft the wall of a row is.
    pub fn softness(&self, index: usize) -> Softness {
        self.softness[self.rows[index].wall]
    }

    /// Calls `visit` with every span, the place of its plate, and sine and cosine of its angle.
    #[inline]
    fn each(&self, q: &[f64], mut visit: impl FnMut(&Span, &[f64; 3], (f64, f64))) {
        for (spans, place) in self.spans.iter().zip(q.as_chunks::<3>().0) {
            if !spans.is_empty() {
                let turn = libm::sincos(place[2]);
                spans.iter().for_each(|span| visit(span, place, turn));
            }
        }
    }

    /// `g`.
    #[inline]
    pub fn values(&self, q: &[f64], out: &mut [f64]) {
        self.each(q, |span, [x, y, _], (sin, cos)| {
            let Wall { normal: [nx, ny], offset, .. } = self.walls[span.wall];
            let centre = nx * x + ny * y - offset;
            for (out, row) in out[span.first..span.end].iter_mut().zip(&self.rows[span.first..span.end]) {
                *out = centre + (row.a * cos + row.b * sin);
            }
        });
    }

    /// Bound of the round-off in a gap beside that of its coordinates, in units of ε.
    pub fn rounding(&self, index: usize) -> f64 {
        let row = &self.rows[index];
        4.0 * (row.radius + self.walls[row.wall].offset.abs())
    }

    /// `∂g/∂q` by the coordinates of the row's plate.
    #[inline]
    pub fn gradient(&self, q: &[f64], index: usize) -> [f64; 3] {
        let (Row { plate, a, b, .. }, [nx, ny]) = (self.rows[index], self.wall(index).normal);
        let (sin, cos) = libm::sincos(q[3 * plate + 2]);
        [nx, ny, b * cos - a * sin]
    }

    /// Derivative of the position of the corner along the wall, by the coordinates of the row's plate.
    pub fn tangent(&self, q: &[f64], index: usize) -> [f64; 3] {
        let (Row { plate, a, b, .. }, [nx, ny]) = (self.rows[index], self.wall(index).normal);
        let (sin, cos) = libm::sincos(q[3 * plate + 2]);
        [ny, -nx, -(a * cos + b * sin)]
    }

    /// Adds `λ ∂²g/∂q²` of a row to a matrix: nothing but the angle's diagonal.
    pub fn add_hessian(&self, q: &[f64], index: usize, lambda: f64, out: &mut [f64]) {
        let Row { plate, a, b, .. } = self.rows[index];
        let (sin, cos) = libm::sincos(q[3 * plate + 2]);
        out[(3 * plate + 2) * (q.len() + 1)] -= lambda * (a * cos + b * sin);
    }

    /// One gap, with the bits of [`Self::values`].
    pub fn value(&self, q: &[f64], index: usize) -> f64 {
        let Row { plate, wall, a, b, .. } = self.rows[index];
        let ([x, y, angle], wall) = (q.as_chunks::<3>().0[plate], &self.walls[wall]);
        let ([nx, ny], offset) = (wall.normal, wall.offset);
        let (sin, cos) = libm::sincos(angle);
        let centre = nx * x + ny * y - offset;
        centre + (a * cos + b * sin)
    }

    /// A bound of `|g'| = |n·x' + r ω cos φ|` along a parabola: both speeds are largest at one of the ends.
    pub fn fastest(&self, arc: &Parabola, index: usize) -> f64 {
        let (Row { plate, radius, .. }, [nx, ny]) = (self.rows[index], self.wall(index).normal);
        let at = |k: usize, t: f64| arc.v[3 * plate + k] + t * arc.a[3 * plate + k];
        let most = |speed: &dyn Fn(f64) -> f64| speed(0.0).abs().max(speed(arc.duration).abs());
        most(&|t| nx * at(0, t) + ny * at(1, t)) + radius * most(&|t| at(2, t))
    }

    /// Bounds of `g'' = n·x'' + r (α sin φ − ω² cos φ)` along a parabola, `φ` the unknown direction of the corner and
    /// `r = |c|`: the bracket is at most `√(α² + ω⁴)`, and `|ω|` is largest at one of the ends.
    pub fn bend(&self, arc: &Parabola, index: usize) -> [f64; 2] {
        let (Row { plate, radius, .. }, [nx, ny]) = (self.rows[index], self.wall(index).normal);
        let (at, alpha) = (3 * plate, arc.a[3 * plate + 2]);
        let omega = arc.v[at + 2].abs().max((arc.v[at + 2] + alpha * arc.duration).abs());
        // Most plates are not turned in the air, and roots are slow.
        let turning = if alpha == 0.0 { omega * omega } else { alpha.hypot(omega * omega) };
        let (centre, swing) = (nx * arc.a[at] + ny * arc.a[at + 1], radius * turning);
        [centre - swing, centre + swing]
    }
}
