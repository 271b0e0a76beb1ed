//! Numbers of the command line: what cannot be one is refused with what is allowed.

use carom_io::scene::MOST_STEPS;

/// The most seconds of an option: 30 years.
pub const MOST_SECONDS: f64 = 1e9;

/// A parser of whole numbers from the least to the most.
pub fn whole<T>(least: u64, most: u64) -> impl Fn(&str) -> Result<T, String> + Clone + Send + Sync
where
    T: TryFrom<u64> + Clone + Send + Sync + 'static,
{
    move |text| {
        let number = text.parse::<u64>().ok().filter(|number| (least..=most).contains(number));
        let number = number.and_then(|number| T::try_from(number).ok());
        number.ok_or_else(|| format!("allowed is a whole number from {least} to {most}"))
    }
}

/// A parser of numbers of steps, from the least on. They may be expressions of the scene's parameters and are judged with it, but for
/// integers that no scene can hold.
pub fn steps(least: i64) -> impl Fn(&str) -> Result<String, String> + Clone + Send + Sync {
    move |text| {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        let integer = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        match integer && text.parse::<i64>().is_err() {
            true => Err(format!("allowed is a whole number from {least} to {MOST_STEPS}")),
            false => Ok(text.to_string()),
        }
    }
}

/// Parses seconds from 0 on.
pub fn seconds(text: &str) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(seconds) if (0.0..=MOST_SECONDS).contains(&seconds) => Ok(seconds),
        _ => Err(format!("allowed is a number of seconds from 0 to {MOST_SECONDS:e}")),
    }
}

#[cfg(test)]
mod tests {
    use super::{seconds, steps, whole};

    #[test]
    fn what_is_no_number_is_refused_with_the_range() {
        let threads = whole::<u16>(1, 65535);
        assert_eq!(threads("3"), Ok(3));
        for text in ["0", "-1", "65536", "1e3", "", "99999999999999999999999"] {
            assert_eq!(threads(text), Err("allowed is a whole number from 1 to 65535".into()), "{text}");
        }
        assert_eq!(whole::<u64>(0, u64::MAX)("18446744073709551615"), Ok(u64::MAX));
        for text in ["10", "-10", "2*n", "1e30", "9223372036854775807", ""] {
            assert_eq!(steps(1)(text), Ok(text.into()));
        }
        for text in ["9223372036854775808", "-9223372036854775809", "+99999999999999999999"] {
            assert_eq!(steps(1)(text), Err("allowed is a whole number from 1 to 1000000000000000".into()));
        }
        assert_eq!([seconds("0"), seconds("1e9")], [Ok(0.0), Ok(1e9)]);
        for text in ["-1", "1e300", "nan", "inf", "soon"] {
            assert_eq!(seconds(text), Err("allowed is a number of seconds from 0 to 1e9".into()));
        }
    }
}
