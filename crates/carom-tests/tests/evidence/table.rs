//! The table of methods and claims at the top of docs/methods.md, against the claims themselves.

use carom::method::AnyMethod;
use carom_tests::runs::method;
use carom_tests::variants::VARIANTS;

use super::document::read;
use super::listed::cells;

/// Whether a header is that of the table.
pub fn is_claims(header: &str) -> bool {
    header.starts_with("| name | order | symplectic | reversible |")
}

/// The rows of the table.
fn rows(text: &str) -> Vec<Vec<String>> {
    let table = text.lines().skip_while(|line| !is_claims(line)).skip(2);
    table.take_while(|line| line.starts_with('|')).map(cells).collect()
}

/// An option of a variant: what stands behind `key=`.
fn option<'a>(text: &'a str, key: &str) -> Option<&'a str> {
    let (_, options) = text.split_once(' ')?;
    options.split(", ").find_map(|option| option.strip_prefix(key)?.strip_prefix('='))
}

/// The row that a variant belongs to.
fn row_of(text: &str) -> &'static str {
    let name = text.split(' ').next().unwrap_or_default();
    let off_middle = option(text, "gamma").is_some_and(|gamma| gamma != "0.5");
    let gamma = option(text, "rule") == Some("gamma") && off_middle;
    match name {
        "verlet" => "`verlet`",
        "midpoint" => "`midpoint`",
        "variational" if gamma => "`variational`, `rule = \"gamma\"`, γ ≠ ½",
        "variational" => "`variational`, symmetric rule",
        "newmark" if off_middle => "`newmark`, γ ≠ ½",
        "newmark" => "`newmark`, γ = ½",
        "galerkin" if option(text, "quadrature") == Some("rectangle") => "`galerkin`, `quadrature = \"rectangle\"`",
        "galerkin" => match option(text, "continuity") {
            None | Some("left-right" | "right-left") => "`galerkin`, `left-right` or `right-left`, degree m",
            Some("continuous") => "`galerkin`, `continuous`, degree m",
            _ => "`galerkin`, `left-left` or `right-right`, degree m",
        },
        "gvi" => "`gvi`, between impacts",
        "vci" if gamma => "`vci`, `rule = \"gamma\"`, γ ≠ ½",
        "vci" => "`vci`, symmetric rule",
        "cva" => "`cva`",
        "spook" => "`spook`",
        "pem" => "`pem`",
        "direct" if option(text, "constraint") == Some("midpoint") => "`direct`, `constraint = \"midpoint\"`",
        "direct" => "`direct`, other forms",
        "penalty" => match (option(text, "rule"), option(text, "linearized")) {
            (Some("midpoint"), None) => "`penalty`, `rule = \"midpoint\"`",
            (Some("midpoint"), _) => "`penalty`, `rule = \"midpoint\"`, linearised",
            _ => "`penalty`, `rule = \"euler\"`",
        },
        "projection" => "`projection`",
        other => panic!("no row for {other}"),
    }
}

/// The order that a cell says of a variant.
fn order(cell: &str, text: &str) -> Option<u32> {
    let degree = || option(text, "degree").map_or(2, |degree| degree.parse().expect("a degree"));
    match cell {
        "1" => Some(1),
        "2" | "2, through impacts too" | "2; with constraints 1 for `\"gauss-newton\"`" => Some(2),
        "2m + 1" => Some(2 * degree() + 1),
        "2m" => Some(2 * degree()),
        "2; 1 for Newmark, γ ≠ ½" => {
            Some(if option(text, "gamma").is_some_and(|gamma| gamma != "0.5") { 1 } else { 2 })
        }
        _ => None,
    }
}

/// Whether a cell claims its column of a variant.
fn claimed(cell: &str, text: &str) -> Option<bool> {
    let one_sided = matches!(option(text, "continuity"), Some("left-left" | "right-right"));
    match cell {
        "yes" | "exact" | "yes, through impacts too" | "yes, of the softened system" => Some(true),
        "exact for particles" | "exact for particles, without fields" => {
            Some(!method(text).preserves_of().is_empty())
        }
        "no" | "not claimed" | "only between impacts" | "only without constraints" => Some(false),
        "only β = 0" => Some(option(text, "beta") == Some("0.0")),
        "as above" => Some(!one_sided),
        "exact, but for `stiffness = \"geometric\"`" => Some(option(text, "stiffness") != Some("geometric")),
        "yes, but for `energy = \"shadow\"`" => Some(option(text, "energy") != Some("shadow")),
        "yes, with `energy = \"hamiltonian\"`" => {
            Some(option(text, "energy").is_none_or(|energy| energy == "hamiltonian"))
        }
        "midpoint rule" => Some(option(text, "rule").is_none_or(|rule| rule == "midpoint")),
        _ => None,
    }
}

/// Where a row and a variant disagree.
fn disagreements(row: &[String], text: &str) -> Vec<String> {
    let variant: AnyMethod = method(text);
    let (claims, takes) = (variant.claims(), variant.abilities());
    let mut found = Vec::new();
    if order(&row[1], text) != Some(claims.order) {
        found.push(format!("{text}: order {} is {}", row[1], claims.order));
    }
    let columns = [
        claims.symplectic,
        claims.reversible,
        claims.linear_momentum,
        claims.angular_momentum,
        takes.configuration_mass,
    ];
    for (cell, own) in row[2..].iter().zip(columns) {
        if claimed(cell, text) != Some(own) {
            found.push(format!("{text}: `{cell}` in `{}` is {own}", row.join(" | ")));
        }
    }
    if row.iter().any(|cell| cell.contains("through impacts too")) != claims.through_impacts {
        found.push(format!("{text}: through impacts is {}", claims.through_impacts));
    }
    found
}

/// All of a table.
fn wrong(table: &[Vec<String>]) -> Vec<String> {
    let more = ["spook stiffness=geometric", "gvi rule=midpoint, energy=shadow", "cva energy=leg-shadow"];
    let texts = || VARIANTS.iter().chain(&more);
    let mut found = Vec::new();
    for text in texts() {
        match table.iter().find(|row| row[0] == row_of(text)) {
            Some(row) => found.extend(disagreements(row, text)),
            None => found.push(format!("no row `{}`", row_of(text))),
        }
    }
    let unused = table.iter().filter(|row| row.len() != 7 || !texts().any(|text| row_of(text) == row[0]));
    found.extend(unused.map(|row| format!("no variant of the matrix is in the row {row:?}")));
    found
}

#[test]
fn the_table_of_methods_agrees_with_their_claims() {
    let table = rows(&read("docs/methods.md"));
    assert_eq!(table.len(), 22);
    assert!(wrong(&table).is_empty(), "{}", wrong(&table).join("\n"));
    // Controls: any cell that is turned over is seen, and so is a row that is left out.
    for (row, column) in (0..table.len()).flat_map(|row| (1..7).map(move |column| (row, column))) {
        let mut altered = table.clone();
        let cell = &mut altered[row][column];
        *cell = match (column, cell.as_str()) {
            (1, "1") => "2".to_string(),
            (1, _) => "1".to_string(),
            (_, cell) if cell.starts_with("yes") || cell.starts_with("exact") => "no".to_string(),
            _ => "yes".to_string(),
        };
        assert!(!wrong(&altered).is_empty(), "{:?}", altered[row]);
    }
    assert!(!wrong(&table[1..]).is_empty());
}
