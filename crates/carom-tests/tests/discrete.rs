//! Systems of expressions and discrete Lagrangians: every derivative against differences of what it is the derivative of.

use carom::discrete::{Chord, DiscreteLagrangian, Legendre, LinearPath, Newmark, Partials, SecondPartials};
use carom::lagrangian::definition::{Contact, Drive, NamedRow};
use carom::lagrangian::expressed::Expressed;
use carom::lagrangian::expression::Op;
use carom::particles::{Link, Particles};
use carom::system::{
    Contacts, Dynamics, Equalities, Mass, NoRows, Nonholonomic, Pattern, Segment, Softness, SparseEqualities,
    SparseHessian, System,
};
use carom::testing::derivatives::{Comparison, Place, check, compare};
use carom_io::scene::Scene;
use carom_tests::runs::{built_in, scene};

const T0: f64 = 0.3;
const H: f64 = 0.07;

/// Everything at once: `M(q)`, a potential that depends on time, forces that depend on position, velocity and time.
const RICH: &str = r#"
[lagrangian]
coordinates = ["x", "y"]
kinetic = "0.5*(1 + 0.3*y^2)*dot(x)^2 + 0.2*x*y*dot(x)*dot(y) + 0.5*(2 + sin(x))*dot(y)^2"
potential = "x^2*y + cos(2*t)*x*y^3 + exp(0.3*x - t)"
forces = ["-0.3*dot(x)*(1 + y^2) + t*y", "0.2*dot(x)*dot(y) - sin(t)*x^2"]
[initial]
q = [0.4, -0.7]
[method]
name = "midpoint"
[run]
step = 0.1
steps = 1
"#;

#[test]
fn every_derivative_of_a_system_of_expressions_is_right() {
    let mut definition = scene("rich", RICH, &[]).definition.expect("expressions");
    let layout = definition.layout();
    let graph = &mut definition.graph;
    let (x, y, t) = (graph.input(layout.q(0)), graph.input(layout.q(1)), graph.input(layout.t()));
    let (u, w) = (graph.input(layout.v(0)), graph.input(layout.v(1)));
    let xy = graph.mul(x, y);
    let (sin, exp) = (graph.apply(Op::Sin, xy, xy), graph.apply(Op::Exp, y, y));
    let sin_t = graph.apply(Op::Sin, t, t);
    let moving = graph.mul(sin, sin_t);
    let gap = graph.add(sin, exp);
    let (left, right) = (graph.mul(exp, u), graph.mul(xy, w));
    let row = graph.add(left, right);
    let row = graph.sub(row, sin_t);
    let named = |node| vec![NamedRow { name: "row".into(), node }];
    definition.equalities = named(moving);
    definition.inequalities = named(gap);
    definition.contacts = vec![Contact::default()];
    definition.nonholonomic = named(row);
    (definition.softness, definition.drives) = (vec![Softness::default()], vec![Drive::default()]);
    let system = Expressed::new(definition).expect("it is fine");
    let found = check(&system, T0, &[0.4, -0.7], &[0.8, 0.3]);
    assert_agree(&found, "rich");
    let names: Vec<&str> = found.iter().map(|comparison| comparison.what).collect();
    let expected = "dV/dq d2V/dq2 dV/dt d2V/dt2 d2V/dqdt M = d(Mv)/dv d(Mv)/dq dT/dq d2T/dq2 df_NP/dq df_NP/dv df/dq \
                    d2f/dq2 v d2f/dq2 v df/dt d2f/dt2 d2f/dqdt dg/dq d2g/dq2 d(Av)/dq da/dt";
    assert_eq!(names.join(" "), expected);
    assert!(found.iter().all(|comparison| comparison.values.0 != 0.0), "none is trivially zero: {found:?}");
}

fn systems() -> Vec<Scene> {
    vec![scene("rich", RICH, &[]), built_in("double-pendulum", &[]), built_in("kepler", &[])]
}

fn rules(n: usize) -> Vec<LinearPath> {
    let gamma = |gamma| LinearPath::gamma(gamma, n);
    vec![LinearPath::trapezoid(n), LinearPath::midpoint(n), gamma(0.0), gamma(1.0), gamma(0.3)]
}

fn ends(scene: &Scene) -> (Vec<f64>, Vec<f64>) {
    let q0 = scene.problem.initial.q.clone();
    let q1 = q0.iter().enumerate().map(|(i, q)| q + H * (0.8 - 0.5 * i as f64)).collect();
    (q0, q1)
}

fn partials(rule: &LinearPath, system: &dyn System, h: f64, q0: &[f64], q1: &[f64]) -> Partials {
    let v: Vec<f64> = q0.iter().zip(q1).map(|(q0, q1)| (q1 - q0) / h).collect();
    let mut out = Partials::new(q0.len());
    rule.clone().partials(system, Chord { t0: T0, h, q0, v: &v }, &mut out);
    out
}

fn assert_agree(comparisons: &[Comparison], label: &str) {
    for comparison in comparisons {
        assert!(comparison.agrees(), "{label}: {comparison:?}");
        assert!(comparison.error < 1e-9, "{label}: {comparison:?}");
    }
}

#[test]
fn first_and_second_derivatives_are_those_of_the_value() {
    for scene in systems() {
        let (system, (q0, q1)) = (&*scene.problem.system, ends(&scene));
        let n = q0.len();
        for rule in rules(n) {
            let at = |h: f64, q0: &[f64], q1: &[f64]| partials(&rule, system, h, q0, q1);
            let given = at(H, &q0, &q1);
            let v: Vec<f64> = q0.iter().zip(&q1).map(|(q0, q1)| (q1 - q0) / H).collect();
            let mut second = SecondPartials::new(n);
            rule.clone().second_partials(system, Chord { t0: T0, h: H, q0: &q0, v: &v }, &mut second);
            let mut found = Vec::new();
            let place = |what, x, rows| Place { what, x, rows };
            let step = [H];
            compare(place("D1", &q0, 1), &given.d1, |x, o| o[0] = at(H, x, &q1).value, &mut found);
            compare(place("D2", &q1, 1), &given.d2, |x, o| o[0] = at(H, &q0, x).value, &mut found);
            compare(place("D3", &step, 1), &[given.d3], |h, o| o[0] = at(h[0], &q0, &q1).value, &mut found);
            compare(place("D11", &q0, n), &second.d11, |x, o| o.copy_from_slice(&at(H, x, &q1).d1), &mut found);
            compare(place("D12", &q1, n), &second.d12, |x, o| o.copy_from_slice(&at(H, &q0, x).d1), &mut found);
            compare(place("D22", &q1, n), &second.d22, |x, o| o.copy_from_slice(&at(H, &q0, x).d2), &mut found);
            compare(
                place("D13", &step, n),
                &second.d13,
                |h, o| o.copy_from_slice(&at(h[0], &q0, &q1).d1),
                &mut found,
            );
            compare(
                place("D23", &step, n),
                &second.d23,
                |h, o| o.copy_from_slice(&at(h[0], &q0, &q1).d2),
                &mut found,
            );
            compare(place("D33", &step, 1), &[second.d33], |h, o| o[0] = at(h[0], &q0, &q1).d3, &mut found);
            assert_eq!(found.len(), 9);
            assert_agree(&found, &format!("{} {:?}", scene.name, rule.nodes()));
        }
    }
}

fn check_left<R: Legendre<dyn System> + Clone>(rule: &R, scene: &Scene, label: &str) {
    let system = &*scene.problem.system;
    let (q0, q1) = ends(scene);
    let n = q0.len();
    let v: Vec<f64> = q0.iter().zip(&q1).map(|(q0, q1)| (q1 - q0) / H).collect();
    let (mut jacobian, mut unused, mut size) = (vec![0.0; n * n], vec![0.0; n], vec![0.0; n]);
    rule.clone().left_jacobian(system, Chord { t0: T0, h: H, q0: &q0, v: &v }, &mut jacobian);
    let mut found = Vec::new();
    let left = |v: &[f64], out: &mut [f64]| {
        rule.clone().momenta(system, Chord { t0: T0, h: H, q0: &q0, v }, out, &mut unused, &mut size);
    };
    compare(Place { what: "d left/dv", x: &v, rows: n }, &jacobian, left, &mut found);
    assert_agree(&found, label);
}

#[test]
fn the_jacobian_of_newton_is_exact_with_forces() {
    for scene in systems() {
        let n = scene.problem.system.dim();
        for rule in rules(n) {
            check_left(&rule, &scene, &format!("{} {:?}", scene.name, rule.nodes()));
        }
        if scene.problem.system.mass().is_constant() {
            check_left(&Newmark::new(0.3, 0.6, n), &scene, "newmark");
        }
    }
    let damped = scene("damped", &RICH.replace("kinetic = ", "mass = [1.0, 2.0]\n#"), &[]);
    check_left(&Newmark::new(0.3, 0.6, 2), &damped, "newmark with forces");
}

#[test]
fn without_forces_the_momenta_are_the_slopes_of_the_discrete_lagrangian() {
    let scene = built_in("double-pendulum", &[]);
    let (system, (q0, q1)) = (&*scene.problem.system, ends(&scene));
    let v: Vec<f64> = q0.iter().zip(&q1).map(|(q0, q1)| (q1 - q0) / H).collect();
    for mut rule in rules(2) {
        let given = partials(&rule, system, H, &q0, &q1);
        let (mut left, mut right, mut size) = ([0.0; 2], [0.0; 2], [0.0; 2]);
        rule.momenta(system, Chord { t0: T0, h: H, q0: &q0, v: &v }, &mut left, &mut right, &mut size);
        for i in 0..2 {
            assert!((left[i] + given.d1[i]).abs() <= 1e-13 * size[i], "{left:?} {given:?}");
            assert!((right[i] - given.d2[i]).abs() <= 1e-13 * size[i], "{right:?} {given:?}");
        }
    }
}

#[test]
fn control_a_wrong_derivative_is_seen() {
    let mut found = Vec::new();
    compare(Place { what: "wrong", x: &[0.7], rows: 1 }, &[2.001 * 0.7], |x, o| o[0] = x[0] * x[0], &mut found);
    assert!(!found[0].agrees(), "{found:?}");
}

/// A circle that says of one of its bends what is not true.
struct Bent {
    circle: Particles,
    by_row: f64,
    bend: f64,
}

impl Dynamics for Bent {
    fn dim(&self) -> usize {
        self.circle.dim()
    }
    fn mass(&self) -> Mass<'_> {
        self.circle.mass()
    }
    fn potential(&self, t: f64, q: &[f64]) -> f64 {
        self.circle.potential(t, q)
    }
    fn potential_gradient(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.circle.potential_gradient(t, q, out);
    }
    fn potential_hessian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.circle.potential_hessian(t, q, out);
    }
    fn sparse_hessian(&self) -> Option<&dyn SparseHessian> {
        None
    }
}

impl System for Bent {
    fn equalities(&self) -> &dyn Equalities {
        self
    }
    fn contacts(&self) -> &dyn Contacts {
        &NoRows
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }
}

impl Equalities for Bent {
    fn count(&self) -> usize {
        self.circle.equalities().count()
    }
    fn values(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.circle.equalities().values(t, q, out);
    }
    fn rounding(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        self.circle.equalities().jacobian(t, q, out);
    }
    fn hessian(&self, t: f64, q: &[f64], lambda: &[f64], out: &mut [f64]) {
        self.circle.equalities().hessian(t, q, lambda, out);
    }
    fn bend(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        self.circle.equalities().bend(t, q, v, out);
        out[1] *= self.bend;
    }
    fn rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn second_rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn jacobian_rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn softness(&self, _index: usize) -> Softness {
        Softness::default()
    }
    fn name(&self, index: usize) -> String {
        format!("equalities[{index}]")
    }
    fn sparse(&self) -> Option<&dyn SparseEqualities> {
        Some(self)
    }
}

impl SparseEqualities for Bent {
    fn pattern(&self) -> &Pattern {
        SparseEqualities::pattern(&self.circle)
    }
    fn entries(&self, t: f64, q: &[f64], f: &mut [f64], entries: &mut [f64]) {
        SparseEqualities::entries(&self.circle, t, q, f, entries);
    }
    fn discrete_entries(&self, _segment: &Segment, _entries: &mut [f64]) -> bool {
        false
    }
    fn row_hessian(&self, t: f64, q: &[f64], index: usize, out: &mut [f64]) {
        SparseEqualities::row_hessian(&self.circle, t, q, index, out);
        out[1] *= self.by_row;
    }
}

#[test]
fn control_wrong_bends_of_rows_are_seen() {
    let wrong = |by_row: f64, bend: f64| -> Vec<&'static str> {
        let mut circle = Particles::new(2, vec![1.0, 2.0]).expect("right");
        circle.add_rod(Link::anchored(0, [0.0; 3]), 1.0).expect("right");
        circle.add_rod(Link::between(1, 0), 1.0).expect("right");
        let found = check(&Bent { circle, by_row, bend }, 0.0, &[0.6, 0.8, 1.5, 0.4], &[0.8, -0.6, 1.0, 0.3]);
        found.iter().filter(|comparison| !comparison.agrees()).map(|comparison| comparison.what).collect()
    };
    assert_eq!(wrong(1.0, 1.0), [""; 0]);
    assert_eq!(wrong(1.001, 1.0), ["d2f/dq2 by rows"]);
    assert_eq!(wrong(1.0, 1.001), ["v d2f/dq2 v"]);
}
