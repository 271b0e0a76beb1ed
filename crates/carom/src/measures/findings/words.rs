//! Numbers in sentences.

use super::gauge::Peak;

/// A number in three digits.
pub fn short(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 {
        return "0".into();
    }
    if !(1e-3..1e5).contains(&size) {
        return format!("{value:.2e}");
    }
    let decimals = (2 - size.log10().floor() as i32).max(0) as usize;
    let text = format!("{value:.decimals$}");
    if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.').to_string() } else { text }
}

/// Where a peak is.
pub fn place(peak: &Peak) -> String {
    format!("after step {}, at t = {}", peak.step, short(peak.t))
}

/// How often a count is.
pub fn times(count: u64, noun: &str) -> String {
    format!("{count} {noun}{}", if count == 1 { "" } else { "s" })
}

#[cfg(test)]
mod tests {
    use super::{short, times};

    #[test]
    fn numbers_have_three_digits() {
        let values = [0.0, 1.0, -2.5, 0.625, 5.7123, 123.456, 99999.0, 2.5e66, 1.234e-4, 0.00123];
        let texts = ["0", "1", "-2.5", "0.625", "5.71", "123", "99999", "2.50e66", "1.23e-4", "0.00123"];
        assert_eq!(values.map(short), texts);
        assert_eq!([times(1, "step"), times(2, "step")], ["1 step", "2 steps"]);
        assert_eq!(short(f64::INFINITY), "inf");
    }
}
