//! Text expressions compiled to flat tapes with exact derivatives.
//!
//! A text such as `0.5*m*dot(x)^2 - k*x^2/2` is parsed into a hash-consed
//! expression graph ([`Graph`]), differentiated symbolically there
//! ([`Graph::derivative`], [`Graph::gradient`]) and compiled to a [`Tape`]
//! that evaluates many outputs (value, gradient, Hessian) in one pass.
//!
//! Cost: building is done once and allocates; evaluating a tape allocates
//! nothing and costs about two nanoseconds per arithmetic instruction plus the
//! price of the elementary functions. Equal subexpressions are evaluated once.
//!
//! Limits: expressions are real, without conditionals or loops. Derivatives of
//! `abs`, `sign`, `min` and `max` are one-sided at their kinks: `abs` and
//! `sign` have derivative 0 at 0, `min` and `max` take the operand written
//! first when both are equal. Simplification assumes that a vanishing factor
//! multiplies a finite one (`0*x` is 0), and may move the result by a few
//! units in the last place (`(2*x)^2` is `4*x^2`). The derivative of `a^b` by
//! a varying exponent is not a number at `a = 0`.
//!
//! ```
//! # use carom::lagrangian::expression;
//! use expression::{Graph, NameError, NodeId, Scope, Tape, parse};
//!
//! struct Plane;
//!
//! impl Scope for Plane {
//!     fn name(&self, graph: &mut Graph, name: &str, _: Option<i64>) -> Result<NodeId, NameError> {
//!         match name {
//!             "x" => Ok(graph.input(0)),
//!             "y" => Ok(graph.input(1)),
//!             _ => Err(NameError::Unknown),
//!         }
//!     }
//!     fn velocity(&self, _: &mut Graph, _: &str, _: Option<i64>) -> Result<NodeId, NameError> {
//!         Err(NameError::Unknown)
//!     }
//!     fn known_names(&self) -> Vec<String> {
//!         vec!["x".into(), "y".into()]
//!     }
//! }
//!
//! let mut graph = Graph::new();
//! let value = parse(&mut graph, "x^2*sin(y)", &Plane).unwrap();
//! let gradient = graph.gradient(value, &[0, 1]);
//! let mixed = graph.derivative(gradient[0], 1);
//! let tape = Tape::compile(&graph, &[value, gradient[0], gradient[1], mixed], 2);
//!
//! let mut scratch = tape.scratch();
//! let mut out = [0.0; 4];
//! tape.evaluate(&mut scratch, &[&[3.0, 0.0]], &mut out);
//! assert_eq!(out, [0.0, 0.0, 9.0, 6.0]);
//! ```

mod derive;
mod error;
mod graph;
mod hash;
mod interval;
mod lex;
mod moving;
mod op;
mod parse;
mod rounded;
mod simplify;
mod tape;
#[cfg(test)]
mod tests;

pub use error::ParseError;
pub use graph::{Graph, Inputs, Node, NodeId};
pub use interval::Interval;
pub use moving::Moving;
pub use op::{Op, Scalar};
pub use parse::{NameError, Scope, parse};
pub use rounded::Rounded;
pub(crate) use tape::Slots;
pub use tape::Tape;
