//! Roots between two values of different signs.

/// How closely a root is known, relative to the duration of the search.
pub const RESOLUTION: f64 = 2.0 * f64::EPSILON;

/// Closes in a root between a value that is not negative and one that is; returns the time on the first side. The
/// ITP method [Oliveira & Takahashi 2020]: as fast as the secant method, never slower than bisection.
pub fn bracket<E>(
    [mut low, mut high]: [f64; 2],
    [mut value_low, mut value_high]: [f64; 2],
    limit: f64,
    mut value: impl FnMut(f64) -> Result<f64, E>,
) -> Result<f64, E> {
    let resolution = RESOLUTION * limit;
    let first = high - low;
    let halvings = (first / resolution).log2().ceil().max(0.0);
    let mut allowed = resolution * halvings.exp2();
    while high - low > resolution {
        let half = 0.5 * (low + high);
        // A value of exactly zero at the start says nothing of where the root is.
        let secant = if value_low > value_high && value_low > 0.0 {
            (value_low * high - value_high * low) / (value_low - value_high)
        } else {
            half
        };
        let toward = (half - secant).signum();
        let shift = 0.2 / first * (high - low) * (high - low);
        let moved = if shift <= (half - secant).abs() { secant + toward * shift } else { half };
        let radius = allowed - 0.5 * (high - low);
        let t = if (moved - half).abs() <= radius { moved } else { half - toward * radius };
        allowed *= 0.5;
        let t = if low < t && t < high { t } else { half };
        if !(low < t && t < high) {
            break;
        }
        let now = value(t)?;
        if now == 0.0 {
            return Ok(t);
        }
        if now >= 0.0 {
            (low, value_low) = (t, now);
        } else {
            (high, value_high) = (t, now);
        }
    }
    Ok(low)
}
