//! The table of a sweep: one row for each run, printed in few digits and as CSV in all of them.

use carom_io::report::RunReport;
use serde_json::Value;

use super::Row;
use crate::print::{self, short};

/// A column after those of the varied keys.
struct Column {
    /// Its head in the printed table and in the CSV.
    heads: (&'static str, &'static str),
    /// Its value, `null` where it has no meaning.
    value: fn(&RunReport) -> Value,
    /// A number in few digits.
    shown: fn(f64) -> String,
}

fn count(value: f64) -> String {
    value.to_string()
}

fn change(value: f64) -> String {
    // Adding 0 takes the sign from −0.
    format!("{:+.2e}", value + 0.0)
}

fn size(value: f64) -> String {
    format!("{value:.1e}")
}

const COLUMNS: [Column; 14] = [
    Column { heads: ("steps", "steps"), value: |report| report.steps.into(), shown: count },
    Column { heads: ("t", "t"), value: |report| report.t.into(), shown: short },
    Column { heads: ("E0", "energy_initial"), value: |report| report.energy.initial.into(), shown: short },
    Column {
        heads: ("min - E0", "energy_min_change"),
        value: |report| (report.energy.min - report.energy.initial).into(),
        shown: change,
    },
    Column {
        heads: ("max - E0", "energy_max_change"),
        value: |report| (report.energy.max - report.energy.initial).into(),
        shown: change,
    },
    Column { heads: ("slope", "energy_slope"), value: |report| report.energy.slope.into(), shown: change },
    Column {
        heads: ("equalities", "max_equality"),
        value: |report| report.constraints.max_equality.into(),
        shown: size,
    },
    Column {
        heads: ("penetration", "max_penetration"),
        value: |report| report.constraints.max_penetration.into(),
        shown: size,
    },
    Column { heads: ("impacts", "impacts"), value: |report| report.impacts.into(), shown: count },
    Column { heads: ("active steps", "active_steps"), value: |report| report.active_steps.into(), shown: count },
    Column {
        heads: ("iterations", "iterations_mean"),
        value: |report| report.solver.iterations_mean.into(),
        shown: |value| format!("{value:.2}"),
    },
    Column { heads: ("trustworthy", "trustworthy"), value: |report| report.trustworthy.into(), shown: count },
    Column { heads: ("complete", "complete"), value: |report| report.complete.into(), shown: count },
    Column { heads: (ENDED, ENDED), value: |report| report.ended.clone().into(), shown: count },
];

/// The column with what ended a run early.
const ENDED: &str = "ended";
/// Characters of a reason in the printed table.
const LONGEST_REASON: usize = 48;

/// The beginning of a reason, whole words of it; all of it is in the CSV.
fn shortened(reason: &str) -> String {
    if reason.chars().count() <= LONGEST_REASON {
        return reason.to_string();
    }
    let begin: String = reason.chars().take(LONGEST_REASON - 1).collect();
    let words = begin.rsplit_once(' ').map_or(begin.as_str(), |(words, _)| words);
    format!("{}…", words.trim_end_matches([',', ';', ':']))
}

/// The table for a reader; a column without a value in any row is left out.
pub fn printed(keys: &[&str], rows: &[Row]) -> String {
    let columns: Vec<&Column> =
        COLUMNS.iter().filter(|column| rows.iter().any(|row| !(column.value)(&row.report).is_null())).collect();
    let heads = keys.iter().copied().chain(columns.iter().map(|column| column.heads.0));
    let mut lines: Vec<Vec<String>> = vec![heads.map(str::to_string).collect()];
    for row in rows {
        let results = columns.iter().map(|column| match (column.value)(&row.report) {
            Value::Number(number) => number.as_f64().map_or_else(String::new, column.shown),
            Value::Bool(true) => "yes".into(),
            Value::Bool(false) => "no".into(),
            Value::Null => "–".into(),
            Value::String(reason) if column.heads.0 == ENDED => shortened(&reason),
            other => print::value(&other),
        });
        lines.push(row.point.values().map(print::value).chain(results).collect());
    }
    print::table(&lines, keys.len())
}

/// The table with every digit and every column; a value without meaning is empty.
pub fn csv(keys: &[&str], rows: &[Row]) -> String {
    let heads = keys.iter().copied().chain(COLUMNS.iter().map(|column| column.heads.1));
    let mut text = heads.map(quoted).collect::<Vec<_>>().join(",") + "\n";
    for row in rows {
        let results = COLUMNS.iter().map(|column| cell(&(column.value)(&row.report)));
        let cells: Vec<String> = row.point.values().map(cell).chain(results).collect();
        text.push_str(&cells.join(","));
        text.push('\n');
    }
    text
}

fn cell(value: &Value) -> String {
    match value {
        Value::Null => String::new(),
        Value::String(text) => quoted(text),
        other => quoted(&other.to_string()),
    }
}

/// A cell of a CSV file, in quotes if it needs them (RFC 4180).
fn quoted(text: &str) -> String {
    if text.contains([',', '"', '\n', '\r']) {
        return format!("\"{}\"", text.replace('"', "\"\""));
    }
    text.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_reason_is_told_by_its_beginning() {
        assert_eq!(shortened("interrupted after step 7"), "interrupted after step 7");
        let long = format!("step 12 failed: step from t = 1.1 with h = 0.1: {}", "no end of words ".repeat(20));
        let short = shortened(&long);
        assert_eq!(short, "step 12 failed: step from t = 1.1 with h =…");
        assert!(
            short.chars().count() <= LONGEST_REASON
                && shortened(&"x".repeat(300)).chars().count() == LONGEST_REASON
        );
    }

    #[test]
    fn cells_are_quoted_only_where_they_need_it_and_keep_every_digit() {
        let value = 0.1 + 0.2;
        let cells = [Value::from(value), "a\"b,c".into(), "plain".into(), Value::Null, vec![1, 2].into()];
        let cells = cells.map(|value| cell(&value));
        assert_eq!(cells[0].parse(), Ok(value));
        assert_eq!(cells[1..], ["\"a\"\"b,c\"", "plain", "", "\"[1,2]\""]);
    }
}
