//! Text measures without a font at hand: the advance widths of DejaVu Sans, the face the PNG writer embeds.
//!
//! The SVG asks for the same face first and for narrower ones after it, so a layout made with these widths never
//! overlaps where another face is substituted.

use crate::document::is_control;

/// Advance widths of U+0020..U+007E in thousandths of the font size.
const ASCII: [u16; 95] = [
    318, 401, 460, 838, 636, 950, 780, 275, 390, 390, 500, 838, 318, 361, 318, 337, 636, 636, 636, 636, 636, 636,
    636, 636, 636, 636, 337, 337, 838, 838, 838, 531, 1000, 684, 686, 698, 770, 632, 575, 775, 752, 295, 295, 656,
    557, 863, 748, 787, 603, 787, 695, 635, 611, 732, 684, 989, 685, 611, 685, 390, 337, 390, 838, 500, 500, 613,
    635, 550, 635, 615, 352, 635, 634, 278, 278, 579, 278, 974, 634, 612, 635, 635, 411, 521, 392, 634, 592, 818,
    592, 592, 525, 636, 337, 636, 838,
];

/// Advance of one character in thousandths of the font size; exact for what figures write often, else a cautious
/// mean of its block.
fn advance(c: char) -> u16 {
    match c {
        ' '..='~' => ASCII[c as usize - 0x20],
        '\u{b2}' | '\u{b3}' | '\u{b9}' | '\u{2070}'..='\u{2079}' | '\u{2080}'..='\u{209f}' => 401,
        '\u{207a}'..='\u{207e}' => 528,
        '\u{300}'..='\u{36f}' => 0,
        '\u{b7}' => 318,
        '\u{b0}' => 500,
        '\u{b1}' | '\u{d7}' | '\u{2190}'..='\u{22ff}' => 838,
        '\u{2026}' => 1000,
        '\u{a0}'..='\u{36f}' | '\u{1e00}'..='\u{1fff}' => 640,
        '\u{3c9}' => 837,
        '\u{370}'..='\u{3ff}' => 660,
        '\u{400}'..='\u{5ff}' => 720,
        '\u{2000}'..='\u{218f}' => 600,
        _ => 1000,
    }
}

/// Width of a text in px at a font size in px.
pub(super) fn width(text: &str, size: f64) -> f64 {
    text.chars().map(|c| f64::from(advance(c))).sum::<f64>() * size / 1000.0
}

/// The text as it is drawn: control characters and line breaks become spaces, what XML cannot hold is replaced, and
/// what is wider than `room` px ends in an ellipsis.
pub(super) fn fit(text: &str, size: f64, room: f64) -> String {
    let text: String = text.chars().map(printable).collect();
    let text = text.trim();
    if width(text, size) <= room {
        return text.to_owned();
    }
    let room = room - width("…", size);
    let mut used = 0.0;
    let mut kept = String::new();
    for c in text.chars() {
        used += f64::from(advance(c)) * size / 1000.0;
        if used > room {
            break;
        }
        kept.push(c);
    }
    if kept.is_empty() { kept } else { kept.trim_end().to_owned() + "…" }
}

/// A character XML 1.0 may hold and a single line may show.
fn printable(c: char) -> char {
    match c {
        '\u{fffe}' | '\u{ffff}' => '\u{fffd}',
        c if is_control(c) => ' ',
        c => c,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn widths_add_up_and_long_text_is_elided() {
        assert!((width("10", 10.0) - 12.72).abs() < 1e-12);
        assert_eq!(fit("energy\nerror", 11.0, 500.0), "energy error");
        let short = fit("a very long label indeed", 11.0, 60.0);
        assert!(short.ends_with('…') && width(&short, 11.0) <= 60.0, "{short}");
        assert_eq!(fit("abc", 11.0, 0.0), "");
        assert_eq!(fit("a\u{0}b\u{ffff}", 11.0, 100.0), "a b\u{fffd}");
    }
}
