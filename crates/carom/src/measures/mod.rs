//! What is measured of a run: pure functions of frames.

mod discrete;
mod drift;
pub mod findings;
mod ledger;
mod momentum;
mod passages;
mod probe;
mod summary;
mod symmetry;

pub use discrete::DiscreteEnergy;
pub use drift::{Drift, Trend};
pub use findings::{Conservation, EnergyTrend, Evidence, Finding, Findings, Gauge, Kind};
pub use ledger::{Account, Ledger, Role};
pub use momentum::{Conserved, Momentum};
pub use passages::{Farthest, Passages};
pub use probe::{Probe, ProbeError};
pub use summary::{Extremes, ImpactEnergy, MOST_COUNTED, Summary, SymmetryChange};
pub use symmetry::{Symmetry, VectorField};
