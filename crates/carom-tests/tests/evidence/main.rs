//! docs/evidence.md, walked: every statement about what a method keeps stands in its document, names what backs it, and none is left out.

mod document;
mod listed;
mod table;

use carom::method::AnyMethod;
use carom_io::document::Source;
use carom_io::experiment::{EXPERIMENTS, Experiment, Verdict};

use document::{heads_statements, may_state, plain, read, units};
use listed::{Backing, Entry, METHODS, entries};

const DOCUMENTS: [&str; 2] = ["README.md", "docs/methods.md"];

fn of<'a>(all: &'a [Entry], document: &str) -> Vec<&'a Entry> {
    all.iter().filter(|entry| entry.document == document).collect()
}

/// How often each listed text stands in the units of its document: it must be once.
fn misquoted(document: &str, text: &str, all: &[Entry]) -> Vec<String> {
    let units = units(text);
    let count = |entry: &Entry| units.iter().map(|unit| unit.text.matches(&entry.text).count()).sum::<usize>();
    let wrong = |entry: &&Entry| match count(entry) {
        1 => None,
        count => Some(format!("{document} has {count} times: {}", entry.text)),
    };
    of(all, document).iter().filter_map(wrong).collect()
}

/// Sentences of a document that may state something and touch nothing that is listed.
fn uncovered(document: &str, text: &str, all: &[Entry]) -> Vec<String> {
    let listed = of(all, document);
    let mut found = Vec::new();
    for unit in units(text) {
        if unit.header.as_deref().is_some_and(table::is_claims) {
            continue;
        }
        let spans: Vec<[usize; 2]> = listed
            .iter()
            .filter_map(|entry| unit.text.find(&entry.text).map(|at| [at, at + entry.text.len()]))
            .collect();
        for [start, end] in unit.sentences() {
            let sentence = &unit.text[start..end];
            let states = may_state(sentence) || unit.header.as_deref().is_some_and(heads_statements);
            if states && !spans.iter().any(|span| span[0] < end && start < span[1]) {
                found.push(format!("{document}: {sentence}"));
            }
        }
    }
    found
}

#[test]
fn every_statement_stands_in_its_document_once() {
    let all = entries(&read("docs/evidence.md"));
    let statements = all.iter().filter(|entry| !entry.backing.is_empty()).count();
    println!("{statements} statements, {} sentences that are none", all.len() - statements);
    let wrong: Vec<String> = DOCUMENTS.iter().flat_map(|name| misquoted(name, &read(name), &all)).collect();
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    // Control: a document that says otherwise.
    let altered = read("README.md").replace("−0.39 J", "−0.38 J");
    assert_eq!(misquoted("README.md", &altered, &all).len(), 1);
}

#[test]
fn every_sentence_that_states_something_is_listed() {
    let all = entries(&read("docs/evidence.md"));
    let left: Vec<String> = DOCUMENTS.iter().flat_map(|name| uncovered(name, &read(name), &all)).collect();
    assert!(left.is_empty(), "{}", left.join("\n"));
    // Control: a sentence that no one listed.
    let more = read("README.md") + "\nWith this method energy is conserved.\n";
    assert_eq!(uncovered("README.md", &more, &all).len(), 1);
}

#[test]
fn everything_that_is_named_exists() {
    let all = entries(&read("docs/evidence.md"));
    let mut wrong = Vec::new();
    for entry in &all {
        for backing in &entry.backing {
            if let Err(why) = exists(backing) {
                wrong.push(format!("{why}, for: {}", entry.text));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for missing in [
        Backing::Test { path: "tests/matrix/order.rs".into(), name: "no_such_test".into() },
        Backing::Test { path: "tests/no_such_file.rs".into(), name: "it".into() },
        // A function that is no test.
        Backing::Test { path: "tests/matrix/order.rs".into(), name: "check_high".into() },
        Backing::Claim { id: "fetecau/fig-4/no-such-claim".into() },
        // One that nothing can decide.
        Backing::Claim { id: "fetecau/fig-2/energy".into() },
    ] {
        assert!(exists(&missing).is_err(), "{missing:?}");
    }
}

/// Whether a test or a claim is there and says something.
fn exists(backing: &Backing) -> Result<(), String> {
    match backing {
        Backing::Test { path, name } => {
            let file = if path.starts_with("tests/") {
                format!("crates/carom-tests/{path}")
            } else {
                format!("crates/{path}")
            };
            let full = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("../..").join(&file);
            let text = std::fs::read_to_string(full).map_err(|error| format!("{file}: {error}"))?;
            let lines: Vec<&str> = text.lines().map(str::trim).collect();
            let at = lines
                .iter()
                .position(|line| line.starts_with(&format!("fn {name}(")))
                .ok_or_else(|| format!("{file} has no {name}"))?;
            let attributes: Vec<&str> =
                lines[..at].iter().rev().take_while(|line| line.starts_with("#[")).copied().collect();
            if !attributes.contains(&"#[test]") {
                return Err(format!("{file}: {name} is no test"));
            }
            if attributes
                .iter()
                .any(|attribute| attribute.starts_with("#[ignore") || attribute.starts_with("#[cfg"))
            {
                return Err(format!("{file}: {name} is not run"));
            }
            Ok(())
        }
        Backing::Claim { id } => {
            let (experiment, claim) = id.rsplit_once('/').ok_or_else(|| format!("{id} names no claim"))?;
            let known = EXPERIMENTS.iter().find(|known| format!("{}/{}", known.paper, known.id) == experiment);
            let known = known.ok_or_else(|| format!("no experiment {experiment}"))?;
            let source = Source::new(known.id, known.text);
            let read = Experiment::read(Some(known.paper), known.id, source)
                .map_err(|_| format!("{experiment} is wrong"))?;
            let found =
                read.claims.iter().find(|known| known.id == claim).ok_or_else(|| format!("no claim {id}"))?;
            // A claim that does not hold backs the statement of its contrary; one that nothing decides backs none.
            if found.expected == Verdict::Undecidable { Err(format!("{id} cannot be decided")) } else { Ok(()) }
        }
    }
}

#[test]
fn every_claim_and_exception_of_every_method_is_listed() {
    let all = entries(&read("docs/evidence.md"));
    let listed: Vec<&str> = of(&all, METHODS).iter().map(|entry| entry.text.as_str()).collect();
    for method in AnyMethod::all() {
        let (claims, takes) = (method.claims(), method.abilities());
        let words = [
            (true, "order"),
            (claims.symplectic, "symplectic form"),
            (claims.reversible, "time reversal"),
            (claims.linear_momentum, "linear momentum"),
            (claims.angular_momentum, "angular momentum"),
            (claims.through_impacts, "through impacts too"),
            (takes.inequalities && !claims.through_impacts, "between impacts"),
            (takes.equalities && !takes.regularised, "equality constraints (to round-off)"),
            (takes.equalities && takes.regularised, "equality constraints (regularised)"),
        ];
        let claimed = words.iter().filter(|(said, _)| *said).map(|(_, word)| *word);
        let said = claimed
            .chain(method.exceptions().iter().copied())
            .chain(Some(method.preserves_of()).filter(|of| !of.is_empty()));
        for text in said {
            assert!(listed.contains(&plain(text).as_str()), "`carom methods` says of {}: {text}", method.name());
        }
        assert!(carom_tests::variants::VARIANTS.iter().any(|text| text.split(' ').next() == Some(method.name())));
    }
    // What is listed is said of some method.
    let said = |text: &str| {
        let own = |method: &AnyMethod| method.exceptions().contains(&text) || method.preserves_of() == text;
        text.len() < 40 || AnyMethod::all().iter().any(own)
    };
    assert!(listed.iter().all(|text| said(text)), "{listed:?}");
}
