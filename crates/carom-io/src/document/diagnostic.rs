//! One problem of a scene: where it is, what is wrong, what is allowed.

use std::fmt::Write as _;

use serde::ser::{Serialize, SerializeStruct, Serializer};

use super::source::Source;
use super::visible::{is_control, printable};

/// Longest piece of a line of the file that is shown, in characters.
const SHOWN: usize = 160;

/// A place in a file: line and column from 1, column and length in characters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Position {
    /// Line, from 1.
    pub line: usize,
    /// Column in characters, from 1.
    pub column: usize,
    /// Number of characters concerned, at least 1.
    pub length: usize,
}

/// One problem of a scene.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Diagnostic {
    /// Name of the file, or the command line option (`--set parameters.g=abc`).
    pub source: String,
    /// The place in the file; nothing for the command line and for the file as a whole.
    pub position: Option<Position>,
    /// Path of the key, like `lagrangian.equalities[2].expression`; may be empty.
    pub key: String,
    /// What is wrong.
    pub message: String,
    /// What is allowed, or how to repair it.
    pub help: Option<String>,
}

impl Diagnostic {
    /// The problem for a reader, with the line of the file; without a line end after the last line.
    pub fn render(&self, source: &Source) -> String {
        let mut text = format!("error: {}", printable(&self.source));
        if let Some(Position { line, column, .. }) = self.position {
            let _ = write!(text, ":{line}:{column}");
        }
        if !self.key.is_empty() {
            let _ = write!(text, ": {}", printable(&self.key));
        }
        let _ = write!(text, ": {}", printable(&self.message));
        let mut margin = String::from("  ");
        if let Some(position) = self.position.filter(|_| self.source == source.name())
            && let Some(line) = source.line(position.line)
        {
            margin = " ".repeat(position.line.to_string().len() + 1);
            let (shown, marks) = excerpt(line, position);
            let _ = write!(text, "\n{margin}|");
            let _ = write!(text, "\n{} | {}", position.line, shown.trim_end());
            let _ = write!(text, "\n{margin}| {marks}");
        }
        if let Some(help) = &self.help {
            let _ = write!(text, "\n{margin}= help: {}", printable(help));
        }
        text
    }
}

impl Serialize for Diagnostic {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        let mut object = serializer.serialize_struct("Diagnostic", 6)?;
        object.serialize_field("file", &self.source)?;
        object.serialize_field("line", &self.position.map(|at| at.line))?;
        object.serialize_field("column", &self.position.map(|at| at.column))?;
        // A problem of no key has none.
        object.serialize_field("key", &Some(&self.key).filter(|key| !key.is_empty()))?;
        object.serialize_field("message", &self.message)?;
        object.serialize_field("help", &self.help)?;
        object.end()
    }
}

/// The shown piece of a line, and the marks below the place; tabs stay tabs in both.
fn excerpt(line: &str, position: Position) -> (String, String) {
    let letters: Vec<char> = line.chars().collect();
    let at = (position.column - position.column.min(1)).min(letters.len());
    let mut first = 0;
    if letters.len() > SHOWN {
        first = at.saturating_sub(SHOWN / 2).min(letters.len() - SHOWN);
    }
    let last = letters.len().min(first + SHOWN);
    let mut shown: String = letters[first..last].iter().copied().map(visible).collect();
    let mut marks: String = letters[first..at].iter().map(|&c| if c == '\t' { '\t' } else { ' ' }).collect();
    marks.push_str(&"^".repeat(position.length.min(last - at).max(1)));
    if first > 0 {
        shown.insert(0, '…');
        marks.insert(0, ' ');
    }
    if last < letters.len() {
        shown.push('…');
    }
    (shown, marks)
}

/// Stands for a character of the file; control characters must not reach a terminal.
fn visible(c: char) -> char {
    if is_control(c) && c != '\t' { '\u{fffd}' } else { c }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(source: &Source, position: Option<Position>) -> Diagnostic {
        Diagnostic {
            source: source.name().into(),
            position,
            key: "lagrangian.potential".into(),
            message: "unknown name `thetaa`".into(),
            help: Some("did you mean `theta`? known: theta, g".into()),
        }
    }

    fn place(line: usize, column: usize, length: usize) -> Option<Position> {
        Some(Position { line, column, length })
    }

    #[test]
    fn with_the_line_of_the_file() {
        let text = format!("{}potential = \"-m*g*l*cos(thetaa)\"\n", "\n".repeat(11));
        let source = Source::new("my.toml", text);
        assert_eq!(
            at(&source, place(12, 25, 6)).render(&source),
            "error: my.toml:12:25: lagrangian.potential: unknown name `thetaa`\n   |\n\
             12 | potential = \"-m*g*l*cos(thetaa)\"\n   |                         ^^^^^^\n   \
             = help: did you mean `theta`? known: theta, g"
        );
    }

    #[test]
    fn tabs_and_control_characters() {
        let source = Source::new("my.toml", "\tx\u{1b} = 1\r\n");
        let text = at(&source, place(1, 3, 1)).render(&source);
        assert!(text.contains("\n1 | \tx\u{fffd} = 1\n  | \t ^\n"), "{text}");
        assert!(!text.contains('\u{1b}') && !text.contains('\r'));
        let mut diagnostic = at(&source, None);
        diagnostic.message = "\u{1b}[31m".into();
        assert!(diagnostic.render(&source).contains("\\u{1b}[31m"));
    }

    #[test]
    fn without_a_place() {
        let source = Source::new("my.toml", "");
        let mut diagnostic = at(&source, None);
        diagnostic.source = "--set lagrangian.potential=thetaa".into();
        assert_eq!(
            diagnostic.render(&source),
            "error: --set lagrangian.potential=thetaa: lagrangian.potential: unknown name \
             `thetaa`\n  = help: did you mean `theta`? known: theta, g"
        );
        diagnostic.key.clear();
        diagnostic.help = None;
        assert!(diagnostic.render(&source).ends_with("=thetaa: unknown name `thetaa`"));
    }

    #[test]
    fn odd_places_do_no_harm() {
        let source = Source::new("my.toml", "x = 1");
        for (line, column, length) in [(1, 0, 0), (0, 1, 1), (9, 9, 9), (1, 900, 900)] {
            let _ = at(&source, place(line, column, length)).render(&source);
        }
        assert!(at(&source, place(1, 6, 4)).render(&source).contains("|      ^\n"));
    }

    #[test]
    fn long_lines_are_cut() {
        let source = Source::new("my.toml", format!("{}!{}", "a".repeat(500), "b".repeat(500)));
        let text = at(&source, place(1, 501, 1)).render(&source);
        let lines: Vec<&str> = text.lines().collect();
        assert_eq!(lines[2].chars().count(), 4 + SHOWN + 2);
        let mark = lines[3].chars().position(|c| c == '^');
        assert_eq!(mark, lines[2].chars().position(|c| c == '!'));
    }

    #[test]
    fn json() {
        let source = Source::new("my.toml", "");
        let json = serde_json::to_value(at(&source, place(2, 3, 4))).unwrap();
        assert_eq!(
            json,
            serde_json::json!({"file": "my.toml", "line": 2, "column": 3,
                "key": "lagrangian.potential", "message": "unknown name `thetaa`",
                "help": "did you mean `theta`? known: theta, g"})
        );
        let json = serde_json::to_value(at(&source, None)).unwrap();
        assert_eq!(json["line"], serde_json::Value::Null);
        let of_no_key = Diagnostic { key: String::new(), ..at(&source, None) };
        let json = serde_json::to_value(of_no_key).unwrap();
        assert_eq!(json["key"], serde_json::Value::Null, "an empty key is no key");
    }
}
