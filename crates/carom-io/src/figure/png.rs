//! The PNG writer: the SVG drawn by `resvg` with an embedded DejaVu Sans, so that the picture is the same on every
//! machine, whatever fonts it has.

use std::fmt;
use std::sync::{Arc, OnceLock};

use resvg::tiny_skia::{Pixmap, Transform};
use resvg::usvg::fontdb::{Database, Source};
use resvg::usvg::{Options, Tree};

/// The greatest side of a picture in pixels.
const LONGEST: f32 = 32_768.0;
/// The greatest number of pixels of a picture, at four bytes each.
const MOST: f32 = 268_435_456.0;

/// Why a figure could not be drawn as PNG.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PngError {
    /// The scale is not a positive number, or the picture would be too large.
    Size,
    /// The drawing or its encoding failed.
    Drawing(String),
}

impl fmt::Display for PngError {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            PngError::Size => f.write_str("the scale of the picture is not positive or makes it too large"),
            PngError::Drawing(why) => write!(f, "the picture could not be drawn: {why}"),
        }
    }
}

impl std::error::Error for PngError {}

/// The embedded font, loaded once.
fn fonts() -> Arc<Database> {
    static FONTS: OnceLock<Arc<Database>> = OnceLock::new();
    let load = || {
        let mut fonts = Database::new();
        fonts.load_font_source(Source::Binary(Arc::new(dejavu::sans::regular())));
        fonts.set_sans_serif_family("DejaVu Sans");
        Arc::new(fonts)
    };
    FONTS.get_or_init(load).clone()
}

fn parse(svg: &str) -> Result<Tree, PngError> {
    let options = Options { fontdb: fonts(), font_family: "DejaVu Sans".to_owned(), ..Options::default() };
    Tree::from_str(svg, &options).map_err(|e| PngError::Drawing(e.to_string()))
}

/// Draw an SVG at `scale` pixels per px.
pub(super) fn render(svg: &str, scale: f32) -> Result<Vec<u8>, PngError> {
    let tree = parse(svg)?;
    let (w, h) = ((tree.size().width() * scale).round(), (tree.size().height() * scale).round());
    if !(w >= 1.0 && h >= 1.0 && w <= LONGEST && h <= LONGEST && w * h <= MOST) {
        return Err(PngError::Size);
    }
    let mut pixels = Pixmap::new(w as u32, h as u32).ok_or(PngError::Size)?;
    resvg::render(&tree, Transform::from_scale(scale, scale), &mut pixels.as_mut());
    pixels.encode_png().map_err(|e| PngError::Drawing(e.to_string()))
}

#[cfg(test)]
mod tests {
    use super::super::text;
    use super::*;

    #[test]
    fn the_width_table_agrees_with_the_font() {
        for label in
            ["Energy error |ΔE| / E₀", "×10⁻⁶ + 0.5", "10⁻¹²", "θ̇ (rad/s)", "q, p: α β γ ω φ", "Störmer–Verlet"]
        {
            let svg = format!(
                "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"900\" height=\"90\">\
                 <text x=\"9\" y=\"50\" font-size=\"40\" font-family=\"DejaVu Sans\">{label}</text></svg>"
            );
            let found = f64::from(parse(&svg).unwrap().root().bounding_box().width());
            let expected = text::width(label, 40.0);
            assert!((found / expected - 1.0).abs() < 0.06, "{label}: {found} for {expected}");
        }
    }

    #[test]
    fn impossible_sizes_are_refused() {
        let svg = "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"10\" height=\"10\"/>";
        for scale in [0.0, -1.0, f32::NAN, f32::INFINITY, 1e9] {
            assert_eq!(render(svg, scale), Err(PngError::Size));
        }
        assert!(render(svg, 1.0).unwrap().starts_with(b"\x89PNG"));
    }
}
