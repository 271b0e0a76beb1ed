//! The binary `carom` as users and scripts see it: exit codes, what goes where, files, bits.

mod abuse;
mod between;
mod failure;
mod folder;
mod json;
mod listing;
mod measures;
mod options;
mod order;
mod pages;
mod papers;
mod readme;
mod recording;
mod report;
mod reproduce;
mod same_bits;
mod size;
mod solve;
mod sweep;
mod terminal;
mod trust;

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::atomic::{AtomicU32, Ordering};
use std::{env, fs, process};

use serde_json::Value;

/// A folder of its own for a test; removed with its contents in the end.
struct Place(PathBuf);

impl Place {
    fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        let count = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = env::temp_dir().join(format!("carom-cli-{}-{count}", process::id()));
        fs::create_dir(&path).expect("a new folder");
        Self(path)
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.join(name)
    }

    fn write(&self, name: &str, text: &str) {
        fs::write(self.path(name), text).expect("writable");
    }

    fn read(&self, name: &str) -> String {
        fs::read_to_string(self.path(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// A file that holds one JSON document.
    fn json(&self, name: &str) -> Value {
        serde_json::from_str(&self.read(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    /// The command, to be run in this folder.
    fn command(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_carom"));
        command.args(arguments).current_dir(&self.0).stdin(Stdio::null());
        command
    }

    /// Runs the command to its end.
    fn carom(&self, arguments: &[&str]) -> Ended {
        Ended::of(self.command(arguments).output().expect("carom runs"))
    }
}

impl Drop for Place {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// How a command ended and what it said.
#[derive(Debug)]
struct Ended {
    code: Option<i32>,
    out: String,
    err: String,
}

impl Ended {
    fn of(output: Output) -> Self {
        let text = |bytes: Vec<u8>| String::from_utf8(bytes).expect("UTF-8");
        let ended = Self { code: output.status.code(), out: text(output.stdout), err: text(output.stderr) };
        assert!(!ended.err.contains("panicked"), "{ended:?}");
        ended
    }

    /// The same, with the exit code that it must have.
    fn code(self, code: i32) -> Self {
        assert_eq!(self.code, Some(code), "{self:?}");
        self
    }

    /// The one document on standard output.
    fn json(&self) -> Value {
        serde_json::from_str(&self.out).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// The bits of an array of numbers.
fn bits(values: &Value) -> Vec<u64> {
    let number = |value: &Value| value.as_f64().expect("a number").to_bits();
    values.as_array().expect("an array").iter().map(number).collect()
}

/// The bits of the last state.
fn final_bits(report: &Value) -> [Vec<u64>; 3] {
    ["q", "v", "p"].map(|key| bits(&report["final"][key]))
}

/// The names of what is in a folder, sorted.
fn names(folder: &Path) -> Vec<String> {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}
