//! Signals that ask a program to end: Ctrl-C, and what closes a terminal or stops a service.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;

use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::flag;

use crate::fail::Fail;

/// A flag that such a signal raises: runs end after the step that is being made. A second signal ends the program at once.
pub fn flag() -> Result<Arc<AtomicBool>, Fail> {
    let stop = Arc::new(AtomicBool::new(false));
    for signal in signals() {
        let heeded = flag::register_conditional_shutdown(signal, 1, Arc::clone(&stop))
            .and_then(|_| flag::register(signal, Arc::clone(&stop)));
        heeded.map_err(|error| Fail::Failed(format!("error: signal {signal}: {error}")))?;
    }
    Ok(stop)
}

/// A limit on the size of files (`ulimit -f`) is to end in an error of the write that exceeds it, not in a signal that ends the program without
/// a word: a handler that does nothing of note takes it.
#[cfg(unix)]
pub fn outlive_limits() -> Result<(), Fail> {
    use signal_hook::consts::SIGXFSZ;
    let taken = flag::register(SIGXFSZ, Arc::new(AtomicBool::new(false)));
    taken.map(|_| ()).map_err(|error| Fail::Failed(format!("error: signal {SIGXFSZ}: {error}")))
}

/// Other systems have no such limit.
#[cfg(not(unix))]
pub fn outlive_limits() -> Result<(), Fail> {
    Ok(())
}

#[cfg(not(unix))]
fn signals() -> Vec<i32> {
    vec![SIGINT, SIGTERM]
}

/// SIGHUP too, except where whoever started the program has it ignored, as `nohup` does.
#[cfg(unix)]
fn signals() -> Vec<i32> {
    use signal_hook::consts::SIGHUP;
    let mut signals = vec![SIGINT, SIGTERM];
    if !is_ignored(SIGHUP) {
        signals.push(SIGHUP);
    }
    signals
}

/// Whether a signal is ignored, on systems that say so.
#[cfg(unix)]
fn is_ignored(signal: i32) -> bool {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"));
    let mask = mask.and_then(|mask| u64::from_str_radix(mask.trim(), 16).ok()).unwrap_or(0);
    mask >> (signal - 1) & 1 == 1
}
