//! `carom methods`.

use carom::method::{Abilities, AnyMethod, Claims};
use clap::Args as ClapArgs;
use serde::Serialize;

use crate::fail::Fail;
use crate::print;

/// Options of `methods`.
#[derive(ClapArgs)]
pub struct Args {
    /// One JSON document on standard output
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Listed {
    name: &'static str,
    title: &'static str,
    options: AnyMethod,
    claims: Claims,
    exceptions: &'static [&'static str],
    takes: Abilities,
    cites: &'static [&'static str],
}

/// Lists the methods.
pub fn run(args: &Args) -> Result<(), Fail> {
    let list = |method: AnyMethod| Listed {
        name: method.name(),
        title: method.title(),
        claims: method.claims(),
        exceptions: method.exceptions(),
        takes: method.abilities(),
        cites: method.cites(),
        options: method,
    };
    let listed: Vec<Listed> = AnyMethod::all().into_iter().map(list).collect();
    if args.json {
        return print::json(&listed);
    }
    let mut text = String::new();
    for method in &listed {
        let options = serde_json::to_value(&method.options).ok().and_then(|value| value.as_object().cloned());
        let options: Vec<String> =
            options.unwrap_or_default().iter().map(|(key, value)| format!("{key} = {value}")).collect();
        let between = match (method.takes.inequalities, method.claims.through_impacts) {
            (true, true) => "; through impacts too",
            (true, false) => "; between impacts",
            (false, _) => "",
        };
        let of = method.options.preserves_of();
        let of = if of.is_empty() { String::new() } else { format!(" {of}") };
        let mut rows = vec![
            vec!["  order".to_string(), format!("{}{between}", method.claims.order)],
            vec!["  preserves".into(), format!("{}{of}{between}", preserved(method.claims))],
            vec!["  except".into(), method.exceptions.join(" ")],
            vec!["  takes".into(), taken(method.takes)],
            vec!["  options".into(), if options.is_empty() { "none".into() } else { options.join(", ") }],
            vec!["  cites".into(), method.cites.join(", ")],
        ];
        rows.retain(|row| row[0] != "  except" || !row[1].is_empty());
        text.push_str(&format!("{}: {}\n{}\n", method.name, method.title, print::columns(&rows)));
    }
    text.push_str("Claims are those of the default options; the tests check each.\n");
    print::out(&text)
}

fn words(pairs: &[(bool, &str)]) -> String {
    let kept: Vec<&str> = pairs.iter().filter(|(kept, _)| *kept).map(|(_, word)| *word).collect();
    kept.join(", ")
}

fn preserved(claims: Claims) -> String {
    words(&[
        (claims.symplectic, "symplectic form"),
        (claims.reversible, "time reversal"),
        (claims.linear_momentum, "linear momentum"),
        (claims.angular_momentum, "angular momentum"),
    ])
}

fn taken(takes: Abilities) -> String {
    words(&[
        (true, "constant mass"),
        (takes.configuration_mass, "M(q)"),
        (takes.equalities && !takes.regularised, "equality constraints (to round-off)"),
        (takes.equalities && takes.regularised, "equality constraints (regularised)"),
        (takes.inequalities, "inequality constraints"),
        (takes.nonholonomic, "nonholonomic rows"),
        (takes.forces, "non-potential forces"),
    ])
}
