//! The command `carom`.

mod cmd;
mod consent;
mod fail;
mod figure_file;
mod hint;
mod input;
mod interrupt;
mod numbers;
mod print;
mod progress;
mod strict;
mod threads;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

use crate::fail::Fail;

/// Mechanics with contact, simulated so that its structure survives.
#[derive(Parser)]
#[command(name = "carom", version, arg_required_else_help = true, max_term_width = print::WIDTH)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Simulate a scene: progress, structure report, run folder
    Run(cmd::run::Args),
    /// Parse and validate a scene; report every problem
    Check(cmd::check::Args),
    /// Study the convergence of a scene's method: errors and slopes over step lengths
    Order(cmd::order::Args),
    /// Run a scene at every point of a grid, on all cores: one table
    Sweep(cmd::sweep::Args),
    /// Make the experiments of a paper again: claim by claim, with a computed verdict
    Reproduce(cmd::reproduce::Args),
    /// Solve complementarity and friction-contact problems from files
    Solve(cmd::solve::Args),
    /// List the built-in scenes, or show one: what to vary, its method, commands to try
    Scenes(cmd::scenes::Args),
    /// List the methods (what each preserves, its order, what it takes), or show one with all its options
    Methods(cmd::methods::Args),
    /// Print a built-in scene, to copy and change
    Show(cmd::show::Args),
    /// Print the JSON Schema of the scene format
    Schema,
    /// Make the page of a run again, and its figures as files
    Report(cmd::report::Args),
    /// Write the tables of a run as CSV and .npz
    Export(cmd::export::Args),
    /// Print the BibTeX entries behind a run, a scene or a method
    Cite(cmd::cite::Args),
}

fn main() -> ExitCode {
    let command = Cli::parse().command;
    let result = interrupt::outlive_limits().and_then(|()| perform(command));
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(failure) => failure.report(),
    }
}

/// Does what is asked for.
fn perform(command: Command) -> Result<(), Fail> {
    match command {
        Command::Run(args) => cmd::run::run(&args),
        Command::Check(args) => cmd::check::run(&args),
        Command::Order(args) => cmd::order::run(&args),
        Command::Sweep(args) => cmd::sweep::run(&args),
        Command::Reproduce(args) => cmd::reproduce::run(&args),
        Command::Solve(args) => cmd::solve::run(&args),
        Command::Scenes(args) => cmd::scenes::run(&args),
        Command::Methods(args) => cmd::methods::run(&args),
        Command::Show(args) => cmd::show::run(&args),
        Command::Schema => print::json(&carom_io::scene::schema()),
        Command::Report(args) => cmd::report::run(&args),
        Command::Export(args) => cmd::export::run(&args),
        Command::Cite(args) => cmd::cite::run(&args),
    }
}
