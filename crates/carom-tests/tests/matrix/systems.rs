//! Systems of the matrix: nonlinear (linear ones super-converge), with and without constraints and `M(q)`.

use carom::method::{AnyMethod, Refusal};
use carom_io::scene::Scene;
use carom_tests::runs::{built_in, scene};

/// Two masses in the plane on a nonlinear spring: linear and angular momentum are conserved.
pub const DUMBBELL: &str = r#"
[lagrangian]
coordinates = ["x1", "y1", "x2", "y2"]
mass = [1.0, 1.0, 2.5, 2.5]
potential = "2*(hypot(x2 - x1, y2 - y1) - 1)^2 + 0.3*(hypot(x2 - x1, y2 - y1) - 1)^4"
points = [["x1", "y1"], ["x2", "y2"]]
[initial]
q = [0.0, 0.0, 1.3, 0.2]
v = [0.1, -0.4, 0.3, 0.7]
[method]
name = "verlet"
[run]
step = 0.01
until = 1.0
"#;

/// Three masses in space on two rods with a spring between the ends: everything is conserved.
pub const TRIPLE: &str = r#"
[lagrangian]
coordinates = ["x1", "y1", "z1", "x2", "y2", "z2", "x3", "y3", "z3"]
mass = [1.0, 1.0, 1.0, 2.0, 2.0, 2.0, 0.5, 0.5, 0.5]
potential = "1.5*(sqrt((x3-x1)^2 + (y3-y1)^2 + (z3-z1)^2) - 1)^2"
equalities = [
    "sqrt((x2-x1)^2 + (y2-y1)^2 + (z2-z1)^2) - 1",
    "sqrt((x3-x2)^2 + (y3-y2)^2 + (z3-z2)^2) - 1",
]
points = [["x1","y1","z1"], ["x2","y2","z2"], ["x3","y3","z3"]]
[initial]
q = [0, 0, 0, 1, 0, 0, 1, 1, 0]
v = [0.2, 0.5, -0.3, 0.2, -0.4, 0.6, 0.9, -0.4, 0.1]
[method]
name = "verlet"
[run]
step = 0.01
until = 1.0
"#;

/// The dumbbell and the triple as particles: potentials and rods between pairs.
pub const DUMBBELL_OF_PARTICLES: &str = r#"
[[particle]]
mass = 1.0
position = [0.0, 0.0]
velocity = [0.1, -0.4]
[[particle]]
mass = 2.5
position = [1.3, 0.2]
velocity = [0.3, 0.7]
[[pair]]
potential = "2*(r - 1)^2 + 0.3*(r - 1)^4"
[method]
name = "verlet"
[run]
step = 0.01
until = 1.0
"#;

/// See [`DUMBBELL_OF_PARTICLES`].
pub const TRIPLE_OF_PARTICLES: &str = r#"
[[particle]]
mass = 1.0
position = [0, 0, 0]
velocity = [0.2, 0.5, -0.3]
[[particle]]
mass = 2.0
position = [1, 0, 0]
velocity = [0.2, -0.4, 0.6]
[[particle]]
mass = 0.5
position = [1, 1, 0]
velocity = [0.9, -0.4, 0.1]
[[rod]]
between = [0, 1]
[[rod]]
between = [1, 2]
[[spring]]
between = [0, 2]
stiffness = 3.0
rest = 1.0
[method]
name = "verlet"
[run]
step = 0.01
until = 1.0
"#;

/// A pendulum whose pivot is moved: a constraint that depends on time.
pub const RHEONOMIC: &str = r#"
[lagrangian]
coordinates = ["x", "y"]
mass = 1.0
potential = "9.81*y + 0.8*cos(t)*x^3*y"
equalities = ["hypot(x - 0.3*sin(2*t), y) - 1"]
[initial]
q = [0.0, -1.0]
v = [0.5, 0.0]
[method]
name = "verlet"
[run]
step = 0.01
until = 1.0
"#;

/// The systems with a name, the span of an order study and its first number of steps.
pub fn systems() -> Vec<(Scene, f64, u64)> {
    vec![
        (built_in("elastic-pendulum", &[]), 1.0, 64),
        (built_in("double-pendulum", &[]), 1.0, 64),
        // Under uniform gravity verlet, midpoint and newmark are one method: a term that tells them apart.
        (built_in("pendulum-cartesian", &["lagrangian.potential='m*g*y + 0.8*x^3*y'"]), 1.5, 64),
        (built_in("double-pendulum-rods", &["lagrangian.potential='9.81*(y1 + y2) + 3*x1*x2^3'"]), 1.0, 64),
        (built_in("kepler", &["parameters.eccentricity=0.3"]), 2.0, 64),
        (scene("dumbbell", DUMBBELL, &[]), 1.0, 64),
        (scene("triple", TRIPLE, &[]), 1.0, 64),
        (scene("rheonomic", RHEONOMIC, &[]), 1.0, 64),
    ]
}

/// Whether the method takes the scene's system.
pub fn takes(method: &AnyMethod, scene: &Scene) -> bool {
    let problem = &scene.problem;
    !matches!(method.stepper(&*problem.system, &problem.initial), Err(Refusal::Unable { .. }))
}
