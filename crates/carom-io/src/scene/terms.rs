//! Elements of a scene that may be repeated: `"expression"` or `{ name, expression, repeat }`.

use carom::lagrangian::definition::{Contact, Drive, Unit};
use carom::lagrangian::expression::{Graph, NodeId};
use carom::system::Softness;
use carom_lcp::problem::MOST_FRICTION;

use super::names::{Allowed, Names, Repeat};
use crate::document::{Item, Kind, TableReader};

/// The most elements that one `repeat` may make.
const MOST_REPEATED: i64 = 1_000_000;

/// An expression with the name of its element.
pub struct Term<'a> {
    /// Name for messages: the given one or the key with the index.
    pub name: String,
    /// The expression.
    pub node: NodeId,
    /// What else is said of it.
    pub further: Further,
    /// Where it was written.
    pub item: Item<'a>,
}

/// What may be said of a constraint beside its expression; the key that it stands under says what.
#[derive(Clone, Default)]
pub struct Further {
    /// Of an inequality.
    pub contact: Contact,
    /// Of an equality.
    pub softness: Softness,
    /// Of a nonholonomic row.
    pub drive: Drive,
}

/// Reads `repeat = { index, count, start }`.
pub fn repeat(item: &Item, names: &Names) -> Option<Repeat> {
    let reader = item.table()?;
    reader.finish(&["index", "count", "start"]);
    let index_item = reader.required("index")?;
    let index = index_item.string()?;
    let named = names.admit_index(&index_item, index);
    let count = names.whole(&reader.required("count")?, 0..=MOST_REPEATED)?;
    let start = match reader.item("start") {
        Some(item) => names.whole(&item, -MOST_REPEATED..=MOST_REPEATED)?,
        None => 0,
    };
    named.then(|| Repeat { index: index.to_string(), start, count })
}

/// Runs `each` for every value of the index, or of several indices, the last running fastest; once, without an index,
/// where there is no `repeat`. It ends with the first `None`: that of `each`, so that a mistake in a repeated element is
/// reported once, or that of a wrong `repeat` (reported).
pub fn for_each(
    table: &TableReader,
    names: &mut Names,
    mut each: impl FnMut(&mut Names, &[i64]) -> Option<()>,
) -> Option<()> {
    let levels = match table.item("repeat") {
        None => Vec::new(),
        Some(item) if matches!(item.kind(), Kind::Array(_)) => item.array()?,
        Some(item) => vec![item],
    };
    if let [_, .., innermost] = &levels[..] {
        // One level has its own limit; several are counted before anything is made.
        let mut total = 0;
        let mut at_most = |count: i64| {
            total += count;
            if total > MOST_REPEATED {
                innermost.report(format!("there are more than {MOST_REPEATED} elements"), None);
            }
            (total <= MOST_REPEATED).then_some(())
        };
        // One that is empty takes as long to find as an element.
        count(&levels, names, 0, &mut at_most)?;
    }
    descend(&levels, names, &mut Vec::new(), &mut each)
}

/// Calls `found` with the number of elements of every innermost level, and with 1 for every level that is empty.
fn count(levels: &[Item], names: &mut Names, depth: usize, found: &mut dyn FnMut(i64) -> Option<()>) -> Option<()> {
    let repeat = repeat(&levels[depth], names)?;
    if repeat.count == 0 || depth + 1 == levels.len() {
        return found(repeat.count.max(1));
    }
    for value in repeat.start..repeat.start + repeat.count {
        names.indices.push((repeat.index.clone(), value as f64));
        let went_on = count(levels, names, depth + 1, found);
        names.indices.pop();
        went_on?;
    }
    Some(())
}

/// Runs through the levels below those whose indices stand in `at`; a `repeat` may use the indices of those before it.
fn descend(
    levels: &[Item],
    names: &mut Names,
    at: &mut Vec<i64>,
    visit: &mut dyn FnMut(&mut Names, &[i64]) -> Option<()>,
) -> Option<()> {
    let Some(level) = levels.get(at.len()) else { return visit(names, at) };
    let repeat = repeat(level, names)?;
    for value in repeat.start..repeat.start + repeat.count {
        names.indices.push((repeat.index.clone(), value as f64));
        at.push(value);
        let went_on = descend(levels, names, at, visit);
        at.pop();
        names.indices.pop();
        went_on?;
    }
    Some(())
}

/// `name[i][j]`, the name of one of the elements that a repeated one makes.
pub fn indexed(name: &str, at: &[i64]) -> String {
    at.iter().fold(name.to_string(), |name, index| format!("{name}[{index}]"))
}

/// Reads `restitution`; 1 where it is missing.
pub fn restitution(table: &TableReader, names: &Names) -> Option<f64> {
    let Some(item) = table.item("restitution") else { return Some(1.0) };
    let value = names.number(&item)?;
    if !(0.0..=1.0).contains(&value) {
        item.report(format!("found {value}, allowed: a number from 0 to 1"), None);
        return None;
    }
    Some(value)
}

/// Reads `friction`; 0 where it is missing.
pub fn friction(table: &TableReader, names: &Names) -> Option<f64> {
    table.item("friction").map_or(Some(0.0), |item| names.within(&item, 0.0..=MOST_FRICTION))
}

/// What may be said of the unit of a gap, with the names in scenes.
pub const UNITS: [(&str, Unit); 2] = [("length", Unit::Length), ("normalised", Unit::Normalised)];

/// Reads `unit`.
fn unit(table: &TableReader) -> Option<Unit> {
    let Some(item) = table.item("unit") else { return Some(Unit::Found) };
    let word = item.choice(&UNITS.map(|(word, _)| word))?;
    UNITS.iter().find(|(known, _)| *known == word).map(|(_, unit)| *unit)
}

/// Reads what else is said of an inequality. Directions of sliding may stand without friction.
fn contact(graph: &mut Graph, table: &TableReader, names: &Names) -> Option<Contact> {
    const LENGTH: Allowed = Allowed {
        coordinates: true,
        velocities: Err("a direction of sliding"),
        time: Err("a direction of sliding"),
    };
    let (restitution, friction, unit) = (restitution(table, names), friction(table, names), unit(table));
    let softness = softness(table, names);
    let lengths = match table.item("slide") {
        None => Vec::new(),
        Some(item) if matches!(item.kind(), Kind::Array(_)) => {
            let lengths = item.array()?;
            if !(1..=2).contains(&lengths.len()) {
                return item.mismatch("one expression, or an array of one or two of them");
            }
            lengths
        }
        Some(item) => vec![item],
    };
    let slides: Vec<Option<NodeId>> =
        lengths.iter().map(|length| names.expression(graph, length, LENGTH)).collect();
    let contact = Contact {
        restitution: restitution?,
        friction: friction?,
        slides: slides.into_iter().collect::<Option<_>>()?,
        tangents: Vec::new(),
        unit: unit?,
        softness: softness?,
    };
    if contact.friction > 0.0 && contact.slides.is_empty() {
        let help = "add slide = \"…\": a length along the surface, as a function of the coordinates".to_string();
        table.item("friction")?.report("friction needs to know what slides, and `slide` is missing", Some(help));
        return None;
    }
    Some(contact)
}

/// Reads `compliance` and `damping`; where they are missing, the method's own values count.
pub fn softness(table: &TableReader, names: &Names) -> Option<Softness> {
    let read = |key: &str| table.item(key).map(|item| names.not_negative(&item));
    let (compliance, damping) = (read("compliance"), read("damping"));
    let told = |value: Option<Option<f64>>| value.map_or(Some(None), |value| value.map(Some));
    Some(Softness { compliance: told(compliance)?, damping: told(damping)? })
}

/// Reads what a nonholonomic row can do: `slip`, and the bounds of its force, `max_force` both ways or `force = [lower, upper]`.
fn drive(table: &TableReader, names: &Names) -> Option<Drive> {
    let slip = table.item("slip").map(|item| names.not_negative(&item));
    let force = match (table.item("max_force"), table.item("force")) {
        (None, None) => Some(Drive::default().force),
        (Some(item), None) => names.positive(&item).map(|most| [-most, most]),
        (None, Some(item)) => bounds(&item, names),
        (Some(_), Some(item)) => {
            item.report("`max_force` and `force` are both given", Some("keep one of them".into()));
            None
        }
    };
    let slip = match slip {
        Some(slip) => Some(slip?),
        None => None,
    };
    Some(Drive { slip, force: force? })
}

/// Reads `[lower, upper]` with zero in between.
fn bounds(item: &Item, names: &Names) -> Option<[f64; 2]> {
    let parts = match item.kind() {
        Kind::Array(parts) if parts.len() == 2 => item.array()?,
        _ => return item.mismatch("an array of two numbers, the lower and the upper bound"),
    };
    let [lower, upper] = [names.number(&parts[0]), names.number(&parts[1])];
    let (lower, upper) = (lower?, upper?);
    if lower <= 0.0 && 0.0 <= upper && lower < upper {
        return Some([lower, upper]);
    }
    let message = format!(
        "found {lower} to {upper}{}, allowed are a lower bound up to 0 and an upper one from 0 on, not both 0",
        names.at()
    );
    item.report(message, Some("one of them must not be 0".to_string()).filter(|_| lower == upper));
    None
}

/// Reads one element into `out`.
fn read_element<'a>(
    graph: &mut Graph,
    item: &Item<'a>,
    (names, allowed): (&mut Names, Allowed),
    default_name: &str,
    out: &mut Vec<Term<'a>>,
) {
    if !matches!(item.kind(), Kind::Table(_)) {
        if let Some(node) = names.expression(graph, item, allowed) {
            let (name, further) = (default_name.to_string(), Further::default());
            out.push(Term { name, node, further, item: item.clone() });
        }
        return;
    }
    let Some(table) = item.table() else { return };
    let key = default_name.split('[').next().unwrap_or_default();
    table.finish(match key {
        "inequalities" => {
            &["name", "expression", "restitution", "friction", "slide", "unit", "compliance", "damping", "repeat"]
        }
        "equalities" => &["name", "expression", "compliance", "damping", "repeat"],
        "nonholonomic" => &["name", "expression", "slip", "max_force", "force", "repeat"],
        _ => &["name", "expression", "repeat"],
    });
    let name = table.string("name").unwrap_or(default_name).to_string();
    let Some(expression) = table.required("expression") else { return };
    for_each(&table, names, |names, at| {
        let node = names.expression(graph, &expression, allowed)?;
        let further = match key {
            "inequalities" => Further { contact: contact(graph, &table, names)?, ..Further::default() },
            "equalities" => Further { softness: softness(&table, names)?, ..Further::default() },
            "nonholonomic" => Further { drive: drive(&table, names)?, ..Further::default() },
            _ => Further::default(),
        };
        out.push(Term { name: indexed(&name, at), node, further, item: expression.clone() });
        Some(())
    });
}

/// Reads a key that holds one element or an array of them.
pub fn read<'a>(graph: &mut Graph, item: &Item<'a>, names: &mut Names, allowed: Allowed) -> Vec<Term<'a>> {
    let key = item.path().rsplit('.').next().unwrap_or_default().to_string();
    let mut out = Vec::new();
    if let Kind::Array(_) = item.kind() {
        for (index, element) in item.array().unwrap_or_default().iter().enumerate() {
            read_element(graph, element, (names, allowed), &format!("{key}[{index}]"), &mut out);
        }
    } else {
        read_element(graph, item, (names, allowed), &key, &mut out);
    }
    out
}

/// The sum of terms.
pub fn sum(graph: &mut Graph, terms: &[Term]) -> NodeId {
    let mut total = graph.constant(0.0);
    for term in terms {
        total = graph.add(total, term.node);
    }
    total
}
