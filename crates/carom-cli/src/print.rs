//! Printing: JSON, tables, numbers.

use std::io::{self, Write as _};

use carom_io::document::{printable, printable_json, printable_lines};
use serde::Serialize;
use serde_json::Value;
use terminal_size::{Width, terminal_size};

use crate::fail::Fail;

/// Columns that texts for readers have at most, and at least: a narrower terminal breaks their lines itself.
pub const WIDTH: usize = 100;
const NARROWEST: usize = 40;

/// Columns of this terminal, as far as texts use them.
fn width() -> usize {
    terminal_size().map_or(WIDTH, |(Width(columns), _)| usize::from(columns).clamp(NARROWEST, WIDTH))
}

/// Prints a text of lines to standard output, those that are too long in several; a closed pipe is no error. Control characters of titles
/// and names are written out.
pub fn out(text: &str) -> Result<(), Fail> {
    write(&fitted(&printable_lines(text)))
}

/// Prints a text to standard output that others read too, like a scene: its lines stay as they are.
pub fn verbatim(text: &str) -> Result<(), Fail> {
    write(&printable_lines(text))
}

/// Prints the text of a JSON document; control characters in its strings are escaped.
pub fn document(text: &str) -> Result<(), Fail> {
    write(&printable_json(text))
}

fn write(text: &str) -> Result<(), Fail> {
    let mut stdout = io::stdout().lock();
    match stdout.write_all(text.as_bytes()).and_then(|()| stdout.flush()) {
        Ok(()) => Ok(()),
        Err(error) if error.kind() == io::ErrorKind::BrokenPipe => Err(Fail::Gone),
        Err(error) => Err(Fail::Failed(format!("error: standard output: {error}"))),
    }
}

/// Says something beside the result, on standard error.
pub fn note(text: &str) {
    // Where nobody reads standard error, there is nobody to say it to.
    let _ = write!(io::stderr(), "{}", fitted(&format!("note: {}\n", printable_lines(text))));
}

/// Prints one JSON document.
pub fn json(value: &impl Serialize) -> Result<(), Fail> {
    match serde_json::to_string_pretty(value) {
        Ok(text) => document(&(text + "\n")),
        Err(error) => Err(Fail::Failed(format!("error: {error}"))),
    }
}

/// Between two columns.
const GAP: usize = 2;

/// The widths of columns.
fn widths(rows: &[Vec<String>]) -> Vec<usize> {
    let count = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter().filter_map(|row| row.get(column)).map(|cell| cell.chars().count()).max().unwrap_or(0)
    };
    (0..count).map(width).collect()
}

/// The cells of a row in columns.
fn line(row: &[String], widths: &[usize]) -> String {
    let mut line = String::new();
    for (cell, width) in row.iter().zip(widths) {
        line.push_str(cell);
        line.extend(std::iter::repeat_n(' ', width - cell.chars().count() + GAP));
    }
    line.trim_end().to_string()
}

/// Cells that end no line: what does is written out.
fn cells(rows: &[Vec<String>]) -> Vec<Vec<String>> {
    rows.iter().map(|row| row.iter().map(|cell| printable(cell)).collect()).collect()
}

/// Lines of cells, the columns aligned; a last column that is too long for the line goes on in lines below.
pub fn list(rows: &[Vec<String>]) -> String {
    lists(rows).concat()
}

/// The same, row by row.
pub fn lists(rows: &[Vec<String>]) -> Vec<String> {
    let rows = cells(rows);
    let widths = widths(&rows);
    let before = widths.split_last().map_or(&[][..], |(_, before)| before);
    // Where the columns before it leave no room, the last one goes on at the middle of the line.
    let indent = before.iter().map(|width| width + GAP).sum::<usize>().min(width() / 2);
    rows.iter().map(|row| wrapped(&line(row, &widths), 0, indent)).collect()
}

/// Lines of cells, the columns aligned. Columns that are too many for a line go on in further tables below, each with the first `heads`
/// columns again.
pub fn table(rows: &[Vec<String>], heads: usize) -> String {
    let widths: Vec<usize> = widths(&cells(rows)).iter().map(|width| width + GAP).collect();
    let heads = heads.min(widths.len());
    let of_heads: usize = widths[..heads].iter().sum();
    let mut parts: Vec<Vec<usize>> = Vec::new();
    let mut used = 0;
    for column in heads..widths.len() {
        if parts.is_empty() || used + widths[column] > width() + GAP {
            parts.push((0..heads).collect());
            used = of_heads;
        }
        used += widths[column];
        parts.last_mut().expect("a part was begun").push(column);
    }
    let cell = |row: &Vec<String>, column: &usize| row.get(*column).cloned().unwrap_or_default();
    let part = |columns: &Vec<usize>| -> Vec<Vec<String>> {
        rows.iter().map(|row| columns.iter().map(|column| cell(row, column)).collect()).collect()
    };
    parts.iter().map(|columns| list(&part(columns))).collect::<Vec<_>>().join("\n")
}

/// A text whose lines fit: what is too long goes on below, to the right of where the line begins.
fn fitted(text: &str) -> String {
    let fit = |line: &str| {
        if line.chars().count() <= width() {
            return format!("{line}\n");
        }
        let blanks = line.chars().take_while(|c| *c == ' ').count();
        wrapped(line, 0, if line.starts_with("note: ") { 6 } else { blanks + 2 })
    };
    let fitted: String = text.split('\n').map(fit).collect();
    fitted.strip_suffix('\n').unwrap_or(&fitted).to_string()
}

/// A command that can be copied: one that is too long for a line goes on in the next, as shells take it.
pub fn command(command: &str) -> String {
    match command.rsplit_once(" --") {
        Some((begin, end)) if command.chars().count() + 2 > width() => format!("  {begin} \\\n      --{end}\n"),
        _ => format!("  {command}\n"),
    }
}

/// A number in few characters.
pub fn short(value: f64) -> String {
    if value == 0.0 {
        "0".into()
    } else if (1e-3..1e6).contains(&value.abs()) {
        let text = format!("{value:.6}");
        text.trim_end_matches('0').trim_end_matches('.').to_string()
    } else {
        format!("{value:.2e}")
    }
}

/// A value of a scene: a number with at most 6 digits, a string without quotes.
pub fn value(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Number(number) if number.is_f64() => {
            let value = number.as_f64().unwrap_or(f64::NAN);
            let rounded: f64 = format!("{value:.5e}").parse().unwrap_or(value);
            let text = format!("{rounded:?}");
            text.strip_suffix(".0").map_or(text.clone(), str::to_string)
        }
        other => other.to_string(),
    }
}

/// Seconds in three digits.
pub fn duration(seconds: f64) -> String {
    match seconds {
        s if s >= 10.0 => format!("{s:.1} s"),
        s if s >= 1.0 => format!("{s:.2} s"),
        s => format!("{:.1} ms", s * 1e3),
    }
}

/// A text in lines of the terminal's width: the first begins after `first` blanks, the others after `rest`.
pub fn wrapped(text: &str, first: usize, rest: usize) -> String {
    let leading = text.chars().take_while(|c| *c == ' ').count();
    let mut lines = vec![" ".repeat(first) + &text[..leading]];
    let mut empty = true;
    for word in text[leading..].split(' ') {
        let line = lines.last().map_or(0, |line| line.chars().count());
        let long = word.chars().count();
        // A name that fits into no line stays where it is.
        if !empty && line + 1 + long > width() && rest + long <= width() {
            lines.push(" ".repeat(rest));
            empty = true;
        }
        if let Some(line) = lines.last_mut() {
            if !empty {
                line.push(' ');
            }
            line.push_str(word);
        }
        empty = false;
    }
    lines.iter().map(|line| format!("{}\n", line.trim_end())).collect()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::{WIDTH, fitted, list, short, table, value, wrapped};

    #[test]
    fn values_are_told_in_few_digits() {
        let values = [json!(1.0 / 3.0), json!(2.0), json!(12), json!(1e-7), json!("gamma"), json!([1, 2])];
        assert_eq!(values.map(|number| value(&number)), ["0.333333", "2", "12", "1e-7", "gamma", "[1,2]"]);
    }

    #[test]
    fn numbers_are_short_and_columns_aligned() {
        assert_eq!([short(0.0), short(-1.5), short(1234.0), short(3.2e-15)], ["0", "-1.5", "1234", "3.20e-15"]);
        let rows = [vec!["a".to_string(), "é".to_string(), "x".to_string()], vec!["long".into(), "b".into()]];
        assert_eq!(list(&rows), "a     é  x\nlong  b\n");
    }

    #[test]
    fn long_texts_are_wrapped_with_an_indent() {
        let text = wrapped(&format!("    claim   {}", "word ".repeat(60).trim_end()), 0, 12);
        assert!(text.lines().all(|line| line.chars().count() <= WIDTH) && text.lines().count() == 4);
        assert!(text.lines().skip(1).all(|line| line.starts_with(&(" ".repeat(12) + "word"))));
        assert_eq!(wrapped("a", 0, 2), "a\n");
        let row = ["  name".to_string(), "é".to_string(), "word ".repeat(40)].to_vec();
        let text = list(&[row, vec!["b".into(), "c".into(), "d".into()]]);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.len() == 4 && lines.iter().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert!(lines[0].starts_with("  name  é  word") && lines[1].starts_with("           word"), "{text}");
        assert_eq!(lines[3], "b       c  d");
    }

    #[test]
    fn a_wide_table_goes_on_below_with_its_first_columns() {
        let row = |name: &str| [vec![name.to_string()], vec!["1234567890".to_string(); 12]].concat();
        let text = table(&[row("head"), row("x")], 1);
        let lines: Vec<&str> = text.lines().collect();
        assert!(lines.iter().all(|line| line.chars().count() <= WIDTH), "{text}");
        assert_eq!(lines.iter().filter(|line| line.starts_with("head  1234567890")).count(), 2, "{text}");
        assert_eq!(text.matches("1234567890").count(), 24);
        assert_eq!(table(&[vec!["a".into(), "b".into()]], 1), "a  b\n");
    }

    #[test]
    fn long_lines_of_a_text_are_broken_and_the_others_stay() {
        let words = "word ".repeat(30);
        let text = fitted(&format!("short  line\n\nnote: {}\n    {}\n", words.trim_end(), words.trim_end()));
        assert!(text.starts_with("short  line\n\nnote: word") && text.ends_with("word\n"), "{text}");
        assert!(text.contains("\n      word") && text.lines().all(|line| line.chars().count() <= WIDTH), "{text}");
        let path = format!("open {}", "a".repeat(200));
        assert_eq!(fitted(&path), path, "a name is not broken");
    }
}
