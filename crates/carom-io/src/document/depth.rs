//! Refuses absurdly deep nesting before a tree is built from it.
//!
//! The parser limits nested brackets but not dotted keys; a tree of a hundred thousand levels
//! would overflow the stack wherever it is walked, and even when it is dropped.

use toml_parser::Source;
use toml_parser::parser::{Event, EventKind, RecursionGuard, parse_document, parse_value};

/// Deepest nesting of tables and arrays.
pub(super) const DEEPEST: usize = 32;

/// Bracket nesting at which the scan itself stops.
const BRACKETS: u32 = 80;

/// What a text is.
#[derive(Clone, Copy)]
pub(super) enum Text {
    Document,
    Value,
}

/// The bytes where a text first nests deeper than [`DEEPEST`].
pub(super) fn too_deep(text: &str, what: Text) -> Option<(usize, usize)> {
    let source = Source::new(text);
    let tokens = source.lex().into_vec();
    let mut scan = Scan::default();
    let mut receiver = |event: Event| scan.event(&event);
    let mut guard = RecursionGuard::new(&mut receiver, BRACKETS);
    match what {
        Text::Document => parse_document(&tokens, &mut guard, &mut ()),
        Text::Value => parse_value(&tokens, &mut guard, &mut ()),
    }
    scan.found
}

#[derive(Default)]
struct Scan {
    in_header: bool,
    /// Number of keys in the last header.
    header: usize,
    /// Number of keys of the present key-value pair, at the innermost level.
    keys: usize,
    /// Levels of the brackets around it, each with the keys before the bracket.
    around: Vec<usize>,
    found: Option<(usize, usize)>,
}

impl Scan {
    fn event(&mut self, event: &Event) {
        match event.kind() {
            EventKind::StdTableOpen | EventKind::ArrayTableOpen => {
                self.in_header = true;
                self.header = 0;
                self.keys = 0;
                self.around.clear();
            }
            EventKind::StdTableClose | EventKind::ArrayTableClose => self.in_header = false,
            EventKind::SimpleKey if self.in_header => self.header += 1,
            EventKind::SimpleKey => self.keys += 1,
            EventKind::InlineTableOpen | EventKind::ArrayOpen => {
                self.around.push(self.keys + 1);
                self.keys = 0;
            }
            EventKind::InlineTableClose | EventKind::ArrayClose => {
                self.around.pop();
                self.keys = 0;
            }
            EventKind::ValueSep => self.keys = 0,
            EventKind::Newline if self.around.is_empty() => {
                self.in_header = false;
                self.keys = 0;
            }
            _ => {}
        }
        let depth = self.header + self.keys + self.around.iter().sum::<usize>();
        if depth > DEEPEST && self.found.is_none() {
            self.found = Some((event.span().start(), event.span().end()));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn depths() {
        let keys = |n: usize| vec!["a"; n].join(".");
        let deep = |text: &str| too_deep(text, Text::Document).is_some();
        assert!(!deep(&format!("{} = 1\n{} = 1", keys(32), keys(32))));
        assert!(deep(&format!("{} = 1", keys(33))));
        assert!(deep(&format!("[{}]\n{} = 1", keys(20), keys(20))));
        assert!(!deep(&format!("[{}]\n[b]\n{} = 1", keys(20), keys(20))));
        assert!(deep(&format!("x = {{ {} = {{ {} = 1 }} }}", keys(15), keys(15))));
        assert!(!deep(&format!("x = {{ {} = 1, {} = 1 }}", keys(15), keys(15))));
        assert!(deep(&format!("x = {}", "[".repeat(100_000))));
        assert!(deep(&format!("x = {}", "{x=".repeat(100_000))));
        assert!(deep(&format!("[[{}]]", keys(100_000))));
        let value = format!("{{ {} = 1 }}", keys(40));
        assert!(too_deep(&value, Text::Value).is_some());
        assert!(too_deep("[1, 2]", Text::Value).is_none());
        assert!(too_deep("", Text::Document).is_none());
    }

    #[test]
    fn place() {
        let text = format!("# ä\n{}", vec!["a"; 40].join("."));
        let (start, end) = too_deep(&text, Text::Document).unwrap();
        assert_eq!((start, end), (5 + 64, 5 + 65));
    }
}
