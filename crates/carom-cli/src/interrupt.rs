//! Ctrl-C.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::fail::Fail;

/// A flag that Ctrl-C raises: runs end after the step that is being made. A second one ends the program.
pub fn flag() -> Result<Arc<AtomicBool>, Fail> {
    let stop = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&stop);
    let handler = move || {
        if flag.swap(true, Ordering::Relaxed) {
            std::process::exit(1);
        }
    };
    ctrlc::set_handler(handler).map_err(|error| Fail::Failed(format!("error: {error}")))?;
    Ok(stop)
}
