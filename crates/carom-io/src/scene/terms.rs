//! Elements of a scene that may be repeated: `"expression"` or `{ name, expression, repeat }`.

use carom::lagrangian::definition::Contact;
use carom::lagrangian::expression::{Graph, NodeId};

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
    /// What else is said of an inequality.
    pub contact: Contact,
    /// Where it was written.
    pub item: Item<'a>,
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
        descend(&levels, names, &mut Vec::new(), &mut |_, _| {
            total += 1;
            if total > MOST_REPEATED {
                innermost.report(format!("there are more than {MOST_REPEATED} elements"), None);
            }
            (total <= MOST_REPEATED).then_some(())
        })?;
    }
    descend(&levels, names, &mut Vec::new(), &mut each)
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
    table.item("friction").map_or(Some(0.0), |item| names.not_negative(&item))
}

/// Reads what else is said of an inequality. Directions of sliding may stand without friction.
fn contact(graph: &mut Graph, table: &TableReader, names: &Names) -> Option<Contact> {
    const LENGTH: Allowed = Allowed {
        coordinates: true,
        velocities: Err("a direction of sliding"),
        time: Err("a direction of sliding"),
    };
    let (restitution, friction) = (restitution(table, names), friction(table, names));
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
    };
    if contact.friction > 0.0 && contact.slides.is_empty() {
        let help = "add slide = \"…\": a length along the surface, as a function of the coordinates".to_string();
        table.item("friction")?.report("friction needs to know what slides, and `slide` is missing", Some(help));
        return None;
    }
    Some(contact)
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
            let (name, contact) = (default_name.to_string(), Contact::default());
            out.push(Term { name, node, contact, item: item.clone() });
        }
        return;
    }
    let Some(table) = item.table() else { return };
    let touches = default_name.starts_with("inequalities");
    table.finish(if touches {
        &["name", "expression", "restitution", "friction", "slide", "repeat"]
    } else {
        &["name", "expression", "repeat"]
    });
    let name = table.string("name").unwrap_or(default_name).to_string();
    let Some(expression) = table.required("expression") else { return };
    for_each(&table, names, |names, at| {
        let node = names.expression(graph, &expression, allowed)?;
        let contact = if touches { contact(graph, &table, names)? } else { Contact::default() };
        out.push(Term { name: indexed(&name, at), node, contact, item: expression.clone() });
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
