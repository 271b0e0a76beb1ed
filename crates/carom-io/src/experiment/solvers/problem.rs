//! The problems that are solved: those of the corpus, by name and parameters.

use carom_lcp::corpus::{Brick, Snapshot, a_frame, one_contact, sliding_cube, squeezed_box, wall};
use carom_lcp::solvers::pgs::Swept;
use carom_lcp::{Dense, Friction, GlobalFriction, Judged, Law, Sparse};

use crate::document::{Item, TableReader, help};

/// The names of the problems.
const NAMES: [&str; 6] = ["squeezed-box", "wall", "sliding-cube", "a-frame", "one-contact", "plane-contact"];
/// The most rows or columns of a wall.
const MOST_BRICKS: usize = 100;

/// A friction problem.
pub enum Problem {
    /// Of bodies.
    Bodies(Box<GlobalFriction>),
    /// By its matrix.
    Matrix(Friction),
}

/// Runs one expression on the problem, of whichever kind it is.
macro_rules! with {
    ($subject:expr, $problem:ident => $body:expr) => {
        match $subject {
            $crate::experiment::solvers::problem::Problem::Bodies($problem) => {
                let $problem: &carom_lcp::GlobalFriction = $problem;
                $body
            }
            $crate::experiment::solvers::problem::Problem::Matrix($problem) => $body,
        }
    };
}
pub(super) use with;

impl Problem {
    /// Reads a problem by its name and parameters.
    pub fn read(table: &TableReader) -> Option<(&'static str, Self)> {
        let item = table.required("name")?;
        let name = NAMES.into_iter().find(|name| item.string() == Some(*name));
        let Some(name) = name else {
            let text = item.string()?;
            item.report(format!("there is no problem `{text}`"), help("known", text, &NAMES));
            return None;
        };
        let keys: &[&str] = match name {
            "squeezed-box" => &["mass", "half_z", "mu", "angle_deg"],
            "wall" => &["rows", "columns", "brick", "snapshot"],
            "sliding-cube" => &["speed", "angle_deg"],
            "a-frame" => &["mu"],
            "plane-contact" => &["alpha", "beta", "tau", "mu", "normal", "tangent"],
            _ => &[],
        };
        table.finish(&[&["name", "law"], keys].concat());
        let number = |key: &str, otherwise: f64| table.item(key).map_or(Some(otherwise), |item| item.number());
        let positive = |key: &str, otherwise: f64| match number(key, otherwise)? {
            value if value > 0.0 => Some(value),
            _ => table.item(key)?.mismatch("a positive number"),
        };
        let law = match table.choice_or("law", "cone", &["cone", "box"])? {
            "box" => Law::Box,
            _ => Law::Cone,
        };
        let problem = match name {
            "squeezed-box" => {
                let (mass, half_z, mu) = (positive("mass", 4.0), positive("half_z", 2.0), positive("mu", 0.5));
                let angle = number("angle_deg", 0.0);
                Self::bodies(squeezed_box(mass?, half_z?, mu?, angle?.to_radians()))
            }
            "wall" => {
                let brick = match table.choice_or("brick", "cube", &["cube", "long"])? {
                    "long" => Brick::Long,
                    _ => Brick::Cube,
                };
                let snapshot = match table.choice_or("snapshot", "rest", &["rest", "impact", "collapse"])? {
                    "impact" => Snapshot::Impact,
                    "collapse" => Snapshot::Collapse,
                    _ => Snapshot::Rest,
                };
                let (rows, columns) =
                    (count(table, "rows", 5, MOST_BRICKS), count(table, "columns", 4, MOST_BRICKS));
                Self::bodies(wall(rows?, columns?, brick, snapshot))
            }
            "sliding-cube" => {
                Self::bodies(sliding_cube(number("speed", 1.0)?, number("angle_deg", 0.0)?.to_radians()))
            }
            "a-frame" => Self::bodies(a_frame(positive("mu", 0.8)?)),
            "plane-contact" => {
                let (alpha, beta, tau) = (positive("alpha", 1.0)?, number("beta", 0.0)?, positive("tau", 1.0)?);
                let q = vec![number("normal", -1.0)?, number("tangent", 0.0)?];
                let w = Dense::from_rows(&[vec![alpha, beta], vec![beta, tau]]).expect("rows of one length");
                let problem = Friction::new(2, Sparse::from_dense(&w), q, vec![positive("mu", 0.5)?]);
                Self::Matrix(problem.expect("a problem of two rows"))
            }
            _ => Self::Matrix(one_contact()),
        };
        Some((name, problem.with_law(law)))
    }

    fn bodies(problem: GlobalFriction) -> Self {
        Self::Bodies(Box::new(problem))
    }

    fn with_law(self, law: Law) -> Self {
        match self {
            Self::Bodies(problem) => Self::bodies(problem.with_law(law)),
            Self::Matrix(problem) => Self::Matrix(problem.with_law(law)),
        }
    }

    /// The problem as a judge of answers.
    pub fn judge(&self) -> &dyn Judged {
        with!(self, problem => problem)
    }

    /// The law of friction.
    pub fn law(&self) -> Law {
        with!(self, problem => problem.law)
    }

    /// The coefficients of friction.
    pub fn mu(&self) -> &[f64] {
        with!(self, problem => problem.shape().mu)
    }

    /// The number of equality rows.
    pub fn equalities(&self) -> usize {
        with!(self, problem => problem.equalities)
    }

    /// Rows of a contact.
    pub fn dimension(&self) -> usize {
        with!(self, problem => problem.dimension)
    }

    /// The velocities that impulses make: of the bodies where there are bodies, else of the rows.
    pub fn velocity(&self, z: &[f64]) -> Vec<f64> {
        match self {
            Self::Bodies(problem) => problem.saddle.velocity(z),
            Self::Matrix(problem) => (0..z.len()).map(|row| problem.w.row_times(row, z) + problem.q[row]).collect(),
        }
    }

    /// The slacks w of impulses.
    pub fn slacks(&self, z: &[f64]) -> Vec<f64> {
        let (mut w, mut map) = (vec![0.0; z.len()], vec![0.0; z.len()]);
        self.judge().natural_map(z, &mut w, &mut map);
        w
    }

    /// An entry of A.
    pub fn entry(&self, i: usize, j: usize) -> f64 {
        match self {
            Self::Bodies(problem) => problem.saddle.delassus(i, j),
            Self::Matrix(problem) => problem.w.get(i, j),
        }
    }
}

/// A whole number from 1 up to the most.
pub(super) fn count(table: &TableReader, key: &str, otherwise: usize, most: usize) -> Option<usize> {
    let Some(item) = table.item(key) else { return Some(otherwise) };
    match item.integer()? {
        number if (1..=most as i64).contains(&number) => Some(number as usize),
        _ => item.mismatch(&format!("a whole number from 1 to {most}")),
    }
}

/// Reads of optional keys.
pub(super) trait Optional {
    /// One of the allowed words, another one where the key is not there.
    fn choice_or(&self, key: &str, otherwise: &'static str, allowed: &[&'static str]) -> Option<&'static str>;
}

impl Optional for TableReader<'_> {
    fn choice_or(&self, key: &str, otherwise: &'static str, allowed: &[&'static str]) -> Option<&'static str> {
        let Some(item): Option<Item> = self.item(key) else { return Some(otherwise) };
        let text = item.choice(allowed)?;
        allowed.iter().copied().find(|word| *word == text)
    }
}
