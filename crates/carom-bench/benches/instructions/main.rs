//! Instructions per step of small systems, counted by callgrind: figures that do not depend on what else the machine does.
//! `cargo bench -p carom-bench --bench instructions`; arguments after `--`:
//!
//! ```text
//! WORD…             cases whose names contain one of the words; all without words
//! --write FILE      write the table to a file
//! --against FILE    compare with such a file; exit code 1 if a case fails or needs more instructions than allowed
//! --most PERCENT    how many more are allowed; 3 without it
//! --run CASE ROUNDS no counting: the steps of one case, for a profiler
//! ```
//!
//! A case is run in processes of its own, with one round of steps and with two, and the difference is divided by the steps: start-up, scenes
//! and what is compiled on first use cancel. A round starts at the initial state, so both rounds make the same steps. Valgrind must be installed. Only figures of one compiler, one profile
//! and one machine are comparable.

mod cases;

use std::process::{Command, ExitCode};

use cases::{CASES, Case};

type Fallible<T> = Result<T, String>;

/// What the command line asks for.
struct Arguments {
    words: Vec<String>,
    write: Option<String>,
    against: Option<String>,
    /// Most percent above the earlier figure.
    most: f64,
    run: Option<(String, usize)>,
}

impl Arguments {
    fn read(mut from: impl Iterator<Item = String>) -> Fallible<Self> {
        let mut read = Self { words: Vec::new(), write: None, against: None, most: 3.0, run: None };
        while let Some(argument) = from.next() {
            let mut value = || from.next().ok_or_else(|| format!("{argument} needs a value"));
            match argument.as_str() {
                // From cargo.
                "--bench" => {}
                "--write" => read.write = Some(value()?),
                "--against" => read.against = Some(value()?),
                "--most" => read.most = number(&value()?)?,
                "--run" => read.run = Some((value()?, number(&value()?)?)),
                unknown if unknown.starts_with('-') => return Err(format!("unknown option {unknown}")),
                word => read.words.push(word.to_string()),
            }
        }
        Ok(read)
    }

    fn wants(&self, case: &Case) -> bool {
        self.words.is_empty() || self.words.iter().any(|word| case.name.contains(word.as_str()))
    }
}

fn number<T: std::str::FromStr>(text: &str) -> Fallible<T> {
    text.parse().map_err(|_| format!("`{text}` is not a number that fits here"))
}

/// Instructions of a process that runs these rounds of a case.
fn count(case: &Case, rounds: usize) -> Fallible<u64> {
    let program = std::env::current_exe().map_err(|error| format!("this program is not found: {error}"))?;
    let output = Command::new("valgrind")
        .args(["--tool=callgrind", "--callgrind-out-file=/dev/null"])
        .arg(program)
        .args(["--run", case.name, &rounds.to_string()])
        .output()
        .map_err(|error| format!("valgrind does not start: {error}"))?;
    let text = String::from_utf8_lossy(&output.stderr);
    if !output.status.success() {
        return Err(format!("{}: {}\n{text}", case.name, output.status));
    }
    let counted = text.lines().find_map(|line| line.split_once("Collected :"));
    let (_, counted) = counted.ok_or_else(|| format!("valgrind counted nothing:\n{text}"))?;
    number(counted.trim())
}

fn per_step(case: &Case) -> Fallible<f64> {
    let [once, twice] = [count(case, 1)?, count(case, 2)?];
    if twice <= once {
        return Err(format!("{}: {twice} instructions with two rounds, {once} with one", case.name));
    }
    Ok((twice - once) as f64 / case.steps as f64)
}

/// A table of an earlier run: names and instructions per step.
fn read_table(file: &str) -> Fallible<Vec<(String, f64)>> {
    let text = std::fs::read_to_string(file).map_err(|error| format!("{file}: {error}"))?;
    let row = |line: &str| -> Fallible<(String, f64)> {
        let (name, figure) = line.split_once('|').ok_or_else(|| format!("{file}: no `|` in `{line}`"))?;
        Ok((name.trim().to_string(), number(figure.trim())?))
    };
    text.lines().map(row).collect()
}

/// Counts, prints, writes and compares; whether every case runs and is within its bound.
fn measure(arguments: &Arguments) -> Fallible<bool> {
    let earlier = arguments.against.as_deref().map(read_table).transpose()?;
    if !CASES.iter().any(|case| arguments.wants(case)) {
        return Err(format!("no case is named like that; cases: {}", names()));
    }
    let mut table = String::new();
    let (mut within, mut worst) = (true, 0.0_f64);
    for case in CASES.iter().filter(|case| arguments.wants(case)) {
        let figure = match per_step(case) {
            Ok(figure) => figure,
            Err(problem) => {
                println!("{problem}");
                within = false;
                continue;
            }
        };
        table += &format!("{:<42} | {figure:.1}\n", case.name);
        print!("{:<42} {figure:>12.1}", case.name);
        let before = earlier.iter().flatten().find(|(name, _)| name == case.name);
        match (before, &earlier) {
            (Some((_, before)), _) => {
                let above = 100.0 * (figure / before - 1.0);
                let passed = above <= arguments.most;
                (within, worst) = (within && passed, worst.max(above));
                println!("{before:>12.1} {above:>+8.2} %{}", if passed { "" } else { "  too many" });
            }
            (None, Some(_)) => println!("  not in the earlier table"),
            (None, None) => println!(),
        }
    }
    if earlier.is_some() {
        println!("at most {worst:+.2} %; allowed are {:+} %", arguments.most);
    }
    if let Some(file) = &arguments.write {
        std::fs::write(file, table).map_err(|error| format!("{file}: {error}"))?;
    }
    Ok(within)
}

fn names() -> String {
    CASES.iter().map(|case| case.name).collect::<Vec<_>>().join("; ")
}

fn main() -> ExitCode {
    let done = Arguments::read(std::env::args().skip(1)).and_then(|arguments| match &arguments.run {
        Some((name, rounds)) => {
            let case = CASES.iter().find(|case| case.name == name);
            let case = case.ok_or_else(|| format!("`{name}` is no case; cases: {}", names()))?;
            case.run(*rounds);
            Ok(true)
        }
        None => measure(&arguments),
    });
    match done {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::FAILURE,
        Err(problem) => {
            eprintln!("{problem}");
            ExitCode::from(2)
        }
    }
}
