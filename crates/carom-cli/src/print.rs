//! Printing: JSON, tables, numbers.

use std::io::{self, Write as _};

use carom_io::document::{printable, printable_json, printable_lines};
use serde::Serialize;
use serde_json::Value;

use crate::fail::Fail;

/// Columns of a terminal.
pub const WIDTH: usize = 100;

/// Prints a text of lines to standard output; a closed pipe is no error. Control characters of titles and names are written out.
pub fn out(text: &str) -> Result<(), Fail> {
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
    let _ = writeln!(io::stderr(), "note: {}", printable_lines(text));
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

/// Lines of cells, the columns aligned; the last column is not padded.
pub fn columns(rows: &[Vec<String>]) -> String {
    let rows = cells(rows);
    let widths = widths(&rows);
    rows.iter().map(|row| line(row, &widths) + "\n").collect()
}

/// The same in the terminal's width: the last column goes on in lines below.
pub fn list(rows: &[Vec<String>]) -> String {
    let rows = cells(rows);
    let widths = widths(&rows);
    let before = widths.split_last().map_or(&[][..], |(_, before)| before);
    let indent = before.iter().map(|width| width + GAP).sum();
    rows.iter().map(|row| wrapped(&line(row, &widths), 0, indent)).collect()
}

/// A command that can be copied: one that is too long for a line goes on in the next, as shells take it.
pub fn command(command: &str) -> String {
    match command.rsplit_once(" --") {
        Some((begin, end)) if command.chars().count() + 2 > WIDTH => format!("  {begin} \\\n      --{end}\n"),
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
        if !empty && line + 1 + word.chars().count() > WIDTH {
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

    use super::{WIDTH, columns, list, short, value, wrapped};

    #[test]
    fn values_are_told_in_few_digits() {
        let values = [json!(1.0 / 3.0), json!(2.0), json!(12), json!(1e-7), json!("gamma"), json!([1, 2])];
        assert_eq!(values.map(|number| value(&number)), ["0.333333", "2", "12", "1e-7", "gamma", "[1,2]"]);
    }

    #[test]
    fn numbers_are_short_and_columns_aligned() {
        assert_eq!([short(0.0), short(-1.5), short(1234.0), short(3.2e-15)], ["0", "-1.5", "1234", "3.20e-15"]);
        let rows = [vec!["a".to_string(), "é".to_string(), "x".to_string()], vec!["long".into(), "b".into()]];
        assert_eq!(columns(&rows), "a     é  x\nlong  b\n");
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
}
