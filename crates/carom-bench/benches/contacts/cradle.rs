//! The cradle of `scenes/kaufman-pai/newtons-cradle.toml`: its particles and its loop by hand.
//!
//! The loop by hand is the same algorithm: prediction without rods, generalized reflection, contacts that are touched
//! tangentially held as equalities until one pulls, midpoint step with rods, projection. It exploits that the force is constant
//! and the mass is 1, so that velocities are eliminated and Newton's method runs on the multipliers, and that a row touches
//! two neighbours at most. The matrix of the multipliers is taken as full or, in the order of the balls, as banded.

use carom::impact::Nnls;
use carom::particles::{Group, Link, Particles, Selection, Surface};
use carom::state::State;

pub const H: f64 = 0.01;
const GRAVITY: f64 = 9.8;
const RADIUS: f64 = 0.25;
const LIFTED: usize = 2;
const FLOOR: f64 = 4.0 * f64::EPSILON;
const CLOSED: f64 = f64::EPSILON;
/// What counts as none, as in the method.
const TOLERANCE: f64 = 1e-10;
const ROUND_OFF: f64 = 64.0 * f64::EPSILON;
const NEARLY_CLOSED: f64 = 1e-9;

type Vector = [f64; 2];

pub fn start(balls: usize) -> State {
    let (sin, cos) = (-std::f64::consts::PI / 5.0).sin_cos();
    let raised = |i: usize| [2.0 * RADIUS * i as f64 + sin, -cos];
    let place = |i: usize| if i < LIFTED { raised(i) } else { [2.0 * RADIUS * i as f64, -1.0] };
    State { t: 0.0, q: (0..balls).flat_map(place).collect(), p: vec![0.0; 2 * balls] }
}

/// The balls without a scene.
pub fn particles(balls: usize) -> Particles {
    let mut system = Particles::new(2, vec![1.0; balls]).expect("right");
    system.set_radii(vec![RADIUS; balls]).expect("right");
    system.set_gravity(&[0.0, -GRAVITY]).expect("right");
    for i in 0..balls {
        system.add_rod(Link::anchored(i, [2.0 * RADIUS * i as f64, 0.0, 0.0]), 1.0).expect("right");
    }
    for i in 0..balls - 1 {
        let pair = Selection { group: Group::Of(vec![i, i + 1]), ..Selection::default() };
        system.add_sphere_gaps(&pair, Surface::default()).expect("right");
    }
    system
}

fn dot(a: Vector, b: Vector) -> f64 {
    a[0] * b[0] + a[1] * b[1]
}

/// A gradient by a ball and by the next one.
#[derive(Clone, Copy)]
struct Row {
    ball: usize,
    own: Vector,
    next: Vector,
}

impl Row {
    fn rod(q: &[Vector], ball: usize) -> (Self, f64) {
        let d = [q[ball][0] - 2.0 * RADIUS * ball as f64, q[ball][1]];
        let length = dot(d, d).sqrt();
        (Self { ball, own: d.map(|d| d / length), next: [0.0; 2] }, length - 1.0)
    }

    fn contact(q: &[Vector], ball: usize) -> (Self, f64) {
        let d = [q[ball + 1][0] - q[ball][0], q[ball + 1][1] - q[ball][1]];
        let length = dot(d, d).sqrt();
        (Self { ball, own: d.map(|d| -d / length), next: d.map(|d| d / length) }, length - 2.0 * RADIUS)
    }

    fn times(&self, x: &[Vector]) -> f64 {
        dot(self.own, x[self.ball]) + x.get(self.ball + 1).map_or(0.0, |x| dot(self.next, *x))
    }

    fn product(&self, other: &Self) -> f64 {
        match other.ball.wrapping_sub(self.ball) {
            0 => dot(self.own, other.own) + dot(self.next, other.next),
            1 => dot(self.next, other.own),
            usize::MAX => dot(self.own, other.next),
            _ => 0.0,
        }
    }

    fn add_to(&self, factor: f64, x: &mut [Vector]) {
        for k in 0..2 {
            x[self.ball][k] += factor * self.own[k];
        }
        if let Some(x) = x.get_mut(self.ball + 1) {
            for k in 0..2 {
                x[k] += factor * self.next[k];
            }
        }
    }

    /// `Σ|g||x|`.
    fn size(&self, x: &[Vector]) -> f64 {
        let size = |g: Vector, x: Vector| (g[0] * x[0]).abs() + (g[1] * x[1]).abs();
        size(self.own, x[self.ball]) + x.get(self.ball + 1).map_or(0.0, |x| size(self.next, *x))
    }
}

/// Rods of all balls and the contacts that are held, ball by ball, and their values.
fn equalities(q: &[Vector], held: &[bool], out: &mut Vec<(Row, f64)>) {
    out.clear();
    for ball in 0..q.len() {
        out.push(Row::rod(q, ball));
        if held.get(ball) == Some(&true) {
            out.push(Row::contact(q, ball));
        }
    }
}

/// Elimination without pivots of `A_ij = one_i · zero_j`; entries farther than `band` from the diagonal are zero.
fn solve(one: &[(Row, f64)], zero: &[(Row, f64)], band: usize, matrix: &mut Vec<f64>, b: &mut [f64]) {
    let (m, width) = (one.len(), (2 * band + 1).min(one.len()));
    matrix.clear();
    matrix.resize(m * width, 0.0);
    // A full matrix has its rows at column 0, a banded one at the diagonal.
    let first = |i: usize| if width == m { 0 } else { i.saturating_sub(band).min(m - width) };
    let last = |i: usize| (i + band).min(m - 1);
    for i in 0..m {
        for j in i.saturating_sub(band)..=last(i) {
            matrix[i * width + j - first(i)] = one[i].0.product(&zero[j].0);
        }
    }
    for k in 0..m {
        let (upper, lower) = matrix.split_at_mut((k + 1) * width);
        let pivot = &upper[k * width + k - first(k)..][..=last(k) - k];
        for i in k + 1..=last(k) {
            let row = &mut lower[(i - k - 1) * width + k - first(i)..][..=last(k) - k];
            let factor = row[0] / pivot[0];
            for (a, p) in row.iter_mut().zip(pivot).skip(1) {
                *a -= factor * p;
            }
            b[i] -= factor * b[k];
        }
    }
    for k in (0..m).rev() {
        let row = &matrix[k * width + k - first(k)..][..=last(k) - k];
        let sum = row[1..].iter().zip(&b[k + 1..]).fold(b[k], |sum, (a, b)| sum - a * b);
        b[k] = sum / row[0];
    }
}

pub struct Hand {
    balls: usize,
    /// Whether the matrix of the multipliers is taken as banded.
    banded: bool,
    q: Vec<Vector>,
    p: Vec<Vector>,
    q1: Vec<Vector>,
    p1: Vec<Vector>,
    gap: Vec<f64>,
    next_gap: Vec<f64>,
    touching: Vec<bool>,
    carrying: Vec<bool>,
    candidate: Vec<bool>,
    held: Vec<bool>,
    zero: Vec<(Row, f64)>,
    one: Vec<(Row, f64)>,
    lambda: Vec<f64>,
    change: Vec<f64>,
    matrix: Vec<f64>,
    active: Vec<usize>,
    /// Gradients of active contacts, freed of what the rods take: a rod takes of its own ball alone.
    rows: Vec<Row>,
    chosen: Vec<usize>,
    programme: Nnls,
}

impl Hand {
    pub fn new(start: &State, banded: bool) -> Self {
        let (q, p) = (start.q.as_chunks().0.to_vec(), start.p.as_chunks().0.to_vec());
        let balls = q.len();
        let none = vec![false; balls - 1];
        let gap: Vec<f64> = (0..balls - 1).map(|i| Row::contact(&q, i).1).collect();
        let mut hand = Self {
            balls,
            banded,
            q1: q.clone(),
            p1: p.clone(),
            q,
            p,
            next_gap: gap.clone(),
            touching: none.clone(),
            carrying: none.clone(),
            candidate: none.clone(),
            held: none,
            zero: Vec::new(),
            one: Vec::new(),
            lambda: Vec::new(),
            change: Vec::new(),
            matrix: Vec::new(),
            active: Vec::new(),
            rows: Vec::new(),
            chosen: Vec::new(),
            programme: Nnls::default(),
            gap,
        };
        for i in 0..balls - 1 {
            hand.touching[i] =
                hand.gap[i].abs() <= hand.tolerances(&Row::contact(&hand.q, i).0, &hand.q, &hand.p)[0];
            hand.carrying[i] = hand.touching[i];
        }
        hand
    }

    /// Gaps and speeds along a row that count as none.
    fn tolerances(&self, row: &Row, q: &[Vector], p: &[Vector]) -> [f64; 2] {
        let fall = H * GRAVITY;
        let weight = fall * (row.own[1].abs() + row.next[1].abs());
        let speed = row.size(p) + weight;
        [ROUND_OFF * row.size(q) + TOLERANCE * H * speed, TOLERANCE * speed]
    }

    fn look(&mut self) {
        for i in 0..self.balls - 1 {
            self.next_gap[i] = Row::contact(&self.q1, i).1;
        }
    }

    /// Where the balls fly to without rods, with the impulse of the rows taken off.
    fn fly(&mut self) {
        self.p1.copy_from_slice(&self.p);
        for ((row, _), lambda) in self.zero.iter().zip(&self.lambda) {
            row.add_to(-lambda, &mut self.p1);
        }
        for i in 0..self.balls {
            self.p1[i][1] -= 0.5 * H * GRAVITY;
            for k in 0..2 {
                self.q1[i][k] = self.q[i][k] + H * self.p1[i][k];
            }
        }
    }

    /// The midpoint step with rods and the held contacts.
    fn constrained(&mut self) {
        equalities(&self.q, &self.held, &mut self.zero);
        let band = if self.banded { 2 } else { self.zero.len() };
        self.lambda.clear();
        self.lambda.resize(self.zero.len(), 0.0);
        let mut before = f64::INFINITY;
        loop {
            self.fly();
            equalities(&self.q1, &self.held, &mut self.one);
            let violation = |(row, f): &(Row, f64)| f.abs() / (row.size(&self.q1) + H * row.size(&self.p1));
            let residual = self.one.iter().map(violation).fold(0.0, f64::max);
            if residual <= CLOSED || (residual > 0.25 * before && residual <= 1e-12) {
                break;
            }
            assert!(residual < 1.0);
            before = residual;
            self.change.clear();
            self.change.extend(self.one.iter().map(|(_, f)| f / H));
            solve(&self.one, &self.zero, band, &mut self.matrix, &mut self.change);
            self.lambda.iter_mut().zip(&self.change).for_each(|(lambda, change)| *lambda += change);
        }
        for p in &mut self.p1 {
            p[1] -= 0.5 * H * GRAVITY;
        }
        for _ in 0..3 {
            let mut worst = 0.0_f64;
            self.change.clear();
            for (row, _) in &self.one {
                let (speed, size) = (row.times(&self.p1), row.size(&self.p1));
                worst = worst.max(if speed == 0.0 { 0.0 } else { speed.abs() / size });
                self.change.push(speed);
            }
            if worst <= FLOOR {
                break;
            }
            solve(&self.one, &self.one, band, &mut self.matrix, &mut self.change);
            for ((row, _), change) in self.one.iter().zip(&self.change) {
                row.add_to(-change, &mut self.p1);
            }
        }
        self.look();
    }

    /// Reflects at the active contacts; the quadratic programme of several is carom's own.
    fn reflect(&mut self) {
        loop {
            self.chosen.clear();
            for (k, (row, &contact)) in self.rows.iter().zip(&self.active).enumerate() {
                let tolerance = self.tolerances(&Row::contact(&self.q, contact).0, &self.q, &self.p)[1];
                if row.times(&self.p) < -tolerance {
                    self.chosen.push(k);
                }
            }
            let size = self.chosen.len();
            if size == 0 {
                return;
            }
            self.programme.resize(size);
            for (a, &i) in self.chosen.iter().enumerate() {
                for (b, &j) in self.chosen.iter().enumerate() {
                    self.programme.w[a * size + b] = self.rows[i].product(&self.rows[j]);
                }
                self.programme.c[a] = 2.0 * self.rows[i].times(&self.p);
            }
            assert!(self.programme.solve());
            for (y, &k) in self.programme.y.iter().zip(&self.chosen) {
                self.rows[k].add_to(*y, &mut self.p);
            }
        }
    }

    fn activate(&mut self) {
        self.active.clear();
        self.rows.clear();
        for contact in 0..self.balls - 1 {
            if self.touching[contact] || self.next_gap[contact] <= 0.0 {
                let mut row = Row::contact(&self.q, contact).0;
                for (ball, part) in [(contact, &mut row.own), (contact + 1, &mut row.next)] {
                    let along = Row::rod(&self.q, ball).0.own;
                    let taken = dot(along, *part);
                    *part = [part[0] - taken * along[0], part[1] - taken * along[1]];
                }
                self.active.push(contact);
                self.rows.push(row);
            }
        }
    }

    /// Holds what is touched tangentially, exchanging those that pull and those that are violated.
    fn hold(&mut self) {
        self.held.fill(false);
        self.candidate.fill(false);
        for (row, &contact) in self.rows.iter().zip(&self.active) {
            let tolerance = self.tolerances(&Row::contact(&self.q, contact).0, &self.q, &self.p)[1];
            self.candidate[contact] = self.touching[contact] && row.times(&self.p).abs() <= tolerance;
            self.held[contact] = self.candidate[contact] && self.carrying[contact];
        }
        for attempt in 0.. {
            assert!(attempt < 2 * self.balls + 4, "the exchange ends");
            self.constrained();
            let (mut right, mut place) = (true, 0);
            for contact in 0..self.balls - 1 {
                place += 1;
                let held = self.held[contact];
                if self.candidate[contact] {
                    let row = Row::contact(&self.q, contact).0;
                    let [gap, speed] = self.tolerances(&row, &self.q, &self.p);
                    let inertia =
                        self.active.binary_search(&contact).map_or(2.0, |k| self.rows[k].product(&self.rows[k]));
                    let wrong =
                        if held { self.lambda[place] * inertia > speed } else { self.next_gap[contact] < -gap };
                    right &= !wrong;
                    self.held[contact] ^= wrong;
                }
                place += usize::from(held);
            }
            if right {
                return;
            }
        }
    }
}

impl super::Hand for Hand {
    fn step(&mut self) {
        self.lambda.fill(0.0);
        self.fly();
        self.look();
        let ahead = |(gap, next): (&f64, &f64)| *next > NEARLY_CLOSED * gap.abs();
        let clear = !self.touching.contains(&true) && self.gap.iter().zip(&self.next_gap).all(ahead);
        if clear {
            self.held.fill(false);
            self.constrained();
        } else {
            self.activate();
            self.reflect();
            self.hold();
        }
        for i in 0..self.balls - 1 {
            let near = self.next_gap[i].abs() <= NEARLY_CLOSED * self.gap[i].abs();
            let closed = |hand: &Self| {
                let row = Row::contact(&hand.q1, i).0;
                hand.next_gap[i].abs() <= hand.tolerances(&row, &hand.q1, &hand.p1)[0]
            };
            self.carrying[i] = self.held[i];
            self.touching[i] = self.held[i] || (near && closed(self));
        }
        std::mem::swap(&mut self.q, &mut self.q1);
        std::mem::swap(&mut self.p, &mut self.p1);
        std::mem::swap(&mut self.gap, &mut self.next_gap);
        assert!(self.q.iter().chain(&self.p).map(|x| x[0] + x[1]).sum::<f64>().is_finite());
    }

    fn state(&self) -> (&[f64], &[f64]) {
        (self.q.as_flattened(), self.p.as_flattened())
    }
}
