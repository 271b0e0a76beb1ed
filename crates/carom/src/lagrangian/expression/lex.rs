//! Splits the text of an expression into tokens.
//!
//! Cost: one pass over the characters. Limits: names are ASCII; their parts may be
//! joined by points, as in `run.energy`, which mean what the scope makes of them.
//! Characters that mean something elsewhere (`**`, `==`, `×`) are errors that say what to
//! write instead.

use super::error::ParseError;

/// What a token is; names and numbers keep their meaning, the rest their sign.
#[derive(Clone, Debug, PartialEq)]
pub(super) enum Kind {
    Number(f64),
    Name(String),
    /// One of `+ - * / ^ ( ) [ ] ,`, or the point of `name[index].part`.
    Sign(char),
    End,
}

/// A token with its place: column from 1 and length, both in characters.
#[derive(Clone, Debug)]
pub(super) struct Token {
    pub kind: Kind,
    pub column: usize,
    pub length: usize,
}

impl Token {
    /// How messages call the token.
    pub fn describe(&self) -> String {
        match &self.kind {
            Kind::Number(value) => format!("number `{value}`"),
            Kind::Name(name) => format!("name `{name}`"),
            Kind::Sign(sign) => format!("`{sign}`"),
            Kind::End => "the end of the expression".into(),
        }
    }

    /// An error at this token.
    pub fn error(&self, message: impl Into<String>, help: Option<String>) -> ParseError {
        ParseError { column: self.column, length: self.length, message: message.into(), help }
    }
}

/// What is commonly written in other languages, and what to write here.
const FOREIGN: [(&str, &str); 20] = [
    ("**", "write ^ for powers"),
    ("&&", LOGIC),
    ("||", LOGIC),
    ("==", LOGIC),
    ("!=", LOGIC),
    ("<=", LOGIC),
    (">=", LOGIC),
    ("=", "an expression has a value and assigns nothing"),
    ("<", LOGIC),
    (">", LOGIC),
    ("!", LOGIC),
    ("%", "there is no remainder; write percentages as fractions"),
    ("{", "group with ( and )"),
    ("}", "group with ( and )"),
    ("×", "write * for products"),
    ("·", "write * for products"),
    ("−", "write - (the ASCII minus sign)"),
    ("π", "write pi"),
    ("²", "write ^2"),
    ("³", "write ^3"),
];

const LOGIC: &str = "there are no conditions; min, max, abs and sign may help";

/// The tokens of `text`, with an [`Kind::End`] token last.
pub(super) fn tokens(text: &str) -> Result<Vec<Token>, ParseError> {
    let characters: Vec<char> = text.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let start = at;
        let rest = &characters[start..];
        let kind = match rest[0] {
            c if c.is_whitespace() => {
                at += 1;
                continue;
            }
            // What follows an index belongs to the name before it: `bead[3].x`.
            '.' if matches!(tokens.last(), Some(Token { kind: Kind::Sign(']'), .. }))
                && rest.get(1).is_some_and(|c| c.is_ascii_alphabetic() || *c == '_') =>
            {
                at += 1;
                Kind::Sign('.')
            }
            '0'..='9' | '.' => {
                let (length, number) = number(rest);
                at += length;
                let token = Token { kind: Kind::End, column: start + 1, length };
                let written: String = rest[..length].iter().collect();
                let number = number
                    .map_err(|help| token.error(format!("`{written}` is not a number"), Some(help.into())))?;
                if !number.is_finite() {
                    let message = format!("the number `{written}` is too large");
                    let help = "numbers reach to about 1.8e308".to_string();
                    return Err(token.error(message, Some(help)));
                }
                Kind::Number(number)
            }
            c if c.is_ascii_alphabetic() || c == '_' => {
                at += name(rest);
                Kind::Name(characters[start..at].iter().collect())
            }
            c if "+-/^()[],".contains(c) || (c == '*' && rest.get(1) != Some(&'*')) => {
                at += 1;
                Kind::Sign(c)
            }
            c => return Err(illegal(c, rest, start + 1)),
        };
        tokens.push(Token { kind, column: start + 1, length: at - start });
    }
    tokens.push(Token { kind: Kind::End, column: characters.len() + 1, length: 1 });
    Ok(tokens)
}

fn illegal(character: char, rest: &[char], column: usize) -> ParseError {
    let written: String = rest.iter().take(2).collect();
    let foreign = FOREIGN.iter().find(|(sign, _)| written.starts_with(sign));
    let (found, help) = match foreign {
        Some((sign, help)) => (sign.to_string(), help.to_string()),
        None => {
            let help = "allowed are numbers, names, + - * / ^ ( ) [ ] and ,";
            (character.to_string(), help.to_string())
        }
    };
    ParseError {
        column,
        length: found.chars().count(),
        message: format!("`{found}` has no meaning here"),
        help: Some(help),
    }
}

fn count(characters: &[char], keep: impl Fn(char) -> bool) -> usize {
    let differs = |&c: &char| !keep(c);
    let end = characters.iter().position(differs);
    end.unwrap_or(characters.len())
}

/// The length of the name at the start: words, joined by points.
fn name(rest: &[char]) -> usize {
    let letter = |c: &char| c.is_ascii_alphabetic() || *c == '_';
    let mut length = count(rest, |c| c.is_ascii_alphanumeric() || c == '_');
    while rest.get(length) == Some(&'.') && rest.get(length + 1).is_some_and(letter) {
        length += 1 + count(&rest[length + 1..], |c| c.is_ascii_alphanumeric() || c == '_');
    }
    length
}

/// The length of the number at the start, and its value or what is wrong.
fn number(rest: &[char]) -> (usize, Result<f64, &'static str>) {
    let mut length = count(rest, |c| c.is_ascii_digit() || c == '.');
    let mantissa = &rest[..length];
    let mut problem = None;
    if mantissa.iter().filter(|&&c| c == '.').count() > 1 {
        problem = Some("a number has at most one decimal point");
    } else if mantissa == ['.'] {
        problem = Some("a decimal point needs digits before or after it");
    }
    if matches!(rest.get(length), Some('e' | 'E')) {
        let signed = matches!(rest.get(length + 1), Some('+' | '-'));
        let digits_at = length + 1 + usize::from(signed);
        let digits = count(&rest[digits_at.min(rest.len())..], |c| c.is_ascii_digit());
        let word = |c: &char| c.is_ascii_alphabetic() || *c == '_';
        if digits > 0 {
            length = digits_at + digits;
        } else if signed || !rest.get(length + 1).is_some_and(word) {
            // Otherwise a name follows, as in `2exp(x)`: the parser complains.
            length = digits_at;
            problem = problem.or(Some("an exponent needs digits, as in 1e-3"));
        }
    }
    let text: String = rest[..length].iter().collect();
    let value = text.parse().map_err(|_| "write numbers as 1, 1.5 or 1e-3");
    (length, problem.map_or(value, Err))
}
