//! Parses the text of an expression into a graph.
//!
//! Operators by rising precedence: `+ -`, then `* /`, then unary minus, then
//! `^`, which groups to the right: `-x^2` is `-(x^2)` and `2^-1` works. There
//! are numbers, `pi`, the functions of [`Op::FUNCTIONS`], names and
//! `name[index]` as the [`Scope`] knows them, and `dot(name)` for velocities;
//! `name[index].part` is `name.part[index]`. An index is an expression whose value is an integer constant.
//!
//! Cost: linear in the text. Limits: parentheses, calls, signs and exponents
//! nest at most 200 deep; there is no implicit multiplication.

use super::error::{ParseError, suggest};
use super::graph::{Graph, NodeId};
use super::lex::{Kind, Token, tokens};
use super::op::Op;

/// How deep an expression may nest.
const DEEPEST: usize = 200;

/// Why a name has no value.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum NameError {
    /// There is no such name; the parser looks for similar ones.
    Unknown,
    /// The name is known but used wrongly; says how.
    Invalid(String),
}

/// What names mean in an expression.
pub trait Scope {
    /// The value of `name` or `name[index]`.
    fn name(&self, graph: &mut Graph, name: &str, index: Option<i64>) -> Result<NodeId, NameError>;

    /// The value of `dot(name)` or `dot(name[index])`.
    fn velocity(&self, graph: &mut Graph, name: &str, index: Option<i64>) -> Result<NodeId, NameError>;

    /// The names to suggest in error messages.
    fn known_names(&self) -> Vec<String>;
}

/// Parses `text`, with names as `scope` defines them.
pub fn parse(graph: &mut Graph, text: &str, scope: &dyn Scope) -> Result<NodeId, ParseError> {
    let tokens = tokens(text)?;
    if let [end] = tokens.as_slice() {
        let help = "write a number such as 0".to_string();
        let mut error = end.error("the expression is empty", Some(help));
        error.column = 1;
        error.length = text.chars().count().max(1);
        return Err(error);
    }
    let mut parser = Parser { graph, scope, tokens, at: 0, depth: 0 };
    let result = parser.expression(0)?;
    match parser.token().kind {
        Kind::End => Ok(result),
        _ => Err(parser.unexpected(None)),
    }
}

/// How tightly a unary minus binds: between products and powers.
const UNARY: u8 = 5;

/// The binding power of a binary operator to its left and to its right.
fn binary(kind: &Kind) -> Option<(Op, u8, u8)> {
    match kind {
        Kind::Sign('+') => Some((Op::Add, 1, 2)),
        Kind::Sign('-') => Some((Op::Sub, 1, 2)),
        Kind::Sign('*') => Some((Op::Mul, 3, 4)),
        Kind::Sign('/') => Some((Op::Div, 3, 4)),
        Kind::Sign('^') => Some((Op::Pow, 7, 6)),
        _ => None,
    }
}

struct Parser<'a> {
    graph: &'a mut Graph,
    scope: &'a dyn Scope,
    /// The last token is [`Kind::End`], and `at` never moves beyond it.
    tokens: Vec<Token>,
    at: usize,
    depth: usize,
}

impl Parser<'_> {
    fn token(&self) -> &Token {
        &self.tokens[self.at]
    }

    fn take(&mut self) -> Token {
        let token = self.token().clone();
        self.at = (self.at + 1).min(self.tokens.len() - 1);
        token
    }

    fn accept(&mut self, sign: char) -> bool {
        let found = self.token().kind == Kind::Sign(sign);
        if found {
            self.take();
        }
        found
    }

    /// An expression of operators that bind at least as tightly as `least`.
    fn expression(&mut self, least: u8) -> Result<NodeId, ParseError> {
        if self.depth == DEEPEST {
            let message = format!("the expression nests more than {DEEPEST} deep");
            let help = "split it into named parts".to_string();
            return Err(self.token().error(message, Some(help)));
        }
        self.depth += 1;
        let mut left = self.operand()?;
        while let Some((op, to_left, to_right)) = binary(&self.token().kind) {
            if to_left < least {
                break;
            }
            self.take();
            let right = self.expression(to_right)?;
            left = self.graph.apply(op, left, right);
        }
        self.depth -= 1;
        Ok(left)
    }

    fn operand(&mut self) -> Result<NodeId, ParseError> {
        let token = self.take();
        match &token.kind {
            Kind::Number(value) => Ok(self.graph.constant(*value)),
            Kind::Sign('-') => {
                let value = self.expression(UNARY)?;
                Ok(self.graph.neg(value))
            }
            Kind::Sign('+') => self.expression(UNARY),
            Kind::Sign('(') => {
                let value = self.expression(0)?;
                self.close(&token, ')')?;
                Ok(value)
            }
            Kind::Name(name) if self.accept('(') => self.call(&token, name),
            Kind::Name(name) => self.name(&token, name),
            Kind::Sign(_) | Kind::End => {
                let message = format!("expected a value, found {}", token.describe());
                let help = match token.kind {
                    Kind::Sign(')') => "this parenthesis closes nothing or an empty group",
                    _ => "a value is a number, a name, a call or a group in parentheses",
                };
                Err(token.error(message, Some(help.into())))
            }
        }
    }

    /// A name that no parenthesis follows.
    fn name(&mut self, token: &Token, name: &str) -> Result<NodeId, ParseError> {
        if name == "pi" {
            return Ok(self.graph.constant(std::f64::consts::PI));
        }
        let (name, index) = self.indexed(name)?;
        let found = self.scope.name(self.graph, &name, index);
        found.map_err(|problem| self.name_error(token, &name, problem))
    }

    /// The rest of a name: `[index]`, or `[index].part`, which is `name.part[index]`.
    fn indexed(&mut self, name: &str) -> Result<(String, Option<i64>), ParseError> {
        let index = self.index()?;
        let mut name = name.to_string();
        if self.accept('.')
            && let Kind::Name(part) = self.take().kind
        {
            name = format!("{name}.{part}");
        }
        Ok((name, index))
    }

    /// `[index]`, if there is one.
    fn index(&mut self) -> Result<Option<i64>, ParseError> {
        let open = self.token().clone();
        if !self.accept('[') {
            return Ok(None);
        }
        let value = self.expression(0)?;
        self.close(&open, ']')?;
        let exact = 9_007_199_254_740_992.0;
        let problem = match self.graph.constant_value(value) {
            Some(index) if index.fract() == 0.0 && index.abs() < exact => {
                return Ok(Some(index as i64));
            }
            Some(index) => format!("an index is an integer, this one is {index}"),
            None => "an index is a constant, this one varies".into(),
        };
        let mut error = open.error(problem, None);
        let last = &self.tokens[self.at - 1];
        error.length = last.column + last.length - open.column;
        Err(error)
    }

    /// A call, after its opening parenthesis.
    fn call(&mut self, token: &Token, name: &str) -> Result<NodeId, ParseError> {
        if name == "dot" {
            return self.velocity();
        }
        let open = self.tokens[self.at - 1].clone();
        let Some(&(_, op)) = Op::FUNCTIONS.iter().find(|(known, _)| *known == name) else {
            return Err(self.function_error(token, name));
        };
        let mut arguments = Vec::new();
        if self.token().kind != Kind::Sign(')') {
            arguments.push(self.expression(0)?);
            while self.accept(',') {
                arguments.push(self.expression(0)?);
            }
        }
        self.close(&open, ')')?;
        match (op.arity(), arguments.as_slice()) {
            (1, &[a]) => Ok(self.graph.apply(op, a, a)),
            (2, &[a, b]) => Ok(self.graph.apply(op, a, b)),
            (arity, given) => {
                let plural = if arity == 1 { "" } else { "s" };
                let given = given.len();
                let message = format!("`{name}` takes {arity} argument{plural}, found {given}");
                Err(token.error(message, None))
            }
        }
    }

    /// The argument of `dot(`.
    fn velocity(&mut self) -> Result<NodeId, ParseError> {
        let help = || Some("write dot(x) or dot(x[1])".to_string());
        let open = self.tokens[self.at - 1].clone();
        let token = self.take();
        let Kind::Name(name) = &token.kind else {
            let found = token.describe();
            let message = format!("`dot` takes the name of a coordinate, found {found}");
            return Err(token.error(message, help()));
        };
        let (name, index) = self.indexed(name)?;
        if !matches!(self.token().kind, Kind::Sign(')') | Kind::End) {
            let message = "`dot` takes the name of a coordinate, not an expression";
            return Err(self.token().error(message, help()));
        }
        self.close(&open, ')')?;
        let found = self.scope.velocity(self.graph, &name, index);
        found.map_err(|problem| self.name_error(&token, &name, problem))
    }

    /// Takes the sign that closes `open`.
    fn close(&mut self, open: &Token, sign: char) -> Result<(), ParseError> {
        if self.accept(sign) {
            return Ok(());
        }
        if self.token().kind == Kind::End {
            let message = format!("{} is never closed", open.describe());
            return Err(open.error(message, Some(format!("add the missing `{sign}`"))));
        }
        Err(self.unexpected(Some(sign)))
    }

    /// The error for a token where an operator or `close` could stand.
    fn unexpected(&self, close: Option<char>) -> ParseError {
        let token = self.token();
        let found = token.describe();
        let closing = close.map_or(String::new(), |sign| format!(" or `{sign}`"));
        let (message, help) = match token.kind {
            Kind::Number(_) | Kind::Name(_) | Kind::Sign('(') => (
                format!("expected an operator{closing} before {found}"),
                "implicit multiplication is not supported, write 2*x".to_string(),
            ),
            Kind::Sign(')' | ']') => (
                format!("{found} closes nothing"),
                match close {
                    Some(sign) => format!("expected `{sign}` here"),
                    None => "remove it or open it before".into(),
                },
            ),
            _ => (
                format!("expected an operator{closing}, found {found}"),
                "operators are + - * / ^; a comma separates arguments".into(),
            ),
        };
        token.error(message, Some(help))
    }

    fn name_error(&self, token: &Token, name: &str, problem: NameError) -> ParseError {
        if let NameError::Invalid(message) = problem {
            return token.error(message, None);
        }
        if Op::FUNCTIONS.iter().any(|(known, _)| *known == name) || name == "dot" {
            let message = format!("`{name}` is a function and needs parentheses");
            return token.error(message, Some(format!("write {name}(x)")));
        }
        let mut known = self.scope.known_names();
        known.push("pi".into());
        token.error(format!("unknown name `{name}`"), suggest(name, &known))
    }

    fn function_error(&self, token: &Token, name: &str) -> ParseError {
        if self.scope.known_names().iter().any(|known| known == name) || name == "pi" {
            let help = format!("implicit multiplication is not supported, write {name}*(x)");
            return token.error(format!("`{name}` is not a function"), Some(help));
        }
        let known = Op::FUNCTIONS.iter().map(|(known, _)| known.to_string());
        let known: Vec<String> = known.chain(["dot".to_string()]).collect();
        let help = match name {
            "ln" => Some("the natural logarithm is log(x)".into()),
            "pow" => Some("write a^b for powers".into()),
            _ => suggest(name, &known),
        };
        token.error(format!("unknown function `{name}`"), help)
    }
}
