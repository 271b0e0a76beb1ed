//! What `reproduce` prints: claim by claim, as text and as JSON.

use carom_io::experiment::{Experiment, Finding, Judgement, PaperValue, Says, Verdict};
use serde_json::{Value, json};

use super::Made;
use crate::print::wrapped;

/// Where the texts of a claim begin.
const INDENT: usize = 14;

/// The document of `--json`. It holds no time and no number of threads: the same runs give the same text.
pub fn document(made: &[Made]) -> Value {
    let mut claims = Vec::new();
    let mut runs = Vec::new();
    for made in made {
        let (paper, id) = (&made.experiment.paper, &made.experiment.id);
        claims.extend(made.judged.iter().map(|judgement| claim(made.experiment, judgement)));
        runs.extend(made.found.iter().map(|found| {
            json!({
                "paper": paper,
                "experiment": id,
                "name": found.name,
                "scene": found.scene,
                "method": found.method,
                "settings": found.settings,
                "ended": found.ended,
            })
        }));
    }
    let figures: Vec<String> =
        made.iter().flat_map(|made| &made.figures).map(|p| p.display().to_string()).collect();
    json!({ "claims": claims, "runs": runs, "figures": figures })
}

fn claim(experiment: &Experiment, judgement: &Judgement) -> Value {
    let (claim, finding) = (judgement.claim, judgement.finding.as_ref());
    let measured = match finding {
        Err(_) => Value::Null,
        Ok(Finding { values, ensemble: true, .. }) => json!(values),
        Ok(Finding { values, .. }) => json!(values.first()),
    };
    let share = finding.ok().filter(|finding| finding.ensemble);
    json!({
        "paper": experiment.paper,
        "experiment": experiment.id,
        "id": claim.id,
        "claim": claim.claim,
        "says": claim.says,
        "paper_value": match &claim.paper_value {
            None => Value::Null,
            Some(PaperValue::Number(number)) => json!(number),
            Some(PaperValue::Text(text)) => json!(text),
        },
        "measured": measured,
        "unit": claim.unit,
        "expected": claim.expected,
        "verdict": finding.map(|finding| finding.verdict).ok(),
        "reason": claim.reason,
        "missing": claim.missing,
        "place": claim.place.as_ref().or(experiment.place.as_ref()),
        "expression": claim.measured,
        "criterion": claim.criterion.to_string(),
        "share": share.map(|finding| finding.satisfied as f64 / finding.values.len() as f64),
        "error": finding.err(),
    })
}

/// The report for a reader.
pub fn text(made: &[Made]) -> String {
    let mut text = String::new();
    for made in made {
        let experiment = made.experiment;
        let head = format!("{}: {}", experiment.full_name(), experiment.title);
        text.push_str(&wrapped(&head, 0, 0));
        if let Some(place) = &experiment.place {
            text.push_str(&wrapped(place, 0, 0));
        }
        text.push('\n');
        for judgement in &made.judged {
            text.push_str(&block(judgement));
        }
        for path in &made.figures {
            text.push_str(&format!("  figure: {}\n", path.display()));
        }
        if !made.figures.is_empty() {
            text.push('\n');
        }
    }
    text + &count(made)
}

fn block(judgement: &Judgement) -> String {
    let claim = judgement.claim;
    let verdict = match &judgement.finding {
        Err(_) => "no verdict".to_string(),
        Ok(finding) if finding.verdict == claim.expected => finding.verdict.name().to_string(),
        Ok(finding) => format!("{} (expected: {})", finding.verdict.name(), claim.expected.name()),
    };
    let mut text = format!("  {}: {verdict}\n", claim.id);
    let mut row = |name: &str, words: &str| {
        let line = format!("    {name:<width$}{words}", width = INDENT - 4);
        text.push_str(&wrapped(&line, 0, INDENT));
    };
    match &claim.place {
        Some(place) => row("claim", &format!("{} ({place})", claim.claim)),
        None => row("claim", &claim.claim),
    }
    match claim.says {
        Says::Paper => {}
        Says::Open => row("says", "nobody: the paper leaves it open"),
        Says::Ours => row("says", "this project, not the paper"),
    }
    let unit = claim.unit.as_ref().map_or_else(String::new, |unit| format!(" {unit}"));
    match &claim.paper_value {
        None => {}
        Some(PaperValue::Number(number)) => row("paper", &format!("{number:?}{unit}")),
        Some(PaperValue::Text(words)) => row("paper", words),
    }
    match &judgement.finding {
        Err(reason) => row("error", reason),
        Ok(finding) => row("measured", &format!("{}; holds if {}", values(finding, &unit), claim.criterion)),
    }
    if let Some(missing) = &claim.missing {
        row("missing", missing);
    }
    row("reason", &claim.reason);
    text.push('\n');
    text
}

fn values(finding: &Finding, unit: &str) -> String {
    let Finding { values, satisfied, .. } = finding;
    let (low, high) =
        values.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), v| (low.min(*v), high.max(*v)));
    match (finding.ensemble, values.len()) {
        (false, _) => format!("{}{unit}", figures(low)),
        (true, 1..=6) => {
            let all: Vec<String> = values.iter().map(|value| figures(*value)).collect();
            format!("{}{unit}: {satisfied} of {} satisfy it", all.join(", "), values.len())
        }
        (true, count) => {
            format!("from {} to {}{unit}: {satisfied} of {count} satisfy it", figures(low), figures(high))
        }
    }
}

/// A number in five figures.
fn figures(value: f64) -> String {
    let size = value.abs();
    if value == 0.0 || (1e-3..1e5).contains(&size) {
        let before = if size < 1.0 { 0 } else { size.log10() as usize };
        let text = format!("{value:.*}", 4_usize.saturating_sub(before).max(1));
        let text = if size < 0.1 && value != 0.0 { format!("{value:.6}") } else { text };
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        format!("{value:.4e}")
    }
}

/// The papers' own claims, then those that they leave open and those of this project.
fn count(made: &[Made]) -> String {
    let judged = || made.iter().flat_map(|made| &made.judged);
    let number = |count: usize, one: &str, more: &str| format!("{count} {}", if count == 1 { one } else { more });
    let mut text = String::new();
    for says in Says::ALL {
        let of_them = || judged().filter(|judgement| judgement.claim.says == says);
        let all = of_them().count();
        if all == 0 {
            continue;
        }
        let whose = match says {
            Says::Paper => number(all, "claim of the paper", "claims of the papers"),
            Says::Open => number(all, "that it leaves open", "that they leave open"),
            Says::Ours => number(all, "of this project", "of this project"),
        };
        let with = |verdict: Verdict| {
            of_them().filter(|judgement| judgement.finding.as_ref().is_ok_and(|f| f.verdict == verdict)).count()
        };
        let found = Verdict::ALL.map(|verdict| (with(verdict), verdict));
        let mut parts: Vec<String> = found
            .into_iter()
            .filter(|(count, _)| *count > 0)
            .map(|(count, verdict)| match verdict {
                Verdict::Holds => number(count, "holds", "hold"),
                Verdict::DoesNotHold => number(count, "does not hold", "do not hold"),
                Verdict::Depends => number(count, "depends", "depend"),
                Verdict::Undecidable => number(count, "is undecidable", "are undecidable"),
            })
            .collect();
        let without = of_them().filter(|judgement| judgement.finding.is_err()).count();
        if without > 0 {
            parts.push(format!("{without} without a verdict"));
        }
        text.push_str(&format!("{whose}: {}\n", parts.join(", ")));
    }
    let differ = judged().filter(|judgement| {
        judgement.finding.as_ref().is_ok_and(|finding| finding.verdict != judgement.claim.expected)
    });
    text + &format!("{} from expected\n", number(differ.count(), "verdict differs", "verdicts differ"))
}

#[cfg(test)]
mod tests {
    use super::figures;

    #[test]
    fn numbers_have_five_figures() {
        let shown = [0.0, 1.0, -12.3456789, 0.0123456789, 12345.678, 1.23456789e-7, 3e8].map(figures);
        assert_eq!(shown, ["0", "1", "-12.346", "0.012346", "12345.7", "1.2346e-7", "3.0000e8"]);
    }
}
