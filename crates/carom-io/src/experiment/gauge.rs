//! What is seen of a run node by node.

use carom::measures::Momentum;
use carom::observe::{Frame, Observer};
use carom::problem::Problem;
use carom::study::exponent;

/// A state that was kept.
pub(super) struct Kept {
    pub t: f64,
    pub step: u64,
    pub energy: f64,
    pub momentum: Vec<f64>,
    pub q: Vec<f64>,
    pub p: Vec<f64>,
}

/// Sees in every node what a run's report does not have: all components of momentum, whether or not the scene conserves
/// them, the largest rise and fall of the energy between any two nodes, the mean violation of equalities, the least gap, how large coordinates
/// are in the end, what impacts took, and states at given times and after given numbers of impacts.
pub(super) struct Gauge {
    pub momentum: Momentum,
    pub first: Vec<f64>,
    pub now: Vec<f64>,
    pub change: Vec<f64>,
    lowest: f64,
    highest: f64,
    last: f64,
    pub largest_rise: f64,
    pub largest_fall: f64,
    pub largest_jump: f64,
    /// Number of steps and range of the energy up to a sixteenth, an eighth, a quarter, half and all of the run.
    ranges: [(u64, f64); 5],
    pub least_gap: Option<f64>,
    impacts: u64,
    pub most_impacts: u32,
    pub fallbacks: u64,
    pub impact_work: f64,
    /// Sums of the squares of all equalities at nodes after the start, and of what a regularisation makes one expect of them, and how many
    /// those are.
    squares: ([f64; 2], u64),
    /// From this step on the largest size of every coordinate is kept.
    late: (u64, Vec<f64>),
    at: Vec<(u64, Option<Kept>)>,
    after: Vec<(u64, Option<Kept>)>,
}

impl Gauge {
    /// For a problem and a number of steps; states are kept after these numbers of steps, and at the end of the step with these numbers of
    /// impacts.
    pub fn new(problem: &Problem, steps: u64, at: &[u64], impacts: &[u64]) -> Self {
        let momentum = Momentum::new(problem.points.clone());
        let (linear, angular) = momentum.components();
        let components = || vec![0.0; linear + angular];
        Self {
            momentum,
            first: components(),
            now: components(),
            change: components(),
            lowest: f64::INFINITY,
            highest: f64::NEG_INFINITY,
            largest_rise: 0.0,
            largest_fall: 0.0,
            largest_jump: 0.0,
            ranges: [16, 8, 4, 2, 1].map(|part| (steps / part, 0.0)),
            last: f64::NAN,
            least_gap: None,
            impacts: 0,
            most_impacts: 0,
            fallbacks: 0,
            impact_work: 0.0,
            squares: ([0.0; 2], 0),
            late: (steps - steps / 10, vec![0.0; problem.system.dim()]),
            at: at.iter().map(|&step| (step, None)).collect(),
            after: impacts.iter().map(|&count| (count, None)).collect(),
        }
    }

    /// Root of the mean square of the equalities, over rows and nodes without the start, and that of what one may expect of them.
    pub fn rms_equality(&self) -> Option<[f64; 2]> {
        let (sums, count) = self.squares;
        (count > 0).then(|| sums.map(|sum| (sum / count as f64).sqrt()))
    }

    /// The exponent of the range of the energy as a power of the time, over the last four doublings: 0 of what is bounded, 1/2
    /// of a random walk, 1 of a drift. None where the energy does not change.
    pub fn range_exponent(&self) -> Option<f64> {
        let known = self.ranges.iter().all(|(steps, range)| *steps > 0 && *range > 0.0);
        exponent(&self.ranges.map(|(steps, range)| (steps as f64, range))).filter(|_| known)
    }

    /// The range of the energy over that of the first half of the run.
    pub fn range_growth(&self) -> Option<f64> {
        let [.., (_, half), (_, all)] = self.ranges;
        (half > 0.0).then(|| all / half)
    }

    /// Largest size of every coordinate in the last tenth of the steps.
    pub fn late(&self) -> &[f64] {
        &self.late.1
    }

    /// The states that were kept, by name.
    pub fn states(&self) -> impl Iterator<Item = (String, Option<&Kept>)> {
        let at = self.at.iter().enumerate().map(|(place, (_, kept))| (format!("at{place}"), kept.as_ref()));
        let after =
            self.after.iter().enumerate().map(|(place, (_, kept))| (format!("after{place}"), kept.as_ref()));
        at.chain(after)
    }

    /// A component of angular momentum at the node that was seen last.
    pub fn angular(&self, component: usize) -> Option<f64> {
        self.now.get(self.momentum.components().0 + component).copied()
    }

    /// The least gap of a node.
    pub fn gap(frame: &Frame) -> Option<f64> {
        frame.gap.iter().copied().reduce(f64::min)
    }
}

impl Observer for Gauge {
    fn observe(&mut self, frame: &Frame) -> Result<(), String> {
        let energy = frame.energy();
        self.lowest = self.lowest.min(energy);
        self.highest = self.highest.max(energy);
        self.largest_rise = self.largest_rise.max(energy - self.lowest);
        self.largest_fall = self.largest_fall.max(self.highest - energy);
        self.momentum.of(&frame.state.q, &frame.state.p, &mut self.now);
        if frame.step == 0 {
            self.first.copy_from_slice(&self.now);
        }
        for i in 0..self.now.len() {
            self.change[i] = self.change[i].max((self.now[i] - self.first[i]).abs());
        }
        if let Some(gap) = Self::gap(frame) {
            self.least_gap = Some(self.least_gap.map_or(gap, |least| least.min(gap)));
        }
        if frame.step > 0 {
            let squares = |f: &[f64]| f.iter().map(|f| f * f).sum::<f64>();
            self.squares.0[0] += squares(frame.equality);
            self.squares.0[1] +=
                frame.regularisation.map_or(0.0, |regularisation| squares(regularisation.expected));
            self.squares.1 += frame.equality.len() as u64;
        }
        if frame.step >= self.late.0 {
            for (most, q) in self.late.1.iter_mut().zip(&frame.state.q) {
                *most = most.max(q.abs());
            }
        }
        for (end, range) in &mut self.ranges {
            if frame.step <= *end {
                *range = self.highest - self.lowest;
            }
        }
        // The first node has none before it.
        self.largest_jump = self.largest_jump.max((energy - self.last).abs());
        self.last = energy;
        let report = &frame.report;
        self.impacts += u64::from(report.impacts);
        self.most_impacts = self.most_impacts.max(report.impacts);
        self.fallbacks += u64::from(report.fallbacks);
        self.impact_work += report.impact_work;
        let now = &self.now;
        let keep = || {
            let (momentum, q, p) = (now.clone(), frame.state.q.clone(), frame.state.p.clone());
            Some(Kept { t: frame.state.t, step: frame.step, energy, momentum, q, p })
        };
        for (step, kept) in &mut self.at {
            if *step == frame.step {
                *kept = keep();
            }
        }
        for (count, kept) in &mut self.after {
            if kept.is_none() && self.impacts >= *count {
                *kept = keep();
            }
        }
        Ok(())
    }
}
