//! The table of events: what a method located and crossings of what is watched, one row each, whatever steps are recorded.

use std::io;

use carom::observe::Frame;
use carom::steppers::{Event, Happening};
use carom::watch::Crossing;

use super::table::{Column, TableWriter};
use crate::scene::Scene;

/// Contacts are named in the description of the table up to this number of them.
const MOST_NAMES: usize = 10_000;

/// What happened, by the number in the table.
const HAPPENINGS: [(Happening, &str); 3] =
    [(Happening::Impact, "impact"), (Happening::Fallback, "fallback"), (Happening::Rest, "rest")];

/// What a crossing is, by the numbers that follow those.
const CROSSINGS: [&str; 2] = ["rising", "falling"];

/// The columns for a scene. Crossings of what is watched have their own, the last, if there is any.
pub fn columns(scene: &Scene) -> Vec<Column> {
    let system = &*scene.problem.system;
    let contacts = system.inequalities();
    let names = if contacts > MOST_NAMES { 0 } else { contacts };
    let (watched, happenings) = (!scene.watches.is_empty(), HAPPENINGS.iter().map(|(_, name)| *name));
    let kinds = happenings.chain(CROSSINGS.into_iter().filter(|_| watched)).map(String::from).collect();
    let mut columns = vec![
        Column::new("step"),
        Column::new("t"),
        Column::new("alpha"),
        Column::choice("contact", (0..names).map(|contact| system.gap_name(contact)).collect()),
        Column::choice("what", kinds),
        Column::new("speed"),
        Column::new("impulse"),
        Column::new("work"),
    ];
    if watched {
        columns.push(Column::choice("watch", scene.watches.iter().map(|watch| watch.name.clone()).collect()));
    }
    columns
}

/// The row of an event in a step.
fn event_row(step: u64, event: &Event) -> [f64; 9] {
    let Event { t, alpha, contact, what, speed, impulse, work } = *event;
    let what = HAPPENINGS.iter().position(|(happening, _)| *happening == what).unwrap_or_default();
    [step as f64, t, alpha, contact as f64, what as f64, speed, impulse, work, f64::NAN]
}

/// The row of a crossing in a step: it is no contact's.
fn crossing_row(step: u64, crossing: &Crossing) -> [f64; 9] {
    let Crossing { t, alpha, watch, rising } = *crossing;
    let (what, none) = (HAPPENINGS.len() + usize::from(!rising), f64::NAN);
    [step as f64, t, alpha, none, what as f64, none, none, none, watch as f64]
}

/// Appends what happened in a step, in time.
pub fn append(table: &mut TableWriter, frame: &Frame, mut crossings: &[Crossing]) -> io::Result<()> {
    let width = table.width();
    for event in frame.events {
        while let Some((first, others)) = crossings.split_first().filter(|(first, _)| first.t < event.t) {
            table.append(&crossing_row(frame.step, first)[..width])?;
            crossings = others;
        }
        table.append(&event_row(frame.step, event)[..width])?;
    }
    crossings.iter().try_for_each(|crossing| table.append(&crossing_row(frame.step, crossing)[..width]))
}
