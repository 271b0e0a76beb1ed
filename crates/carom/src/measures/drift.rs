//! Range and least-squares slope of a quantity over time, in one pass and constant memory.

use serde::{Deserialize, Serialize};

/// Accumulates `(t, x)`.
#[derive(Debug, Clone, Copy, PartialEq, Default, Serialize, Deserialize)]
pub struct Drift {
    count: f64,
    mean_t: f64,
    mean_x: f64,
    // Sums of products of the deviations from the running means (Welford's update).
    tt: f64,
    tx: f64,
    xx: f64,
}

/// A straight line through the data.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Trend {
    /// Least-squares slope.
    pub slope: f64,
    /// Its standard error for independent residuals; none below three samples.
    pub error: Option<f64>,
}

impl Drift {
    /// Takes a sample.
    pub fn add(&mut self, t: f64, x: f64) {
        self.count += 1.0;
        let (dt, dx) = (t - self.mean_t, x - self.mean_x);
        self.mean_t += dt / self.count;
        self.mean_x += dx / self.count;
        self.tt += dt * (t - self.mean_t);
        self.tx += dt * (x - self.mean_x);
        self.xx += dx * (x - self.mean_x);
    }

    /// The trend; `None` with fewer than two different times, and of samples whose squares are too large, or too small, for a sum.
    pub fn trend(&self) -> Option<Trend> {
        let (slope, freedom) = (self.tx / self.tt, self.count - 2.0);
        let residual = self.xx - slope * self.tx;
        let vanished = slope != 0.0 && self.xx * f64::EPSILON < f64::MIN_POSITIVE;
        if self.tt <= 0.0 || vanished || !(slope.is_finite() && residual.is_finite()) {
            return None;
        }
        // Round-off may make it negative.
        let error = (freedom > 0.0).then(|| (residual.max(0.0) / (freedom * self.tt)).sqrt());
        // Times so close that their squares underflow tell no error.
        Some(Trend { slope, error: error.filter(|error| error.is_finite()) })
    }
}

#[cfg(test)]
mod tests {
    use super::{Drift, Trend};

    #[test]
    fn a_line_with_noise_is_found_within_its_error() {
        let mut drift = Drift::default();
        let mut x = 12345u64;
        for k in 0..10_000 {
            x = x.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1);
            let noise = (x >> 33) as f64 / (1u64 << 31) as f64 - 0.5;
            let t = k as f64 * 1e-3;
            drift.add(t, 1e6 + 0.25 * t + noise);
        }
        let trend = drift.trend().unwrap();
        let error = trend.error.unwrap();
        assert!((trend.slope - 0.25).abs() < 3.0 * error, "{trend:?}");
        // Noise that is even in (−½, ½) has the variance 1/12; Σ(t − t̄)² = Δt² n³/12.
        let expected = (1.0 / 12.0_f64).sqrt() / (1e-3 * (1e12 / 12.0_f64).sqrt());
        assert!((error / expected - 1.0).abs() < 0.03, "{error:e} for {expected:e}");
    }

    #[test]
    fn no_trend_of_squares_that_overflow_or_vanish() {
        let trend = |size: f64| {
            let mut drift = Drift::default();
            for (k, x) in [1.0, -1.0, 2.0, 0.5].into_iter().enumerate() {
                drift.add(k as f64, size * x);
            }
            drift.trend()
        };
        assert_eq!((trend(1e160), trend(1e-160)), (None, None));
        let ratio = |size: f64| trend(size).map(|trend| trend.slope / trend.error.expect("four samples"));
        let expected = ratio(1.0).expect("a trend");
        for size in [1e-140, 1e-100, 1e100, 1e140] {
            assert!((ratio(size).expect("a trend") / expected - 1.0).abs() < 1e-12, "{size:e}");
        }
    }

    #[test]
    fn no_trend_without_two_times() {
        let mut drift = Drift::default();
        assert_eq!(drift.trend(), None);
        drift.add(1.0, 2.0);
        assert_eq!(drift.trend(), None);
        drift.add(2.0, 5.0);
        assert_eq!(drift.trend(), Some(Trend { slope: 3.0, error: None }));
    }
}
