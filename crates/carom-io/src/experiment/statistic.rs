//! One number of an ensemble: `run.std.quantity`.

/// What is made of the values of all members.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Statistic {
    /// Their mean.
    Mean,
    /// Their standard deviation about the mean, of a sample: divided by one less than their number.
    Std,
    /// The smallest.
    Min,
    /// The largest.
    Max,
}

/// The statistics by name.
pub const STATISTICS: [(&str, Statistic); 4] =
    [("mean", Statistic::Mean), ("std", Statistic::Std), ("min", Statistic::Min), ("max", Statistic::Max)];

impl Statistic {
    /// The statistic that a name begins with, and the rest of the name.
    pub(super) fn split(name: &str) -> Option<(Self, &str)> {
        let (head, rest) = name.split_once('.')?;
        STATISTICS.iter().find(|(name, _)| *name == head).map(|(_, statistic)| (*statistic, rest))
    }

    /// Its value; the spread of a single value is 0.
    pub(super) fn of(self, values: &[f64]) -> f64 {
        let mean = values.iter().sum::<f64>() / values.len() as f64;
        match self {
            Self::Mean => mean,
            Self::Std => {
                let squares: f64 = values.iter().map(|value| (value - mean).powi(2)).sum();
                (squares / (values.len() as f64 - 1.0).max(1.0)).sqrt()
            }
            Self::Min => values.iter().copied().fold(f64::INFINITY, f64::min),
            Self::Max => values.iter().copied().fold(f64::NEG_INFINITY, f64::max),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn statistics_of_four_one_and_two_equal_values() {
        let of = |statistic: Statistic, values: &[f64]| statistic.of(values);
        let four = [1.0, 2.0, 3.0, 6.0];
        assert_eq!(of(Statistic::Mean, &four), 3.0);
        assert!((of(Statistic::Std, &four) - (14.0_f64 / 3.0).sqrt()).abs() < 1e-15);
        assert_eq!((of(Statistic::Min, &four), of(Statistic::Max, &four)), (1.0, 6.0));
        assert_eq!(of(Statistic::Std, &[5.0]), 0.0);
        assert_eq!(of(Statistic::Std, &[5.0, 5.0]), 0.0);
        assert_eq!(Statistic::split("std.at0.energy"), Some((Statistic::Std, "at0.energy")));
        assert_eq!(Statistic::split("at0.energy"), None);
    }
}
