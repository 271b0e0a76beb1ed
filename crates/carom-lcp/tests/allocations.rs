//! A second solve of a problem of the same shape allocates nothing.

mod common;

use carom_lcp::corpus::{Brick, Snapshot, wall};
use carom_lcp::{BlockPivot, Dense, Enumeration, Judged, Lcp, LcpDefault, Lemke, Limits, Mlcp, Solver};
use common::{Random, gram, mlcp};

fn allocations(mut work: impl FnMut()) -> u64 {
    work();
    allocation_counter::measure(work).count_total
}

#[test]
fn warm_solvers_allocate_nothing() {
    let mut random = Random::new(2);
    let limits = Limits { tolerance: 1e-8, ..Limits::default() };
    let h = gram(&random.matrix(30, 12), 1e-5);
    let q = random.normals(30);
    let mixed: Vec<Mlcp> = [-0.5, -0.25]
        .map(|lower| mlcp(&h, &q, &[lower; 30], &[0.5; 30]))
        .into_iter()
        .chain([mlcp(&h, &q, &[0.0; 30], &[f64::INFINITY; 30])])
        .collect();
    let mut z = vec![0.0; 30];
    let mut block_pivot = BlockPivot::default();
    let count = allocations(|| {
        for problem in &mixed {
            z.fill(0.0);
            block_pivot.solve(problem, &mut z, &limits).expect("a solution");
        }
    });
    assert_eq!(count, 0, "block pivoting, mixed");

    let walls = [Snapshot::Rest, Snapshot::Impact, Snapshot::Collapse]
        .map(|snapshot| wall(4, 3, Brick::Cube, snapshot).frictionless());
    let mut z = vec![0.0; walls[0].size()];
    let count = allocations(|| {
        for problem in &walls {
            z.fill(0.0);
            block_pivot.solve(problem, &mut z, &limits).expect("a solution");
        }
    });
    assert_eq!(count, 0, "block pivoting by sparse factors");

    let m = gram(&random.matrix(12, 12), 0.1);
    let problem = Lcp::new(Dense::from_rows(&m).expect("rows"), random.normals(12)).expect("a problem");
    let mut z = vec![0.0; 12];
    let solvers: [(&str, &mut dyn Solver<Lcp>); 4] = [
        ("block pivoting", &mut BlockPivot::default()),
        ("Lemke", &mut Lemke::default()),
        ("enumeration", &mut Enumeration::default()),
        ("default", &mut LcpDefault::default()),
    ];
    for (name, solver) in solvers {
        let count = allocations(|| {
            z.fill(0.0);
            solver.solve(&problem, &mut z, &limits).expect("a solution");
        });
        assert_eq!(count, 0, "{name}");
    }
}

#[test]
fn the_counter_counts() {
    assert!(allocations(|| drop(std::hint::black_box(vec![1.0; 30]))) > 0);
}
