//! Texts that others wrote, for a terminal: what would move its cursor, change its colours or turn the direction of writing is written out.

use std::fmt::Write as _;

/// Whether a character does something to what shows it: control characters, and those that turn the direction of writing.
pub fn is_control(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{61c}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

/// A text of one line, with such characters written out, ends of lines and tabs too.
pub fn printable(text: &str) -> String {
    escaped(text, |_| false, |out, c| out.extend(c.escape_default()))
}

/// A text of lines: their ends and tabs stay.
pub fn printable_lines(text: &str) -> String {
    escaped(text, |c| matches!(c, '\n' | '\t'), |out, c| out.extend(c.escape_default()))
}

/// A JSON document that says the same: outside of strings it has none of these characters but white space, and inside they may be escaped.
pub fn printable_json(text: &str) -> String {
    escaped(
        text,
        |c| matches!(c, '\n' | '\r' | '\t'),
        |out, c| {
            // All of these characters have at most 16 bits.
            let _ = write!(out, "\\u{:04x}", u32::from(c));
        },
    )
}

fn escaped(text: &str, keep: impl Fn(char) -> bool, escape: impl Fn(&mut String, char)) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_control(c) && !keep(c) { escape(&mut out, c) } else { out.push(c) }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    const HARMFUL: &str = "a\u{1b}[31m\u{9b}2J\u{202e}b\u{2066}\u{7f}\r\n\té α";

    #[test]
    fn what_moves_the_cursor_or_turns_the_text_is_written_out() {
        let shown = "a\\u{1b}[31m\\u{9b}2J\\u{202e}b\\u{2066}\\u{7f}\\r";
        assert_eq!(printable(HARMFUL), format!("{shown}\\n\\té α"));
        assert_eq!(printable_lines(HARMFUL), format!("{shown}\n\té α"));
    }

    #[test]
    fn json_stays_the_same_document() {
        let value = serde_json::json!({ "title": HARMFUL });
        let text = printable_json(&serde_json::to_string_pretty(&value).unwrap());
        assert!(!text.chars().any(|c| is_control(c) && c != '\n'), "{text}");
        assert_eq!(serde_json::from_str::<serde_json::Value>(&text).unwrap(), value);
    }
}
