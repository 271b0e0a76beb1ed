//! Threads that share the work of one evaluation.
//!
//! A team is an argument: whoever sets a system up hands it one, and nothing here starts a thread without. What is shared is cut into pieces
//! by the system alone, never by the number of threads, so that results have the same bits for every team. Cost: handing work over takes
//! some ten microseconds, so pieces are only made of what takes longer. Alone nothing is allocated; with threads their queue takes a block of
//! memory now and then.

use std::sync::{Arc, OnceLock};

use rayon_core::{ThreadPool, ThreadPoolBuilder, join};

/// More threads than this are never started: systems are cut into no more pieces.
pub const MOST_THREADS: usize = 32;

/// Threads that work together; clones are the same threads.
#[derive(Debug, Clone, Default)]
pub struct Team(Option<Arc<Threads>>);

#[derive(Debug)]
struct Threads {
    count: usize,
    /// Started when there is work for the first time; none where the machine has no more.
    pool: OnceLock<Option<ThreadPool>>,
}

impl Team {
    /// The thread that asks, and no other.
    pub fn alone() -> Self {
        Self(None)
    }

    /// So many threads, at most [`MOST_THREADS`]; 0 and 1 are the thread that asks alone. They are started when there is work for them, and
    /// if they cannot be, the thread that asks works alone.
    pub fn of(threads: usize) -> Self {
        let count = threads.min(MOST_THREADS);
        Self((count > 1).then(|| Arc::new(Threads { count, pool: OnceLock::new() })))
    }

    /// How many threads there are.
    pub fn threads(&self) -> usize {
        self.0.as_ref().map_or(1, |threads| threads.count)
    }

    /// Calls `work` once with every piece of `size` items and the place of its first item, in any order. The last piece may be shorter.
    pub fn pieces<T: Send>(&self, items: &mut [T], size: usize, work: impl Fn(usize, &mut [T]) + Sync) {
        let size = size.max(1);
        match self.0.as_ref().filter(|_| items.len() > size).and_then(|threads| threads.pool()) {
            Some(pool) => pool.install(|| halve(0, items, size, &work)),
            None => items.chunks_mut(size).enumerate().for_each(|(k, piece)| work(k * size, piece)),
        }
    }

    /// Calls `work` once with every item, in any order.
    pub fn each<T: Send>(&self, items: &mut [T], work: impl Fn(&mut T) + Sync) {
        self.pieces(items, 1, |_, piece| piece.iter_mut().for_each(&work));
    }
}

impl Threads {
    fn pool(&self) -> Option<&ThreadPool> {
        let build = || ThreadPoolBuilder::new().num_threads(self.count).build().ok();
        self.pool.get_or_init(build).as_ref()
    }
}

/// Halves of whole pieces, until one is left.
fn halve<T: Send>(first: usize, items: &mut [T], size: usize, work: &(impl Fn(usize, &mut [T]) + Sync)) {
    if items.len() <= size {
        return work(first, items);
    }
    let half = items.len().div_ceil(size) / 2 * size;
    let (front, back) = items.split_at_mut(half);
    join(|| halve(first, front, size, work), || halve(first + half, back, size, work));
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
    fn threads_are_others_than_the_one_that_asks() {
        let own = std::thread::current().id();
        let seen = |team: &Team| {
            let mut items = vec![own; 4];
            team.each(&mut items, |item| *item = std::thread::current().id());
            items
        };
        assert_eq!(seen(&Team::alone()), vec![own; 4]);
        assert!(seen(&Team::of(2)).iter().all(|id| *id != own));
    }
}
