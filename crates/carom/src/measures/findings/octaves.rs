//! Mean of a size over the part of a run in which it is not next to nothing.
//!
//! A ball that came to rest an hour ago has no less energy to speak of than when it bounced: values below a thousandth of the largest do not
//! count. The largest is known only at the end, so values are kept apart by octaves, of which one that is left behind is forgotten. What
//! stands here does not depend on the order of the values, but for the round-off of sums.

use serde::{Deserialize, Serialize};

/// Octaves that count, so that a value between a 512th and a 1024th of the largest is the first that does not.
const COUNTED: usize = 10;

/// Values by octaves, the largest first.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Octaves {
    /// Exponent of the largest value.
    top: u64,
    /// Number and sum of the values.
    of: [(f64, f64); COUNTED],
}

impl Octaves {
    /// Takes a value; only finite ones above 0 count.
    pub fn add(&mut self, value: f64) {
        if !(value > 0.0 && value.is_finite()) {
            return;
        }
        let exponent = value.to_bits() >> 52;
        let rise = exponent.saturating_sub(self.top) as usize;
        if rise > 0 {
            let kept = COUNTED.saturating_sub(rise);
            self.of.copy_within(..kept, COUNTED - kept);
            self.of[..COUNTED - kept].fill((0.0, 0.0));
            self.top = exponent;
        }
        if let Some((count, sum)) = self.of.get_mut((self.top - exponent) as usize) {
            *count += 1.0;
            *sum += value;
        }
    }

    /// Mean of the values that count; 0 without any.
    pub fn mean(&self) -> f64 {
        let (count, sum) = self.of.iter().fold((0.0, 0.0), |(n, s), (count, sum)| (n + count, s + sum));
        if count > 0.0 { sum / count } else { 0.0 }
    }
}

#[cfg(test)]
mod tests {
    use super::Octaves;

    fn mean(values: &[f64]) -> f64 {
        let mut octaves = Octaves::default();
        values.iter().for_each(|value| octaves.add(*value));
        octaves.mean()
    }

    #[test]
    fn values_below_a_thousandth_of_the_largest_do_not_count_in_any_order() {
        assert_eq!(mean(&[]), 0.0);
        assert_eq!(mean(&[3.0]), 3.0);
        assert_eq!(mean(&[1.0, 2.0, 6.0]), 3.0);
        assert_eq!(mean(&[6.0, 1.0, 2.0]), 3.0);
        assert_eq!(mean(&[1.0, 1e-3, 1e-300, 0.0, -1.0, f64::NAN, f64::INFINITY]), 1.0);
        assert_eq!(mean(&[1.0, 2e-3]), 0.501);
        assert_eq!(mean(&[1e-300, 1e-5, 8.0]), 8.0);
        assert_eq!(mean(&[8.0, 1e-5, 1e-300]), 8.0);
        assert_eq!(mean(&[5e-324, 5e-324]), 5e-324);
    }

    #[test]
    fn of_many_values_it_is_the_mean_of_those_above_a_thousandth() {
        let values: Vec<f64> = (1..20_000).map(|k| (f64::from(k) * 0.37).sin().powi(6)).collect();
        let counted: Vec<f64> = values.iter().copied().filter(|value| *value >= 1.0 / 1024.0).collect();
        let expected = counted.iter().sum::<f64>() / counted.len() as f64;
        assert!((mean(&values) / expected - 1.0).abs() < 1e-12);
        let mut turned = values;
        turned.reverse();
        assert!((mean(&turned) / expected - 1.0).abs() < 1e-12);
    }
}
