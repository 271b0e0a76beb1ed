//! `--threads` of commands that make one run at a time.

use std::thread::available_parallelism;

use carom::team::Team;
use clap::Args as ClapArgs;

use crate::numbers;

/// Threads inside a run.
#[derive(ClapArgs)]
pub struct Threads {
    /// Threads to use where many particles share the work; the result does not depend on it [default: all cores]
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = numbers::whole::<u16>(1, 65535))]
    threads: Option<u16>,
}

impl Threads {
    /// The threads, which are started when there is work for them.
    pub fn team(&self) -> Team {
        let cores = || available_parallelism().map_or(1, usize::from);
        Team::of(self.threads.map_or_else(cores, usize::from))
    }
}
