//! Numbers and judgements in words.

use carom::measures::Conservation;
use carom::method::Claims;
use serde_json::Value;

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

/// A sentence with its numbers as they are set in print.
pub fn printed(sentence: &str) -> String {
    let word = |word: &str| {
        let bare = word.trim_matches(['(', ')', ',', ';', ':', '.']);
        match bare.parse::<f64>() {
            Ok(value) if bare.contains('e') && value.is_finite() => word.replace(bare, &short(value, 3)),
            _ => word.to_string(),
        }
    };
    sentence.split(' ').map(word).collect::<Vec<_>>().join(" ")
}

/// What the slope of the energy says, in a sentence, as the run was judged; nothing where the scene does not conserve energy.
pub fn drift(run: &Value) -> Option<String> {
    let slope = (number(run, "/energy/slope"), number(run, "/energy/slope_error"));
    let (Some(slope), Some(error)) = slope else { return Some("too few steps for a slope".into()) };
    let slope = format!("{} per unit of time", with_error(slope, error));
    Some(match run["energy"]["trend"].as_str() {
        Some("not-conserved") => return None,
        Some("failed") => {
            "no slope says anything: the energy is off by more than a tenth of that of the motion".into()
        }
        Some("few-steps") => format!("slope {slope}; too few steps to speak of drift"),
        Some("round-off") => format!("no drift: slope {slope}, which is round-off"),
        Some("no-drift") => format!("no drift seen: slope {slope}"),
        Some("drift") => format!("it drifts by {slope}, or the run is short beside the motion"),
        _ => format!("slope {slope}"),
    })
}

/// What a method promises of the energy.
pub fn energy_promise(claims: &Claims, conservation: &Conservation, contacts: bool) -> String {
    let order = power(claims.order as i32).replacen("10", "h", 1);
    match (conservation.holds(), claims.symplectic) {
        (false, _) => format!("None: the scene changes its energy ({}).", conservation.broken_by.join(", ")),
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
    use super::{count, drift, printed, short, ulp, with_error};
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
    fn the_slope_is_told_as_the_run_was_judged() {
        let run = |trend: &str| json!({ "energy": { "slope": 2.9e-12, "slope_error": 1e-12, "trend": trend } });
        let said = |trend: &str| drift(&run(trend)).unwrap_or_default();
        assert_eq!(said("no-drift"), "no drift seen: slope (2.9 ± 1.0) × 10⁻¹² per unit of time");
        assert!(said("drift").starts_with("it drifts by (2.9 ± 1.0) × 10⁻¹² per unit of time"));
        assert!(said("few-steps").contains("too few steps") && said("round-off").contains("which is round-off"));
        assert!(said("failed").contains("no slope says anything") && drift(&run("not-conserved")).is_none());
    }

    #[test]
    fn numbers_of_sentences_are_set_in_print() {
        let text = "off by 2.52e66 (4.0e66 times, 0.625), `e7` at t = 120; 1e-8.";
        assert_eq!(printed(text), "off by 2.52 × 10⁶⁶ (4 × 10⁶⁶ times, 0.625), `e7` at t = 120; 1 × 10⁻⁸.");
    }
}
