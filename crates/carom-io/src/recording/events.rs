//! The table of events that a method located: one row each, whatever steps are recorded.

use carom::steppers::{Event, Happening};
use carom::system::System;

use super::table::Column;

/// Contacts are named in the description of the table up to this number of them.
const MOST_NAMES: usize = 10_000;

/// What happened, by the number in the table.
const HAPPENINGS: [(Happening, &str); 3] =
    [(Happening::Impact, "impact"), (Happening::Fallback, "fallback"), (Happening::Rest, "rest")];

/// The columns for a system.
pub fn columns(system: &dyn System) -> Vec<Column> {
    let contacts = system.inequalities();
    let names = if contacts > MOST_NAMES { 0 } else { contacts };
    vec![
        Column::new("step"),
        Column::new("t"),
        Column::new("alpha"),
        Column::choice("contact", (0..names).map(|contact| system.gap_name(contact)).collect()),
        Column::choice("what", HAPPENINGS.iter().map(|(_, name)| name.to_string()).collect()),
        Column::new("speed"),
        Column::new("impulse"),
        Column::new("work"),
    ]
}

/// The row of an event in a step.
pub fn row(step: u64, event: &Event) -> [f64; 8] {
    let Event { t, alpha, contact, what, speed, impulse, work } = *event;
    let what = HAPPENINGS.iter().position(|(happening, _)| *happening == what).unwrap_or_default();
    [step as f64, t, alpha, contact as f64, what as f64, speed, impulse, work]
}
