//! Consent to what a command takes: a large one asks on a terminal, and without one it needs `--yes`.

use std::io::{self, BufRead, IsTerminal as _, Write};
use std::path::Path;

use carom_io::document::Diagnostic;
use carom_io::estimate::{Estimate, MOST_BYTES, MOST_SECONDS, duration, size};
use carom_io::recording::Snapshot;
use carom_io::scene::Scene;
use clap::Args;
use serde_json::json;

use crate::fail::Fail;
use crate::input::SceneError;
use crate::print;

/// The options that answer before it is asked.
#[derive(Args)]
pub struct Consent {
    /// Do not ask before more than 1 GB is written, or more than an hour is taken
    #[arg(long)]
    yes: bool,
    /// Say what it would take, from a few steps, and do nothing else
    #[arg(long, conflicts_with = "yes")]
    estimate: bool,
}

/// What a command takes.
pub struct Cost {
    /// The command's work, like `run`.
    pub what: &'static str,
    /// Name of the scene.
    pub scene: String,
    /// Bytes on disk.
    pub disk: f64,
    /// Bytes that are free there, if it is known.
    pub free: Option<f64>,
    /// Bytes of memory, if they are known.
    pub memory: Option<f64>,
    /// Seconds, if they are known.
    pub seconds: Option<f64>,
    /// What it is made of, in words.
    pub details: String,
    /// Whether contacts begin later than the steps that were tried.
    pub later_contacts: bool,
    /// What makes it smaller.
    pub remedies: &'static str,
}

impl Cost {
    fn is_large(&self) -> bool {
        let long = self.seconds.is_some_and(|seconds| seconds > MOST_SECONDS);
        long || self.disk > MOST_BYTES || self.does_not_fit()
    }

    fn does_not_fit(&self) -> bool {
        self.free.is_some_and(|free| self.disk > free)
    }

    fn in_words(&self) -> String {
        let free = match self.free.filter(|_| self.does_not_fit()) {
            Some(free) => format!(", where {} are free", size(free)),
            None => String::new(),
        };
        let time = self
            .seconds
            .map_or_else(|| "an unknown time".into(), |seconds| format!("{} of time", duration(seconds)));
        let disk = (self.disk > 0.0).then(|| format!("{} on disk{free}", size(self.disk)));
        let memory = self.memory.map(|memory| format!("{} of memory", size(memory)));
        let parts: Vec<String> = disk.into_iter().chain(memory).collect();
        let before = if parts.is_empty() { String::new() } else { format!("{} and ", parts.join(", ")) };
        format!("the {} would take {before}{time} ({})", self.what, self.details)
    }

    /// Whether the work may begin: without asking if it is small or agreed to beforehand.
    pub fn settle(&self, consent: &Consent, json: bool) -> Result<(), Fail> {
        if consent.estimate {
            return self.show(json).and(Err(Fail::Done));
        }
        if consent.yes || !self.is_large() {
            return Ok(());
        }
        if io::stdin().is_terminal() && io::stderr().is_terminal() {
            return self.ask(&mut io::stdin().lock(), &mut io::stderr());
        }
        let problem = Diagnostic {
            source: self.scene.clone(),
            position: None,
            key: String::new(),
            message: format!("{}; nothing was written", self.in_words()),
            help: Some(format!("start it all the same with --yes, or {}", self.remedies)),
        };
        Err(SceneError::Missing(Box::new(problem)).tell(json))
    }

    fn show(&self, json: bool) -> Result<(), Fail> {
        if !json {
            return print::out(&format!("{}: {}\n", self.scene, self.in_words()));
        }
        print::json(&json!({
            "scene": self.scene,
            "what": self.what,
            "disk_bytes": self.disk.round(),
            "free_bytes": self.free,
            "memory_bytes": self.memory,
            "seconds": self.seconds,
            "later_contacts": self.later_contacts,
            "asks": self.is_large(),
        }))
    }

    fn ask(&self, answers: &mut dyn BufRead, questions: &mut dyn Write) -> Result<(), Fail> {
        let mut answer = String::new();
        let asked = write!(questions, "{}: {}\nstart it? [y/N] ", self.scene, self.in_words());
        let answered = asked.and_then(|()| questions.flush()).and_then(|()| answers.read_line(&mut answer));
        match answered {
            Ok(_) if ["y", "yes"].contains(&answer.trim().to_ascii_lowercase().as_str()) => Ok(()),
            _ => Err(Fail::Input("not started; nothing was written".into())),
        }
    }
}

/// Consent to a run into a folder, from its start or from a snapshot on; the estimate comes back.
pub fn to_run(
    scene: &Scene,
    from: Option<&Snapshot>,
    folder: &Path,
    (consent, json): (&Consent, bool),
) -> Result<Estimate, Fail> {
    let estimate = Estimate::of(scene, from);
    let cost = Cost {
        what: if from.is_none() { "run" } else { "rest of the run" },
        scene: scene.name.clone(),
        disk: estimate.disk(),
        free: free(folder),
        memory: memory(),
        seconds: estimate.seconds(),
        details: estimate.in_words(),
        later_contacts: estimate.later_contacts,
        remedies: "record less with --every or --interval, or end earlier with --until or --steps",
    };
    cost.settle(consent, json)?;
    Ok(estimate)
}

/// Bytes that are free where a folder is, or will be.
pub fn free(folder: &Path) -> Option<f64> {
    let folder = std::path::absolute(folder).ok()?;
    let there = folder.ancestors().find(|path| path.exists())?;
    fs4::available_space(there).ok().map(|bytes| bytes as f64)
}

/// The most memory that this process has used so far: a trial has made all that a run makes but for its page. Linux says it.
pub fn memory() -> Option<f64> {
    let status = std::fs::read_to_string("/proc/self/status").ok()?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"))?;
    peak.trim().strip_suffix("kB")?.trim().parse::<f64>().ok().map(|kilobytes| 1024.0 * kilobytes)
}

#[cfg(test)]
mod tests {
    use super::{Cost, Fail};

    fn cost(disk: f64, seconds: f64, free: f64) -> Cost {
        let (details, remedies) = ("so many steps".to_string(), "take less");
        let (free, memory, seconds) = (Some(free), Some(3e6), Some(seconds));
        let later_contacts = false;
        Cost { what: "run", scene: "s".into(), disk, free, memory, seconds, details, later_contacts, remedies }
    }

    #[test]
    fn more_than_a_gigabyte_an_hour_or_what_is_free_is_large() {
        assert!(!cost(0.9e9, 3500.0, 1e12).is_large());
        assert!(cost(1.1e9, 1.0, 1e12).is_large());
        assert!(cost(1e3, 3700.0, 1e12).is_large());
        assert!(cost(1e6, 1.0, 1e5).is_large());
        let words = cost(2e9, 1.0, 1.2e9).in_words();
        let all = "2.0 GB on disk, where 1.2 GB are free, 3.0 MB of memory and 1.0 s of time (so many steps)";
        assert_eq!(words, format!("the run would take {all}"));
    }

    #[test]
    fn a_terminal_is_asked_and_only_yes_starts() {
        let ask = |answer: &str| {
            let mut questions = Vec::new();
            let result = cost(2e9, 1.0, 1e12).ask(&mut answer.as_bytes(), &mut questions);
            let asked = String::from_utf8(questions).unwrap();
            assert!(asked.starts_with("s: the run would take 2.0 GB on disk, 3.0 MB of memory"), "{asked}");
            assert!(asked.ends_with(")\nstart it? [y/N] "), "{asked}");
            match result {
                Ok(()) => true,
                Err(Fail::Input(message)) => {
                    assert_eq!(message, "not started; nothing was written");
                    false
                }
                Err(other) => panic!("{other:?}"),
            }
        };
        assert!(ask("y\n") && ask(" Yes\n"));
        assert!(!ask("\n") && !ask("n\n") && !ask("") && !ask("yesterday\n"));
    }
}
