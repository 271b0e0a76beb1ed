//! Scientific figures as SVG and PNG: lines, markers, error bars, bands, regions and guides on linear and logarithmic axes.
//!
//! The same figure always gives the same bytes. Data of any kind are drawn as far as they can be: what is not finite,
//! or not positive on a logarithmic axis, leaves a gap. Long series are thinned without losing an extreme; a
//! [`Trace`] gathers them point by point in bounded memory.
//!
//! ```no_run
//! use carom_io::figure::{Axis, Figure, Panel};
//!
//! # fn main() -> Result<(), Box<dyn std::error::Error>> {
//! let points = [(0.0, 1e-9), (1.0, 3e-9), (2.0, 2e-9)];
//! let figure = Figure::new(640, 400)
//!     .title("Energy error")
//!     .panel(Panel::new().x(Axis::linear("t")).y(Axis::log("|ΔE|")).line("verlet", points));
//! std::fs::write("energy.svg", figure.to_svg())?;
//! std::fs::write("energy.png", figure.to_png(2.0)?)?;
//! # Ok(())
//! # }
//! ```

mod axis;
mod coverage;
mod decimate;
mod draw;
mod envelope;
mod geometry;
mod layout;
mod legend;
mod marker;
mod number;
mod occupancy;
mod panel;
mod png;
mod region;
mod series;
mod shape;
mod svg;
#[cfg(test)]
mod tests;
mod text;
mod ticks;
mod trace;

pub use axis::{Axis, Scale};
pub use panel::Panel;
pub use png::PngError;
pub use series::{Marker, Series};
pub(crate) use svg::escaped;
pub use trace::Trace;

use layout::{TITLE_ROW, TITLE_SIZE};
use shape::Rect;
use svg::{Anchor, Svg};

/// Least and greatest side of a figure in px.
const SIDES: (u32, u32) = (16, 16_384);

/// A figure: panels in a grid, under a common title.
#[derive(Clone, Debug)]
pub struct Figure {
    width: u32,
    height: u32,
    title: String,
    columns: usize,
    panels: Vec<Panel>,
}

impl Figure {
    /// An empty figure of a size in px, each side taken to be between 16 and 16 384.
    pub fn new(width: u32, height: u32) -> Figure {
        let side = |px: u32| px.clamp(SIDES.0, SIDES.1);
        Figure { width: side(width), height: side(height), title: String::new(), columns: 1, panels: Vec::new() }
    }

    /// Set the title.
    pub fn title(mut self, title: impl Into<String>) -> Figure {
        self.title = title.into();
        self
    }

    /// Place the panels in this many columns, row by row; one unless told otherwise.
    pub fn columns(mut self, columns: usize) -> Figure {
        self.columns = columns;
        self
    }

    /// Add a panel.
    pub fn panel(mut self, panel: Panel) -> Figure {
        self.panels.push(panel);
        self
    }

    /// The figure as an SVG document.
    pub fn to_svg(&self) -> String {
        let (w, h) = (f64::from(self.width), f64::from(self.height));
        let title = text::fit(&self.title, TITLE_SIZE, w - 16.0);
        let spoken = text::fit(&self.title, TITLE_SIZE, f64::INFINITY);
        let mut svg = Svg::new(self.width, self.height, if spoken.is_empty() { "Figure" } else { &spoken });
        let top = if title.is_empty() { 0.0 } else { TITLE_ROW + 4.0 };
        svg.text((0.5 * w, 4.0 + 0.5 * TITLE_ROW), draw::plain(TITLE_SIZE, Anchor::Middle), &title);
        let area = Rect { x: 0.0, y: top, w, h: h - top };
        for (panel, plan) in self.panels.iter().zip(layout::arrange(&self.panels, self.columns, area)) {
            draw::panel(&mut svg, panel, &plan);
        }
        svg.finish()
    }

    /// The figure as a PNG picture of `scale` pixels per px.
    pub fn to_png(&self, scale: f32) -> Result<Vec<u8>, PngError> {
        png::render(&self.to_svg(), scale)
    }
}
