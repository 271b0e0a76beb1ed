//! `carom show NAME`.

use carom_io::document::help;
use carom_io::scene::{BUILT_IN, BuiltIn};
use clap::Args as ClapArgs;

use crate::fail::Fail;
use crate::print;

/// Options of `show`.
#[derive(ClapArgs)]
pub struct Args {
    /// A built-in scene
    name: String,
}

/// Prints the text of a built-in scene.
pub fn run(args: &Args) -> Result<(), Fail> {
    let Some(scene) = BuiltIn::named(&args.name) else {
        let names: Vec<&str> = BUILT_IN.iter().map(|scene| scene.name).collect();
        let help = help("built-in scenes", &args.name, &names).unwrap_or_default();
        return Err(Fail::Input(format!("error: there is no built-in scene `{}`\n   = help: {help}", args.name)));
    };
    print::out(scene.text)
}
