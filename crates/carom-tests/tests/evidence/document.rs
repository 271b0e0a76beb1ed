//! Documents in units: paragraphs, list items, table rows; and their sentences.

/// A paragraph, list item or table row, on one line.
#[derive(Debug)]
pub struct Unit {
    /// The header of the table that it is a row of.
    pub header: Option<String>,
    /// Its text.
    pub text: String,
}

pub use carom_tests::written::document as read;

/// One space between words, and `|` as it is meant.
pub fn plain(text: &str) -> String {
    text.replace("\\|", "|").split_whitespace().collect::<Vec<_>>().join(" ")
}

/// All units but headings, blocks of code, and headers of tables.
pub fn units(text: &str) -> Vec<Unit> {
    let (mut found, mut current, mut header, mut code) = (Vec::new(), String::new(), None, false);
    let mut close = |current: &mut String| {
        if !current.is_empty() {
            found.push(Unit { header: None, text: plain(&std::mem::take(current)) });
        }
    };
    let mut rows = Vec::new();
    for line in text.lines() {
        let line = line.trim();
        if line.starts_with("```") {
            code = !code;
        }
        let row = !code && line.starts_with('|');
        if code
            || row
            || line.is_empty()
            || line.starts_with('#')
            || line.starts_with("```")
            || line.starts_with("- ")
        {
            close(&mut current);
        }
        match &header {
            _ if !row => header = None,
            None => header = Some(line.to_string()),
            Some(_) if line.chars().all(|c| "|- ".contains(c)) => {}
            Some(header) => rows.push(Unit { header: Some(header.clone()), text: plain(line) }),
        }
        if !(code || row || line.is_empty() || line.starts_with('#') || line.starts_with("```")) {
            current = format!("{current} {line}");
        }
    }
    close(&mut current);
    found.extend(rows);
    found
}

impl Unit {
    /// Where its sentences begin and end. A row is one.
    pub fn sentences(&self) -> Vec<[usize; 2]> {
        let (mut found, mut start) = (Vec::new(), 0);
        let ends =
            self.text.match_indices(". ").chain(self.text.match_indices(".** ")).map(|(at, end)| at + end.len());
        let mut ends: Vec<usize> = if self.header.is_some() { Vec::new() } else { ends.collect() };
        ends.sort_unstable();
        for end in ends {
            // An abbreviation or a number goes on in small letters.
            if self.text[end..].chars().next().is_some_and(|next| !next.is_lowercase()) {
                found.push([start, end]);
                start = end;
            }
        }
        found.push([start, self.text.len()]);
        found
    }
}

/// Words that statements about what is kept are made with.
const STEMS: [&str; 17] = [
    "conserv",
    "symplectic",
    "bounded",
    "without bound",
    "drift",
    "revers",
    "undo",
    "round-off",
    "stable",
    "unstable",
    "preserv",
    "dissipat",
    "grow",
    "blow",
    "amplitude",
    "damps",
    "order is kept",
];

/// What energy and momenta do in such statements.
const VERBS: [&str; 19] = [
    "exact", "keep", "kept", "lose", "loses", "lost", "gain", "rise", "rose", "raise", "chang", "walk", "creep",
    "within", "off", "never", "fall", "goes", "becomes",
];

/// Words in headers of tables whose rows are such statements.
const HEADERS: [&str; 4] = ["energy", "growth", "k = 10", "keeps"];

/// Whether a word begins with `stem`.
fn has(text: &str, stem: &str) -> bool {
    text.match_indices(stem).any(|(at, _)| !text[..at].chars().next_back().is_some_and(char::is_alphanumeric))
}

/// `order 2`, `order is 1`, `order of 2`, `order m + 1`.
fn names_an_order(text: &str) -> bool {
    text.match_indices("order ").any(|(at, _)| {
        let rest = &text[at + 6..];
        let rest = ["is ", "stays ", "of "].iter().fold(rest, |rest, word| rest.strip_prefix(word).unwrap_or(rest));
        rest.starts_with(|c: char| c.is_ascii_digit()) || rest.starts_with("m ")
    })
}

/// A number with an exponent, in per cent or in joules.
fn names_a_size(text: &str) -> bool {
    text.char_indices().any(|(at, c)| {
        let rest = &text[at + c.len_utf8()..];
        c.is_ascii_digit() && ["e-", "%", " %", " j"].iter().any(|unit| rest.starts_with(unit))
    })
}

/// Whether a sentence may state what a method keeps.
pub fn may_state(sentence: &str) -> bool {
    let text = sentence.to_lowercase();
    let about = ["energ", "momentum", "momenta"].iter().any(|word| has(&text, word));
    STEMS.iter().any(|stem| has(&text, stem))
        || names_an_order(&text)
        || about && (VERBS.iter().any(|verb| has(&text, verb)) || names_a_size(&text))
}

/// Whether the rows below a header do.
pub fn heads_statements(header: &str) -> bool {
    let header = header.to_lowercase();
    HEADERS.iter().any(|word| header.contains(word))
}

#[test]
fn sentences_that_state_something_are_told_from_others() {
    for stating in [
        "Energy is conserved by each reflection.",
        "A step of −h undoes one with impacts.",
        "| `spook` | −0.39 J | energy at rest |",
        "Symmetric rules have order 2, the others order 1.",
        "Linear momentum is exact.",
        "Rods hold to round-off.",
    ] {
        assert!(may_state(stating), "{stating}");
    }
    for other in ["No options.", "In order to run it, write a scene.", "Cost: one gradient per step."] {
        assert!(!may_state(other), "{other}");
    }
    let text = "One. Two is 2.5 long, i.e. longer.\n\n- item\n  goes on\n| a | energy |\n|---|---|\n| x | y \\| z |\n```text\nno\n```\n";
    let units = units(text);
    let found: Vec<&str> = units.iter().map(|unit| unit.text.as_str()).collect();
    assert_eq!(found, ["One. Two is 2.5 long, i.e. longer.", "- item goes on", "| x | y | z |"]);
    assert_eq!(units[0].sentences(), [[0, 5], [5, 34]]);
    assert!(units[2].header.as_deref().is_some_and(heads_statements));
}
