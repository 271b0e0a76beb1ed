//! Many inputs for one target: counts of what became of them, and every one that broke a law.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::panic::{self, AssertUnwindSafe};
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, Once};
use std::thread;
use std::time::{Duration, Instant};

use super::target::Target;
use super::{Fate, Mutator};

/// A run is asked to stop after this time.
const PATIENCE: Duration = Duration::from_millis(300);
/// What does not end within this time never will, also on a machine that does much else.
const HANGS: Duration = Duration::from_secs(300);

/// What came out.
#[derive(Debug, Default)]
pub struct Campaign {
    /// How many inputs were refused, failed, were done, and were left.
    pub fates: BTreeMap<&'static str, usize>,
    /// Inputs that broke a law, with what they broke.
    pub broken: Vec<(String, String)>,
    /// Inputs that took longest.
    pub slowest: (Duration, String),
}

/// What runs at the moment: since when, its flag, the input.
type Running = Mutex<Option<(Instant, Arc<AtomicBool>, String)>>;

impl Campaign {
    /// Tries the kept inputs, then mutations until there were `count` of them.
    pub fn run(target: Target, kept: Vec<String>, mut mutator: Mutator, count: usize) -> Self {
        quiet();
        let running = Arc::new(Running::default());
        watch(&running);
        let mut campaign = Self::default();
        for text in kept {
            campaign.input(target, text, &running);
        }
        for _ in 0..count {
            campaign.input(target, mutator.text(), &running);
        }
        campaign
    }

    fn input(&mut self, target: Target, text: String, running: &Running) {
        let (begun, stop) = (Instant::now(), Arc::new(AtomicBool::new(false)));
        *running.lock().expect("the watch does not panic") = Some((begun, Arc::clone(&stop), text.clone()));
        let found = panic::catch_unwind(AssertUnwindSafe(|| target(&text, &stop)));
        *running.lock().expect("the watch does not panic") = None;
        if begun.elapsed() > self.slowest.0 {
            self.slowest = (begun.elapsed(), text.clone());
        }
        match found {
            Ok(Ok(fate)) => {
                let name = match fate {
                    Fate::Refused => "refused",
                    Fate::Failed => "failed",
                    Fate::Done => "done",
                    Fate::Left => "left",
                };
                *self.fates.entry(name).or_default() += 1;
            }
            Ok(Err(broken)) => self.broken.push((text, broken)),
            Err(_) => self.broken.push((text, format!("panicked: {}", LAST.take()))),
        }
    }

    /// Writes the slowest input and every one that broke a law into a folder; what they broke.
    pub fn keep(&self, folder: &Path) -> String {
        std::fs::create_dir_all(folder).expect("a folder for findings");
        std::fs::write(folder.join("slowest.txt"), &self.slowest.1).expect("room for findings");
        let mut told = String::new();
        for (k, (text, broken)) in self.broken.iter().enumerate() {
            let path = folder.join(format!("{k}.txt"));
            std::fs::write(&path, text).expect("room for findings");
            let broken: String = broken.chars().take(600).collect();
            told.push_str(&format!("{}: {broken}\n", path.display()));
        }
        told
    }
}

thread_local! {
    /// What the last panic of this thread said.
    static LAST: RefCell<String> = const { RefCell::new(String::new()) };
}

/// A panic is a finding: it is reported with the input that led to it.
fn quiet() {
    static ONCE: Once = Once::new();
    ONCE.call_once(|| {
        let before = panic::take_hook();
        panic::set_hook(Box::new(move |info| {
            let place = info.location().map(ToString::to_string).unwrap_or_default();
            let payload = info.payload();
            let said =
                payload.downcast_ref::<&str>().copied().or(payload.downcast_ref::<String>().map(String::as_str));
            LAST.set(format!("{place}: {}", said.unwrap_or_default()));
            if !place.contains("src/") || place.contains("carom-tests") {
                before(info);
            }
        }));
    });
}

/// Asks runs to stop that take long, and ends the process where nothing helps.
fn watch(running: &Arc<Running>) {
    let running = Arc::downgrade(running);
    thread::spawn(move || {
        while let Some(running) = running.upgrade() {
            if let Some((since, stop, text)) = &*running.lock().expect("no panic holds it") {
                if since.elapsed() > PATIENCE {
                    stop.store(true, Ordering::Relaxed);
                }
                if since.elapsed() > HANGS {
                    eprintln!("an input hangs:\n{text}");
                    std::process::exit(101);
                }
            }
            drop(running);
            thread::sleep(Duration::from_millis(20));
        }
    });
}
