//! What a method claims and takes, in words.

use carom::method::{Abilities, Claims};

/// Order, what is preserved, what is taken: a row each.
pub fn facts(claims: Claims, preserves_of: &str, takes: Abilities) -> Vec<Vec<String>> {
    let between = match (takes.inequalities, claims.through_impacts) {
        (true, true) => "; through impacts too",
        (true, false) => "; between impacts",
        (false, _) => "",
    };
    let of = if preserves_of.is_empty() { String::new() } else { format!(" {preserves_of}") };
    vec![
        vec!["  order".to_string(), format!("{}{between}", claims.order)],
        vec!["  preserves".into(), format!("{}{of}{between}", preserved(claims))],
        vec!["  takes".into(), taken(takes)],
    ]
}

/// What it refuses; empty if that is nothing.
pub fn refused(takes: Abilities) -> String {
    kept(&[
        (!takes.configuration_mass, "M(q)"),
        (!takes.equalities, "equality constraints"),
        (!takes.inequalities, "inequality constraints"),
        (!takes.nonholonomic, "nonholonomic rows"),
        (!takes.forces, "non-potential forces"),
        (takes.inequalities && !takes.friction, "friction"),
        (takes.inequalities && !takes.soft_contacts, "contacts with a compliance"),
    ])
}

fn kept(pairs: &[(bool, &str)]) -> String {
    let kept: Vec<&str> = pairs.iter().filter(|(kept, _)| *kept).map(|(_, word)| *word).collect();
    kept.join(", ")
}

fn preserved(claims: Claims) -> String {
    kept(&[
        (claims.symplectic, "symplectic form"),
        (claims.reversible, "time reversal"),
        (claims.linear_momentum, "linear momentum"),
        (claims.angular_momentum, "angular momentum"),
    ])
}

fn taken(takes: Abilities) -> String {
    kept(&[
        (true, "constant mass"),
        (takes.configuration_mass, "M(q)"),
        (takes.equalities && !takes.regularised, "equality constraints (to round-off)"),
        (takes.equalities && takes.regularised, "equality constraints (regularised)"),
        (takes.inequalities, "inequality constraints"),
        (takes.nonholonomic, "nonholonomic rows"),
        (takes.forces, "non-potential forces"),
    ])
}
