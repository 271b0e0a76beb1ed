//! Gaps of every kind, and bodies that are aimed at them.

use std::cell::RefCell;
use std::collections::HashMap;
use std::rc::Rc;

use carom::particles::{Ball, Group, Link, Particles, Selection, Side, Surface, Wall};
use carom::plates::{self, Plate, Plates};
use carom::system::System;
use carom_tests::fuzz::Dice;
use carom_tests::runs::scene;

use super::altered::Pin;
use super::dice::Draws;
use super::legs::Leg;

/// What the gaps are.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    Spheres(usize),
    Wall,
    Inside,
    Outside,
    Plates,
    Linear,
    Quadratic,
    Waves,
    Rational,
    Roots,
    Curved,
}

impl Kind {
    pub const ALL: [Self; 13] = [
        Self::Spheres(1),
        Self::Spheres(2),
        Self::Spheres(3),
        Self::Wall,
        Self::Inside,
        Self::Outside,
        Self::Plates,
        Self::Linear,
        Self::Quadratic,
        Self::Waves,
        Self::Rational,
        Self::Roots,
        Self::Curved,
    ];

    /// Whether bodies are particles.
    pub fn of_particles(self) -> bool {
        matches!(self, Self::Spheres(_) | Self::Wall | Self::Inside | Self::Outside)
    }

    pub fn name(self) -> String {
        match self {
            Self::Spheres(dimension) => format!("spheres {dimension}D"),
            _ => format!("{self:?}").to_lowercase(),
        }
    }

    /// Gaps of two coordinates, a length `L` in them; not negative at (0, 5 L).
    fn texts(self) -> &'static [&'static str] {
        match self {
            Self::Linear => &["y", "x + 2*y"],
            Self::Quadratic => &["y - x^2/L", "(x^2 + 2*y^2 - x*y)/L", "y + (x^2 - 2*y^2)/(20*L)"],
            Self::Waves => &["y - L*sin(x/L)", "y + L*cos(x/L)*sin(y/L)", "y + L*cos(x/L)^2"],
            Self::Rational => &["y - L/(1 + (x/L)^2)", "y + L/(2 + (x/L)^2 + (y/L)^2)", "y + x/(1 + (y/L)^2)"],
            Self::Roots => {
                &["hypot(x, y)", "sqrt(x^2 + y^2 + 0.01*L^2)", "y - sqrt(L^2 + x^2)", "10*L - hypot(x, y)"]
            }
            Self::Curved => &["x", "x*cos(y)", "20*L - x", "L*sin(x) + L*sin(x + y) + 3*L"],
            _ => &[],
        }
    }
}

/// Length of bodies, length of the step, speed.
#[derive(Debug, Clone, Copy)]
pub struct Scales {
    pub size: f64,
    pub h: f64,
    pub speed: f64,
}

impl Scales {
    /// Radii from 1e-3 to 1e3, steps from 1e-4 to 1e2, speeds from 1e-3 to 1e4, ways from 1e-3 to 1e3 of the size.
    pub fn draw(kind: Kind, dice: &mut Dice) -> Self {
        let farthest = match kind {
            Kind::Plates | Kind::Linear | Kind::Quadratic | Kind::Rational | Kind::Roots => 2.0,
            Kind::Waves => 1.5,
            Kind::Curved => -0.3,
            _ => 3.0,
        };
        loop {
            let size = if kind.of_particles() || kind == Kind::Plates {
                dice.decades(-3.0, 3.0)
            } else {
                10.0_f64.powi(dice.below(7) as i32 - 3)
            };
            let (h, ways) = (dice.decades(-4.0, 2.0), dice.decades(-3.0, farthest));
            let speed = ways * size / h;
            if (1e-3..1e4).contains(&speed) {
                return Self { size, h, speed };
            }
        }
    }

    /// What is moved in a step.
    pub fn way(&self) -> f64 {
        self.speed * self.h
    }
}

/// A contact that rests, the coordinate across it, and the dimension of space.
#[derive(Debug, Clone, Copy)]
pub struct Held {
    pub contact: usize,
    pub coordinate: usize,
    pub dimension: usize,
}

/// Bodies at their start, before their gaps have their width.
pub struct Draft {
    pub inner: Rc<dyn System>,
    pub q: Vec<f64>,
    pub v: Vec<f64>,
    /// What is taken off the gaps at least: radii are positive.
    pub lowest: Vec<f64>,
    pub pin: Option<Pin>,
    pub held: Option<Held>,
    /// The time of the closest approach that was aimed at.
    pub meeting: f64,
    pub words: String,
}

pub fn draft(kind: Kind, leg: Leg, scales: Scales, dice: &mut Dice) -> Draft {
    let mut draft = match kind {
        Kind::Plates => plates(scales, dice),
        _ if kind.of_particles() => return particles(kind, leg, scales, dice),
        Kind::Curved => curved(scales, dice),
        _ => expressed(kind, scales, dice),
    };
    if leg == Leg::Equality {
        let length = scales.way() * dice.decades(0.2, 1.5);
        let e = dice.direction(2);
        draft.pin = Some(Pin { centre: [draft.q[0] - length * e[0], draft.q[1] - length * e[1]], length });
        let along = draft.v[0] * e[0] + draft.v[1] * e[1];
        (draft.v[0], draft.v[1]) = (draft.v[0] - along * e[0], draft.v[1] - along * e[1]);
    }
    draft
}

/// Adds a multiple of a vector.
fn add(x: &mut [f64], factor: f64, y: &[f64]) {
    x.iter_mut().zip(y).for_each(|(x, y)| *x += factor * y);
}

/// When bodies that are aimed at something meet it.
fn meeting(dice: &mut Dice, h: f64) -> f64 {
    if dice.chance(0.1) { h * dice.between(1.0, 2.0) } else { h * dice.between(0.02, 0.98) }
}

/// By how much they miss its centre.
fn offset(dice: &mut Dice, size: f64) -> f64 {
    if dice.chance(0.2) { 0.0 } else { size * dice.decades(-4.0, 0.3) }
}

/// Makes the velocity from one point to another one across their rod.
fn across(from: &[f64], to: &[f64], speed: &[f64]) -> Vec<f64> {
    let e: Vec<f64> = from.iter().zip(to).map(|(a, b)| b - a).collect();
    let square = e.iter().map(|e| e * e).sum::<f64>();
    let along = e.iter().zip(speed).map(|(e, v)| e * v).sum::<f64>() / square;
    speed.iter().zip(&e).map(|(v, e)| v - along * e).collect()
}

fn particles(kind: Kind, leg: Leg, scales: Scales, dice: &mut Dice) -> Draft {
    let Scales { size, h, speed } = scales;
    let d = match kind {
        Kind::Spheres(dimension) => dimension,
        _ if matches!(leg, Leg::Equality | Leg::Held) => 2 + dice.below(2),
        _ => 1 + dice.below(3),
    };
    let spheres = matches!(kind, Kind::Spheres(_));
    let mut count = if spheres { 2 + dice.below(3) * dice.below(2) } else { 1 + dice.below(3) * dice.below(2) };
    let tied = leg == Leg::Equality && dice.chance(0.5);
    if tied {
        count = count.max(if spheres { 3 } else { 2 });
    }
    // What is aimed at: another body, or the origin.
    let (direction, meeting) = (dice.direction(d), meeting(dice, h));
    let (side, miss) = (dice.across(&direction), offset(dice, size));
    let (mut x, mut v) = (vec![vec![0.0; d]; count], vec![vec![0.0; d]; count]);
    let rest = dice.chance(0.3);
    for i in 0..count {
        add(&mut x[i], scales.way().max(size) * dice.between(0.3, 1.5), &dice.direction(d));
        add(&mut v[i], if rest { 0.0 } else { speed * dice.unit() }, &dice.direction(d));
    }
    let aimed = if spheres { (x[1].clone(), v[1].clone()) } else { (vec![0.0; d], vec![0.0; d]) };
    (x[0], v[0]) = aimed;
    add(&mut x[0], miss, &side);
    add(&mut x[0], -speed * meeting, &direction);
    add(&mut v[0], speed, &direction);
    match dice.below(12) {
        // Side by side, and nothing that moves.
        0 => v[0] = if spheres { v[1].clone() } else { v[0].iter().map(|v| -v).collect() },
        1 => v.iter_mut().for_each(|v| v.fill(0.0)),
        _ => {}
    }
    // Far from the origin of coordinates.
    if dice.chance(0.2) && spheres {
        let away = dice.direction(d);
        x.iter_mut().for_each(|x| add(x, 100.0 * size, &away));
    }
    let mut rod = None;
    if leg == Leg::Equality {
        let length = scales.way() * dice.decades(0.3, 1.5);
        let (other, e) = (count - 1, dice.direction(d));
        if tied {
            x[other] = x[0].clone();
            add(&mut x[other], length, &e);
            let relative: Vec<f64> = v[other].iter().zip(&v[0]).map(|(a, b)| a - b).collect();
            v[other] = v[0].clone();
            let relative = across(&x[0], &x[other], &relative);
            add(&mut v[other], 1.0, &relative);
            let apart = x[0].iter().zip(&x[other]).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            rod = Some((Link::between(0, other), apart));
        } else {
            let mut anchor = x[0].clone();
            add(&mut anchor, length, &e);
            v[0] = across(&x[0], &anchor, &v[0]);
            let apart = x[0].iter().zip(&anchor).map(|(a, b)| (a - b).powi(2)).sum::<f64>().sqrt();
            let place = std::array::from_fn(|k| anchor.get(k).copied().unwrap_or(0.0));
            rod = Some((Link::anchored(0, place), apart));
        }
    }
    if leg == Leg::Held {
        // One that lies on a floor, across the last axis, and may slide.
        let (mut place, mut slide) = (vec![0.0; d], vec![0.0; d]);
        add(&mut place, scales.way().max(size), &dice.direction(d));
        add(&mut slide, if dice.chance(0.5) { 0.0 } else { speed * dice.unit() }, &dice.direction(d));
        slide[d - 1] = 0.0;
        (x, v) = ([x, vec![place]].concat(), [v, vec![slide]].concat());
    }
    let total = x.len();
    let mut system = Particles::new(d, (0..total).map(|_| dice.decades(-1.0, 1.0)).collect()).expect("masses");
    let mut lowest = Vec::new();
    if spheres {
        let excluded = if tied { vec![(0, count - 1)] } else { Vec::new() };
        system.add_sphere_gaps(&Selection { group: Group::All, excluded }, Surface::default()).expect("pairs");
        let pairs = total * (total - 1) / 2 - usize::from(tied);
        lowest.resize(pairs, 1e-4 * size);
    }
    let mut held = None;
    if leg == Leg::Held {
        let mut normal = vec![0.0; d];
        normal[d - 1] = 1.0;
        let floor = Wall { normal, offset: x[count][d - 1], restitution: 1.0, friction: 0.0 };
        held = Some(Held { contact: lowest.len(), coordinate: d * total - 1, dimension: d });
        system.add_wall(&floor, &Group::Of(vec![count])).expect("a floor");
        lowest.push(f64::NEG_INFINITY);
    }
    let mut extra = String::new();
    let movers = Group::Of((0..count).collect());
    match kind {
        Kind::Wall => {
            for _ in 0..1 + dice.below(2) {
                let wall = Wall { normal: dice.direction(d), offset: 0.0, restitution: 1.0, friction: 0.0 };
                extra += &format!(", wall {:?}", wall.normal);
                system.add_wall(&wall, &movers).expect("a wall");
                lowest.resize(lowest.len() + count, f64::NEG_INFINITY);
            }
        }
        Kind::Inside | Kind::Outside => {
            let (side, radius, least) = if kind == Kind::Inside {
                // As large as the farthest body asks for.
                let far = x[..count].iter().map(|x| x.iter().map(|x| x * x).sum::<f64>().sqrt());
                (Side::Inside, far.fold(1e-3 * size, f64::max), f64::NEG_INFINITY)
            } else {
                (Side::Outside, 1e-4 * size, 0.0)
            };
            let ball = Ball { centre: vec![0.0; d], radius, side, restitution: 1.0, friction: 0.0 };
            extra += &format!(", ball {side:?} at 0 with radius {radius:?}");
            system.add_ball(&ball, &movers).expect("a ball");
            lowest.resize(lowest.len() + count, least);
        }
        _ => {}
    }
    if let Some((link, length)) = rod {
        system.add_rod(link, length).expect("a rod");
    }
    let words = format!("{} in {d} dimensions, {total} bodies, rod {rod:?}{extra}", kind.name());
    let (q, v) = (x.concat(), v.concat());
    Draft { inner: Rc::new(system), q, v, lowest, pin: None, held, meeting, words }
}

fn plates(scales: Scales, dice: &mut Dice) -> Draft {
    let Scales { size, h, speed } = scales;
    let count = 1 + dice.below(2);
    let (mut all, mut q, mut v) = (Vec::new(), Vec::new(), Vec::new());
    let (mut corners, mut words) = (0, format!("{count} plates"));
    for _ in 0..count {
        let vertices: Vec<[f64; 2]> = (0..1 + dice.below(5))
            .map(|_| (size * dice.between(0.3, 1.0), dice.between(0.0, std::f64::consts::TAU)))
            .map(|(r, angle)| [r * angle.cos(), r * angle.sin()])
            .collect();
        let farthest = vertices.iter().fold(0.0_f64, |most, [x, y]| most.max(x * x + y * y));
        let mass = dice.decades(-1.0, 1.0);
        corners += vertices.len();
        words += &format!(", plate {vertices:?}");
        all.push(Plate { mass, inertia: mass * farthest * dice.between(0.1, 0.9), vertices });
        let (direction, place) = (dice.direction(2), dice.direction(2));
        let (spin, moves) = (if dice.chance(0.2) { 0.0 } else { dice.decades(-1.5, 0.5) }, !dice.chance(0.1));
        let turn = if dice.chance(0.5) { spin } else { -spin };
        q.extend([size * place[0], size * place[1], dice.between(-4.0, 4.0)]);
        let spin = (turn * speed / size).clamp(-200.0 / h, 200.0 / h);
        v.extend([direction[0], direction[1]].map(|x| if moves { speed * x } else { 0.0 }));
        v.push(spin);
    }
    let mut system = Plates::new(all).expect("plates");
    let walls = 1 + dice.below(2);
    for _ in 0..walls {
        let normal = dice.direction(2);
        let wall = plates::Wall { normal: [normal[0], normal[1]], offset: 0.0, restitution: 1.0, friction: 0.0 };
        words += &format!(", wall {normal:?}");
        system.add_wall(&wall, &Group::All).expect("a wall");
    }
    let lowest = vec![f64::NEG_INFINITY; walls * corners];
    Draft { inner: Rc::new(system), q, v, lowest, pin: None, held: None, meeting: meeting(dice, h), words }
}

/// Systems by kind, number of the text and bits of the length.
type Systems = HashMap<(Kind, usize, u64), Rc<dyn System>>;

thread_local! {
    /// Each system of expressions is compiled once.
    static COMPILED: RefCell<Systems> = RefCell::default();
}

/// The system of a text.
fn compiled(kind: Kind, text: usize, size: f64) -> Rc<dyn System> {
    let gap = kind.texts()[text];
    let mass = match (kind, text) {
        (Kind::Curved, 3) => r#"[["3*L^2 + 2*L^2*cos(y)", "L^2 + L^2*cos(y)"], ["L^2 + L^2*cos(y)", "L^2"]]"#,
        (Kind::Curved, _) => r#"[["1", "0"], ["0", "x^2"]]"#,
        _ => r#""1""#,
    };
    let start = if kind == Kind::Curved { r#"["5*L", "0"]"# } else { r#"["0", "5*L"]"# };
    let make = || {
        let text = format!(
            "[parameters]\nL = {size:e}\n[lagrangian]\ncoordinates = [\"x\", \"y\"]\nmass = {mass}\ninequalities = [\"{gap}\"]\n\
             [initial]\nq = {start}\n[method]\nname = \"gvi\"\n[run]\nstep = 0.1\nsteps = 1\n"
        );
        Rc::from(scene("gap", &text, &[]).problem.system)
    };
    COMPILED.with_borrow_mut(|all| Rc::clone(all.entry((kind, text, size.to_bits())).or_insert_with(make)))
}

fn expressed(kind: Kind, scales: Scales, dice: &mut Dice) -> Draft {
    let text = dice.below(kind.texts().len());
    let (direction, meeting) = (dice.direction(2), meeting(dice, scales.h));
    let (side, miss) = (dice.across(&direction), offset(dice, scales.size));
    let (mut q, mut v) = (vec![0.0; 2], vec![0.0; 2]);
    add(&mut q, miss, &side);
    add(&mut q, -scales.speed * meeting, &direction);
    if !dice.chance(0.05) {
        add(&mut v, scales.speed, &direction);
    }
    let (inner, words) =
        (compiled(kind, text, scales.size), format!("{}, L = {:e}", kind.texts()[text], scales.size));
    Draft { inner, q, v, lowest: vec![f64::NEG_INFINITY], pin: None, held: None, meeting, words }
}

/// Polar coordinates, or a double pendulum.
fn curved(scales: Scales, dice: &mut Dice) -> Draft {
    let Scales { size, h, speed } = scales;
    let text = dice.below(Kind::Curved.texts().len());
    let direction = dice.direction(2);
    let (q, v) = if text == 3 {
        let angles = vec![dice.between(-2.5, 2.5), dice.between(-2.5, 2.5)];
        (angles, direction.iter().map(|x| x * speed / size).collect())
    } else {
        let r = size * dice.between(1.0, 6.0);
        (vec![r, dice.between(-1.2, 1.2)], vec![speed * direction[0], speed / r * direction[1]])
    };
    let inner = compiled(Kind::Curved, text, size);
    let words = format!("{}, L = {size:e}, M(q)", Kind::Curved.texts()[text]);
    Draft { inner, q, v, lowest: vec![f64::NEG_INFINITY], pin: None, held: None, meeting: meeting(dice, h), words }
}
