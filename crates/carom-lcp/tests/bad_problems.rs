//! What a problem file may not be: every mistake is refused with its place, its key and what is allowed.
//!
//! The mistakes stand in `bad_problems/cases.txt`.

use carom_lcp::Problem;

const CASES: &str = include_str!("bad_problems/cases.txt");

struct Case {
    title: &'static str,
    text: String,
    expected: String,
}

fn cases() -> Vec<Case> {
    let mut cases: Vec<Case> = Vec::new();
    for line in CASES.lines().skip_while(|line| !line.starts_with('#')).filter(|line| !line.is_empty()) {
        let rest = line[1..].trim_start();
        match (line.as_bytes()[0], cases.last_mut()) {
            (b'?', _) => cases.push(Case { title: rest, text: String::new(), expected: String::new() }),
            (b'|', Some(case)) => {
                let separator = if case.text.is_empty() { "" } else { "\n" };
                case.text = format!("{}{separator}{}", case.text, &line[2..]);
            }
            (b'>', Some(case)) => {
                let separator = if case.expected.is_empty() { "" } else { "\n" };
                case.expected = format!("{}{separator}{rest}", case.expected);
            }
            (b'#', _) => {}
            _ => panic!("a line of the table is `{line}`"),
        }
    }
    cases
}

#[test]
fn every_mistake_is_refused_with_its_place_and_what_is_allowed() {
    let cases = cases();
    assert!(cases.len() > 30, "{} cases were read", cases.len());
    let mut differences = String::new();
    for Case { title, text, expected } in cases {
        let said = Problem::from_json(&text).map_or_else(|error| error.to_string(), |_| "fine".into());
        if said != expected {
            differences += &format!("{title}\n  expected {expected}\n  found    {said}\n");
        }
    }
    assert!(differences.is_empty(), "\n{differences}");
}

#[test]
fn an_lcp_too_large_to_be_dense_is_refused_before_it_is_made() {
    let n = 100_000;
    let q = vec!["1"; n].join(",");
    let text = format!(r#"{{"M": {{"size": {n}, "row": [], "col": [], "value": []}}, "q": [{q}]}}"#);
    let said = Problem::from_json(&text).expect_err("80 GB").to_string();
    assert!(said.contains("may have 10000 rows, not 100000") && said.contains("mixed LCP"), "{said}");
}
