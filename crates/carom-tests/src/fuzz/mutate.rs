//! Changes a text: bytes, tokens, lines, values.

use super::Dice;
use super::tree;

/// Numbers at which something ends: ranges, digits, counts, memory.
pub const NUMBERS: [&str; 44] = [
    "0",
    "-0.0",
    "1",
    "-1",
    "2",
    "3",
    "0.5",
    "1e308",
    "-1e308",
    "1.7976931348623157e308",
    "1e309",
    "5e-324",
    "-5e-324",
    "1e-300",
    "1e-12",
    "nan",
    "-nan",
    "inf",
    "-inf",
    "1e15",
    "1e16",
    "9007199254740993",
    "255",
    "65536",
    "100000",
    "1000000",
    "2147483648",
    "4294967296",
    "9223372036854775807",
    "-9223372036854775808",
    "18446744073709551615",
    "9223372036854775808",
    "0x10",
    "1_000",
    "1e",
    ".",
    "1e400",
    "00",
    "1e6",
    "1e-6",
    "0.1",
    "1e3",
    "-2",
    "1e100",
];

/// Pieces that mean something to one of the readers, or to a terminal, or to a page.
const PIECES: [&str; 46] = [
    "\"",
    "'",
    "[",
    "]",
    "{",
    "}",
    "(",
    ")",
    "[[",
    "]]",
    "=",
    ".",
    ",",
    "\n",
    "\r",
    "\t",
    "\u{0}",
    "\\",
    "é",
    "α",
    "\"\"\"",
    "#",
    "^",
    "*",
    "/",
    "-",
    "+",
    "^-",
    "^0.5",
    "/0",
    "*0",
    "\u{1b}[31m",
    "\u{9b}2J",
    "\u{202e}",
    "\u{feff}",
    "\u{10ffff}",
    "<script>",
    "]]>",
    "&amp;",
    "sqrt(",
    "abs(",
    "log(",
    "atan2(",
    "dot(",
    "i",
    "x",
];

/// Keys and values that scenes have, so that mutations meet what a reader knows.
const WORDS: [&str; 40] = [
    "repeat = { index = \"i\", count = 3 }",
    "count = 1000000000",
    "restitution = 0.5",
    "friction = 0.3",
    "compliance = 1e-6",
    "damping = 0.1",
    "on_failure = \"halve\"",
    "interval = 1e-3",
    "interval = 1e-300",
    "every = 7",
    "until = 1e300",
    "step = -0.01",
    "step = 1e-300",
    "steps = 3",
    "measures = [\"ledger\"]",
    "measures = [\"constraint-forces\", \"symplecticity\", \"reversal\"]",
    "name = \"spook\"",
    "name = \"vci\"",
    "name = \"cva\"",
    "name = \"gvi\"",
    "name = \"galerkin\"",
    "name = \"pem\"",
    "name = \"penalty\"",
    "name = \"projection\"",
    "name = \"direct\"",
    "name = \"newmark\"",
    "name = \"verlet\"",
    "name = \"midpoint\"",
    "name = \"variational\"",
    "equations = \"nonlinear\"",
    "stiffness = 1e300",
    "tolerance = 1e300",
    "order = 40",
    "order = 0",
    "rule = \"gamma\"",
    "gamma = 2.0",
    "expression = \"1/x\"",
    "gravity = [0, -1e300]",
    "mass = 1e-300",
    "radius = 0",
];

/// Mutates texts of a corpus.
pub struct Mutator {
    /// The choices.
    pub dice: Dice,
    corpus: Vec<String>,
}

impl Mutator {
    /// Of a corpus, which is not empty.
    pub fn new(seed: u64, corpus: Vec<String>) -> Self {
        Self { dice: Dice::new(seed), corpus }
    }

    /// A text of the corpus with a few changes.
    pub fn text(&mut self) -> String {
        let mut text = self.dice.pick::<str>(&self.corpus).to_string();
        let most = if self.dice.once_in(4) { 6 } else { 2 };
        let changes = 1 + self.dice.below(most);
        for _ in 0..changes {
            text = self.change(&text);
        }
        text
    }

    /// A text with one change.
    pub fn change(&mut self, text: &str) -> String {
        if text.is_empty() {
            return self.dice.pick::<str>(&PIECES).to_string();
        }
        match self.dice.below(20) {
            0 => self.change_bytes(text),
            1 | 2 => self.change_lines(text),
            3..=12 => self.change_number(text),
            13 => self.change_word(text),
            14 => self.change_tokens(text),
            15 => self.insert(text),
            _ => tree::change(text, &mut self.dice).unwrap_or_else(|| self.change_number(text)),
        }
    }

    /// Some bytes less, twice, or others; what is no text any more is repaired.
    fn change_bytes(&mut self, text: &str) -> String {
        let mut bytes = text.as_bytes().to_vec();
        let range = self.dice.range(bytes.len());
        match self.dice.below(5) {
            0 => drop(bytes.drain(range)),
            1 => {
                let piece = bytes[range.clone()].to_vec();
                let place = self.dice.below(bytes.len());
                bytes.splice(place..place, piece);
            }
            2 => bytes[range.start] ^= 1 << self.dice.below(8),
            3 => bytes.truncate(range.start),
            _ => {
                let other = self.dice.pick::<str>(&self.corpus).as_bytes();
                let piece = other[self.dice.range(other.len().max(1)).start.min(other.len())..].to_vec();
                bytes.truncate(range.start);
                bytes.extend(piece);
            }
        }
        String::from_utf8_lossy(&bytes).into_owned()
    }

    /// A line less, twice, elsewhere, or one of another text.
    fn change_lines(&mut self, text: &str) -> String {
        let mut lines: Vec<&str> = text.lines().collect();
        if lines.is_empty() {
            return text.repeat(2);
        }
        let (at, other) = (self.dice.below(lines.len()), self.dice.below(lines.len()));
        match self.dice.below(6) {
            0 => drop(lines.drain(self.dice.range(lines.len()))),
            1 => lines.insert(other, lines[at]),
            2 => lines.swap(at, other),
            3 => lines.insert(at, self.dice.pick::<str>(&WORDS)),
            _ => {
                let given = self.dice.below(self.corpus.len());
                let theirs: Vec<&str> = self.corpus[given].lines().collect();
                if !theirs.is_empty() {
                    let range = self.dice.range(theirs.len());
                    lines.splice(at..at, theirs[range].iter().copied());
                }
            }
        }
        lines.join("\n") + "\n"
    }

    /// Another number in the place of one.
    fn change_number(&mut self, text: &str) -> String {
        let numbers = tokens(text, |token| token.starts_with(|c: char| c.is_ascii_digit()));
        if numbers.is_empty() {
            return self.insert(text);
        }
        let range = numbers[self.dice.below(numbers.len())].clone();
        let number = match self.dice.below(4) {
            0..=2 => scaled(&text[range.clone()], &mut self.dice),
            _ => self.dice.pick::<str>(&NUMBERS).to_string(),
        };
        replaced(text, range, &number)
    }

    /// Another word of this text, or of another, in the place of one.
    fn change_word(&mut self, text: &str) -> String {
        let is_word = |token: &str| token.starts_with(|c: char| c.is_alphabetic());
        let words = tokens(text, is_word);
        let given = self.dice.below(self.corpus.len());
        let source = if self.dice.once_in(2) { text } else { &self.corpus[given] };
        let theirs = tokens(source, is_word);
        if words.is_empty() || theirs.is_empty() {
            return self.insert(text);
        }
        let word = source[theirs[self.dice.below(theirs.len())].clone()].to_string();
        replaced(text, words[self.dice.below(words.len())].clone(), &word)
    }

    /// Two tokens in each other's place.
    fn change_tokens(&mut self, text: &str) -> String {
        let all = tokens(text, |token| !token.trim().is_empty());
        if all.len() < 2 {
            return self.insert(text);
        }
        let (a, b) = (self.dice.below(all.len()), self.dice.below(all.len()));
        let (a, b) = (all[a.min(b)].clone(), all[a.max(b)].clone());
        let swapped = replaced(text, b.clone(), &text[a.clone()]);
        replaced(&swapped, a, &text[b])
    }

    /// A piece that means something, once or many times.
    fn insert(&mut self, text: &str) -> String {
        let piece = match self.dice.below(3) {
            0 => self.dice.pick::<str>(&NUMBERS),
            _ => self.dice.pick::<str>(&PIECES),
        };
        let times = if self.dice.once_in(8) { 1 + self.dice.below(2000) } else { 1 };
        let places: Vec<usize> = text.char_indices().map(|(at, _)| at).collect();
        let at = places.get(self.dice.below(places.len().max(1))).copied().unwrap_or(0);
        replaced(text, at..at, &piece.repeat(times))
    }
}

/// A number a little or much larger or smaller, of the other sign, or with more digits.
fn scaled(number: &str, dice: &mut Dice) -> String {
    let Ok(value) = number.parse::<f64>() else { return format!("{number}0") };
    let factor = [-1.0, 1e-9, 1e-3, 0.3, 1.0 + 1e-13, 1.01, 3.0, 1e3, 1e9, 1e150][dice.below(10)];
    let scaled = value * factor;
    // Where a count was, a count may go on.
    if number.bytes().all(|c| c.is_ascii_digit()) && scaled.abs() < 1e15 {
        format!("{scaled:.0}")
    } else {
        format!("{scaled:?}")
    }
}

fn replaced(text: &str, range: std::ops::Range<usize>, by: &str) -> String {
    [&text[..range.start], by, &text[range.end..]].concat()
}

/// The places of the tokens of a text that are wanted: words, numbers, single signs.
fn tokens(text: &str, wanted: impl Fn(&str) -> bool) -> Vec<std::ops::Range<usize>> {
    let mut found = Vec::new();
    let mut letters = text.char_indices().peekable();
    while let Some((start, first)) = letters.next() {
        let mut end = start + first.len_utf8();
        let goes_on = |c: char| match first {
            '0'..='9' => c.is_ascii_alphanumeric() || c == '.',
            _ => first.is_alphabetic() && (c.is_alphanumeric() || c == '_' || c == '-'),
        };
        while let Some((at, c)) = letters.next_if(|&(_, c)| goes_on(c)) {
            end = at + c.len_utf8();
        }
        if wanted(&text[start..end]) {
            found.push(start..end);
        }
    }
    found
}
