//! Problems as files: what is saved reads back to the same bits, and what the public collections have can be read.

use std::path::{Path, PathBuf};

use carom_lcp::corpus::{self, Brick, Snapshot};
use carom_lcp::{Dense, Law, Lcp, Mlcp, Problem, SaddleMlcp, Sparse};

/// Numbers that are lost by careless writing.
const AWKWARD: [f64; 6] = [-0.0, 5e-324, 0.1 + 0.2, f64::MAX, 1.0 / 3.0, -2.225_073_858_507_201e-308];

fn corpus() -> Vec<Problem> {
    let saddle = corpus::chain(3, 1e-4);
    let n = saddle.q.len();
    let mut lower = vec![f64::NEG_INFINITY; n];
    let mut upper = vec![f64::INFINITY; n];
    (lower[0], upper[n - 1]) = (-0.1, AWKWARD[2]);
    let m = Dense::from_rows(&[AWKWARD.to_vec(), AWKWARD.to_vec(), vec![1.0; 6]]).expect("rows");
    let mut square = Dense::zeros(6, 6);
    (0..3).for_each(|row| square.row_mut(row).copy_from_slice(m.row(row)));
    // A stored 0 is a part of the pattern.
    let sparse = Sparse::from_triplets(6, 6, &[(0, 0, 2.0), (3, 1, 0.0), (5, 5, 1.0 / 3.0)]).expect("entries");
    vec![
        Problem::Lcp(Lcp::new(square, AWKWARD.to_vec()).expect("a problem")),
        Problem::Lcp(Lcp::new(Dense::zeros(0, 0), vec![]).expect("nothing")),
        Problem::Mlcp(
            Mlcp::new(sparse, AWKWARD.to_vec(), vec![-0.0; 6], vec![f64::INFINITY; 6]).expect("a problem"),
        ),
        Problem::SaddleMlcp(SaddleMlcp::new(saddle, lower, upper).expect("a problem")),
        Problem::Friction(corpus::one_contact()),
        Problem::Friction(corpus::a_frame(0.7).reduced().with_law(Law::Box)),
        Problem::GlobalFriction(corpus::wall(2, 2, Brick::Long, Snapshot::Collapse)),
        Problem::GlobalFriction(corpus::a_frame(0.7).with_law(Law::Box)),
    ]
}

#[test]
fn a_saved_problem_reads_back_to_the_same_bits() {
    for problem in corpus() {
        let text = problem.to_json(Some("a \"name\"\n"));
        let back = Problem::from_json(&text).unwrap_or_else(|error| panic!("{}: {error}\n{text}", problem.kind()));
        assert_eq!(back.name.as_deref(), Some("a \"name\"\n"));
        assert_eq!(back.problem, problem);
        // Equality does not tell 0 from −0; the text does.
        assert_eq!(back.problem.to_json(Some("a \"name\"\n")), text);
        assert_eq!(Problem::from_json(&problem.to_json(None)).expect("a problem").name, None);
    }
    let text = corpus()[0].to_json(None);
    let Problem::Lcp(back) = Problem::from_json(&text).expect("a problem").problem else { panic!("no LCP") };
    assert_eq!(back.q.map_bits(), AWKWARD.to_vec().map_bits());
    assert_eq!(back.m.row(0).to_vec().map_bits(), AWKWARD.to_vec().map_bits());
}

trait Bits {
    fn map_bits(&self) -> Vec<u64>;
}

impl Bits for Vec<f64> {
    fn map_bits(&self) -> Vec<u64> {
        self.iter().map(|value| value.to_bits()).collect()
    }
}

#[test]
fn the_kind_is_recognised_by_the_keys() {
    for problem in corpus() {
        let kind = problem.kind();
        let text = problem.to_json(None);
        let without = text.replacen(&format!("  \"kind\": \"{kind}\",\n"), "", 1);
        assert_ne!(text, without);
        assert_eq!(Problem::from_json(&without).expect("a problem").problem, problem);
        // A kind that it is not is refused.
        let other = if kind == "lcp" { "mlcp" } else { "lcp" };
        let wrong = text.replacen(&format!("\"kind\": \"{kind}\""), &format!("\"kind\": \"{other}\""), 1);
        Problem::from_json(&wrong).expect_err("another kind");
    }
}

#[test]
fn a_matrix_may_be_given_by_rows_or_by_entries() {
    let rows = r#"{"M": [[2, 0.5], [0, 1]], "q": [-1, 1]}"#;
    let entries = r#"{"M": {"size": 2, "row": [1, 0, 0, 0], "col": [1, 1, 0, 1], "value": [1, 0.25, 2, 0.25]},
                     "q": [-1, 1]}"#;
    let [rows, entries] = [rows, entries].map(|text| Problem::from_json(text).expect("a problem").problem);
    assert_eq!(rows, entries);
    let mixed = r#"{"M": [[2, 0.5], [0, 1]], "q": [-1, 1], "lower": [null, 0], "upper": [null, 1e3]}"#;
    let Problem::Mlcp(mixed) = Problem::from_json(mixed).expect("a problem").problem else {
        panic!("no mixed LCP")
    };
    assert_eq!((mixed.lower[0], mixed.upper), (f64::NEG_INFINITY, vec![f64::INFINITY, 1e3]));
    assert_eq!(mixed.h.entries(), 3);
}

/// The files of a folder of the public data, if there are any.
fn data(folder: &str) -> Option<Vec<PathBuf>> {
    let root = std::env::var_os("CAROM_DATA")?;
    let entries = std::fs::read_dir(Path::new(&root).join(folder)).ok()?;
    let mut paths: Vec<PathBuf> = entries.map(|entry| entry.expect("an entry").path()).collect();
    paths.sort();
    Some(paths)
}

#[test]
fn problems_of_public_collections_are_read_as_they_are() {
    for (folder, kind) in [("lcp", "lcp"), ("friction-contact", "friction")] {
        let Some(paths) = data(folder) else {
            println!("skipped: CAROM_DATA names no folder with {folder}");
            continue;
        };
        for path in paths {
            let text = std::fs::read_to_string(&path).expect("a file");
            let named = Problem::from_json(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
            assert_eq!(named.problem.kind(), kind, "{}", path.display());
            assert!(named.name.is_some() && named.problem.judge().size() > 0);
            let again = Problem::from_json(&named.problem.to_json(named.name.as_deref())).expect("a problem");
            assert_eq!(again, named);
        }
    }
}
