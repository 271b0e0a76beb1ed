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
const ALWAYS: [&str; 2] = ["name", "kind"];

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

    /// Whether a document has the keys that it needs and no other.
    fn check(&self, document: &Document) -> Result<(), Wrong> {
        let known = [self.needed, self.allowed, &ALWAYS].concat();
        if let Some(key) = document.keys.iter().find(|key| !known.contains(&key.as_str())) {
            let message =
                format!("unknown key of a problem of kind `{}`; known keys: {}", self.name, known.join(", "));
            return wrong(key, message);
        }
        match self.needed.iter().find(|key| !document.keys.iter().any(|there| there == **key)) {
            None => Ok(()),
            Some(key) => {
                wrong(key, format!("missing; a problem of kind `{}` needs {}", self.name, self.needed.join(", ")))
            }
        }
    }
}

/// The problem, if the document is one.
pub(super) fn problem(mut document: Document) -> Result<Problem, Wrong> {
    let kind = Kind::of(&document)?;
    kind.check(&document)?;
    let q = take("q", &mut document.q)?;
    Ok(match kind.name {
        "lcp" => Problem::Lcp(of("M", Lcp::new(dense(take("M", &mut document.m)?, q.len())?, q))?),
        "mlcp" => {
            let m = sparse("M", take("M", &mut document.m)?, ("q", q.len()), ("q", q.len()))?;
            let (lower, upper) = bounds(&mut document, q.len())?;
            Problem::Mlcp(of("lower", Mlcp::new(m, q, lower, upper))?)
        }
        "saddle-mlcp" => {
            let (lower, upper) = bounds(&mut document, q.len())?;
            let saddle = saddle(&mut document, q)?;
            Problem::SaddleMlcp(of("lower", SaddleMlcp::new(saddle, lower, upper))?)
        }
        "friction" => {
            let Contacts { dimension, equalities, mu, law } = contacts(&mut document, q.len())?;
            let w = sparse("W", take("W", &mut document.w)?, ("q", q.len()), ("q", q.len()))?;
            Problem::Friction(of("W", Friction::with_equalities(dimension, equalities, w, q, mu))?.with_law(law))
        }
        _ => {
            let Contacts { dimension, equalities, mu, law } = contacts(&mut document, q.len())?;
            let saddle = saddle(&mut document, q)?;
            Problem::GlobalFriction(of("q", GlobalFriction::new(saddle, dimension, equalities, mu))?.with_law(law))
        }
    })
}

/// The value of a key that the check found to be there.
fn take<T>(key: &str, value: &mut Option<T>) -> Result<T, Wrong> {
    value.take().map_or_else(|| wrong(key, "missing"), Ok)
}

/// As many rows as an LCP that is given by entries may have: LCPs are kept dense.
const DENSE: usize = 10_000;

fn dense(matrix: Matrix, n: usize) -> Result<Dense, Wrong> {
    match matrix {
        Matrix::Rows(rows) => of("M", Dense::from_rows(&rows)),
        Matrix::Entries(_) if n > DENSE => wrong(
            "M",
            format!(
                "an LCP is kept dense and may have {DENSE} rows, not {n}; with `lower` (each 0) and `upper` (each null) it is a \
                 mixed LCP, which is kept sparse"
            ),
        ),
        entries => Ok(sparse("M", entries, ("q", n), ("q", n))?.to_dense()),
    }
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

fn bounds(document: &mut Document, n: usize) -> Result<(Vec<f64>, Vec<f64>), Wrong> {
    let read = |key: &str, list: Vec<Option<f64>>, none: f64| match list.len() == n {
        true => Ok(list.into_iter().map(|bound| bound.unwrap_or(none)).collect()),
        false => wrong(key, format!("{} entries, but q has {n}", list.len())),
    };
    let lower = read("lower", take("lower", &mut document.lower)?, f64::NEG_INFINITY)?;
    let upper = read("upper", take("upper", &mut document.upper)?, f64::INFINITY)?;
    Ok((lower, upper))
}

/// The contacts of a problem with friction.
struct Contacts {
    dimension: usize,
    equalities: usize,
    mu: Vec<f64>,
    law: Law,
}

fn contacts(document: &mut Document, rows: usize) -> Result<Contacts, Wrong> {
    let dimension = take("dimension", &mut document.dimension)?;
    let mu = take("mu", &mut document.mu)?;
    let equalities = document.equalities.unwrap_or(0);
    if ![2, 3].contains(&dimension) {
        return wrong("dimension", format!("{dimension}; a contact has 2 or 3 rows"));
    }
    let contacts = mu.len();
    if let Some(said) = document.contacts.filter(|&said| said != contacts) {
        return wrong("contacts", format!("{said}, but mu has {contacts} entries"));
    }
    if let Some(contact) = mu.iter().position(|mu| *mu < 0.0) {
        return wrong("mu", format!("entry {contact} is {}; friction is from 0 up", mu[contact]));
    }
    let needed = equalities.checked_add(dimension * contacts);
    if needed != Some(rows) {
        let needed = needed.map_or_else(|| "more".into(), |needed| needed.to_string());
        let what =
            format!("{equalities} equalities and {contacts} contacts of dimension {dimension} need {needed}");
        return wrong("q", format!("{rows} entries, but {what}"));
    }
    let law = match document.law.as_deref() {
        None => Law::default(),
        Some(name) => match Law::ALL.into_iter().find(|law| law.name() == name) {
            Some(law) => law,
            None => {
                let names = Law::ALL.map(Law::name).join(", ");
                return wrong("law", format!("there is no law `{name}`; laws are {names}"));
            }
        },
    };
    Ok(Contacts { dimension, equalities, mu, law })
}

/// How far from symmetric a mass may be, relative to its diagonal: what rotating a body's inertia rounds, and more.
const SYMMETRY: f64 = 1e-9;

fn saddle(document: &mut Document, q: Vec<f64>) -> Result<Saddle, Wrong> {
    let mut blocks = Vec::new();
    for (b, rows) in take("mass", &mut document.mass)?.into_iter().enumerate() {
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
        blocks.push(block);
    }
    let mass = of("mass", Blocks::from_blocks(&blocks))?;
    let p = take("p", &mut document.p)?;
    let t = take("T", &mut document.t)?;
    if p.len() != mass.size() {
        return wrong("p", format!("{} entries, but mass has {} rows", p.len(), mass.size()));
    }
    if t.len() != q.len() {
        return wrong("T", format!("{} entries, but q has {}", t.len(), q.len()));
    }
    if let Some(row) = t.iter().position(|value| *value < 0.0) {
        return wrong("T", format!("entry {row} is {}; T is from 0 up", t[row]));
    }
    let g = sparse("G", take("G", &mut document.g)?, ("q", q.len()), ("p", p.len()))?;
    of("mass", Saddle::new(mass, g, t, p, q))
}
