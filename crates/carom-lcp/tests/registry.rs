//! The list of solvers: names, who takes what, and that every answer is judged by the problem it was given for.

use std::time::{Duration, Instant};

use carom_lcp::corpus::{self, Brick, Snapshot};
use carom_lcp::solvers::registry::{self, SOLVERS};
use carom_lcp::{Dense, Facts, Failure, Law, Lcp, Limits, Mlcp, Problem, SaddleMlcp, Sparse};

fn small_lcp() -> Lcp {
    let m = Dense::from_rows(&[vec![2.0, 1.0, 0.0], vec![1.0, 3.0, -0.5], vec![0.0, -0.5, 1.0]]).expect("rows");
    Lcp::new(m, vec![-1.0, 0.5, -2.0]).expect("a problem")
}

fn hung_chain() -> SaddleMlcp {
    let saddle = corpus::chain(4, 1e-2);
    let n = saddle.q.len();
    // Some rows pull only, and one is limited.
    let lower = (0..n).map(|row| if row % 3 == 0 { 0.0 } else { f64::NEG_INFINITY }).collect();
    let upper = (0..n).map(|row| if row == 2 { 0.3 } else { f64::INFINITY }).collect();
    SaddleMlcp::new(saddle, lower, upper).expect("a problem")
}

/// One of every kind, and of every law.
fn problems() -> Vec<Problem> {
    let lcp = small_lcp();
    let n = lcp.q.len();
    let h = Sparse::from_dense(&lcp.m);
    let mixed = Mlcp::new(h, lcp.q.clone(), vec![-0.1, f64::NEG_INFINITY, 0.0], vec![f64::INFINITY; n]);
    let wall = corpus::wall(2, 2, Brick::Cube, Snapshot::Impact);
    vec![
        Problem::Lcp(lcp),
        Problem::Mlcp(mixed.expect("a problem")),
        Problem::SaddleMlcp(hung_chain()),
        Problem::Friction(corpus::one_contact()),
        Problem::GlobalFriction(corpus::squeezed_box(400.0, 0.5, 0.5, 0.3)),
        Problem::GlobalFriction(wall.clone().with_law(Law::Box)),
        Problem::Friction(wall.reduced().with_law(Law::Box)),
    ]
}

#[test]
fn every_answer_is_judged_by_the_problem_it_was_given_for() {
    let limits = Limits { deadline: Some(Instant::now() + Duration::from_secs(60)), ..Limits::default() };
    for problem in problems() {
        for entry in SOLVERS.iter().filter(|entry| entry.takes(&problem)) {
            let mut z = vec![0.0; problem.judge().size()];
            let answer = entry.solve(&problem, &mut z, &limits);
            let residual = problem.judge().residual(&z);
            let what = format!("{} on {}", entry.facts.name, problem.kind());
            match answer.result {
                Ok(solved) => {
                    assert!(solved.residual == residual && residual.relative <= limits.tolerance, "{what}")
                }
                Err(unsolved) => {
                    assert!(unsolved.residual == residual && residual.relative > limits.tolerance, "{what}");
                    assert!(!matches!(unsolved.failure, Failure::Unsuitable(_)), "{what}: {unsolved}");
                }
            }
        }
    }
}

#[test]
fn problems_with_bounds_have_one_answer_whoever_finds_it_in_whatever_form() {
    // P matrices: the answer is unique.
    for problem in &problems()[..3] {
        let mut answers = Vec::new();
        for name in ["default", "block-pivot", "lemke", "enumeration", "pgs"] {
            registry::applicable(name, problem).expect("it takes problems with bounds");
            let mut z = vec![0.0; problem.judge().size()];
            let limits = Limits { tolerance: 1e-10, iterations: Some(100_000), deadline: None };
            let answer = registry::solve(problem, name, &mut z, &limits).expect("a solver");
            answer.result.unwrap_or_else(|unsolved| panic!("{name} on {}: {unsolved}", problem.kind()));
            answers.push(z);
        }
        for other in &answers[1..] {
            for (a, b) in answers[0].iter().zip(other) {
                assert!((a - b).abs() < 1e-7, "{}: {a} and {b}", problem.kind());
            }
        }
    }
}

#[test]
fn a_solver_refuses_what_it_does_not_take_and_names_those_that_do() {
    let friction = Problem::Friction(corpus::one_contact());
    let said = registry::applicable("lemke", &friction).expect_err("lemke has no cones");
    assert!(
        said.starts_with(
            "lemke does not take problems of kind `friction`; those that do: default, pgs, pgs-exact-cone,"
        ),
        "{said}"
    );
    assert!(said.ends_with("newton, interior") && !said.contains("lagged"), "{said}");
    let said = registry::applicable("lagged-bounds", &friction).expect_err("the cone");
    assert!(said.contains("with another law than `box`"), "{said}");
    registry::applicable("interior", &friction).expect("the cone");
    let said = registry::applicable("simplex", &friction).expect_err("no such solver");
    assert!(said.starts_with("there is no solver `simplex`; solvers: default, block-pivot,"), "{said}");

    let mut z = vec![0.5; 3];
    let answer = registry::solve(&friction, "lemke", &mut z, &Limits::default()).expect("a name");
    let unsolved = answer.result.expect_err("refused");
    assert!(matches!(unsolved.failure, Failure::Unsuitable(_)), "{unsolved}");
    assert_eq!((z, unsolved.residual), (vec![0.5; 3], friction.judge().residual(&[0.5; 3])));
    let short = registry::solve(&friction, "newton", &mut [0.0], &Limits::default()).expect("a name");
    assert!(short.result.expect_err("refused").to_string().contains("1 entries where the problem has 3"));
}

#[test]
fn names_are_unique_and_every_kind_has_several_solvers() {
    let mut names: Vec<&str> =
        SOLVERS.iter().flat_map(|entry| [Some(entry.facts.name), entry.other_name]).flatten().collect();
    let count = names.len();
    names.sort_unstable();
    names.dedup();
    assert_eq!(names.len(), count);
    for name in ["splitting", "direct-iterative", "pgs-exact-tangents", "pgs-separate"] {
        registry::find(name).expect("a solver");
    }
    for problem in problems() {
        assert!(SOLVERS.iter().filter(|entry| entry.takes(&problem)).count() >= 3, "{}", problem.kind());
    }
    for Facts { name, takes, guarantees, costs, fails } in SOLVERS.iter().map(|entry| entry.facts) {
        assert!([takes, guarantees, costs, fails].iter().all(|text| !text.is_empty()), "{name}");
    }
}

#[test]
fn the_default_says_who_answered() {
    let answered = |problem: &Problem| {
        let mut z = vec![0.0; problem.judge().size()];
        let answer = registry::solve(problem, "default", &mut z, &Limits::default()).expect("a solver");
        answer.result.unwrap_or_else(|unsolved| panic!("{}: {unsolved}", problem.kind()));
        answer.solver
    };
    assert_eq!(answered(&Problem::Lcp(small_lcp())), "block-pivot");
    // Not P: block pivoting fails, Lemke's method does not.
    let m = Dense::from_rows(&[vec![0.0, 1.0], vec![1.0, 0.0]]).expect("rows");
    let copositive = Problem::Lcp(Lcp::new(m, vec![-1.0, -1.0]).expect("a problem"));
    assert_ne!(answered(&copositive), "default");
    for problem in problems().into_iter().skip(3) {
        assert!(registry::find(answered(&problem)).is_ok_and(|entry| entry.facts.name != "default"));
    }
}
