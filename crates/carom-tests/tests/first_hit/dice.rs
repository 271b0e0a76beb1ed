//! Random sizes and directions, the same on every run.

use carom_tests::fuzz::Dice;

/// The choices of a trial.
pub fn of_trial(trial: u64) -> Dice {
    Dice::new(trial.wrapping_mul(0xD134_2543_DE82_EF95).wrapping_add(0xC37D_6E4A_CEB7_5932))
}

/// Sizes and directions by dice.
pub trait Draws {
    /// `10^x`, `x` evenly in `[low, high)`.
    fn decades(&mut self, low: f64, high: f64) -> f64;

    /// Whether something happens that has this chance.
    fn chance(&mut self, share: f64) -> bool;

    /// A unit vector; in some cases along an axis.
    fn direction(&mut self, dimension: usize) -> Vec<f64>;

    /// A unit vector across another; zero on a line.
    fn across(&mut self, other: &[f64]) -> Vec<f64>;
}

impl Draws for Dice {
    fn decades(&mut self, low: f64, high: f64) -> f64 {
        10.0_f64.powf(self.between(low, high))
    }

    fn chance(&mut self, share: f64) -> bool {
        self.unit() < share
    }

    fn direction(&mut self, dimension: usize) -> Vec<f64> {
        if self.chance(0.25) {
            let mut axis = vec![0.0; dimension];
            axis[self.below(dimension)] = if self.chance(0.5) { 1.0 } else { -1.0 };
            return axis;
        }
        loop {
            let x: Vec<f64> = (0..dimension).map(|_| self.between(-1.0, 1.0)).collect();
            let length = x.iter().map(|x| x * x).sum::<f64>().sqrt();
            if (0.1..1.0).contains(&length) {
                return x.into_iter().map(|x| x / length).collect();
            }
        }
    }

    fn across(&mut self, other: &[f64]) -> Vec<f64> {
        if other.len() == 1 {
            return vec![0.0];
        }
        loop {
            let x = self.direction(other.len());
            let along = x.iter().zip(other).map(|(x, o)| x * o).sum::<f64>();
            let rest: Vec<f64> = x.iter().zip(other).map(|(x, o)| x - along * o).collect();
            let length = rest.iter().map(|x| x * x).sum::<f64>().sqrt();
            if length > 0.1 {
                return rest.into_iter().map(|x| x / length).collect();
            }
        }
    }
}
