//! Every experiment of every paper: verdicts come out as they are recorded, and become others with the mutations that they hang on.

use crate::Place;

/// All claims of a paper and all of its mutations.
fn published_and_mutated(paper: &str) {
    let place = Place::new();
    // Exit 1 if a verdict is not the recorded one, before a mutation or where nothing was changed by it.
    let document = place.carom(&["reproduce", paper, "--mutations", "--json"]).code(0).json();
    let mutations = document["mutations"].as_array().expect("mutations");
    assert!(mutations.iter().all(|row| row["flips"] == true && row["verdict"] != row["published"]));
    // A claim that stands in the listing as decided has a row of its own among the mutations, unless it says why none can flip it.
    let listed = place.carom(&["reproduce", paper, "--list", "--json"]).code(0).json();
    for experiment in listed.as_array().expect("experiments") {
        for claim in experiment["claims"].as_array().expect("claims") {
            let spared =
                claim["full"] == true || claim["expected"] == "undecidable" || !claim["no_mutation"].is_null();
            let of_it = |row: &&serde_json::Value| {
                row["experiment"] == experiment["experiment"] && row["claim"] == claim["id"]
            };
            assert_eq!(
                mutations.iter().any(|row| of_it(&row)),
                !spared,
                "{} {}",
                experiment["experiment"],
                claim["id"]
            );
        }
    }
}

#[test]
fn kaufman_and_pai() {
    published_and_mutated("kaufman-pai");
}

#[test]
fn fetecau_marsden_ortiz_and_west() {
    published_and_mutated("fetecau");
}

#[test]
fn pekarek_and_murphey() {
    published_and_mutated("pekarek-murphey");
}

#[test]
fn muehlebach_heimsch_and_glocker() {
    published_and_mutated("muehlebach");
}

#[test]
fn lacoursiere_and_linde() {
    published_and_mutated("lacoursiere-linde");
}
