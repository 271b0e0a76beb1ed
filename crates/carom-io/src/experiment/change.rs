//! Changes of an experiment's runs: mutations, with which verdicts must become others, and other starts.

use super::claims::{id, words};
use super::read::setting;
use super::settings::Setting;
use super::{Claim, Experiment, Plan};
use crate::document::{Diagnostic, Item, Source, TableReader, help};

/// Settings of some runs that take the place of their own.
#[derive(Debug)]
pub struct Change {
    /// Its name in the experiment.
    pub name: String,
    /// What it changes, in one sentence.
    pub what: String,
    /// The claims whose verdicts become others with it.
    pub flips: Vec<String>,
    /// The plans that it is about; without them all that take it.
    plans: Option<Vec<usize>>,
    settings: Vec<Setting>,
}

/// Reads all `[[mutation]]`s, which say what they flip, or all `[[start]]`s.
pub(super) fn read(
    root: &TableReader,
    key: &str,
    (plans, claims): (&[Plan], &[Claim]),
    source: &Source,
) -> Option<Vec<Change>> {
    let mut changes: Vec<Change> = Vec::new();
    for item in root.array(key).unwrap_or_default() {
        let table = item.table()?;
        let mut known = vec!["name", "what", "runs", "set"];
        known.extend((key == "mutation").then_some("flips"));
        table.finish(&known);
        let name = table.required("name").and_then(|item| id(&item));
        let what = table.required("what").and_then(|item| words(&item));
        let runs = match table.item("runs") {
            None => Some(None),
            Some(item) => item.array()?.iter().map(|item| plan(item, plans)).collect::<Option<_>>().map(Some),
        };
        let set = table.required("set")?.array()?;
        let settings: Option<Vec<Setting>> = set.iter().map(|item| placed(item, source)).collect();
        let flips: Option<Vec<String>> = match known.contains(&"flips") {
            false => Some(Vec::new()),
            true => table.required("flips")?.array()?.iter().map(|item| claim(item, claims)).collect(),
        };
        let change = Change { name: name?, what: what?, flips: flips?, plans: runs?, settings: settings? };
        if changes.iter().any(|other| other.name == change.name) {
            table.item("name")?.report(format!("`{}` is already the name of a {key}", change.name), None);
        }
        changes.push(change);
    }
    Some(changes)
}

fn placed(item: &Item, source: &Source) -> Option<Setting> {
    let setting = setting(item, source)?;
    let ends = setting.argument.trim_start().starts_with("run.until");
    Some(Setting { displaces: ends.then_some(("run", "steps")), ..setting })
}

fn plan(item: &Item, plans: &[Plan]) -> Option<usize> {
    let name = item.string()?;
    let place = plans.iter().position(|plan| plan.name == name);
    if place.is_none() {
        let names: Vec<&str> = plans.iter().map(|plan| plan.name.as_str()).collect();
        item.report(format!("there is no run `{name}`"), help("runs", name, &names));
    }
    place
}

fn claim(item: &Item, claims: &[Claim]) -> Option<String> {
    let id = item.string()?;
    match claims.iter().find(|claim| claim.id == id) {
        Some(claim) if claim.missing.is_some() => {
            item.report("the claim is undecidable, whatever the runs come to", None);
            None
        }
        Some(claim) => Some(claim.id.clone()),
        None => {
            let ids: Vec<&str> = claims.iter().map(|claim| claim.id.as_str()).collect();
            item.report(format!("there is no claim `{id}`"), help("claims", id, &ids));
            None
        }
    }
}

impl Experiment {
    /// The experiment with a change of its own, one of [`Experiment::mutations`] or [`Experiment::starts`]. Every run that the change
    /// names must take all of its settings; where it names none, at least one must.
    pub fn changed(&self, change: &Change, full: bool) -> Result<Experiment, Vec<Diagnostic>> {
        let mut changed = self.again()?;
        for setting in &change.settings {
            let (mut taken, mut refused) = (0, Vec::new());
            for (place, plan) in changed.plans.iter_mut().enumerate() {
                let meant = change.plans.as_ref().is_none_or(|plans| plans.contains(&place));
                for result in if meant { plan.set(setting, full, &self.source) } else { Vec::new() } {
                    match result {
                        Ok(()) => taken += 1,
                        Err(problems) if change.plans.is_some() => return Err(problems),
                        Err(problems) => refused.extend(problems),
                    }
                }
            }
            if taken == 0 {
                return Err(refused);
            }
        }
        Ok(changed)
    }

    /// The experiment with all runs so many times as long.
    pub fn stretched(&self, factor: f64) -> Result<Experiment, Vec<Diagnostic>> {
        Ok(Experiment { horizon: factor, ..self.again()? })
    }

    /// The experiment as its file has it.
    fn again(&self) -> Result<Experiment, Vec<Diagnostic>> {
        Self::read(self.paper.as_deref(), &self.id, self.source.clone())
    }
}
