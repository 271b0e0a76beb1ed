//! What a run leaves behind: tables of columns that grow while it runs, and snapshots that it can go on from.
//!
//! A table is two files. `NAME.f64` holds rows of little-endian doubles and nothing else: it is only ever appended to,
//! so that a run that is cut off leaves every full row readable. `NAME.json` names the columns. Any language reads both
//! in two lines; in Python:
//!
//! ```python
//! names = [c["name"] for c in json.load(open("runs/kepler/trajectory.json"))["columns"]]
//! rows = numpy.fromfile("runs/kepler/trajectory.f64").reshape(-1, len(names))
//! ```

mod contacts;
mod events;
mod examine;
mod export;
mod measures;
mod motion;
mod session;
mod snapshot;
mod table;

pub(crate) use contacts::{Layout, rows as contact_rows};
pub(crate) use events::{Extent, columns as event_columns};
pub use examine::{examine, verify};
pub use export::{ExportError, Exported, export};
pub(crate) use measures::Measures;
pub(crate) use motion::Motion;
pub(crate) use session::accounts;
pub use session::{Session, SessionError, tables};
pub use snapshot::Snapshot;
pub use table::{Column, TableReader, TableWriter};
