//! `on` and `exclude`: which particles or plates, and which pairs, an element applies to.

use std::collections::{BTreeSet, HashMap, HashSet};

use carom::particles::{Group, Selection};

use super::super::names::Names;
use super::scopes::reference;
use crate::document::{Item, Kind, TableReader};

/// Reads `on`: "all", or families and single particles or plates. Without the key, all of them.
pub fn group(table: &TableReader, names: &Names, count: usize) -> Option<Group> {
    let Some(item) = table.item("on") else { return Some(Group::All) };
    let items = match item.kind() {
        Kind::String(text) if text == "all" => return Some(Group::All),
        Kind::Array(_) => item.array()?,
        _ => {
            let word = names.what.word();
            return item.mismatch(&format!("\"all\" or an array of {word}s, like [\"bead\", \"sun\"]"));
        }
    };
    let (mut members, mut taken, mut fine) = (Vec::new(), BTreeSet::new(), true);
    for item in &items {
        let Some(range) = members_of(item, names, count) else {
            fine = false;
            continue;
        };
        if let Some(twice) = range.clone().find(|&body| !taken.insert(body)) {
            let message = format!("{} is in this group already", names.body(twice));
            item.report(message, Some("name it once".into()));
            fine = false;
        }
        members.extend(range);
    }
    fine.then_some(Group::Of(members))
}

/// A whole family by its name, or one of them.
fn members_of(item: &Item, names: &Names, count: usize) -> Option<std::ops::Range<usize>> {
    if let Kind::String(text) = item.kind()
        && let Some(family) = names.family(text.trim())
    {
        return Some(family.first..family.first + family.count());
    }
    reference(item, names, count).map(|body| body..body + 1)
}

/// Pairs that a rod or a spring joins.
#[derive(Default)]
pub struct Bonds {
    pairs: Vec<(usize, usize)>,
    /// Partners of those that have any.
    partners: HashMap<usize, Vec<usize>>,
}

impl Bonds {
    /// Joins two particles.
    pub fn add(&mut self, first: usize, second: usize) {
        self.pairs.push((first, second));
        self.partners.entry(first).or_default().push(second);
    }

    /// The pairs within a group: as many as it takes to look at, however many there are.
    fn within(&self, group: &Group) -> Vec<(usize, usize)> {
        let Group::Of(members) = group else { return self.pairs.clone() };
        let all: HashSet<usize> = members.iter().copied().collect();
        let of = |first: &usize| {
            let (first, partners) = (*first, self.partners.get(first));
            partners.into_iter().flatten().map(move |&second| (first, second))
        };
        members.iter().flat_map(of).filter(|(_, second)| all.contains(second)).collect()
    }
}

/// Reads `on` and `exclude`: "bonded" (pairs that a rod or spring joins), or a list of pairs.
pub fn selection(table: &TableReader, names: &Names, count: usize, bonds: &Bonds) -> Option<Selection> {
    let group = group(table, names, count);
    let excluded = match table.item("exclude") {
        None => Some(Vec::new()),
        Some(item) => match item.kind() {
            Kind::String(text) if text == "bonded" => group.as_ref().map(|group| bonds.within(group)),
            Kind::Array(_) => {
                let pairs: Vec<_> = item.array()?.iter().map(|pair| read_pair(pair, names, count)).collect();
                pairs.into_iter().collect()
            }
            _ => item.mismatch("\"bonded\" or an array of pairs, like [[\"bead[0]\", \"bead[1]\"]]"),
        },
    };
    Some(Selection { group: group?, excluded: excluded? })
}

fn read_pair(item: &Item, names: &Names, count: usize) -> Option<(usize, usize)> {
    let ends = match item.kind() {
        Kind::Array(ends) if ends.len() == 2 => item.array()?,
        _ => return item.mismatch("a pair of particles, like [\"bead[0]\", \"bead[1]\"]"),
    };
    let (first, second) = (reference(&ends[0], names, count), reference(&ends[1], names, count));
    let (first, second) = (first?, second?);
    if first == second {
        item.report(format!("both are {}{}", names.body(first), names.at()), None);
        return None;
    }
    Some((first, second))
}
