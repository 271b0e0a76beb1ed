//! The solvers, by name and options.

use carom_lcp::Law;
use carom_lcp::solvers::pgs::{Part, Variant};
use carom_lcp::solvers::splitting::Coupling;

use super::problem::{Optional as _, Problem, count};
use crate::document::{TableReader, help};

/// The names of the solvers.
const NAMES: [&str; 5] = ["pgs", "direct-iterative", "lagged-bounds", "newton", "enumeration"];
/// The words for the ways to solve one contact.
const VARIANTS: [(&str, Variant); 4] = [
    ("separate", Variant::Separate),
    ("block-projection", Variant::BlockProjection),
    ("block-tangents", Variant::BlockTangents),
    ("exact-tangents", Variant::ExactTangents),
];
/// The most sweeps, couplings, rounds and starts.
const MOST: usize = 1_000_000;

/// The stage of a direct-iterative splitting that its answer comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Last {
    /// The direct solve, as the paper has it.
    Direct,
    /// The sweeps before it.
    Sweeps,
}

/// A solver with its options.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Solver {
    /// Projected Gauss–Seidel.
    Pgs {
        /// How one contact is solved.
        variant: Variant,
        /// Sweeps over all rows.
        sweeps: usize,
    },
    /// Direct-iterative splitting [lacoursiere-linde-2011 (96), (97)].
    DirectIterative {
        /// Its choices.
        coupling: Coupling,
        /// What the answer comes from.
        last: Last,
    },
    /// The splitting (W, Ũ) [lacoursiere-linde-2011 (84), (90)].
    LaggedBounds {
        /// Solves with new bounds.
        rounds: usize,
        /// The most factorizations of one of them.
        pivots: usize,
    },
    /// Semismooth Newton, and interior points where it fails, from several starts.
    Newton {
        /// Starts.
        starts: usize,
    },
    /// The states open, stick and slide of one contact in the plane, one after the other.
    Enumeration,
}

impl Solver {
    /// Reads a solver by its name and options; it must take the problem.
    pub fn read(table: &TableReader, problem: &Problem) -> Option<(&'static str, Self)> {
        let item = table.required("name")?;
        let name = NAMES.into_iter().find(|name| item.string() == Some(*name));
        let Some(name) = name else {
            let text = item.string()?;
            item.report(format!("there is no solver `{text}`"), help("known", text, &NAMES));
            return None;
        };
        let keys: &[&str] = match name {
            "pgs" => &["variant", "sweeps"],
            "direct-iterative" => &["variant", "part", "sweeps", "couplings", "last"],
            "lagged-bounds" => &["rounds", "pivots"],
            "newton" => &["starts"],
            _ => &[],
        };
        table.finish(&[&["name"], keys].concat());
        let variant = || {
            let word = table.choice_or("variant", "exact-tangents", &VARIANTS.map(|(word, _)| word))?;
            VARIANTS.into_iter().find(|(known, _)| *known == word).map(|(_, variant)| variant)
        };
        let count = |key: &str, otherwise: usize| count(table, key, otherwise, MOST);
        let solver = match name {
            "pgs" => Self::Pgs { variant: variant()?, sweeps: count("sweeps", 1000)? },
            "direct-iterative" => {
                let part = match table.choice_or("part", "contacts", &["contacts", "tangents"])? {
                    "tangents" => Part::Tangents,
                    _ => Part::Contacts,
                };
                let last = match table.choice_or("last", "direct", &["direct", "sweeps"])? {
                    "sweeps" => Last::Sweeps,
                    _ => Last::Direct,
                };
                let (sweeps, couplings) = (count("sweeps", 15)?, count("couplings", 5)?);
                Self::DirectIterative { coupling: Coupling { variant: variant()?, part, sweeps, couplings }, last }
            }
            "lagged-bounds" => Self::LaggedBounds { rounds: count("rounds", 20)?, pivots: count("pivots", 1000)? },
            "newton" => Self::Newton { starts: count("starts", 1)? },
            _ => Self::Enumeration,
        };
        let refusal = match solver {
            Self::LaggedBounds { .. } if problem.law() != Law::Box => Some("it needs the problem's law = \"box\""),
            Self::Enumeration if problem.dimension() != 2 || problem.mu().len() != 1 => {
                Some("it takes one contact in the plane, the problem \"plane-contact\"")
            }
            _ => None,
        };
        if let Some(refusal) = refusal {
            item.report(format!("the solver does not take the problem: {refusal}"), None);
            return None;
        }
        Some((name, solver))
    }
}
