//! The SVG writer: numbers rounded to 0.01 px, text escaped, no identifiers, so that several figures can share a
//! page.

use std::fmt::Write;

use super::decimate::Vertex;
use crate::document::is_control;

/// The faces asked for, the embedded one first.
const FAMILY: &str = "'DejaVu Sans', Verdana, Helvetica, Arial, sans-serif";

/// Where a text hangs on its point.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Anchor {
    Start,
    Middle,
    End,
}

/// How a text is set; `angle` in degrees, clockwise on the screen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Setting {
    pub(super) size: f64,
    pub(super) anchor: Anchor,
    pub(super) angle: f64,
    pub(super) colour: &'static str,
    /// A white outline below the letters, for text over data.
    pub(super) halo: bool,
}

/// An SVG document being written.
#[derive(Debug)]
pub(super) struct Svg {
    out: String,
}

impl Svg {
    /// Open a document of the given size with an accessible title and a white ground.
    pub(super) fn new(width: u32, height: u32, title: &str) -> Svg {
        let mut out = String::new();
        let _ = write!(
            out,
            "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{width}\" height=\"{height}\" \
             viewBox=\"0 0 {width} {height}\" role=\"img\" font-family=\"{FAMILY}\">\n<title>"
        );
        escape(&mut out, title);
        let _ = writeln!(out, "</title>\n<rect width=\"{width}\" height=\"{height}\" fill=\"#ffffff\"/>");
        Svg { out }
    }

    /// Write a text centred on the height of its digits at `(x, y)`.
    pub(super) fn text(&mut self, (x, y): (f64, f64), set: Setting, text: &str) {
        if text.is_empty() {
            return;
        }
        self.out.push_str("<text");
        // The baseline lies 0.36 em below the middle of the figures.
        let drop = 0.36 * set.size;
        if set.angle == 0.0 {
            self.attribute("x", x);
            self.attribute("y", y + drop);
        } else {
            self.out.push_str(" transform=\"translate(");
            number(&mut self.out, x);
            self.out.push(' ');
            number(&mut self.out, y);
            self.out.push_str(")rotate(");
            number(&mut self.out, set.angle);
            self.out.push_str(")\"");
            self.attribute("y", drop);
        }
        self.attribute("font-size", set.size);
        match set.anchor {
            Anchor::Start => {}
            Anchor::Middle => self.out.push_str(" text-anchor=\"middle\""),
            Anchor::End => self.out.push_str(" text-anchor=\"end\""),
        }
        if set.halo {
            self.out.push_str(
                " stroke=\"#ffffff\" stroke-width=\"3\" stroke-linejoin=\"round\" paint-order=\"stroke\"",
            );
        }
        let _ = write!(self.out, " fill=\"{}\">", set.colour);
        escape(&mut self.out, text);
        self.out.push_str("</text>\n");
    }

    /// Write a path with ready attributes; an empty path is left out.
    pub(super) fn path(&mut self, data: &str, attributes: &str) {
        if !data.is_empty() {
            let _ = writeln!(self.out, "<path d=\"{data}\" {attributes}/>");
        }
    }

    /// Close the document.
    pub(super) fn finish(mut self) -> String {
        self.out.push_str("</svg>\n");
        self.out
    }

    fn attribute(&mut self, name: &str, value: f64) {
        let _ = write!(self.out, " {name}=\"");
        number(&mut self.out, value);
        self.out.push('"');
    }
}

/// A coordinate in hundredths of a px; what is not a number becomes zero.
fn hundredths(v: f64) -> i64 {
    (v.clamp(-1e9, 1e9) * 100.0).round() as i64
}

fn write_hundredths(out: &mut String, h: i64) {
    if h < 0 {
        out.push('-');
    }
    let h = h.unsigned_abs();
    let _ = match (h / 100, h % 100) {
        (whole, 0) => write!(out, "{whole}"),
        (whole, part) if part % 10 == 0 => write!(out, "{whole}.{}", part / 10),
        (whole, part) => write!(out, "{whole}.{part:02}"),
    };
}

/// Write a number rounded to 0.01.
pub(super) fn number(out: &mut String, v: f64) {
    write_hundredths(out, hundredths(v));
}

/// Path data of polylines in px, each begun by a vertex with `gap` set; a polyline of one point becomes a dot.
pub(super) fn polylines(vertices: &[Vertex]) -> String {
    let mut out = String::new();
    let mut last: Option<(i64, i64)> = None;
    let mut alone = false;
    for v in vertices {
        let (x, y) = (hundredths(v.x), hundredths(v.y));
        match last.filter(|_| !v.gap) {
            None => {
                if alone {
                    out.push_str("h0");
                }
                pair(&mut out, 'M', x, y);
                alone = true;
            }
            Some((px, py)) if px == x && py == y => continue,
            Some((px, py)) => {
                if py == y {
                    out.push('H');
                    write_hundredths(&mut out, x);
                } else if px == x {
                    out.push('V');
                    write_hundredths(&mut out, y);
                } else {
                    pair(&mut out, 'L', x, y);
                }
                alone = false;
            }
        }
        last = Some((x, y));
    }
    if alone {
        out.push_str("h0");
    }
    out
}

fn pair(out: &mut String, command: char, x: i64, y: i64) {
    out.push(command);
    write_hundredths(out, x);
    out.push(' ');
    write_hundredths(out, y);
}

/// Appends a text as XML content or attribute. What XML cannot hold is replaced, and what turns the direction of writing.
fn escape(out: &mut String, text: &str) {
    for c in text.chars() {
        match c {
            '&' => out.push_str("&amp;"),
            '<' => out.push_str("&lt;"),
            '>' => out.push_str("&gt;"),
            '"' => out.push_str("&quot;"),
            '\'' => out.push_str("&#39;"),
            '\n' | '\t' => out.push(c),
            c if is_control(c) || matches!(c, '\u{fffe}' | '\u{ffff}') => out.push('\u{fffd}'),
            c => out.push(c),
        }
    }
}

/// A text as XML content or attribute.
pub fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    escape(&mut out, text);
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    fn written(v: f64) -> String {
        let mut out = String::new();
        number(&mut out, v);
        out
    }

    #[test]
    fn numbers_are_rounded_and_short() {
        assert_eq!(written(1.0), "1");
        assert_eq!(written(-0.001), "0");
        assert_eq!(written(12.345678), "12.35");
        assert_eq!(written(-3.5), "-3.5");
        assert_eq!(written(0.05), "0.05");
        assert_eq!(written(f64::NAN), "0");
        assert_eq!(written(f64::INFINITY), "1000000000");
    }

    #[test]
    fn polylines_break_at_gaps_and_dot_single_points() {
        let v = |x, y, gap| Vertex { x, y, gap };
        let line =
            [v(0.0, 0.0, true), v(1.0, 1.0, false), v(1.001, 1.0, false), v(4.0, 1.0, false), v(5.0, 5.0, true)];
        assert_eq!(polylines(&line), "M0 0L1 1H4M5 5h0");
        assert_eq!(polylines(&[]), "");
    }

    #[test]
    fn what_xml_cannot_hold_is_replaced() {
        assert_eq!(
            super::escaped("a < 'b' & \"c\"\n\u{1}\u{ffff}"),
            "a &lt; &#39;b&#39; &amp; &quot;c&quot;\n\u{fffd}\u{fffd}"
        );
    }
}
