//! A BibTeX entry as a line of a list of references.

/// The value of a field, without braces and TeX marks.
fn field(entry: &str, name: &str) -> Option<String> {
    let line = entry.lines().find_map(|line| {
        let (key, value) = line.split_once('=')?;
        (key.trim() == name).then_some(value)
    })?;
    let value = line.trim().trim_end_matches(',');
    let mut text = value
        .replace("{\\\"o}", "ö")
        .replace("{\\\"u}", "ü")
        .replace("{\\`e}", "è")
        .replace("{\\'e}", "é")
        .replace("--", "–")
        .replace("``", "“")
        .replace("''", "”");
    text.retain(|c| !matches!(c, '{' | '}'));
    Some(text.trim().to_string()).filter(|text| !text.is_empty())
}

/// `A, B and C` of `A and B and C`, each as `Given Family`.
fn people(list: &str) -> String {
    let one = |name: &str| match name.split_once(',') {
        Some((family, given)) => format!("{} {}", given.trim(), family.trim()),
        None => name.trim().to_string(),
    };
    let names: Vec<String> = list.split(" and ").map(one).collect();
    match names.split_last() {
        Some((last, [])) => last.clone(),
        Some((last, first)) => format!("{} and {last}", first.join(", ")),
        None => String::new(),
    }
}

/// Authors, title, where and when.
pub fn line(entry: &str) -> String {
    let field = |name: &str| field(entry, name);
    let mut parts = Vec::new();
    parts.extend(field("author").or_else(|| field("editor")).map(|list| people(&list)));
    parts.extend(field("title"));
    let place = ["journal", "booktitle", "publisher", "institution", "note"].into_iter().find_map(field);
    parts.extend(place.map(|place| {
        let volume = field("volume").map_or_else(String::new, |volume| format!(" {volume}"));
        let number = field("number").map_or_else(String::new, |number| format!("({number})"));
        let pages = field("pages").map_or_else(String::new, |pages| format!(", {pages}"));
        format!("{place}{volume}{number}{pages}")
    }));
    let year = field("year").map_or_else(String::new, |year| format!(" ({year})"));
    let doi = field("doi").map_or_else(String::new, |doi| format!(", doi:{doi}"));
    format!("{}{year}{doi}.", parts.join(". "))
}

#[cfg(test)]
mod tests {
    use super::line;
    use crate::references;

    #[test]
    fn every_entry_reads_as_a_line_without_tex() {
        for (key, entry) in references::entries() {
            let line = line(entry);
            assert!(!line.contains(['{', '}', '\\', '=', '`']) && line.len() > 30, "{key}: {line}");
        }
        let kaufman = line(references::entry("kaufman-pai-2012").expect("it is there"));
        assert_eq!(
            kaufman,
            "Danny M. Kaufman and Dinesh K. Pai. Geometric Numerical Integration of Inequality Constrained, Nonsmooth \
             Hamiltonian Systems. SIAM Journal on Scientific Computing 34(5), A2670–A2703 (2012), \
             doi:10.1137/100800105."
        );
    }
}
