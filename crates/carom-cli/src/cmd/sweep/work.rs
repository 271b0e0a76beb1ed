//! Work on many items by many threads.

use std::io;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc;
use std::thread;

/// Bytes of a thread's stack: as many as the main thread has, since expressions are read by recursion there too.
const STACK: usize = 8 << 20;

/// Items and the threads that work on them.
pub struct Work<'a> {
    /// How many items.
    pub count: usize,
    /// Most threads.
    pub threads: usize,
    /// Once raised, no further item is begun; those begun before it are all ended.
    pub stop: &'a AtomicBool,
}

impl Work<'_> {
    /// Does `one` for the number of every item, in this order but at the same time, and gives what came of it to `ended` in
    /// this thread, as it comes.
    pub fn each<T: Send>(
        &self,
        one: impl Fn(usize) -> T + Sync,
        mut ended: impl FnMut(usize, T),
    ) -> io::Result<()> {
        let next = AtomicUsize::new(0);
        let (sender, receiver) = mpsc::channel();
        let work = |sender: mpsc::Sender<(usize, T)>| {
            while !self.stop.load(Ordering::Relaxed) {
                let index = next.fetch_add(1, Ordering::Relaxed);
                if index >= self.count || sender.send((index, one(index))).is_err() {
                    break;
                }
            }
        };
        thread::scope(|scope| {
            let begun = (0..self.threads.min(self.count)).try_for_each(|_| {
                let (work, sender) = (&work, sender.clone());
                thread::Builder::new().stack_size(STACK).spawn_scoped(scope, move || work(sender)).map(drop)
            });
            if begun.is_err() {
                self.stop.store(true, Ordering::Relaxed);
            }
            drop(sender);
            receiver.into_iter().for_each(|(index, result)| ended(index, result));
            begun
        })
    }
}
