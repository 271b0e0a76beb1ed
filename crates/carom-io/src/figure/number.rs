//! Numbers as text: labels from integers and powers of ten, superscripts, the true minus sign.

/// Labels that would need this many digits share an offset instead.
const OFFSET_DIGITS: u32 = 6;

/// `n · 10ᵉ` as the nearest float where that is cheap.
pub(super) fn decimal(n: i64, exponent: i32) -> f64 {
    if (-300..0).contains(&exponent) { n as f64 / 10f64.powi(-exponent) } else { n as f64 * 10f64.powi(exponent) }
}

/// An integer in superscript figures.
pub(super) fn superscript(n: i64) -> String {
    const FIGURES: [char; 10] = ['⁰', '¹', '²', '³', '⁴', '⁵', '⁶', '⁷', '⁸', '⁹'];
    let raise = |c: char| c.to_digit(10).map_or('⁻', |d| FIGURES[d as usize]);
    n.to_string().chars().map(raise).collect()
}

/// Labels of the values `n · 10ᵉ`, and what is common to all: a power of ten when the numbers are large or small, an
/// offset when they differ by little.
pub(super) fn linear_labels(counts: &[i64], exponent: i32) -> (Vec<String>, String) {
    let offset = common_offset(counts);
    let most = counts.iter().map(|n| (n - offset).unsigned_abs()).max().unwrap_or(0);
    let magnitude = digits(most) as i32 - 1 + exponent;
    let shared = if most > 0 && !(-3..5).contains(&magnitude) { magnitude } else { 0 };
    let labels = counts.iter().map(|n| fixed(n - offset, exponent - shared)).collect();
    let mut note = String::new();
    if shared != 0 {
        note = format!("×10{}", superscript(i64::from(shared)));
    }
    if offset != 0 {
        let space = if note.is_empty() { "" } else { " " };
        let sign = if offset < 0 { '−' } else { '+' };
        note = format!("{note}{space}{sign} {}", shortest(offset.unsigned_abs(), exponent));
    }
    (labels, note)
}

/// The roundest number near all of these, if they have many digits in common; else zero.
fn common_offset(counts: &[i64]) -> i64 {
    let (Some(&low), Some(&high)) = (counts.iter().min(), counts.iter().max()) else { return 0 };
    if digits(low.unsigned_abs().max(high.unsigned_abs())) < OFFSET_DIGITS {
        return 0;
    }
    let near = 10 * (high - low).max(1);
    (0..18)
        .rev()
        .map(|p| 10_i64.pow(p))
        .map(|unit| (low as f64 / unit as f64).round() as i64 * unit)
        .find(|offset| (low - offset).abs() <= near && (high - offset).abs() <= near)
        .unwrap_or(0)
}

/// The number of decimal digits; one for zero.
fn digits(n: u64) -> u32 {
    n.checked_ilog10().map_or(1, |d| d + 1)
}

/// `n · 10ᵉ` in plain decimals, all of them for `e < 0`.
fn fixed(n: i64, exponent: i32) -> String {
    let sign = if n < 0 { "−" } else { "" };
    let figures = n.unsigned_abs().to_string();
    if exponent >= 0 {
        let zeros = if n == 0 { 0 } else { exponent as usize };
        return format!("{sign}{figures}{}", "0".repeat(zeros));
    }
    let places = exponent.unsigned_abs() as usize;
    let figures = format!("{figures:0>width$}", width = places + 1);
    let (whole, part) = figures.split_at(figures.len() - places);
    format!("{sign}{whole}.{part}")
}

/// `n · 10ᵉ` in as few characters as is clear.
fn shortest(n: u64, exponent: i32) -> String {
    let (mut n, mut exponent) = (n, exponent);
    while n != 0 && n % 10 == 0 {
        n /= 10;
        exponent += 1;
    }
    let magnitude = digits(n) as i32 - 1 + exponent;
    if (-4..7).contains(&magnitude) {
        return fixed(n as i64, exponent);
    }
    let mantissa = fixed(n as i64, 1 - digits(n) as i32);
    let power = superscript(i64::from(magnitude));
    if mantissa == "1" { format!("10{power}") } else { format!("{mantissa}×10{power}") }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn plain_and_short_numbers() {
        assert_eq!(fixed(-5, -1), "−0.5");
        assert_eq!(fixed(0, -2), "0.00");
        assert_eq!(fixed(12, 2), "1200");
        assert_eq!(shortest(500_000, -6), "0.5");
        assert_eq!(shortest(100, 20), "10²²");
        assert_eq!(shortest(12_345, -20), "1.2345×10⁻¹⁶");
        assert_eq!(superscript(-307), "⁻³⁰⁷");
    }

    #[test]
    fn offsets_are_round() {
        assert_eq!(common_offset(&[499_998, 500_000, 500_002]), 500_000);
        assert_eq!(common_offset(&[-1_000_001, -1_000_000]), -1_000_000);
        assert_eq!(common_offset(&[123, 125]), 0);
        assert_eq!(common_offset(&[]), 0);
        assert_eq!(linear_labels(&[], 0), (vec![], String::new()));
        let (labels, note) = linear_labels(&[123_456_789, 123_456_791], -2);
        assert_eq!((labels.join(" ").as_str(), note.as_str()), ("−0.11 −0.09", "+ 1234568"));
    }
}
