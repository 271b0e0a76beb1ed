//! Reads the claims of an experiment.

use super::formula::Formula;
use super::{Claim, Criterion, PaperValue, Plan, Says, Verdict};
use crate::document::{Item, Kind, TableReader};

const KEYS: [&str; 14] = [
    "id",
    "claim",
    "says",
    "missing",
    "place",
    "paper_value",
    "measured",
    "unit",
    "holds",
    "expected",
    "reason",
    "full",
    "no_mutation",
    "fixed",
];
const CRITERIA: [&str; 5] = ["at_most", "at_least", "between", "near", "within"];

/// Reports unknown keys of claims, which can be seen even if the runs are wrong.
pub(super) fn check_keys(root: &TableReader) {
    for item in root.array("claim").unwrap_or_default() {
        if let Some(table) = item.table() {
            table.finish(&KEYS);
        }
    }
}

/// All claims; nothing if there are none or one of them is wrong.
pub(super) fn read(root: &TableReader, plans: &[Plan]) -> Option<Vec<Claim>> {
    let items = root.required_with("claim", Some("an experiment has at least one [[claim]]"))?.array()?;
    let mut claims: Vec<Option<Claim>> = Vec::new();
    for item in &items {
        let Some(table) = item.table() else {
            claims.push(None);
            continue;
        };
        let claim = read_one(&table, plans);
        if let (Some(claim), Some(id)) = (&claim, table.item("id"))
            && claims.iter().flatten().any(|other| other.id == claim.id)
        {
            id.report(format!("`{}` is already the name of a claim", claim.id), None);
        }
        claims.push(claim);
    }
    if items.is_empty() {
        root.report("the experiment has no claim", None);
        return None;
    }
    claims.into_iter().collect()
}

fn read_one(table: &TableReader, plans: &[Plan]) -> Option<Claim> {
    table.finish(&KEYS);
    let text = |key: &str| table.required(key).and_then(|item| words(&item));
    let id = table.required("id").and_then(|item| id(&item));
    let (claim, reason) = (text("claim"), text("reason"));
    let measured = table.required("measured");
    let formula = measured.as_ref().and_then(|item| Formula::read(item, plans));
    let criterion = table.required("holds").and_then(|item| criterion(&item));
    let expected = table.required("expected").and_then(|item| {
        let name = item.choice(&Verdict::ALL.map(Verdict::name))?;
        Verdict::ALL.into_iter().find(|verdict| verdict.name() == name)
    });
    if let (Some(Verdict::Depends), Some(formula), Some(item)) = (expected, &formula, table.item("expected"))
        && formula.members(plans).is_none()
    {
        item.report("only a claim about an ensemble can depend", Some("give a run `vary` or `members`".into()));
    }
    let says = table.item("says").map_or(Some(Says::Paper), |item| {
        let name = item.choice(&Says::ALL.map(Says::name))?;
        Says::ALL.into_iter().find(|says| says.name() == name)
    });
    let missing = match table.item("missing") {
        None => Some(None),
        Some(item) => words(&item).map(Some),
    };
    if let (Some(missing), Some(expected), Some(item)) = (&missing, expected, table.item("expected"))
        && missing.is_some() != (expected == Verdict::Undecidable)
    {
        let help = "a claim is undecidable if and only if something is `missing`: what the paper does not give";
        item.report(format!("the verdict cannot be {}", expected.name()), Some(help.into()));
    }
    let no_mutation = match table.item("no_mutation") {
        None => Some(None),
        Some(item) => words(&item).map(Some),
    };
    let fixed = match table.item("fixed") {
        None => Some(Vec::new()),
        Some(item) => item.array()?.iter().map(|item| item.choice(&Claim::FIXED).map(str::to_string)).collect(),
    };
    let paper_value = match table.item("paper_value") {
        None => Some(None),
        Some(item) => match item.kind() {
            Kind::String(text) => Some(Some(PaperValue::Text(text.clone()))),
            _ => item.number().map(|number| Some(PaperValue::Number(number))),
        },
    };
    let optional = |key: &str| table.string(key).map(str::to_string);
    let (place, unit, full) = (optional("place"), optional("unit"), table.boolean("full").unwrap_or(false));
    Some(Claim {
        id: id?,
        claim: claim?,
        says: says?,
        missing: missing?,
        place,
        paper_value: paper_value?,
        measured: measured?.string()?.to_string(),
        unit,
        criterion: criterion?,
        expected: expected?,
        reason: reason?,
        full,
        no_mutation: no_mutation?,
        fixed: fixed?,
        formula: formula?,
    })
}

/// A text in one line.
pub(super) fn words(item: &Item) -> Option<String> {
    let text = item.string()?.split_whitespace().collect::<Vec<_>>().join(" ");
    if text.is_empty() {
        item.report("the text is empty", None);
        return None;
    }
    Some(text)
}

/// The name of a claim or figure.
pub(super) fn id(item: &Item) -> Option<String> {
    let id = item.string()?;
    if !id.is_empty() && id.chars().all(|c| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-') {
        return Some(id.to_string());
    }
    item.report(format!("`{id}` is not a name here"), Some("small letters, digits and - are allowed".into()));
    None
}

fn criterion(item: &Item) -> Option<Criterion> {
    let table = item.table()?;
    table.finish(&CRITERIA);
    let given: Vec<&str> = CRITERIA.into_iter().filter(|key| table.get(key).is_some()).collect();
    match given[..] {
        ["at_most"] => table.number("at_most").map(Criterion::AtMost),
        ["at_least"] => table.number("at_least").map(Criterion::AtLeast),
        ["between"] => {
            let ends = table.array("between")?;
            let numbers: Option<Vec<f64>> = ends.iter().map(|end| end.number()).collect();
            match numbers?[..] {
                [a, b] if a <= b => Some(Criterion::Between(a, b)),
                _ => table.item("between")?.mismatch("a pair of numbers, the smaller first"),
            }
        }
        ["near", "within"] => {
            let (near, within) = (table.number("near")?, table.number("within")?);
            if within < 0.0 {
                table.item("within")?.report("a distance is not negative", None);
                return None;
            }
            Some(Criterion::Near(near, within))
        }
        _ => {
            let help =
                "write one of { at_most = x }, { at_least = x }, { between = [a, b] }, { near = x, within = y }";
            item.report("this is no criterion", Some(help.into()));
            None
        }
    }
}
