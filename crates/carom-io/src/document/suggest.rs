//! "Did you mean …?": the known name nearest to an unknown one.

/// The most names that one hint has.
const MOST_NAMES: usize = 5;
/// Words shorter than this are not looked for inside of names.
const SHORTEST: usize = 3;
/// Names longer than this are not compared.
const LONGEST: usize = 64;

/// The candidate that `word` most likely stands for; the first of several equally near ones.
///
/// A third of the letters may differ, at least one in words of two letters or more; a difference
/// in case only always counts as near.
pub fn closest<'a, S: AsRef<str>>(word: &str, candidates: &'a [S]) -> Option<&'a str> {
    let letters: Vec<char> = word.chars().take(LONGEST + 1).collect();
    if letters.is_empty() || letters.len() > LONGEST {
        return None;
    }
    let lower = word.to_lowercase();
    let mut best: Option<(usize, &str)> = None;
    for candidate in candidates.iter().map(AsRef::as_ref) {
        let other: Vec<char> = candidate.chars().take(LONGEST + 1).collect();
        let longer = letters.len().max(other.len());
        if longer > LONGEST {
            continue;
        }
        let (distance, allowed) = if candidate.to_lowercase() == lower {
            (0, 0)
        } else if longer < 2 {
            continue;
        } else {
            (edit_distance(&letters, &other), (longer / 3).max(1))
        };
        if distance <= allowed && best.is_none_or(|(least, _)| distance < least) {
            best = Some((distance, candidate));
        }
    }
    best.map(|(_, candidate)| candidate)
}

/// The text of a help line: the nearest candidate, if any, and the list of all of them after
/// `label` (for example "known keys"). Nothing if there are no candidates.
pub fn help<S: AsRef<str>>(label: &str, word: &str, candidates: &[S]) -> Option<String> {
    if candidates.is_empty() {
        return None;
    }
    let all: Vec<&str> = candidates.iter().map(AsRef::as_ref).collect();
    Some(hint(&near(word, candidates), &format!("{label}: {}", all.join(", "))))
}

/// The candidates that `word` may stand for: the nearest one, or else the first that contain it, or else the first with a part
/// (between `-`, `_` and `.`) that it is near to.
pub fn near<'a, S: AsRef<str>>(word: &str, candidates: &'a [S]) -> Vec<&'a str> {
    if let Some(name) = closest(word, candidates) {
        return vec![name];
    }
    if word.chars().count() < SHORTEST {
        return Vec::new();
    }
    let lower = word.to_lowercase();
    let all = || candidates.iter().map(AsRef::as_ref);
    let containing: Vec<&str> =
        all().filter(|name| name.to_lowercase().contains(&lower)).take(MOST_NAMES).collect();
    if !containing.is_empty() {
        return containing;
    }
    let has_near_part = |name: &&str| {
        let parts: Vec<&str> =
            name.split(['-', '_', '.']).filter(|part| part.chars().count() >= SHORTEST).collect();
        parts.len() > 1 && closest(word, &parts).is_some()
    };
    all().filter(has_near_part).take(MOST_NAMES).collect()
}

/// The text of a help line where the candidates are too many to list: those that are meant, if any, and `all`, which says how to
/// list them.
pub fn hint(names: &[&str], all: &str) -> String {
    let quoted: Vec<String> = names.iter().map(|name| format!("`{name}`")).collect();
    match quoted.split_last() {
        None => all.to_string(),
        Some((last, [])) => format!("did you mean {last}? {all}"),
        Some((last, others)) => format!("did you mean {} or {last}? {all}", others.join(", ")),
    }
}

/// Number of insertions, deletions, substitutions and swaps of neighbours between two words
/// (the optimal string alignment distance).
fn edit_distance(a: &[char], b: &[char]) -> usize {
    let mut before: Vec<usize> = vec![0; b.len() + 1];
    let mut last: Vec<usize> = (0..=b.len()).collect();
    for i in 1..=a.len() {
        let mut row = vec![i];
        for j in 1..=b.len() {
            let changed = usize::from(a[i - 1] != b[j - 1]);
            let mut least = (last[j] + 1).min(row[j - 1] + 1).min(last[j - 1] + changed);
            if i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1] {
                least = least.min(before[j - 2] + 1);
            }
            row.push(least);
        }
        before = std::mem::replace(&mut last, row);
    }
    last[b.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn distance(a: &str, b: &str) -> usize {
        let letters = |text: &str| text.chars().collect::<Vec<_>>();
        edit_distance(&letters(a), &letters(b))
    }

    #[test]
    fn distances() {
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("abc", ""), 3);
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("stpe", "step"), 1, "a swap is one edit");
        assert_eq!(distance("θα", "θβ"), 1);
    }

    #[test]
    fn nearest_name() {
        let known = ["step", "until", "steps", "every", "g"];
        assert_eq!(closest("stpe", &known), Some("step"));
        assert_eq!(closest("untl", &known), Some("until"));
        assert_eq!(closest("STEPS", &known), Some("steps"));
        assert_eq!(closest("G", &known), Some("g"));
        assert_eq!(closest("h", &known), None, "one letter is like any other");
        assert_eq!(closest("colour", &known), None);
        assert_eq!(closest("", &known), None);
        assert_eq!(closest(&"s".repeat(100_000), &known), None);
        assert_eq!(closest::<&str>("a", &[]), None);
    }

    #[test]
    fn names_that_contain_the_word() {
        let known = ["double-pendulum", "kepler", "pendulum-polar", "newtons-cradle"];
        assert_eq!(near("keplr", &known), ["kepler"]);
        assert_eq!(near("cradle", &known), ["newtons-cradle"]);
        assert_eq!(near("Pendulum", &known), ["double-pendulum", "pendulum-polar"]);
        assert_eq!(near("du", &known), [""; 0], "too short to say anything");
        assert_eq!(near("", &known), [""; 0]);
        assert_eq!(near("pile", &["pile-1", "pile-2", "pile-3", "pile-4", "pile-5", "pile-6"]), ["pile-1"]);
        let measures = ["energy-parts", "gaps", "contact-forces", "discrete-energy"];
        assert_eq!(near("enery", &measures), ["energy-parts", "discrete-energy"]);
        assert_eq!(near("force", &measures), ["contact-forces"]);
        assert_eq!(near("xyzzy", &measures), [""; 0]);
        let long: Vec<String> = (0..9).map(|k| format!("a-long-way-to-the-pile-{k}")).collect();
        assert_eq!(near("pile", &long).len(), MOST_NAMES);
    }

    #[test]
    fn hints() {
        assert_eq!(hint(&[], "`list` lists all"), "`list` lists all");
        assert_eq!(hint(&["a"], "`list` lists all"), "did you mean `a`? `list` lists all");
        assert_eq!(hint(&["a", "b", "c"], "see"), "did you mean `a`, `b` or `c`? see");
    }

    #[test]
    fn help_lines() {
        assert_eq!(help("known", "thetaa", &["theta", "g"]).unwrap(), "did you mean `theta`? known: theta, g");
        assert_eq!(help("known", "zzz", &["theta", "g"]).unwrap(), "known: theta, g");
        assert_eq!(
            help("known", "enery", &["energy-parts", "gaps"]).unwrap(),
            "did you mean `energy-parts`? known: energy-parts, gaps"
        );
        assert_eq!(help::<String>("known", "zzz", &[]), None);
    }
}
