//! Threads that share the work of one evaluation.
//!
//! A team is an argument: whoever sets a system up hands it one, and nothing here starts a thread without. What is shared is cut into pieces
//! by the system alone, never by the number of threads, so that results have the same bits for every team. The thread that asks works too;
//! its helpers stay awake between the evaluations of a run, since a thread that sleeps is woken late, and by some kernels beside the one that
//! woke it while another core is idle. Alone nothing is allocated; with helpers a few jobs per evaluation are.

use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use rayon_core::{ThreadPool, ThreadPoolBuilder, Yield};

/// More threads than this are never started: systems are cut into no more pieces.
pub const MOST_THREADS: usize = 32;

/// How long helpers look out for work: longer than a step does anything else, short beside a run.
const PATIENCE: Duration = Duration::from_millis(2);

/// Threads that work together; clones are the same threads.
#[derive(Debug, Clone, Default)]
pub struct Team(Option<Arc<Threads>>);

#[derive(Debug)]
struct Threads {
    count: usize,
    /// All but the one that asks. Started when there is work for the first time; none where the machine has no more.
    helpers: OnceLock<Option<ThreadPool>>,
    lookout: Arc<Lookout>,
}

/// What helpers that stay awake look at.
#[derive(Debug, Default)]
struct Lookout {
    /// Evaluations so far.
    asked: AtomicU64,
    awake: AtomicUsize,
}

impl Team {
    /// The thread that asks, and no other.
    pub fn alone() -> Self {
        Self(None)
    }

    /// So many threads, at most [`MOST_THREADS`]; 0 and 1 are the thread that asks alone. The others are started when there is work for them,
    /// and if they cannot be, the thread that asks works alone.
    pub fn of(threads: usize) -> Self {
        let count = threads.min(MOST_THREADS);
        let new = || Threads { count, helpers: OnceLock::new(), lookout: Arc::default() };
        Self((count > 1).then(|| Arc::new(new())))
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.0.as_ref().map_or(1, |threads| threads.count)
    }

    /// Calls `work` once with every piece of `size` items and the place of its first item, in any order. The last piece may be shorter.
    pub fn pieces<T: Send>(&self, items: &mut [T], size: usize, work: impl Fn(usize, &mut [T]) + Sync) {
        let (size, count) = (size.max(1), items.len());
        let pieces = items.chunks_mut(size).enumerate();
        let threads = self.0.as_ref().filter(|_| count > size);
        let Some((threads, helpers)) = threads.and_then(|threads| Some((threads, threads.helpers()?))) else {
            return pieces.for_each(|(k, piece)| work(k * size, piece));
        };
        // Whoever is free takes the next piece.
        let left = Mutex::new(pieces);
        let next = || left.lock().unwrap_or_else(PoisonError::into_inner).next();
        let share = || {
            while let Some((k, piece)) = next() {
                work(k * size, piece);
            }
        };
        let wanted = (threads.count - 1).min(count.div_ceil(size) - 1);
        helpers.in_place_scope(|scope| {
            (0..wanted).for_each(|_| scope.spawn(|_| share()));
            share();
        });
    }

    /// Calls `work` once with every item, in any order.
    pub fn each<T: Send>(&self, items: &mut [T], work: impl Fn(&mut T) + Sync) {
        self.pieces(items, 1, |_, piece| piece.iter_mut().for_each(&work));
    }
}

impl Threads {
    /// The helpers, awake.
    fn helpers(&self) -> Option<&ThreadPool> {
        let build = || ThreadPoolBuilder::new().num_threads(self.count - 1).build().ok();
        let helpers = self.helpers.get_or_init(build).as_ref()?;
        self.lookout.asked.fetch_add(1, Relaxed);
        if self.lookout.awake.compare_exchange(0, self.count - 1, Relaxed, Relaxed).is_ok() {
            let lookout = Arc::clone(&self.lookout);
            helpers.spawn_broadcast(move |_| lookout.stay_awake());
        }
        Some(helpers)
    }
}

impl Lookout {
    /// Does what there is to do until nobody has asked for a while. In between others have their turn: a helper that holds on to its core makes
    /// the thread that asks half as fast where the two must share one.
    fn stay_awake(&self) {
        let (mut seen, mut since) = (self.asked.load(Relaxed), Instant::now());
        while since.elapsed() < PATIENCE {
            if rayon_core::yield_now() != Some(Yield::Executed) {
                std::thread::yield_now();
            }
            let asked = self.asked.load(Relaxed);
            if asked != seen {
                (seen, since) = (asked, Instant::now());
            }
        }
        self.awake.fetch_sub(1, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_item_is_worked_on_once_with_its_place() {
        for threads in [0, 1, 2, 3, 5, 1000] {
            let team = Team::of(threads);
            assert_eq!(team.threads(), threads.clamp(1, MOST_THREADS));
            for (count, size) in [(0, 1), (1, 1), (1, 7), (5, 0), (7, 7), (8, 7), (1000, 1), (1000, 64)] {
                let mut items = vec![0; count];
                team.pieces(&mut items, size, |first, piece| {
                    assert!(piece.len() <= size.max(1) && first % size.max(1) == 0);
                    piece.iter_mut().zip(first..).for_each(|(item, place)| *item += place + 1);
                });
                assert!(items.into_iter().eq(1..=count), "{threads} threads, {count} items by {size}");
            }
        }
    }

    #[test]
    fn helpers_take_part() {
        let own = std::thread::current().id();
        let seen = |team: &Team| {
            // Who comes first waits for another.
            let mut items = vec![own; 2];
            let both = std::sync::Barrier::new(team.threads().min(2));
            team.each(&mut items, |item| {
                both.wait();
                *item = std::thread::current().id();
            });
            items
        };
        assert_eq!(seen(&Team::alone()), [own; 2]);
        for threads in [2, 3] {
            let team = Team::of(threads);
            for pause in [0, 5, 0] {
                std::thread::sleep(Duration::from_millis(pause));
                let items = seen(&team);
                assert!(items.contains(&own) && items[0] != items[1], "{threads} threads after {pause} ms");
            }
        }
    }

    #[test]
    fn a_panic_of_a_helper_is_one_of_who_asked() {
        let team = Team::of(3);
        let work = || team.each(&mut [0; 40], |item| assert!(*item > 0, "as it should"));
        assert!(std::panic::catch_unwind(std::panic::AssertUnwindSafe(work)).is_err());
        let mut items = [0; 40];
        team.each(&mut items, |item| *item += 1);
        assert_eq!(items, [1; 40]);
    }
}
