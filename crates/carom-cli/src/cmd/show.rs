//! `carom show NAME`.

use carom_io::scene::BuiltIn;
use clap::Args as ClapArgs;

use crate::fail::Fail;
use crate::input::unknown;
use crate::{hint, print};

/// Options of `show`.
#[derive(ClapArgs)]
pub struct Args {
    /// A built-in scene
    name: String,
}

/// Prints the text of a built-in scene.
pub fn run(args: &Args) -> Result<(), Fail> {
    let Some(scene) = BuiltIn::named(&args.name) else {
        let message = "there is no built-in scene of this name".to_string();
        return Err(unknown(false, &args.name, message, hint::built_in(&args.name)));
    };
    print::verbatim(scene.text)
}
