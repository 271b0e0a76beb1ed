//! The states at the impacts of a step, in flat memory: events refer to them.

use crate::state::State;

/// Impacts in a step that there is room for from the start.
const USUAL: usize = 16;

/// Configuration and momenta at an impact.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct ImpactState<'a> {
    /// Time since the start of the step that the method made; positive back in time too.
    pub elapsed: f64,
    /// Configuration.
    pub q: &'a [f64],
    /// Momentum just before.
    pub minus: &'a [f64],
    /// Momentum just after, the method's condition on the energy and contacts that come to rest included.
    pub plus: &'a [f64],
}

/// The states at the impacts of a step, in time. Nothing is allocated once there have been as many.
#[derive(Debug, Clone, Default, PartialEq)]
pub struct ImpactStates {
    dim: usize,
    /// Of each: time, configuration, momentum before, momentum after.
    data: Vec<f64>,
}

impl ImpactStates {
    /// Of systems with `dim` coordinates.
    pub fn new(dim: usize) -> Self {
        Self { dim, data: Vec::with_capacity(USUAL * (1 + 3 * dim)) }
    }

    fn width(&self) -> usize {
        1 + 3 * self.dim
    }

    /// How many there are.
    pub fn len(&self) -> usize {
        self.data.len() / self.width()
    }

    /// Whether there are none.
    pub fn is_empty(&self) -> bool {
        self.data.is_empty()
    }

    /// Forgets all.
    pub fn clear(&mut self) {
        self.data.clear();
    }

    /// An impact at a state, `duration` after the last one or the start of the step. Its momentum after is not known yet. Returns its number.
    pub fn open(&mut self, duration: f64, before: &State) -> usize {
        let elapsed = self.last().map_or(0.0, |last| last.elapsed) + duration;
        self.data.push(elapsed);
        for part in [&before.q, &before.p, &before.p] {
            self.data.extend_from_slice(part);
        }
        self.len() - 1
    }

    /// The momentum after the last impact, if there was one.
    pub fn close(&mut self, after: &[f64]) {
        if let Some(start) = self.data.len().checked_sub(self.dim).filter(|_| !self.data.is_empty()) {
            self.data[start..].copy_from_slice(after);
        }
    }

    /// The state at an impact.
    pub fn get(&self, index: usize) -> Option<ImpactState<'_>> {
        let (n, width) = (self.dim, self.width());
        let parts = self.data.get(index * width..(index + 1) * width)?;
        let (q, momenta) = parts[1..].split_at(n);
        let (minus, plus) = momenta.split_at(n);
        Some(ImpactState { elapsed: parts[0], q, minus, plus })
    }

    /// That at the last one.
    pub fn last(&self) -> Option<ImpactState<'_>> {
        self.get(self.len().checked_sub(1)?)
    }

    /// Adds those of another step.
    pub fn append(&mut self, others: &Self) {
        self.data.extend_from_slice(&others.data);
    }
}
