//! Scenes and their runs, node by node.

use carom::system::Mass;
use carom_io::scene::Scene;
use carom_tests::runs::stepper;

pub use carom_tests::runs::{built_in, scene};

/// The step of most of the reference.
pub const H: f64 = 1.0 / 60.0;

/// What is seen at a node.
pub struct Node {
    pub t: f64,
    pub q: Vec<f64>,
    /// The method's own velocity, half a step old.
    pub v: Vec<f64>,
    /// Impulses of the equalities in the step that ended here, along their gradients.
    pub impulses: Vec<f64>,
    /// Values of the equalities.
    pub f: Vec<f64>,
    /// Impacts in the step that ended here.
    pub impacts: u32,
    /// Energy that they took.
    pub impact_work: f64,
}

/// The energy of a node with the method's own velocity.
pub fn energy(scene: &Scene, node: &Node) -> f64 {
    let system = &*scene.problem.system;
    let mut p = vec![0.0; node.v.len()];
    system.mass().times(&node.q, &node.v, &mut p);
    0.5 * p.iter().zip(&node.v).map(|(p, v)| p * v).sum::<f64>() + system.potential(node.t, &node.q)
}

/// All nodes of a run, as many as there are before a step fails or ends where no chain reaches.
pub fn run_while(scene: &Scene, h: f64, steps: u64, reach: f64) -> Vec<Node> {
    let (system, mut stepper) = (&*scene.problem.system, stepper(scene, &scene.method));
    let Mass::Diagonal(mass) = system.mass() else { panic!("a diagonal mass") };
    let mut state = scene.problem.initial.clone();
    let (t0, mut nodes) = (state.t, Vec::new());
    let (mut impacts, mut impact_work) = (0, 0.0);
    for k in 1..=steps + 1 {
        let impulses = stepper.impulses().start.iter().map(|impulse| -impulse).collect();
        let v = state.p.iter().zip(mass).map(|(p, m)| p / m).collect();
        let mut f = vec![0.0; system.equalities().count()];
        system.equalities().values(state.t, &state.q, &mut f);
        let out = state.q.iter().any(|q| q.abs() > reach);
        nodes.push(Node { t: state.t, q: state.q.clone(), v, impulses, f, impacts, impact_work });
        if k > steps || out {
            break;
        }
        let Ok(report) = stepper.step(system, &mut state, h) else { break };
        (impacts, impact_work) = (report.impacts, report.impact_work);
        state.t = t0 + k as f64 * h;
    }
    nodes
}

/// All nodes of a run that must come to its end.
pub fn run(scene: &Scene, h: f64, steps: u64) -> Vec<Node> {
    let nodes = run_while(scene, h, steps, f64::INFINITY);
    assert_eq!(nodes.len() as u64, steps + 1, "{}: a step failed", scene.name);
    nodes
}

/// Largest |f| of all nodes.
pub fn max_violation(nodes: &[Node]) -> f64 {
    nodes.iter().flat_map(|node| &node.f).fold(0.0, |most, f| most.max(f.abs()))
}

/// Root mean square of f over rows and nodes, without the start.
pub fn rms_violation(nodes: &[Node]) -> f64 {
    let values = || nodes[1..].iter().flat_map(|node| &node.f);
    (values().map(|f| f * f).sum::<f64>() / values().count() as f64).sqrt()
}
