//! Small computations behind claims of papers that are about no mechanical scene: random matrices, one equation.
//!
//! Each is one file with its parameters, the quantities that it gives and where they come from; it is known by name to the
//! experiments of `carom reproduce`. The same parameters give the same bits.

mod crank_rank;
mod extended_reflections;
mod fischer_burmeister;
mod friction_matrix;
mod ghost_potential;
mod newton_pivots;
mod painleve_rod;
mod partitioned_runge_kutta;
mod penalty_steps;
mod random_friction;
mod random_impacts;
mod random_stability;
mod saddle_matrix;
mod strong_constraint;
mod symmetrised_sliding;
mod virtual_action;

/// A computation.
pub struct Computation {
    /// Its name.
    pub name: &'static str,
    /// Its parameters.
    pub parameters: &'static [(&'static str, Parameter)],
    /// The names of what it gives, in the order of the answer.
    pub quantities: &'static [&'static str],
    /// Computes the quantities; an error says why there are none.
    pub run: fn(&Given) -> Result<Vec<f64>, String>,
}

/// What a parameter may be.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Parameter {
    /// A number from the first to the second, with what stands for it if it is not given.
    Number {
        /// The least value.
        least: f64,
        /// The largest value.
        most: f64,
        /// Where it is not given.
        default: f64,
    },
    /// A whole number from 1 up to the most.
    Count {
        /// The largest value.
        most: u32,
        /// Where it is not given.
        default: u32,
    },
    /// One of these words; the first where none is given.
    Word(&'static [&'static str]),
}

/// The value of a parameter.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum Value {
    /// Of a number or a count.
    Number(f64),
    /// Of a word.
    Word(&'static str),
}

/// The values of all parameters of a computation, in their order.
#[derive(Debug, Clone, PartialEq)]
pub struct Given {
    names: &'static [(&'static str, Parameter)],
    /// In the order of the parameters.
    pub values: Vec<Value>,
}

impl Parameter {
    /// Its value where none is given.
    pub fn default(&self) -> Value {
        match *self {
            Self::Number { default, .. } => Value::Number(default),
            Self::Count { default, .. } => Value::Number(f64::from(default)),
            Self::Word(words) => Value::Word(words[0]),
        }
    }
}

impl Given {
    /// Every parameter at its default.
    pub fn new(computation: &Computation) -> Self {
        let values = computation.parameters.iter().map(|(_, parameter)| parameter.default()).collect();
        Self { names: computation.parameters, values }
    }

    fn value(&self, name: &str) -> Value {
        let place = self.names.iter().position(|(other, _)| *other == name);
        self.values[place.expect("a parameter of the computation")]
    }

    /// A number.
    pub fn number(&self, name: &str) -> f64 {
        match self.value(name) {
            Value::Number(number) => number,
            Value::Word(_) => unreachable!("`{name}` is a word"),
        }
    }

    /// A count.
    pub fn count(&self, name: &str) -> usize {
        self.number(name) as usize
    }

    /// A word.
    pub fn word(&self, name: &str) -> &'static str {
        match self.value(name) {
            Value::Word(word) => word,
            Value::Number(_) => unreachable!("`{name}` is a number"),
        }
    }
}

/// A number that trials are counted by: what is no number must not count as small.
fn finite(what: &str, value: f64) -> Result<f64, String> {
    if value.is_finite() { Ok(value) } else { Err(format!("{what} is {value}")) }
}

/// All computations.
pub const COMPUTATIONS: &[Computation] = &[
    crank_rank::CRANK_RANK,
    extended_reflections::EXTENDED_REFLECTIONS,
    fischer_burmeister::FISCHER_BURMEISTER,
    friction_matrix::FRICTION_MATRIX,
    ghost_potential::GHOST_POTENTIAL,
    newton_pivots::NEWTON_PIVOTS,
    painleve_rod::PAINLEVE_ROD,
    partitioned_runge_kutta::PARTITIONED_RUNGE_KUTTA,
    penalty_steps::PENALTY_STEPS,
    random_friction::RANDOM_FRICTION,
    random_impacts::RANDOM_IMPACTS,
    random_stability::RANDOM_STABILITY,
    saddle_matrix::SADDLE_MATRIX,
    strong_constraint::STRONG_CONSTRAINT,
    symmetrised_sliding::SYMMETRISED_SLIDING,
    virtual_action::VIRTUAL_ACTION,
];

#[cfg(test)]
mod tests {
    use super::{COMPUTATIONS, Parameter};

    /// A number of degrees under a key without the unit would be taken for radians.
    #[test]
    fn angles_are_in_radians_unless_their_key_says_degrees() {
        let numbers =
            COMPUTATIONS.iter().flat_map(|kind| kind.parameters.iter().map(move |part| (kind.name, part)));
        for (computation, (name, parameter)) in numbers {
            let Parameter::Number { most, .. } = *parameter else { continue };
            assert!(!name.contains("angle") || name.ends_with("_deg") || most < 7.0, "{computation}: {name}");
        }
    }
}
