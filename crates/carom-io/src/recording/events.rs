//! The table of events: what a method located and crossings of what is watched, one row each, whatever steps are recorded.

use std::io;

use carom::observe::Frame;
use carom::steppers::{Event, Happening};
use carom::watch::Crossing;

use super::contacts;
use super::table::{Column, TableWriter};
use crate::scene::{Measure, Scene};

/// States at impacts are written without being asked for up to this number of coordinates: a row has three times as many numbers.
const MOST_COORDINATES: usize = 100;

/// What happened, by the number in the table.
const KINDS: [&str; 6] = ["impact", "fallback", "rest", "rising", "falling", "kept"];

/// The number of what happened at a contact.
fn kind_of(what: Happening) -> f64 {
    match what {
        Happening::Impact => 0.0,
        Happening::Fallback => 1.0,
        Happening::Rest => 2.0,
        Happening::Kept => 5.0,
    }
}

/// What rows of impacts have beside the columns that all have.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Extent {
    watched: bool,
    tangents: usize,
    states: bool,
}

impl Extent {
    /// For a scene and a method that locates impacts or not.
    pub fn of(scene: &Scene, locates: bool) -> Self {
        let system = &*scene.problem.system;
        let tangents = contacts::directions(system);
        let asked = scene.run.measures.contains(&Measure::ImpactStates);
        Self {
            watched: !scene.watches.is_empty(),
            tangents: tangents.filter(|_| locates).map_or(0, |tangents| tangents.min(2)),
            states: locates && (asked || system.dim() <= MOST_COORDINATES),
        }
    }
}

/// The columns for a scene: those of every event, `watch` if anything is watched, and for impacts the impulses along the surface and the
/// states.
pub fn columns(scene: &Scene, extent: Extent) -> Vec<Column> {
    let system = &*scene.problem.system;
    let mut columns = vec![
        Column::new("step"),
        Column::new("t"),
        Column::new("alpha"),
        contacts::column(system),
        Column::choice("what", KINDS.map(String::from).to_vec()),
        Column::new("speed"),
        Column::new("impulse"),
        Column::new("work"),
    ];
    if extent.watched {
        columns.push(Column::choice("watch", scene.watches.iter().map(|watch| watch.name.clone()).collect()));
    }
    columns.extend((1..=extent.tangents).map(|k| Column::new(format!("impulse_t{k}"))));
    if extent.states {
        let names: Vec<String> = (0..system.dim()).map(|i| system.coordinate_name(i)).collect();
        let kinds = ["q", "p_minus", "p_plus"];
        let all = kinds.iter().flat_map(|kind| names.iter().map(move |name| format!("{kind}.{name}")));
        columns.extend(super::measures::columns(all));
    }
    columns
}

/// Writes the row of an event in a step.
fn event_row(frame: &Frame, event: &Event, extent: Extent, row: &mut Vec<f64>) {
    let Event { t, alpha, contact, what, speed, impulse, friction, work, impact } = *event;
    row.extend([frame.step as f64, t, alpha, contact.0 as f64, kind_of(what), speed, impulse, work]);
    if extent.watched {
        row.push(f64::NAN);
    }
    row.extend_from_slice(&friction[..extent.tangents]);
    if let Some(state) = frame.impact_states.get(impact).filter(|_| extent.states) {
        [state.q, state.minus, state.plus].iter().for_each(|part| row.extend_from_slice(part));
    }
}

/// Writes the row of a crossing in a step: it is no contact's.
fn crossing_row(step: u64, crossing: &Crossing, row: &mut Vec<f64>) {
    let Crossing { t, alpha, watch, rising } = *crossing;
    let (what, none) = (if rising { 3.0 } else { 4.0 }, f64::NAN);
    row.extend([step as f64, t, alpha, none, what, none, none, none, watch as f64]);
}

/// A row that is written into; what it has not is no number.
fn write(table: &mut TableWriter, row: &mut Vec<f64>, fill: impl FnOnce(&mut Vec<f64>)) -> io::Result<()> {
    row.clear();
    fill(row);
    row.resize(table.width(), f64::NAN);
    table.append(row)
}

/// Appends what happened in a step, in time.
pub fn append(
    (table, extent): (&mut TableWriter, Extent),
    frame: &Frame,
    mut crossings: &[Crossing],
    row: &mut Vec<f64>,
) -> io::Result<()> {
    for event in frame.events {
        while let Some((first, others)) = crossings.split_first().filter(|(first, _)| first.t < event.t) {
            write(table, row, |row| crossing_row(frame.step, first, row))?;
            crossings = others;
        }
        write(table, row, |row| event_row(frame, event, extent, row))?;
    }
    crossings.iter().try_for_each(|crossing| write(table, row, |row| crossing_row(frame.step, crossing, row)))
}
