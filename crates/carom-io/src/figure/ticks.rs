//! Ticks: round steps on linear axes, decades on logarithmic ones. A tick is an integer times a power of ten, so its
//! label is exact however small the step is beside the value.

use super::axis::Scale;
use super::number::{decimal, linear_labels, superscript};

/// Ticks of one axis, in positions of its scale.
#[derive(Clone, Debug, Default)]
pub(super) struct Ticks {
    pub(super) major: Vec<(f64, String)>,
    pub(super) minor: Vec<f64>,
    /// Factor and offset common to all labels, such as `×10⁻⁶ + 0.5`; empty if there is none.
    pub(super) note: String,
}

/// More ticks than this are never drawn, whatever is asked for.
const MOST: i64 = 200;

/// About `count` labelled ticks over positions `from..to` of a scale.
pub(super) fn ticks(scale: Scale, from: f64, to: f64, count: usize) -> Ticks {
    let count = count.clamp(2, 50);
    match scale {
        Scale::Linear => linear(from, to, count),
        Scale::Log10 => log(from, to, count),
    }
}

/// The least of 1, 2, 5 × 10ᵏ that is not below a step.
fn round_step(step: f64) -> (i64, i32) {
    let exponent = step.log10().floor().clamp(-400.0, 400.0) as i32;
    for m in [1, 2, 5] {
        if decimal(m, exponent) >= step * (1.0 - 1e-9) {
            return (m, exponent);
        }
    }
    (1, exponent + 1)
}

/// The integers `k` with `k · step` in `from..to`.
fn multiples(from: f64, to: f64, step: f64) -> std::ops::Range<i64> {
    let (a, b) = ((from / step - 1e-6).ceil(), (to / step + 1e-6).floor());
    if !(step > 0.0 && a.abs() < 1e17 && b.abs() < 1e17 && b - a < MOST as f64) {
        return 0..0;
    }
    a as i64..b as i64 + 1
}

fn linear(from: f64, to: f64, count: usize) -> Ticks {
    // A range may hold one multiple of the step alone, and one label gives no scale: the next finer step then.
    let mut count = count as f64;
    let (m, exponent) = loop {
        let (m, exponent) = round_step((to - from) / count);
        if multiples(from, to, decimal(m, exponent)).count() != 1 {
            break (m, exponent);
        }
        count *= 2.0;
    };
    let counts: Vec<i64> = multiples(from, to, decimal(m, exponent)).map(|k| k * m).collect();
    let (labels, note) = linear_labels(&counts, exponent);
    let major = counts.iter().map(|&n| decimal(n, exponent)).zip(labels).collect();
    // Steps of 1 and 5 are split in five, steps of 2 in four.
    let (m, parts) = if m == 2 { (5, 4) } else { (2 * m, 5) };
    let minor = multiples(from, to, decimal(m, exponent - 1))
        .filter(|k| k % parts != 0)
        .map(|k| decimal(k * m, exponent - 1))
        .collect();
    Ticks { major, minor, note }
}

fn log(from: f64, to: f64, count: usize) -> Ticks {
    let decades = multiples_of(from, to, 1);
    if decades.len() < 2 {
        return within_a_decade(from, to, count);
    }
    let (stride, fine) = [(1, 0), (2, 1), (3, 1), (5, 1), (10, 2), (20, 5), (50, 10), (100, 20)]
        .into_iter()
        .find(|&(stride, _)| multiples_of(from, to, stride).len() <= count)
        .unwrap_or((200, 50));
    let major = multiples_of(from, to, stride).into_iter().map(|d| (d as f64, power(1, d))).collect();
    let minor = if fine == 0 {
        factors(from, to, 2..=9).into_iter().map(|(_, _, u)| u).collect()
    } else {
        multiples_of(from, to, fine).into_iter().filter(|d| d % stride != 0).map(|d| d as f64).collect()
    };
    Ticks { major, minor, note: String::new() }
}

/// Ticks of a logarithmic axis that shows fewer than two powers of ten.
fn within_a_decade(from: f64, to: f64, count: usize) -> Ticks {
    let every = factors(from, to, 1..=9);
    for chosen in [&[1, 2, 3, 4, 5, 6, 7, 8, 9][..], &[1, 2, 3, 5, 7], &[1, 2, 5], &[1, 3]] {
        let (major, minor): (Vec<_>, Vec<_>) = every.iter().partition(|(m, _, _)| chosen.contains(m));
        if (3..=count.max(3)).contains(&major.len()) {
            let major = major.into_iter().map(|&(m, d, u)| (u, power(m, d))).collect();
            return Ticks { major, minor: minor.into_iter().map(|t| t.2).collect(), note: String::new() };
        }
    }
    let place = |v: f64| Some(v.log10()).filter(|u| u.is_finite());
    let even = linear(10f64.powf(from), 10f64.powf(to), count);
    Ticks {
        major: even.major.into_iter().filter_map(|(v, label)| Some((place(v)?, label))).collect(),
        minor: even.minor.into_iter().filter_map(place).collect(),
        note: even.note,
    }
}

/// The multiples of a stride in a range of decades.
fn multiples_of(from: f64, to: f64, stride: i64) -> Vec<i64> {
    let (a, b) = ((from - 1e-9).max(-400.0).ceil() as i64, (to + 1e-9).min(400.0).floor() as i64);
    (a..=b).filter(|d| d % stride == 0).collect()
}

/// The values `m · 10ᵈ` in a range of decades, as `(m, d, position)`.
fn factors(from: f64, to: f64, ms: std::ops::RangeInclusive<i64>) -> Vec<(i64, i64, f64)> {
    multiples_of(from.floor(), to, 1)
        .into_iter()
        .flat_map(|d| ms.clone().map(move |m| (m, d, d as f64 + (m as f64).log10())))
        .filter(|&(_, _, u)| u >= from - 1e-9 && u <= to + 1e-9)
        .collect()
}

/// The label of `m · 10ᵈ`.
fn power(m: i64, d: i64) -> String {
    if m == 1 { format!("10{}", superscript(d)) } else { format!("{m}×10{}", superscript(d)) }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(scale: Scale, from: f64, to: f64, count: usize) -> (Vec<String>, String) {
        let t = ticks(scale, from, to, count);
        assert!(t.major.iter().all(|(u, _)| *u >= from - 1e-9 * (to - from) && *u <= to + 1e-9 * (to - from)));
        (t.major.into_iter().map(|(_, label)| label).collect(), t.note)
    }

    fn check(scale: Scale, range: (f64, f64), count: usize, expected: &[&str], note: &str) {
        let (found, n) = labels(scale, range.0, range.1, count);
        assert_eq!((found.iter().map(String::as_str).collect::<Vec<_>>(), n.as_str()), (expected.to_vec(), note));
    }

    #[test]
    fn linear_ticks_are_round() {
        check(Scale::Linear, (0.0, 10.0), 6, &["0", "2", "4", "6", "8", "10"], "");
        check(Scale::Linear, (-1.04, 1.04), 5, &["−1.0", "−0.5", "0.0", "0.5", "1.0"], "");
        check(Scale::Linear, (0.0, 0.3), 3, &["0.0", "0.1", "0.2", "0.3"], "");
        check(Scale::Linear, (0.0, 1e7), 5, &["0.0", "0.2", "0.4", "0.6", "0.8", "1.0"], "×10⁷");
        check(Scale::Linear, (-2.1e-6, 2.1e-6), 5, &["−2", "−1", "0", "1", "2"], "×10⁻⁶");
        check(Scale::Linear, (-0.045, 0.048), 2, &["−0.04", "−0.02", "0.00", "0.02", "0.04"], "");
        check(Scale::Linear, (1980.0, 2020.0), 4, &["1980", "1990", "2000", "2010", "2020"], "");
    }

    #[test]
    fn close_values_share_an_offset() {
        check(Scale::Linear, (0.5 - 1.1e-6, 0.5 + 1.1e-6), 4, &["−1", "0", "1"], "×10⁻⁶ + 0.5");
        check(Scale::Linear, (-1.0 - 3e-12, -1.0 + 3e-12), 4, &["−2", "0", "2"], "×10⁻¹² − 1");
        let (found, note) = labels(Scale::Linear, 1.0 / 3.0, 1.0 / 3.0 + 3e-14, 3);
        assert!(found.len() >= 2 && found.iter().all(|l| l.chars().count() <= 5), "{found:?} {note}");
    }

    #[test]
    fn minor_ticks_divide_major_ones() {
        let t = ticks(Scale::Linear, 0.0, 10.0, 5);
        assert_eq!(t.minor.len(), 15);
        let t = ticks(Scale::Log10, 0.0, 2.0, 5);
        assert_eq!(t.minor.len(), 16);
        assert!((t.minor[0] - 2f64.log10()).abs() < 1e-12);
    }

    #[test]
    fn log_ticks_are_decades() {
        check(Scale::Log10, (-3.2, 0.4), 6, &["10⁻³", "10⁻²", "10⁻¹", "10⁰"], "");
        check(
            Scale::Log10,
            (-17.0, 0.0),
            9,
            &["10⁻¹⁶", "10⁻¹⁴", "10⁻¹²", "10⁻¹⁰", "10⁻⁸", "10⁻⁶", "10⁻⁴", "10⁻²", "10⁰"],
            "",
        );
        check(
            Scale::Log10,
            (-300.0, 0.0),
            7,
            &["10⁻³⁰⁰", "10⁻²⁵⁰", "10⁻²⁰⁰", "10⁻¹⁵⁰", "10⁻¹⁰⁰", "10⁻⁵⁰", "10⁰"],
            "",
        );
        check(Scale::Log10, (0.2, 0.8), 5, &["2×10⁰", "3×10⁰", "4×10⁰", "5×10⁰", "6×10⁰"], "");
        check(Scale::Log10, (-2.001, -1.99), 4, &["0.0100", "0.0101", "0.0102"], "");
    }

    #[test]
    fn the_number_of_ticks_is_limited() {
        for count in 0..60 {
            for (from, to) in [(-323.0, 308.0), (-300.0, -290.0), (-0.3, 0.3), (0.0, 1e-9), (5.0, 5.0)] {
                let t = ticks(Scale::Log10, from, to, count);
                assert!(t.major.len() <= 52 && t.minor.len() < 500, "{from} {to}: {}", t.major.len());
            }
            for (from, to) in [(-1e300, 1e300), (1.0, 1.0 + 1e-14), (-1e-290, 1e-290), (0.0, 0.0), (f64::NAN, 1.0)]
            {
                let t = ticks(Scale::Linear, from, to, count);
                assert!(t.major.len() <= 52 && t.minor.len() < 500);
            }
        }
    }
}
