//! Choices of a mutator or a test, the same for the same seed.

use carom::random::Random;

/// Random choices.
#[derive(Clone, Debug)]
pub struct Dice(Random);

impl Dice {
    /// Those of a seed.
    pub fn new(seed: u64) -> Self {
        Self(Random::new(seed))
    }

    /// Evenly from 0 up to, not including, 1.
    pub fn unit(&mut self) -> f64 {
        self.0.unit()
    }

    /// Evenly between two numbers.
    pub fn between(&mut self, low: f64, high: f64) -> f64 {
        self.0.between(low, high)
    }

    /// A number from 0 up to, not including, `count`, which is above 0.
    pub fn below(&mut self, count: usize) -> usize {
        ((self.0.unit() * count as f64) as usize).min(count - 1)
    }

    /// True once in `times` times.
    pub fn once_in(&mut self, times: usize) -> bool {
        self.below(times) == 0
    }

    /// One of a list, which is not empty.
    pub fn pick<'a, T: ?Sized>(&mut self, list: &'a [impl AsRef<T>]) -> &'a T {
        list[self.below(list.len())].as_ref()
    }

    /// A range of a length of at least 1 inside of a list that is not empty, mostly a short one.
    pub fn range(&mut self, count: usize) -> std::ops::Range<usize> {
        let start = self.below(count);
        let most = if self.once_in(4) { count - start } else { (count - start).min(4) };
        start..start + 1 + self.below(most)
    }
}
