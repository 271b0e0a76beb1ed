//! Elements of a scene that may be repeated: `"expression"` or `{ name, expression, repeat }`.

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
    /// Where it was written.
    pub item: Item<'a>,
}

/// Reads `repeat = { index, count, start }`.
pub fn repeat(table: &TableReader, names: &Names) -> Option<Repeat> {
    let reader = table.table("repeat")?;
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

/// Runs `each` for every value of the index; once, without an index, where there is no `repeat`. `None` if the
/// `repeat` is wrong (reported).
pub fn for_each(
    table: &TableReader,
    names: &mut Names,
    mut each: impl FnMut(&mut Names, Option<i64>),
) -> Option<()> {
    if table.get("repeat").is_none() {
        each(names, None);
        return Some(());
    }
    let repeat = repeat(table, names)?;
    for value in repeat.start..repeat.start + repeat.count {
        names.indices.push((repeat.index.clone(), value as f64));
        each(names, Some(value));
        names.indices.pop();
    }
    Some(())
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
            out.push(Term { name: default_name.to_string(), node, item: item.clone() });
        }
        return;
    }
    let Some(table) = item.table() else { return };
    table.finish(&["name", "expression", "repeat"]);
    let name = table.string("name").unwrap_or(default_name).to_string();
    let Some(expression) = table.required("expression") else { return };
    // An error in the expression is reported once, not for every value of the index.
    let mut broken = false;
    for_each(&table, names, |names, index| {
        if broken {
            return;
        }
        match names.expression(graph, &expression, allowed) {
            Some(node) => {
                let name = index.map_or_else(|| name.clone(), |index| format!("{name}[{index}]"));
                out.push(Term { name, node, item: expression.clone() });
            }
            None => broken = true,
        }
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
