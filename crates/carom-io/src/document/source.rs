//! The text of a scene file and the way from a byte offset to a line and a column.

use super::diagnostic::{Diagnostic, Position};

/// The text of one file, without a byte order mark.
#[derive(Clone, Debug)]
pub struct Source {
    name: String,
    text: String,
    /// Byte offset of the first character of every line.
    lines: Vec<usize>,
}

impl Source {
    /// Takes a text; a byte order mark at its start is dropped.
    pub fn new(name: impl Into<String>, text: impl Into<String>) -> Self {
        let mut text = text.into();
        if text.starts_with('\u{feff}') {
            text.remove(0);
        }
        let mut lines = vec![0];
        lines.extend(text.match_indices('\n').map(|(at, _)| at + 1));
        Self { name: name.into(), text, lines }
    }

    /// Takes the bytes of a file; the first byte that is not UTF-8 is reported.
    pub fn from_bytes(name: impl Into<String>, bytes: Vec<u8>) -> Result<Self, Vec<Diagnostic>> {
        let name = name.into();
        String::from_utf8(bytes)
            .map_err(|error| {
                let valid = error.utf8_error().valid_up_to();
                let bytes = error.as_bytes();
                let start = String::from_utf8_lossy(&bytes[..valid]).into_owned();
                let (line, column) = Self::new("", start).position(valid);
                let found = bytes.get(valid).copied().unwrap_or_default();
                vec![Diagnostic {
                    source: name.clone(),
                    position: Some(Position { line, column, length: 1 }),
                    key: String::new(),
                    message: format!("the byte 0x{found:02X} is not UTF-8 text"),
                    help: Some("save the file with the encoding UTF-8".into()),
                }]
            })
            .map(|text| Self::new(name, text))
    }

    /// The name used in messages, in general the path as the user gave it.
    pub fn name(&self) -> &str {
        &self.name
    }

    /// The whole text, without a byte order mark.
    pub fn text(&self) -> &str {
        &self.text
    }

    /// Line and column of a byte offset, both from 1, the column in characters.
    ///
    /// An offset inside a character counts as its start, one beyond the text as its end, and one
    /// between the two characters of a line end `\r\n` as the end of the line.
    pub fn position(&self, offset: usize) -> (usize, usize) {
        let mut offset = offset.min(self.text.len());
        while !self.text.is_char_boundary(offset) {
            offset -= 1;
        }
        let line = self.lines.partition_point(|&start| start <= offset);
        let before = &self.text[self.lines[line - 1]..offset];
        let before = before.strip_suffix('\r').unwrap_or(before);
        (line, before.chars().count() + 1)
    }

    /// Position of a range of bytes; the length ends with the first line, and is at least 1.
    pub fn span(&self, start: usize, end: usize) -> Position {
        let (line, column) = self.position(start);
        let (last_line, last_column) = self.position(end.max(start));
        let last_column = if last_line == line {
            last_column
        } else {
            self.line(line).map_or(0, |text| text.chars().count()) + 1
        };
        Position { line, column, length: last_column.saturating_sub(column).max(1) }
    }

    /// The text of a line (from 1) without its end.
    pub fn line(&self, line: usize) -> Option<&str> {
        let start = *self.lines.get(line.checked_sub(1)?)?;
        let end = self.lines.get(line).map_or(self.text.len(), |next| next - 1);
        let text = &self.text[start..end];
        Some(text.strip_suffix('\r').unwrap_or(text))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_count_characters_not_bytes() {
        let source = Source::new("a", "αβ = 1\n\tγ = \"é\"\n");
        assert_eq!(source.position(0), (1, 1));
        assert_eq!(source.position(1), (1, 1), "inside α");
        assert_eq!(source.position(2), (1, 2));
        let gamma = source.text().find('γ').unwrap();
        assert_eq!(source.position(gamma), (2, 2), "a tab is one character");
        assert_eq!(source.line(2), Some("\tγ = \"é\""));
    }

    #[test]
    fn ends_of_lines_and_of_the_text() {
        let source = Source::new("a", "ab\r\ncd\r\n");
        assert_eq!(source.position(2), (1, 3));
        assert_eq!(source.position(3), (1, 3));
        assert_eq!(source.position(4), (2, 1));
        assert_eq!(source.position(8), (3, 1));
        assert_eq!(source.position(1000), (3, 1));
        assert_eq!(source.line(1), Some("ab"));
        assert_eq!(source.line(3), Some(""));
        assert_eq!(source.line(4), None);
        assert_eq!(source.line(0), None);
    }

    #[test]
    fn spans_end_with_their_first_line() {
        let source = Source::new("a", "a = [1,\r\n2]\n");
        let position = source.span(4, 11);
        assert_eq!((position.line, position.column, position.length), (1, 5, 3));
        assert_eq!(source.span(4, 4).length, 1);
        assert_eq!(source.span(4, 2).length, 1);
        assert_eq!(source.span(100, 200).length, 1);
    }

    #[test]
    fn byte_order_mark_and_empty_text() {
        let source = Source::new("a", "\u{feff}x = 1");
        assert_eq!(source.text(), "x = 1");
        let source = Source::new("a", "");
        assert_eq!(source.position(0), (1, 1));
        assert_eq!(source.line(1), Some(""));
    }

    #[test]
    fn bytes_that_are_not_text() {
        let error = Source::from_bytes("f.toml", b"a = 1\n\xce\xb1 = \xff".to_vec()).unwrap_err();
        let position = error[0].position.unwrap();
        assert_eq!((position.line, position.column), (2, 5));
        assert!(error[0].message.contains("0xFF"));
        assert!(Source::from_bytes("f.toml", b"\xef\xbb\xbfa = 1".to_vec()).is_ok());
    }
}
