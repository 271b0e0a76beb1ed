//! Counts by kind of gap and leg.

use std::collections::BTreeMap;

use super::kinds::Kind;
use super::legs::Leg;
use super::trial::{Outcome, Trial};

/// What is counted.
const COLUMNS: [&str; 10] =
    ["trials", "not asked", "impacts", "grazes", "clear", "missed", "late", "phantom", "inside", "errors"];
/// Those that must be empty begin here, up to the errors.
const FAULTS: usize = 5;
/// Errors stand here; at most one of so many trials may end with one.
const ERRORS: usize = 9;
const RARE: u32 = 5000;

/// The counts, and an example of every fault.
#[derive(Default)]
pub struct Table {
    cells: Vec<((Kind, Leg), [u32; 10])>,
    errors: BTreeMap<&'static str, u32>,
    examples: BTreeMap<(String, String), (usize, String)>,
    /// Whether every fault is printed when it is found.
    pub every: bool,
}

/// What a cell is called.
pub fn name(kind: Kind, leg: Leg) -> String {
    format!("{} × {leg:?}", kind.name())
}

impl Table {
    pub fn count(&mut self, cell: (Kind, Leg), number: u64, trial: Option<Trial>) {
        if self.cells.last().is_none_or(|(last, _)| *last != cell) {
            self.cells.push((cell, [0; 10]));
        }
        let Some((_, counts)) = self.cells.last_mut() else { return };
        counts[0] += 1;
        let Some(trial) = trial else {
            counts[1] += 1;
            return;
        };
        let report = trial.judge();
        let column = match report.outcome {
            Outcome::NotAsked => 1,
            Outcome::Impact => 2,
            Outcome::Graze => 3,
            Outcome::Clear => 4,
            Outcome::Missed => 5,
            Outcome::Late => 6,
            Outcome::Phantom => 7,
            Outcome::Inadmissible => 8,
            Outcome::Error(_) => 9,
        };
        counts[column] += 1;
        if let Outcome::Error(kind) = report.outcome {
            *self.errors.entry(kind).or_default() += 1;
        }
        if column >= FAULTS {
            // The smallest example of each fault and cell.
            let fault = if let Outcome::Error(kind) = report.outcome { kind } else { COLUMNS[column] };
            let (kind, leg) = cell;
            let key = (fault.to_owned(), name(kind, leg));
            let size = 10 * trial.start.q.len() + report.words.len().min(9);
            let text = || format!("number {number}: {}\n  {}", trial.describe(), report.words);
            if self.every {
                println!("{fault}, {}\n", text());
            }
            match self.examples.get(&key) {
                Some((least, _)) if *least <= size => {}
                _ => drop(self.examples.insert(key, (size, text()))),
            }
        }
    }

    pub fn print(&self) {
        for ((fault, cell), (_, text)) in self.examples.iter().filter(|_| !self.every) {
            println!("{fault}, {cell}, {text}\n");
        }
        println!("{:24}{}", "", COLUMNS.map(|name| format!("{name:>10}")).concat());
        let mut sums = [0; 10];
        for ((kind, leg), counts) in &self.cells {
            println!("{:24}{}", name(*kind, *leg), counts.map(|count| format!("{count:10}")).concat());
            sums.iter_mut().zip(counts).for_each(|(sum, count)| *sum += count);
        }
        println!("{:24}{}", "all", sums.map(|count| format!("{count:10}")).concat());
        println!("errors by kind: {:?}", self.errors);
    }

    /// Nothing went wrong, and there was enough to go wrong.
    pub fn settle(&self) {
        let sum = |column: usize| self.cells.iter().map(|(_, counts)| counts[column]).sum::<u32>();
        let faults: Vec<u32> = (FAULTS..ERRORS).map(sum).collect();
        assert!(faults.iter().all(|count| *count == 0), "{:?}: {faults:?}", &COLUMNS[FAULTS..ERRORS]);
        // A step that gives up, with its numbers, misses nothing; but few may.
        assert!(RARE * sum(ERRORS) <= sum(0), "{} errors", sum(ERRORS));
        for ((kind, leg), [trials, lost, impacts, ..]) in &self.cells {
            assert!(10 * lost < *trials && 5 * impacts > *trials, "{kind:?} × {leg:?} asks too little");
        }
    }
}
