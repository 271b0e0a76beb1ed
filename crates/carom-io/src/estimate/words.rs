//! Sizes and durations in words.

use carom::error::in_words;

use super::Estimate;

/// Bytes in two or three digits.
pub fn size(bytes: f64) -> String {
    in_words(bytes)
}

/// A duration in the unit that suits it.
pub fn duration(seconds: f64) -> String {
    const UNITS: [(f64, &str); 4] =
        [(365.25 * 86_400.0, "years"), (86_400.0, "days"), (3600.0, "h"), (60.0, "min")];
    let found =
        UNITS.into_iter().find(|(length, _)| seconds >= 2.0 * length || (*length == 60.0 && seconds >= 60.0));
    let (value, unit) = found.map_or((seconds, "s"), |(length, unit)| (seconds / length, unit));
    match value {
        _ if value >= 1e6 => format!("{value:.0e} {unit}"),
        _ if value >= 10.0 || value == 0.0 => format!("{value:.0} {unit}"),
        _ if value >= 0.1 => format!("{value:.1} {unit}"),
        _ => format!("{value:.0e} {unit}"),
    }
}

impl Estimate {
    /// What is written, by table.
    pub fn tables_in_words(&self) -> String {
        let tables = self.tables.iter().filter(|table| table.rows > 0.0);
        let tables: Vec<String> = tables
            .map(|table| format!("{} {} in {} rows", table.name, size(table.bytes), count(table.rows)))
            .collect();
        tables.join(", ")
    }

    /// What a reader should know of the estimate: the tables, and what it does not see.
    pub fn in_words(&self) -> String {
        let later = if self.later_contacts { "; contacts begin later and are not in the time" } else { "" };
        format!("{}{later}", self.tables_in_words())
    }
}

/// A number of rows.
fn count(rows: f64) -> String {
    if rows < 1e6 { format!("{rows:.0}") } else { format!("{rows:.1e}") }
}
