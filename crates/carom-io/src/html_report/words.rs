//! Numbers and judgements in words.

use carom::method::Claims;
use serde_json::Value;

/// Fewer steps say nothing about a drift.
const FEWEST_STEPS: u64 = 50;

/// A number of `run.json`, by its pointer.
pub fn number(run: &Value, pointer: &str) -> Option<f64> {
    run.pointer(pointer)?.as_f64()
}

/// A power of ten as it is set in print.
fn power(exponent: i32) -> String {
    let digits: String = exponent
        .to_string()
        .chars()
        .map(|c| match c {
            '-' => '⁻',
            '1' => '¹',
            '2' => '²',
            '3' => '³',
            c => char::from_u32(0x2070 + (c as u32 - '0' as u32)).unwrap_or(c),
        })
        .collect();
    format!("10{digits}")
}

fn exponent(value: f64) -> i32 {
    if value == 0.0 || !value.is_finite() { 0 } else { value.abs().log10().floor() as i32 }
}

/// With a true minus sign.
fn minus(text: &str) -> String {
    text.replace('-', "−")
}

/// A number in at most so many digits: plain near 1, else with a power of ten.
pub fn short(value: f64, digits: usize) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if !value.is_finite() {
        return minus(&value.to_string());
    }
    // Rounded first: 9.96 in two digits is 10.
    let rounded: f64 = format!("{value:.*e}", digits.saturating_sub(1)).parse().unwrap_or(value);
    let exponent = exponent(rounded);
    if (-3..6).contains(&exponent) {
        let decimals = (digits as i32 - 1 - exponent).max(0) as usize;
        let text = format!("{value:.decimals$}");
        let text = if text.contains('.') { text.trim_end_matches('0').trim_end_matches('.') } else { &text };
        return minus(text);
    }
    let text = format!("{value:.*e}", digits.saturating_sub(1));
    let (mantissa, tens) = text.split_once('e').unwrap_or((&text, "0"));
    let mantissa = if digits > 1 { mantissa.trim_end_matches('0').trim_end_matches('.') } else { mantissa };
    format!("{} × {}", minus(mantissa), power(tens.parse().unwrap_or(0)))
}

/// A value with its standard error: both in the same power of ten, the error in two digits.
pub fn with_error(value: f64, error: f64) -> String {
    let size = value.abs().max(error.abs());
    let tens = exponent(size);
    let scale = 10f64.powi(-tens);
    let decimals = if error > 0.0 { (tens - exponent(error) + 1).clamp(1, 6) as usize } else { 2 };
    // Where the power itself leaves the doubles, there is nothing to scale.
    if !scale.is_finite() || !(value * scale).is_finite() {
        return format!("{} ± {}", short(value, 2), short(error, 2));
    }
    let text = format!("{:.decimals$}", value * scale);
    // What rounds to 0 has no sign.
    let text = if text.contains(|c: char| ('1'..='9').contains(&c)) { &text } else { text.trim_start_matches('-') };
    let inner = minus(&format!("{text} ± {:.decimals$}", error * scale));
    if tens == 0 { inner } else { format!("({inner}) × {}", power(tens)) }
}

/// A count with its noun.
pub fn count(number: u64, noun: &str) -> String {
    format!("{number} {noun}{}", if number == 1 { "" } else { "s" })
}

/// What the slope of the energy says, in a sentence.
pub fn drift(run: &Value, conservative: bool) -> String {
    let slope = (number(run, "/energy/slope"), number(run, "/energy/slope_error"));
    let steps = run["steps"].as_u64().unwrap_or(0);
    let (Some(slope), Some(error)) = slope else { return "too few steps for a slope".into() };
    let slope_words = format!("slope {} per unit of time", with_error(slope, error));
    if !conservative {
        format!("{slope_words}; the scene itself does not conserve energy")
    } else if steps < FEWEST_STEPS {
        format!("{slope_words}; too few steps to speak of drift")
    } else if blew_up(run) {
        "the energy changed by more than a million times what it was at the start".into()
    } else if slope.abs() <= 3.0 * error {
        format!("no drift seen: {slope_words}")
    } else {
        let times = short(slope.abs() / error, 3);
        format!("{slope_words}, {times} standard errors from 0: drift, or a run that is short beside the motion")
    }
}

/// Whether the energy went so far that no slope says anything.
fn blew_up(run: &Value) -> bool {
    let of = |name: &str| number(run, &format!("/energy/{name}"));
    let (Some(initial), Some(min), Some(max)) = (of("initial"), of("min"), of("max")) else { return false };
    initial != 0.0 && max - min > 1e6 * initial.abs()
}

/// What a method promises of the energy.
pub fn energy_promise(claims: &Claims, conservative: bool, contacts: bool) -> String {
    let order = power(claims.order as i32).replacen("10", "h", 1);
    match (conservative, claims.symplectic) {
        (false, _) => "None: forces or time-dependent terms change the energy of this scene.".into(),
        (true, true) if contacts => format!(
            "Not exact. Between impacts the step is symplectic, with an error of O({order}) that does not drift. An elastic impact \
             conserves the energy, or its shadow; the errors of many may add up. Restitution and contacts that come to rest take \
             energy, which the accounts tell."
        ),
        (true, true) => format!(
            "Not exact. The step is symplectic: while it is short beside the motion, the error stays in a band of width \
             O({order}) and does not drift over very long times."
        ),
        (true, false) => "None: the step is not symplectic, and its energy may drift.".into(),
    }
}

/// One unit in the last place of a double of this size.
pub fn ulp(value: f64) -> f64 {
    let value = value.abs();
    if value.is_finite() { f64::from_bits(value.to_bits() + 1) - value } else { f64::NAN }
}

#[cfg(test)]
mod tests {
    use super::{count, drift, short, ulp, with_error};
    use serde_json::json;

    #[test]
    fn numbers_read_as_in_print() {
        let cases = [
            (0.0, "0"),
            (1.0, "1"),
            (-19.209_816, "−19.2"),
            (9.996, "10"),
            (123_456.0, "123456"),
            (3.2e-15, "3.2 × 10⁻¹⁵"),
            (-1.5e20, "−1.5 × 10²⁰"),
            (0.001_234, "0.00123"),
        ];
        for (value, text) in cases {
            assert_eq!(short(value, 3), text);
        }
        assert_eq!(with_error(1.2e-12, 3e-12), "(1.2 ± 3.0) × 10⁻¹²");
        assert_eq!(with_error(-1.234_56e-3, 2e-6), "(−1.2346 ± 0.0020) × 10⁻³");
        assert_eq!(with_error(0.0, 0.0), "0.00 ± 0.00");
        assert_eq!(with_error(-0.0, 0.0), "0.00 ± 0.00");
        assert_eq!(with_error(-1e-14, 3e-12), "(0.0 ± 3.0) × 10⁻¹²");
        assert_eq!(with_error(-1e-12, 3e-12), "(−1.0 ± 3.0) × 10⁻¹²");
        assert_eq!(
            (short(-0.0, 3), count(1, "step"), count(0, "step")),
            ("0".into(), "1 step".into(), "0 steps".into())
        );
        assert_eq!(with_error(5e-324, 0.0), "4.9 × 10⁻³²⁴ ± 0");
        assert_eq!((ulp(1.0), ulp(0.75)), (f64::EPSILON, f64::EPSILON / 2.0));
    }

    #[test]
    fn a_slope_is_called_drift_beyond_three_standard_errors_only() {
        let run =
            |slope: f64, steps: u64| json!({ "steps": steps, "energy": { "slope": slope, "slope_error": 1e-12 } });
        assert!(drift(&run(2.9e-12, 100), true).starts_with("no drift seen: slope (2.9 ± 1.0) × 10⁻¹²"));
        assert!(drift(&run(3.1e-12, 100), true).contains("3.1 standard errors from 0"));
        assert!(drift(&run(9e-12, 49), true).contains("too few steps"));
        assert!(drift(&run(9e-12, 100), false).contains("does not conserve energy"));
    }
}
