//! What is measured of a run: pure functions of frames.

mod drift;
mod momentum;
mod summary;

pub use drift::{Drift, Trend};
pub use momentum::{Conserved, Momentum};
pub use summary::{Extremes, Summary};
