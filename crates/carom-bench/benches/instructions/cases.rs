//! Small systems and how many steps of them are counted.

use std::hint::black_box;

use carom::lagrangian::parts::{Masses, Springs};
use carom::method::Method;
use carom::state::State;
use carom::steppers::{Stepper, cva, gvi, variational, vci, verlet};
use carom::system::System;
use carom_bench::systems::{particle, pogo, star};
use carom_io::document::{Edit, Source};
use carom_io::scene::{BuiltIn, Scene};

/// From here nothing comes down: what the look-out for contacts costs.
const HIGH: f64 = 1e9;
/// Edits of a scene that give it another method, with its default options.
const GVI: &str = "method={ name = \"gvi\" }";
const DIRECT: &str = "method={ name = \"direct\" }";
const VCI: &str = "method={ name = \"vci\" }";
const CVA: &str = "method={ name = \"cva\" }";
const VERLET: &str = "method={ name = \"verlet\" }";
const MIDPOINT: &str = "method={ name = \"midpoint\" }";
const SPOOK: &str = "method={ name = \"spook\" }";
const PEM: &str = "method={ name = \"pem\" }";
/// The step of the benches on which methods of second order swing a pendulum.
const SHORT: &str = "run.step=0.01";

/// What is stepped.
enum Work {
    /// A system that is a static type; the argument is the number of rounds, then that of steps.
    Static(fn(usize, usize)),
    /// A built-in scene with its own method and step, unless edits change them.
    Scene(&'static str, &'static [&'static str]),
}

/// A row of the table.
pub struct Case {
    pub name: &'static str,
    /// Steps of a round: enough for many impacts, few enough for a minute under valgrind in all.
    pub steps: usize,
    work: Work,
}

const fn fixed(name: &'static str, steps: usize, work: fn(usize, usize)) -> Case {
    Case { name, steps, work: Work::Static(work) }
}

const fn scene(name: &'static str, steps: usize, built_in: &'static str, edits: &'static [&'static str]) -> Case {
    Case { name, steps, work: Work::Scene(built_in, edits) }
}

/// Every case. Names are compared with those of earlier tables.
pub const CASES: &[Case] = &[
    fixed("oscillator verlet static", 4000, |rounds, steps| oscillator(&verlet::Config::default(), rounds, steps)),
    fixed("oscillator midpoint static", 4000, |rounds, steps| {
        oscillator(&variational::Midpoint::default(), rounds, steps);
    }),
    scene("oscillator verlet", 4000, "harmonic-oscillator", &[VERLET]),
    scene("oscillator midpoint", 4000, "harmonic-oscillator", &[MIDPOINT]),
    scene("pendulum-polar verlet", 2000, "pendulum-polar", &[VERLET, SHORT]),
    scene("pendulum-polar midpoint", 2000, "pendulum-polar", &[MIDPOINT, SHORT]),
    scene("pendulum-polar galerkin 2", 1000, "pendulum-polar", &[]),
    scene("pendulum-polar galerkin 4", 500, "pendulum-polar", &["method.degree=4"]),
    scene("pendulum-cartesian verlet", 2000, "pendulum-cartesian", &[VERLET, SHORT]),
    scene("pendulum-cartesian midpoint", 2000, "pendulum-cartesian", &[MIDPOINT, SHORT]),
    scene("pendulum-cartesian galerkin 2", 500, "pendulum-cartesian", &[]),
    scene("lennard-jones-rods verlet", 500, "lennard-jones-rods", &[VERLET]),
    fixed("pogo-stick gvi static", 4000, |rounds, steps| pogo_stick(1.0, rounds, steps)),
    fixed("pogo-stick gvi static, in the air", 4000, |rounds, steps| pogo_stick(HIGH, rounds, steps)),
    scene("pogo-stick gvi", 4000, "pogo-stick", &[]),
    scene("pogo-stick direct", 2000, "pogo-stick", &[DIRECT]),
    scene("pogo-stick cva", 2000, "pogo-stick", &[CVA]),
    scene("point-mass gvi", 4000, "point-mass", &[]),
    scene("spring-sphere gvi", 2000, "spring-sphere", &[GVI]),
    scene("lennard-jones-chain gvi", 500, "lennard-jones-chain", &[]),
    scene("newtons-cradle gvi", 300, "newtons-cradle", &["parameters.balls=5"]),
    fixed("bouncing-particle vci static", 4000, |rounds, steps| {
        bounce(&vci::Config::default(), 1.0, rounds, steps)
    }),
    fixed("bouncing-particle vci static, in the air", 4000, |rounds, steps| {
        bounce(&vci::Config::default(), HIGH, rounds, steps);
    }),
    scene("bouncing-particle vci", 4000, "bouncing-particle", &[VCI]),
    fixed("bouncing-particle cva static", 4000, |rounds, steps| {
        bounce(&cva::Config::default(), 1.0, rounds, steps)
    }),
    fixed("bouncing-particle cva static, in the air", 4000, |rounds, steps| {
        bounce(&cva::Config::default(), HIGH, rounds, steps);
    }),
    scene("bouncing-particle cva", 4000, "bouncing-particle", &[CVA]),
    fixed("star-body vci static", 2000, |rounds, steps| tumble(&vci::Config::default(), 3.5, rounds, steps)),
    fixed("star-body vci static, in the air", 2000, |rounds, steps| {
        tumble(&vci::Config::default(), HIGH, rounds, steps);
    }),
    scene("star-body vci", 2000, "star-body", &[VCI]),
    fixed("star-body cva static", 2000, |rounds, steps| tumble(&cva::Config::default(), 3.5, rounds, steps)),
    fixed("star-body cva static, in the air", 2000, |rounds, steps| {
        tumble(&cva::Config::default(), HIGH, rounds, steps);
    }),
    scene("star-body cva", 2000, "star-body", &[CVA]),
    scene("disk-billiard vci", 2000, "disk-billiard", &[VCI]),
    scene("disk-billiard cva", 2000, "disk-billiard", &[CVA]),
    scene("disk-billiard gvi", 2000, "disk-billiard", &[GVI]),
    scene("double-pendulum-wall vci", 500, "double-pendulum-wall", &[VCI]),
    scene("double-pendulum-wall cva", 500, "double-pendulum-wall", &[CVA]),
    scene("pendulum-penalty spook", 500, "pendulum-penalty", &[]),
    scene("bouncing-ball spook", 500, "bouncing-ball", &[]),
    scene("heavy-chain spook", 200, "heavy-chain", &["parameters.links=10", SPOOK]),
    scene("heavy-chain pem", 100, "heavy-chain", &["parameters.links=10", "parameters.angle=30*pi/180", PEM]),
];

impl Case {
    /// Rounds of its steps, each from the start with a stepper of its own, on one system.
    pub fn run(&self, rounds: usize) {
        match self.work {
            Work::Static(work) => work(rounds, self.steps),
            Work::Scene(name, edits) => {
                let scene = read(name, edits);
                let (system, start) = (&*scene.problem.system, &scene.problem.initial);
                for _ in 0..rounds {
                    let mut stepper = scene.method.stepper(system, start).expect("taken");
                    drive(system, &mut *stepper, start, (scene.run.h, self.steps));
                }
            }
        }
    }
}

fn read(name: &str, edits: &[&str]) -> Scene {
    let text = BuiltIn::named(name).expect("built in").text;
    let edits: Vec<Edit> = edits.iter().copied().map(Edit::set).collect();
    match Scene::read(name, &Source::new(name, text), &edits) {
        Ok(scene) => scene,
        Err(problems) => panic!("{name}: {}", problems[0].message),
    }
}

fn drive<S: System + ?Sized, T: Stepper<S> + ?Sized>(
    system: &S,
    stepper: &mut T,
    start: &State,
    (h, steps): (f64, usize),
) {
    let mut state = black_box(start.clone());
    for _ in 0..steps {
        stepper.step(system, &mut state, h).expect("it runs");
    }
    black_box(state.q[0]);
}

/// Rounds of a method on a system, both static types.
fn rounds<S: System, M: Method>(system: &S, start: &State, method: &M, h: f64, [rounds, steps]: [usize; 2])
where
    M::Stepper: Stepper<S>,
{
    for _ in 0..rounds {
        let mut stepper = method.stepper(system, start).expect("taken");
        drive(system, &mut stepper, start, (h, steps));
    }
}

fn oscillator<M: Method>(method: &M, count: usize, steps: usize)
where
    M::Stepper: Stepper<Masses<Springs>>,
{
    let system = Masses::new(vec![1.0, 3.0], Springs { stiffness: vec![1.0, 2.0] });
    let start = State { t: 0.0, q: vec![1.0, 0.3], p: vec![0.1, -0.4] };
    rounds(&system, &start, method, 0.01, [count, steps]);
}

fn pogo_stick(height: f64, count: usize, steps: usize) {
    let method = gvi::Config { rule: gvi::Rule::Verlet, ..gvi::Config::default() };
    rounds(&pogo::Pogo, &pogo::start(height), &method, pogo::H, [count, steps]);
}

fn bounce<M: Method>(method: &M, height: f64, count: usize, steps: usize)
where
    M::Stepper: Stepper<particle::Particle>,
{
    rounds(&particle::Particle, &particle::start(height), method, particle::H, [count, steps]);
}

fn tumble<M: Method>(method: &M, height: f64, count: usize, steps: usize)
where
    M::Stepper: Stepper<star::Star>,
{
    rounds(&star::Star, &star::start(height), method, star::H, [count, steps]);
}
