//! The problem of a document: which kind it is, and whether its numbers make one.

use super::document::{Document, Entries, Matrix};
use crate::matrix::{Blocks, Dense, Misshapen, Sparse};
use crate::problem::{Friction, GlobalFriction, Law, Lcp, Mlcp, Problem, Saddle, SaddleMlcp};

/// What is wrong with a key.
pub(super) struct Wrong {
    pub key: String,
    pub message: String,
}

fn wrong<T>(key: &str, message: impl Into<String>) -> Result<T, Wrong> {
    Err(Wrong { key: key.into(), message: message.into() })
}

/// The refusal of a constructor, said of a key.
fn of<T>(key: &str, result: Result<T, Misshapen>) -> Result<T, Wrong> {
    result.map_err(|Misshapen(message)| Wrong { key: key.into(), message })
}

/// A kind of problem and its keys.
struct Kind {
    name: &'static str,
    needed: &'static [&'static str],
    allowed: &'static [&'static str],
}

/// The keys that any problem may have.
const ALWAYS: [&str; 3] = ["name", "description", "kind"];

const OF_CONTACTS: &[&str] = &["contacts", "equalities", "law"];

const KINDS: [Kind; 5] = [
    Kind { name: "lcp", needed: &["M", "q"], allowed: &[] },
    Kind { name: "mlcp", needed: &["M", "q", "lower", "upper"], allowed: &[] },
    Kind { name: "saddle-mlcp", needed: &["mass", "G", "T", "p", "q", "lower", "upper"], allowed: &[] },
    Kind { name: "friction", needed: &["dimension", "mu", "q", "W"], allowed: OF_CONTACTS },
    Kind {
        name: "global-friction",
        needed: &["mass", "G", "T", "p", "q", "dimension", "mu"],
        allowed: OF_CONTACTS,
    },
];

impl Kind {
    /// The kind that a document is of.
    fn of(document: &Document) -> Result<&'static Kind, Wrong> {
        let has = |keys: &[&str]| document.keys.iter().any(|key| keys.contains(&key.as_str()));
        let name = match &document.kind {
            Some(name) => name,
            None if has(&["mass", "G"]) && has(&["dimension", "mu", "contacts", "equalities", "law"]) => {
                "global-friction"
            }
            None if has(&["mass", "G"]) => "saddle-mlcp",
            None if has(&["W", "dimension", "mu", "contacts"]) => "friction",
            None if has(&["M"]) && has(&["lower", "upper"]) => "mlcp",
            None if has(&["M"]) => "lcp",
            None => {
                return wrong("", "no kind of problem has these keys: a problem has `M`, `W` or `mass`");
            }
        };
        let names = KINDS.map(|kind| kind.name).join(", ");
        match KINDS.iter().find(|kind| kind.name == name) {
            Some(kind) => Ok(kind),
            None => wrong("kind", format!("there is no kind `{name}`; kinds are {names}")),
        }
    }

    /// Keys that are unknown, and those that are missing.
    fn check(&self, document: &Document) -> Vec<Wrong> {
        let known = [self.needed, self.allowed, &ALWAYS].concat();
        let list = known.join(", ");
        let unknown = document.keys.iter().filter(|key| !known.contains(&key.as_str())).map(|key| Wrong {
            key: key.clone(),
            message: format!("unknown key of a problem of kind `{}`; known keys: {list}", self.name),
        });
        let missing = self.needed.iter().filter(|key| !document.keys.iter().any(|there| there == *key));
        let needed = self.needed.join(", ");
        unknown
            .chain(missing.map(|key| Wrong {
                key: key.to_string(),
                message: format!("missing; a problem of kind `{}` needs {needed}", self.name),
            }))
            .collect()
    }
}

/// What was found to be wrong so far.
struct Findings(Vec<Wrong>);

impl Findings {
    /// The value, or nothing if it is wrong.
    fn take<T>(&mut self, result: Result<T, Wrong>) -> Option<T> {
        result.map_err(|wrong| self.0.push(wrong)).ok()
    }
}

/// The problem, if the document is one, and all that is wrong with it. A value that could not be read is not missed.
pub(super) fn problem(mut document: Document) -> (Option<Problem>, Vec<Wrong>) {
    let kind = match Kind::of(&document) {
        Ok(kind) => kind,
        Err(wrong) => return (None, vec![wrong]),
    };
    let mut findings = Findings(kind.check(&document));
    let problem = match kind.name {
        "lcp" => lcp(&mut document, &mut findings),
        "mlcp" => mlcp(&mut document, &mut findings),
        "saddle-mlcp" => saddle_mlcp(&mut document, &mut findings),
        "friction" => friction(&mut document, &mut findings),
        _ => global_friction(&mut document, &mut findings),
    };
    (problem, findings.0)
}

fn lcp(document: &mut Document, findings: &mut Findings) -> Option<Problem> {
    let q = document.q.take();
    let m = match (document.m.take()?, &q) {
        // Rows are judged also where the vector that they belong to is wrong.
        (Matrix::Rows(rows), _) => findings.take(of("M", Dense::from_rows(&rows))),
        (entries, Some(q)) => findings.take(dense(entries, q.len())),
        (Matrix::Entries(_), None) => None,
    };
    findings.take(of("M", Lcp::new(m?, q?))).map(Problem::Lcp)
}

fn mlcp(document: &mut Document, findings: &mut Findings) -> Option<Problem> {
    let q = document.q.take()?;
    let n = ("q", q.len());
    let m = document.m.take().and_then(|m| findings.take(sparse("M", m, n, n)));
    let (lower, upper) = bounds(document, q.len(), findings)?;
    findings.take(of("lower", Mlcp::new(m?, q, lower, upper))).map(Problem::Mlcp)
}

fn saddle_mlcp(document: &mut Document, findings: &mut Findings) -> Option<Problem> {
    let rows = document.q.as_ref().map(Vec::len);
    let bounds = rows.and_then(|rows| bounds(document, rows, findings));
    let saddle = saddle(document, findings);
    let (lower, upper) = bounds?;
    findings.take(of("lower", SaddleMlcp::new(saddle?, lower, upper))).map(Problem::SaddleMlcp)
}

fn friction(document: &mut Document, findings: &mut Findings) -> Option<Problem> {
    let contacts = contacts(document, findings);
    let q = document.q.take()?;
    let n = ("q", q.len());
    let w = document.w.take().and_then(|w| findings.take(sparse("W", w, n, n)));
    let Contacts { dimension, equalities, mu, law } = contacts?;
    let friction = findings.take(of("W", Friction::with_equalities(dimension, equalities, w?, q, mu)))?;
    Some(Problem::Friction(friction.with_law(law)))
}

fn global_friction(document: &mut Document, findings: &mut Findings) -> Option<Problem> {
    let contacts = contacts(document, findings);
    let saddle = saddle(document, findings);
    let Contacts { dimension, equalities, mu, law } = contacts?;
    let friction = findings.take(of("q", GlobalFriction::new(saddle?, dimension, equalities, mu)))?;
    Some(Problem::GlobalFriction(friction.with_law(law)))
}

/// As many rows as an LCP that is given by entries may have: LCPs are kept dense.
const DENSE: usize = 10_000;

fn dense(entries: Matrix, n: usize) -> Result<Dense, Wrong> {
    if n > DENSE {
        return wrong(
            "M",
            format!(
                "an LCP is kept dense and may have {DENSE} rows, not {n}; with `lower` (each 0) and `upper` (each null) it is a \
                 mixed LCP, which is kept sparse"
            ),
        );
    }
    Ok(sparse("M", entries, ("q", n), ("q", n))?.to_dense())
}

/// A matrix whose rows and columns are as many as the entries of two vectors.
fn sparse(key: &str, matrix: Matrix, rows: (&str, usize), columns: (&str, usize)) -> Result<Sparse, Wrong> {
    let expect = |what: &str, found: usize, (vector, expected): (&str, usize)| match found == expected {
        true => Ok(()),
        false => wrong(key, format!("{found} {what}, but {vector} has {expected} entries")),
    };
    let entries = match matrix {
        Matrix::Rows(list) => {
            let dense = of(key, Dense::from_rows(&list))?;
            expect("rows", dense.rows(), rows)?;
            if dense.rows() > 0 {
                expect("columns", dense.columns(), columns)?;
            }
            return Ok(Sparse::from_dense(&dense));
        }
        Matrix::Entries(entries) => entries,
    };
    let Entries { size, rows: own_rows, columns: own_columns, row, col, value } = entries;
    let (height, width) = match (size, own_rows, own_columns) {
        (Some(size), None, None) => (size, size),
        (None, Some(rows), Some(columns)) => (rows, columns),
        _ => return wrong(key, "a sparse matrix says its `size`, or else its `rows` and `columns`"),
    };
    expect("rows", height, rows)?;
    expect("columns", width, columns)?;
    let (Some(row), Some(col), Some(value)) = (row, col, value) else {
        return wrong(key, "a sparse matrix has the lists `row`, `col` and `value`");
    };
    if [row.len(), col.len()] != [value.len(); 2] {
        let lengths = format!("`row` has {}, `col` {} and `value` {} entries", row.len(), col.len(), value.len());
        return wrong(key, lengths + "; there is one of each for an entry of the matrix");
    }
    for (what, list, size) in [("row", &row, height), ("col", &col, width)] {
        if let Some(k) = list.iter().position(|&index| index >= size) {
            let message = format!("entry {k} is {}; indices are from 0 up and below {size}", list[k]);
            return wrong(&format!("{key}.{what}"), message);
        }
    }
    let triplets: Vec<_> = row.into_iter().zip(col).zip(value).map(|((i, j), value)| (i, j, value)).collect();
    of(key, Sparse::from_triplets(height, width, &triplets))
}

fn bounds(document: &mut Document, n: usize, findings: &mut Findings) -> Option<(Vec<f64>, Vec<f64>)> {
    let mut read = |key: &str, list: Option<Vec<Option<f64>>>, none: f64| {
        let list = list?;
        findings.take(match list.len() == n {
            true => Ok(list.into_iter().map(|bound| bound.unwrap_or(none)).collect()),
            false => wrong(key, format!("{} entries, but q has {n}", list.len())),
        })
    };
    let lower = read("lower", document.lower.take(), f64::NEG_INFINITY);
    let upper = read("upper", document.upper.take(), f64::INFINITY);
    Some((lower?, upper?))
}

/// The contacts of a problem with friction.
struct Contacts {
    dimension: usize,
    equalities: usize,
    mu: Vec<f64>,
    law: Law,
}

fn contacts(document: &mut Document, findings: &mut Findings) -> Option<Contacts> {
    let before = findings.0.len();
    let law = findings.take(law(document.law.as_deref()));
    let dimension = document.dimension.and_then(|dimension| {
        findings.take(match dimension {
            2 | 3 => Ok(dimension),
            _ => wrong("dimension", format!("{dimension}; a contact has 2 or 3 rows")),
        })
    });
    let mu = document.mu.take()?;
    if let Some(contact) = mu.iter().position(|mu| *mu < 0.0) {
        findings.take::<()>(wrong("mu", format!("entry {contact} is {}; friction is from 0 up", mu[contact])));
    }
    if let Some(said) = document.contacts.filter(|&said| said != mu.len()) {
        findings.take::<()>(wrong("contacts", format!("{said}, but mu has {} entries", mu.len())));
    }
    let (dimension, equalities) = (dimension?, document.equalities.unwrap_or(0));
    let needed = equalities.checked_add(dimension * mu.len());
    if let Some(rows) = document.q.as_ref().map(Vec::len).filter(|rows| needed != Some(*rows)) {
        let needed = needed.map_or_else(|| "more".into(), |needed| needed.to_string());
        let contacts = mu.len();
        let what =
            format!("{equalities} equalities and {contacts} contacts of dimension {dimension} need {needed}");
        findings.take::<()>(wrong("q", format!("{rows} entries, but {what}")));
    }
    let fine = findings.0.len() == before;
    fine.then_some(Contacts { dimension, equalities, mu, law: law? })
}

fn law(name: Option<&str>) -> Result<Law, Wrong> {
    let Some(name) = name else { return Ok(Law::default()) };
    let law = Law::ALL.into_iter().find(|law| law.name() == name);
    law.map_or_else(
        || {
            let names = Law::ALL.map(Law::name).join(", ");
            wrong("law", format!("there is no law `{name}`; laws are {names}"))
        },
        Ok,
    )
}

/// How far from symmetric a mass may be, relative to its diagonal: what rotating a body's inertia rounds, and more.
const SYMMETRY: f64 = 1e-9;

fn mass(blocks: Vec<Vec<Vec<f64>>>) -> Result<Blocks, Wrong> {
    let mut dense = Vec::new();
    for (b, rows) in blocks.into_iter().enumerate() {
        let block =
            of("mass", Dense::from_rows(&rows).map_err(|Misshapen(m)| Misshapen(format!("block {b}: {m}"))))?;
        let n = block.rows().min(block.columns());
        for (i, j) in (0..n).flat_map(|i| (0..i).map(move |j| (i, j))) {
            let (low, high) = (block[(i, j)], block[(j, i)]);
            if (low - high).abs() > SYMMETRY * (block[(i, i)] * block[(j, j)]).abs().sqrt() {
                let message = format!("block {b} is not symmetric: {low} at ({i}, {j}) and {high} at ({j}, {i})");
                return wrong("mass", message);
            }
        }
        dense.push(block);
    }
    of("mass", Blocks::from_blocks(&dense))
}

fn saddle(document: &mut Document, findings: &mut Findings) -> Option<Saddle> {
    let mass = document.mass.take().and_then(|blocks| findings.take(mass(blocks)));
    let (p, t, q) = (document.p.take(), document.t.take(), document.q.take());
    let mut of_length = |key: &str, list: Option<Vec<f64>>, size: Option<usize>, what: &dyn Fn(usize) -> String| {
        let list = list?;
        findings.take(match size.filter(|size| *size != list.len()) {
            None => Ok(list),
            Some(size) => wrong(key, format!("{} entries, but {}", list.len(), what(size))),
        })
    };
    let p = of_length("p", p, mass.as_ref().map(Blocks::size), &|size| format!("mass has {size} rows"));
    let t = of_length("T", t, q.as_ref().map(Vec::len), &|size| format!("q has {size}"));
    let t = t.and_then(|t| match t.iter().position(|value| *value < 0.0) {
        None => Some(t),
        Some(row) => findings.take(wrong("T", format!("entry {row} is {}; T is from 0 up", t[row]))),
    });
    let (p, q) = (p?, q?);
    let g = document.g.take().and_then(|g| findings.take(sparse("G", g, ("q", q.len()), ("p", p.len()))));
    findings.take(of("mass", Saddle::new(mass?, g?, t?, p, q)))
}
