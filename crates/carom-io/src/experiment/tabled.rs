//! Tables of the file that settings change before they are decoded: those of solves and computations.

use super::ensemble::Member;
use super::settings::{Setting, place};
use crate::document::{Diagnostic, Diagnostics, Item, Kind, Source, Table, TableReader, Value, apply};

/// A table, or one for every member of an ensemble.
#[derive(Clone)]
pub(super) struct Tabled {
    /// As it is written.
    pub table: Table,
    /// The members; one without settings where there is no ensemble.
    pub members: Vec<Member>,
    pub ensemble: bool,
    /// What is added to the settings of every member.
    added: Vec<Setting>,
}

impl Tabled {
    /// A table with the members of an ensemble.
    pub fn new(table: Table, (members, ensemble): (Vec<Member>, bool)) -> Self {
        Self { table, members, ensemble, added: Vec::new() }
    }

    /// All settings of a member, in the order in which they are made.
    fn settings(&self, member: &Member) -> Vec<Setting> {
        member.settings.iter().chain(&self.added).cloned().collect()
    }

    /// The settings of a member as text.
    pub fn arguments(&self, member: usize) -> Vec<String> {
        self.settings(&self.members[member]).into_iter().map(|setting| setting.argument).collect()
    }

    /// Reads the table with the settings of a member.
    pub fn decode<T>(&self, member: &Member, source: &Source, read: Reader<T>) -> Result<T, Vec<Diagnostic>> {
        let settings = self.settings(member);
        let edits: Vec<_> = settings.iter().map(Setting::edit).collect();
        let diagnostics = Diagnostics::new(source, &edits);
        let mut table = self.table.clone();
        apply(&mut table, &diagnostics);
        let made = read(&TableReader::root(&table, &diagnostics));
        match (made, diagnostics.into_vec()) {
            (Some(made), problems) if problems.is_empty() => Ok(made),
            (_, mut problems) => {
                place(&mut problems, &settings, source);
                Err(problems)
            }
        }
    }

    /// Reads the table of every member; what is wrong is reported.
    pub fn check<T>(&self, table: &TableReader, source: &Source, read: Reader<T>) -> Option<()> {
        for member in &self.members {
            if let Err(problems) = self.decode(member, source, read) {
                problems.into_iter().for_each(|problem| table.diagnostics().push(problem));
                return None;
            }
        }
        Some(())
    }

    /// Adds a setting if every member takes it.
    pub fn set<T>(&mut self, setting: &Setting, source: &Source, read: Reader<T>) -> Result<(), Vec<Diagnostic>> {
        self.added.push(setting.clone());
        for member in &self.members {
            if let Err(problems) = self.decode(member, source, read) {
                self.added.pop();
                return Err(problems);
            }
        }
        Ok(())
    }
}

/// Decodes a table.
pub(super) type Reader<T> = fn(&TableReader) -> Option<T>;

/// A name, or a table with a name and what else settings may add to: as a table.
pub(super) fn named(item: &Item) -> Option<Value> {
    match item.kind() {
        Kind::String(_) => {
            let mut named = Table::default();
            named.insert("name", item.value().clone());
            Some(Value { kind: Kind::Table(named), origin: item.value().origin })
        }
        Kind::Table(_) => Some(item.value().clone()),
        _ => item.mismatch("a name or a table with a name"),
    }
}
