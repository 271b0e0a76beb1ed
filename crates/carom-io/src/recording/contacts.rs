//! The table of contacts, for `contacts` of `[run] measures`: at recorded nodes, a row for every contact that pushed in the step before or is
//! closed there. Unlike the wide columns of the measures it serves systems whose contacts are looked for.

use std::io;

use carom::observe::Frame;
use carom::steppers::ContactImpulse;
use carom::system::{ContactId, System};

use super::table::{Column, TableWriter};
use crate::scene::{Measure, Scene};

/// Contacts are named in the description of a table up to this number of them.
const MOST_NAMES: usize = 10_000;

/// A column of contacts: with names, where sets always have all contacts and these are few.
pub(super) fn column(system: &dyn System) -> Column {
    let contacts = system.contacts().count();
    let names = if contacts > MOST_NAMES || !system.contacts().is_constant() { 0 } else { contacts };
    Column::choice("contact", (0..names).map(|contact| system.contacts().name(ContactId::of(contact))).collect())
}

/// The most directions of sliding that a contact of a system has; nothing where no contact has a material.
pub(super) fn directions(system: &dyn System) -> Option<usize> {
    let mut most = None;
    system.contacts().materials(&mut |contact, _| most = most.max(Some(system.contacts().directions(contact))));
    most
}

/// What rows are made of.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Layout {
    /// Length of a step.
    h: f64,
    /// Components of friction.
    tangents: usize,
}

impl Layout {
    /// For a scene; nothing if it does not ask for the table.
    pub fn of(scene: &Scene) -> Option<Self> {
        let tells = scene.method.tells_row_impulses();
        let tangents = directions(&*scene.problem.system).filter(|_| tells).map_or(0, |tangents| tangents.min(2));
        scene.run.measures.contains(&Measure::Contacts).then_some(Self { h: scene.run.h, tangents })
    }

    /// The columns.
    pub fn columns(self, scene: &Scene) -> Vec<Column> {
        let mut columns = vec![
            Column::new("step"),
            Column::new("t"),
            column(&*scene.problem.system),
            Column::new("gap"),
            Column::new("normal"),
        ];
        columns.extend((1..=self.tangents).map(|k| Column::new(format!("friction_{k}"))));
        columns
    }

    /// Appends the rows of a node.
    pub fn append(self, table: &mut TableWriter, frame: &Frame, row: &mut Vec<f64>) -> io::Result<()> {
        rows(frame).try_for_each(|(contact, gap, impulse)| {
            row.clear();
            row.extend([frame.step as f64, frame.state.t, contact.0 as f64, gap, impulse.normal / self.h]);
            row.extend(impulse.friction[..self.tangents].iter().map(|friction| friction / self.h));
            table.append(row)
        })
    }
}

/// The contacts of a node that have a row, ascending, with their gaps and impulses. The gap of a contact that pushed and is not near any more
/// is no number.
pub fn rows<'a>(frame: &Frame<'a>) -> impl Iterator<Item = (ContactId, f64, ContactImpulse)> + use<'a> {
    let mut near = frame.contacts.iter().copied().zip(frame.gap.iter().copied()).peekable();
    let mut pushed = frame.contact_impulse.iter().copied().peekable();
    let all = std::iter::from_fn(move || {
        let ids = [near.peek().map(|(contact, _)| *contact), pushed.peek().map(|impulse| impulse.contact)];
        let contact = ids.into_iter().flatten().min()?;
        let gap = near.next_if(|(near, _)| *near == contact).map_or(f64::NAN, |(_, gap)| gap);
        let none = ContactImpulse { contact, normal: 0.0, friction: [0.0; 2] };
        Some((contact, gap, pushed.next_if(|impulse| impulse.contact == contact).unwrap_or(none)))
    });
    all.filter(|(_, gap, impulse)| *gap <= 0.0 || impulse.normal != 0.0 || impulse.friction != [0.0; 2])
}
