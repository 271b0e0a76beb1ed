//! Errors against a finer run of the same scene that is made alongside, at nodes and inside steps.

use carom::observe::Frame;
use carom::state::State;
use carom::steppers::galerkin::legendre::{gauss, legendre};
use carom::steppers::{Inside, Stepper};
use carom::system::System;

use crate::scene::Scene;

/// Gauss points in a step.
pub(super) const POINTS: usize = 16;

/// A run of the same scene with shorter steps, or a better method, that keeps pace.
struct Reference<'a> {
    system: &'a (dyn System + 'static),
    stepper: Box<dyn Stepper<dyn System>>,
    state: State,
    start: f64,
    h: f64,
    per_step: u64,
    made: u64,
}

/// A configuration and a momentum.
#[derive(Debug, Clone)]
struct Point {
    q: Vec<f64>,
    p: Vec<f64>,
}

impl Point {
    fn of(dim: usize) -> Self {
        Self { q: vec![0.0; dim], p: vec![0.0; dim] }
    }
}

impl<'a> Reference<'a> {
    fn new(scene: &'a Scene, h: f64) -> Result<Self, String> {
        let ratio = h / scene.run.h;
        if ratio.round() < 1.0 || (ratio - ratio.round()).abs() > 1e-9 * ratio {
            return Err(format!("the step {:?} of the reference does not divide the step {h:?}", scene.run.h));
        }
        let (system, state) = (&*scene.problem.system, scene.problem.initial.clone());
        let stepper = scene.method.stepper(system, &state).map_err(|refusal| refusal.to_string())?;
        let (start, per_step) = (state.t, ratio.round() as u64);
        Ok(Self { system, stepper, state, start, h: scene.run.h, per_step, made: 0 })
    }

    /// Goes on by a step of the run; gives the states at these fractions of it.
    fn advance(&mut self, fractions: &[f64]) -> Result<Vec<Point>, String> {
        let mut points = vec![Point::of(self.state.q.len()); fractions.len()];
        for part in 0..self.per_step {
            let step = self.stepper.step(self.system, &mut self.state, self.h);
            step.map_err(|error| format!("the reference: {error}"))?;
            self.made += 1;
            self.state.t = self.start + self.made as f64 * self.h;
            let inside = self.stepper.inside();
            let inside = inside.ok_or("the method of the reference does not know the motion inside its steps")?;
            for (fraction, point) in fractions.iter().zip(&mut points) {
                let s = fraction * self.per_step as f64 - part as f64;
                let last = part + 1 == self.per_step;
                if (0.0..1.0).contains(&s) || (last && s >= 1.0) {
                    inside.at(s.min(1.0), &mut point.q, &mut point.p);
                }
            }
        }
        Ok(points)
    }
}

/// A mean of squares.
#[derive(Debug, Clone, Copy, Default)]
struct Squares {
    sum: f64,
    weight: f64,
}

impl Squares {
    fn add(&mut self, weight: f64, square: f64) {
        self.sum += weight * square;
        self.weight += weight;
    }

    fn root(self) -> Option<f64> {
        (self.weight > 0.0).then(|| (self.sum / self.weight).sqrt())
    }
}

/// Means of squares in coordinates and in momenta.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Means([Squares; 2]);

impl Means {
    fn add(&mut self, weight: f64, [q, p]: [f64; 2]) {
        self.0[0].add(weight, q);
        self.0[1].add(weight, p);
    }

    /// Their roots.
    pub fn roots(self) -> [Option<f64>; 2] {
        self.0.map(Squares::root)
    }
}

/// The square of the distance.
fn square(a: &[f64], b: &[f64]) -> f64 {
    a.iter().zip(b).fold(0.0, |sum, (a, b)| sum + (a - b) * (a - b))
}

fn squares(a: &Point, b: &Point) -> [f64; 2] {
    [square(&a.q, &b.q), square(&a.p, &b.p)]
}

/// What is left of values at the Gauss points by their best polynomial: the mean of squares.
fn left(points: &[Point], gauss: &[(f64, f64)], degree: usize, of: fn(&Point) -> &[f64]) -> f64 {
    let polynomials = |s: f64| {
        let mut values = vec![0.0; degree + 1];
        legendre(s, &mut values);
        values
    };
    let basis: Vec<Vec<f64>> = gauss.iter().map(|(s, _)| polynomials(*s)).collect();
    let dim = points.first().map_or(0, |point| of(point).len());
    let component = |i: usize| {
        let coefficient = |k: usize| {
            let weighted = gauss.iter().zip(&basis).zip(points);
            let sum: f64 = weighted.map(|(((_, weight), basis), point)| weight * basis[k] * of(point)[i]).sum();
            (2 * k + 1) as f64 * sum
        };
        let coefficients: Vec<f64> = (0..=degree).map(coefficient).collect();
        let rest = |(((_, weight), basis), point): ((&(f64, f64), &Vec<f64>), &Point)| {
            let fitted: f64 = coefficients.iter().zip(basis).map(|(c, value)| c * value).sum();
            weight * (of(point)[i] - fitted).powi(2)
        };
        gauss.iter().zip(&basis).zip(points).map(rest).sum::<f64>()
    };
    (0..dim).map(component).sum()
}

/// Errors of a run.
pub(super) struct Errors<'a> {
    reference: Reference<'a>,
    h: f64,
    grid: Option<f64>,
    degree: Option<usize>,
    gauss: Vec<(f64, f64)>,
    /// At nodes, the start among them.
    pub nodes: Means,
    /// Of the ansatz functions on a grid of times, limits from the right at nodes.
    pub on_grid: Means,
    /// Of the ansatz functions, over time.
    pub ansatz: Means,
    /// Of the continuous motion, over time.
    pub continuous: Means,
    /// Of the best polynomials of the same degree, over time.
    pub best: Means,
    /// Of the ansatz functions in the last step: means of squares.
    pub last: [f64; 2],
}

impl<'a> Errors<'a> {
    /// Of steps of length `h` against the run of a scene.
    pub fn new(scene: &'a Scene, h: f64, grid: Option<f64>, degree: Option<usize>) -> Result<Self, String> {
        let none = Means::default();
        let (places, weights) = gauss(POINTS);
        Ok(Self {
            reference: Reference::new(scene, h)?,
            h,
            grid,
            degree,
            gauss: places.into_iter().zip(weights).collect(),
            nodes: none,
            on_grid: none,
            ansatz: none,
            continuous: none,
            best: none,
            last: [0.0; 2],
        })
    }

    /// The fractions of a step at which points of the grid lie, its start included and its end not.
    fn of_grid(&self, step: u64) -> Vec<f64> {
        let Some(grid) = self.grid else { return Vec::new() };
        let start = step as f64 * self.h;
        let first = ((start - 1e-9 * self.h) / grid).ceil().max(0.0) as u64;
        let fractions = (first..).map(|k| (k as f64 * grid - start) / self.h);
        fractions.take_while(|s| *s < 1.0 - 1e-9).map(|s| s.max(0.0)).collect()
    }

    /// Looks at a node and at the step before it.
    pub fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        if frame.step == 0 {
            self.nodes.add(1.0, [0.0; 2]);
            return Ok(());
        }
        let on_grid = self.of_grid(frame.step - 1);
        let mut fractions: Vec<f64> = self.gauss.iter().map(|(s, _)| *s).collect();
        fractions.extend(&on_grid);
        fractions.push(1.0);
        let points = self.reference.advance(&fractions)?;
        let mut point = Point::of(frame.state.q.len());
        if let Some(end) = points.last() {
            let node = [square(&frame.state.q, &end.q), square(&frame.state.p, &end.p)];
            self.nodes.add(1.0, node);
        }
        if let Some(inside) = frame.inside {
            self.step(inside, &points, &on_grid, &mut point);
        }
        Ok(())
    }

    fn step(&mut self, inside: &dyn Inside, points: &[Point], on_grid: &[f64], point: &mut Point) {
        self.last = [0.0; 2];
        for ((s, weight), exact) in self.gauss.iter().zip(points) {
            inside.ansatz(*s, &mut point.q, &mut point.p);
            let error = squares(point, exact);
            self.ansatz.add(*weight, error);
            self.last = [self.last[0] + weight * error[0], self.last[1] + weight * error[1]];
            inside.at(*s, &mut point.q, &mut point.p);
            self.continuous.add(*weight, squares(point, exact));
        }
        for (s, exact) in on_grid.iter().zip(&points[POINTS..]) {
            inside.ansatz(*s, &mut point.q, &mut point.p);
            self.on_grid.add(1.0, squares(point, exact));
        }
        if let Some(degree) = self.degree {
            let of = |of: fn(&Point) -> &[f64]| left(&points[..POINTS], &self.gauss, degree, of);
            self.best.add(1.0, [of(|point| &point.q), of(|point| &point.p)]);
        }
    }
}
