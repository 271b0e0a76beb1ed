//! What the targets of the guided fuzzer share: the laws of `carom_tests::fuzz::target` on inputs that libFuzzer makes, and the mutations of
//! `carom_tests::fuzz::Mutator` beside its own.

use std::fs;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once};
use std::thread;
use std::time::{Duration, Instant};

use carom_tests::fuzz::target::Target;
use carom_tests::fuzz::{Mutator, corpus};

/// A run is asked to stop after this time.
const PATIENCE: Duration = Duration::from_millis(300);

/// When the input at hand began, and its flag.
static RUNNING: Mutex<Option<(Instant, Arc<AtomicBool>)>> = Mutex::new(None);

/// Tries an input; a broken law is a crash.
pub fn check(target: Target, data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else { return };
    watch();
    let stop = Arc::new(AtomicBool::new(false));
    *RUNNING.lock().expect("nothing panics with it") = Some((Instant::now(), Arc::clone(&stop)));
    let found = target(text, &stop);
    *RUNNING.lock().expect("nothing panics with it") = None;
    if let Err(broken) = found {
        panic!("{broken}");
    }
}

fn watch() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        thread::spawn(|| {
            loop {
                if let Some((since, stop)) = &*RUNNING.lock().expect("nothing panics with it") {
                    stop.fetch_or(since.elapsed() > PATIENCE, Ordering::Relaxed);
                }
                thread::sleep(Duration::from_millis(20));
            }
        });
    });
}

/// Writes the texts that mutations begin with into `corpus/<kind>`, where libFuzzer looks for them.
pub fn sow(kind: &str, texts: Vec<String>) {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("corpus").join(kind);
    fs::create_dir_all(&folder).expect("a folder for the corpus");
    for (k, text) in texts.into_iter().chain(corpus::kept(kind)).enumerate() {
        fs::write(folder.join(format!("seed-{k}")), text).expect("room for the corpus");
    }
}

/// An input with one more change that knows words, numbers, lines and values.
pub fn change(data: &mut [u8], size: usize, most: usize, seed: u32) -> usize {
    // Every other change is libFuzzer's own, by what it has seen of comparisons.
    if let (0, Ok(text)) = (seed % 2, std::str::from_utf8(&data[..size])) {
        let changed = Mutator::new(u64::from(seed), vec![text.to_string()]).change(text);
        if changed.len() <= most {
            data[..changed.len()].copy_from_slice(changed.as_bytes());
            return changed.len();
        }
    }
    libfuzzer_sys::fuzzer_mutate(data, size, most)
}
