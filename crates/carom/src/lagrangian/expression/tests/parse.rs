//! The grammar and its error messages.

use super::super::{Graph, ParseError};
use super::{Named, parse, value};

fn at(text: &str) -> f64 {
    let mut graph = Graph::new();
    let id = parse(&mut graph, text);
    let inputs: Vec<f64> = (0..32).map(|i| f64::from(i) + 2.0).collect();
    value(&graph, id, &inputs)
}

fn error(text: &str) -> ParseError {
    let mut graph = Graph::new();
    super::super::parse(&mut graph, text, &Named).expect_err(text)
}

/// Checks place, message and help of an error; the texts need only be contained.
fn fails(text: &str, column: usize, length: usize, message: &str, help: &str) {
    let error = error(text);
    let found = error.help.clone().unwrap_or_default();
    assert_eq!((error.column, error.length), (column, length), "{text}: {error}");
    assert!(error.message.contains(message), "{text}: {error}");
    assert!(found.contains(help), "{text}: {error}");
}

#[test]
fn precedence() {
    // x = 2, y = 3, z = 4, u = 5, dot(x) = 6, q[1] = 13.
    for (text, expected) in [
        ("x + y*z", 14.0),
        ("(x + y)*z", 20.0),
        ("x - y - z", -5.0),
        ("u/x/4", 0.625),
        ("u - x*y^2", -13.0),
        ("-x^2", -4.0),
        ("(-x)^2", 4.0),
        ("2^-1", 0.5),
        ("x^y^0.5 - x^(y^0.5)", 0.0),
        ("x^-y^2", 1.0 / 512.0),
        ("-x*y", -6.0),
        ("x*-y", -6.0),
        ("x--y", 5.0),
        ("- -x", 2.0),
        ("+x - +y", -1.0),
        ("6/-x", -3.0),
        ("dot(x)*dot( y )", 42.0),
        ("q[1] + q[ two*2 - 2 ]", 27.0),
        ("dot(q[2*3 - 5])", 23.0),
        ("q[two].part*2 + q.part[1]", 305.0),
        ("dot(q[4].part) - q[1]*.5", 197.5),
        ("atan2(0, 1) + max(x, y) + min(x, y)", 5.0),
        ("hypot(y, z)", 5.0),
        (".5 + 1. + 1.5 + 1e-3 + 2E+2 + 1e1", 213.001),
        ("cos(pi)", -1.0),
        ("\tx\n+ 1 ", 3.0),
    ] {
        assert!((at(text) - expected).abs() < 1e-12, "{text} is {}", at(text));
    }
}

#[test]
fn parts_of_what_has_an_index() {
    fails("x + q[1].other", 5, 1, "unknown name `q.other`", "");
    fails("q[1].", 5, 1, "`.` is not a number", "digits");
    fails("(x).part", 4, 1, "`.` is not a number", "digits");
    fails("q[1].5", 5, 2, "expected an operator before number `0.5`", "implicit");
}

#[test]
fn what_is_missing() {
    fails("", 1, 1, "empty", "0");
    fails("   ", 1, 3, "empty", "");
    fails("x +", 4, 1, "expected a value, found the end", "number");
    fails("x + * y", 5, 1, "expected a value, found `*`", "");
    fails("x + )", 5, 1, "expected a value, found `)`", "closes nothing");
    fails("()", 2, 1, "expected a value, found `)`", "empty group");
    fails("2*(x + y", 3, 1, "`(` is never closed", "missing `)`");
    fails("sin(x", 4, 1, "`(` is never closed", "missing `)`");
    fails("q[1 + x", 2, 1, "`[` is never closed", "missing `]`");
    fails("dot(x", 4, 1, "`(` is never closed", "");
}

#[test]
fn what_is_too_much() {
    fails("x + y)", 6, 1, "`)` closes nothing", "remove");
    fails("(x + y]", 7, 1, "`]` closes nothing", "expected `)`");
    fails("x, y", 2, 1, "expected an operator, found `,`", "arguments");
    fails("(x, y)", 3, 1, "expected an operator or `)`, found `,`", "");
    fails("2x", 2, 1, "expected an operator before name `x`", "write 2*x");
    fails("1e2x", 4, 1, "before name `x`", "write 2*x");
    fails("x y", 3, 1, "before name `y`", "implicit multiplication");
    fails("x 2.5", 3, 3, "before number `2.5`", "implicit multiplication");
    fails("2(x)", 2, 1, "before `(`", "implicit multiplication");
    fails("(2 x)", 4, 1, "expected an operator or `)` before name", "implicit");
    fails("2exp(x)", 2, 3, "before name `exp`", "implicit multiplication");
    fails("x(2)", 1, 1, "`x` is not a function", "write x*(x)");
    fails("pi(2)", 1, 2, "`pi` is not a function", "");
}

#[test]
fn characters_and_numbers() {
    fails("x ** 2", 3, 2, "`**`", "write ^");
    fails("x && y", 3, 2, "`&&`", "no conditions");
    fails("x = y", 3, 1, "`=`", "assigns nothing");
    fails("x == y", 3, 2, "`==`", "no conditions");
    fails("x − y", 3, 1, "`−`", "ASCII");
    fails("2*π*x", 3, 1, "`π`", "write pi");
    fails("é + x²", 1, 1, "`é`", "allowed are");
    fails("x²", 2, 1, "`²`", "write ^2");
    fails("$", 1, 1, "`$`", "allowed are");
    fails("x + 1.2.3", 5, 5, "`1.2.3` is not a number", "one decimal point");
    fails("x + .", 5, 1, "`.` is not a number", "digits");
    fails("1e", 1, 2, "`1e` is not a number", "1e-3");
    fails("1e+ x", 1, 3, "`1e+` is not a number", "1e-3");
    fails("x*1e999", 3, 5, "`1e999` is too large", "1.8e308");
}

#[test]
fn names_and_functions() {
    fails("x + tow", 5, 3, "unknown name `tow`", "known: x, y, z, u, two, q, pi");
    fails("twoo*x", 1, 4, "unknown name `twoo`", "did you mean `two`?");
    fails("X", 1, 1, "unknown name `X`", "did you mean `x`?");
    fails("sine(x)", 1, 4, "unknown function `sine`", "did you mean `sin`?");
    fails("ln(x)", 1, 2, "unknown function `ln`", "log(x)");
    fails("pow(x, 2)", 1, 3, "unknown function `pow`", "a^b");
    fails("sin x", 1, 3, "`sin` is a function", "write sin(x)");
    fails("1 + sin(x, y)", 5, 3, "`sin` takes 1 argument, found 2", "");
    fails("atan2(x)", 1, 5, "`atan2` takes 2 arguments, found 1", "");
    fails("cos()", 1, 3, "`cos` takes 1 argument, found 0", "");
    fails("cos(x,)", 7, 1, "expected a value", "");
    fails("q", 1, 1, "`q` needs an index", "");
    fails("q[10]", 1, 1, "`q` has no index 10", "");
    fails("q[1.5]", 2, 5, "an index is an integer, this one is 1.5", "");
    fails("q[x]", 2, 3, "an index is a constant", "");
    fails("q[]", 3, 1, "expected a value, found `]`", "");
    fails("x[1]", 1, 1, "`x` has no index", "");
    fails("dot(x + y)", 7, 1, "not an expression", "dot(x)");
    fails("dot(2)", 5, 1, "found number `2`", "dot(x)");
    fails("dot()", 5, 1, "found `)`", "dot(x)");
    fails("dot(w)", 5, 1, "unknown name `w`", "known");
    fails("dot(two)", 5, 3, "`two` is not a coordinate", "");
    assert_eq!(error("1 + ln(x)").to_string(), "column 5: unknown function `ln` (the natural logarithm is log(x))");
}

#[test]
fn nesting_is_limited_without_overflow() {
    let nested = |open: &str, n: usize, close: &str| format!("{}x{}", open.repeat(n), close.repeat(n));
    assert_eq!(at(&nested("(", 199, ")")), 2.0);
    assert_eq!(at(&nested("-", 198, "")), 2.0);
    for text in [
        nested("(", 200, ")"),
        nested("(", 1_000_000, ")"),
        nested("-", 100_000, ""),
        nested("x^", 100_000, ""),
        nested("sin(", 100_000, ")"),
        nested("q[", 100_000, "]"),
    ] {
        assert!(error(&text).message.contains("nests more than 200 deep"));
    }
    assert_eq!(error(&nested("(", 300, ")")).column, 201);
    assert_eq!(at(&nested("1+", 100_000, "")), 100_002.0);
    assert_eq!(at(&nested("0*y+", 100_000, "")), 2.0);
}
