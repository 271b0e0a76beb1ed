//! `carom reproduce --list`.

use carom_io::experiment::Experiment;
use serde_json::{Value, json};

use crate::fail::Fail;
use crate::print;

/// Lists experiments and their claims.
pub fn list(experiments: &[Experiment], as_json: bool) -> Result<(), Fail> {
    if as_json {
        let entry = |experiment: &Experiment| {
            let claims: Vec<Value> = experiment
                .claims
                .iter()
                .map(|claim| json!({ "id": claim.id, "claim": claim.claim, "full": claim.full, "says": claim.says, "expected": claim.expected, "no_mutation": claim.no_mutation }))
                .collect();
            json!({
                "paper": experiment.paper,
                "experiment": experiment.id,
                "title": experiment.title,
                "description": experiment.description,
                "place": experiment.place,
                "cites": experiment.cites,
                "claims": claims,
            })
        };
        return print::json(&experiments.iter().map(entry).collect::<Vec<_>>());
    }
    let mut rows = Vec::new();
    for experiment in experiments {
        let claims = experiment.claims.len();
        let plural = if claims == 1 { "claim" } else { "claims" };
        let place = experiment.place.as_ref().map_or_else(String::new, |place| format!(" ({place})"));
        let title = format!("{}{place}", experiment.title);
        rows.push(vec![experiment.full_name(), format!("{claims} {plural}"), title]);
    }
    print::out(&print::list(&rows))
}
