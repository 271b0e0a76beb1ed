//! Systems of rigid bodies in the plane, called plates, whose corners may touch walls.
//!
//! A plate has a mass, a moment of inertia about its centre of mass, and corners in a frame of its own with the centre of mass
//! at the origin. Coordinates stand plate by plate, `x, y, angle`; the angle counts against the clock and is not wrapped. The
//! mass is constant and diagonal, `m, m, I`. Potentials act at the centres: uniform gravity and expressions. Gaps are the
//! distances of corners from walls, with Newton's restitution and Coulomb's friction. Plates do not touch each other.
//!
//! The order of summation is fixed and nothing is allocated in an evaluation, but for the tapes of second derivatives when they
//! are first asked for. Cost: a sine and a cosine per plate, a few products per corner and wall.
//!
//! ```
//! use carom::particles::Group;
//! use carom::plates::{Plate, Plates, Polygon, Wall};
//! use carom::system::{Dynamics, System};
//!
//! let vertices = vec![[0.5, 0.5], [-0.5, 0.5], [-0.5, -0.5], [0.5, -0.5]];
//! let inertia = 2.0 * Polygon::of(&vertices)?.moment;
//! let mut system = Plates::new(vec![Plate { mass: 2.0, inertia, vertices }])?;
//! system.add_gravity([0.0, -9.81], &Group::All)?;
//! system.add_wall(&Wall { normal: [0.0, 1.0], offset: 0.0, restitution: 1.0, friction: 0.3 }, &Group::All)?;
//! assert_eq!((system.dim(), system.contacts().count()), (3, 4));
//! # Ok::<(), carom::particles::Misuse>(())
//! ```

mod gaps;
mod polygon;
mod system;

use crate::lagrangian::local::LocalPotential;
use crate::lagrangian::motion::Motion;
use crate::measures::VectorField;
use crate::particles::input::{friction, positive, restitution, softness, vector};
use crate::particles::{Group, Misuse};
use crate::problem::Points;
use crate::system::Softness;
use gaps::Gaps;
pub use gaps::Wall;
pub use polygon::Polygon;

/// What indices of plates count.
const PLATE: &str = "plate";
/// What the coordinates of a plate are called.
const COORDINATES: [&str; 3] = ["x", "y", "angle"];
/// How much round-off may add to a moment of inertia.
const ROUNDING: f64 = 1e-9;

/// A rigid body in the plane.
#[derive(Debug, Clone, PartialEq)]
pub struct Plate {
    /// Its mass.
    pub mass: f64,
    /// Moment of inertia about the centre of mass.
    pub inertia: f64,
    /// Corners, relative to the centre of mass at the angle 0.
    pub vertices: Vec<[f64; 2]>,
}

impl Plate {
    /// The largest moment of inertia that its mass can have between its corners: all of it in the farthest one.
    pub fn largest_inertia(&self) -> f64 {
        self.mass * self.vertices.iter().fold(0.0, |most: f64, [x, y]| most.max(x * x + y * y))
    }

    /// Whether its moment of inertia is not larger than that, but for round-off.
    pub fn is_possible(&self) -> bool {
        self.inertia <= (1.0 + ROUNDING) * self.largest_inertia()
    }

    fn check(&self) -> Result<(), Misuse> {
        positive("a mass", self.mass)?;
        positive("a moment of inertia", self.inertia)?;
        self.vertices.iter().try_for_each(|vertex| vector("a corner", vertex, 2).map(|_| ()))?;
        if self.vertices.is_empty() {
            return Err(Misuse::Number { what: "the number of corners", value: 0.0, allowed: "1 or more" });
        }
        if !self.is_possible() {
            let allowed = "at most the mass times the square of the distance of the farthest corner";
            return Err(Misuse::Number { what: "a moment of inertia", value: self.inertia, allowed });
        }
        Ok(())
    }
}

/// A potential of the centres of some plates.
struct Field {
    potential: LocalPotential,
    members: Vec<usize>,
}

/// Rigid bodies in the plane, what acts on them and the walls that they may touch.
pub struct Plates {
    vertices: Vec<Vec<[f64; 2]>>,
    masses: Vec<f64>,
    /// Mass per coordinate.
    diagonal: Vec<f64>,
    names: Vec<Option<String>>,
    /// Per plate, the sum of the fields that act on it.
    gravity: Option<Vec<[f64; 2]>>,
    fields: Vec<Field>,
    gaps: Gaps,
}

impl Plates {
    /// Free plates.
    pub fn new(plates: Vec<Plate>) -> Result<Self, Misuse> {
        plates.iter().try_for_each(Plate::check)?;
        Ok(Self {
            masses: plates.iter().map(|plate| plate.mass).collect(),
            diagonal: plates.iter().flat_map(|plate| [plate.mass, plate.mass, plate.inertia]).collect(),
            names: vec![None; plates.len()],
            gravity: None,
            fields: Vec::new(),
            gaps: Gaps::new(plates.len()),
            vertices: plates.into_iter().map(|plate| plate.vertices).collect(),
        })
    }

    /// How many plates there are.
    pub fn count(&self) -> usize {
        self.masses.len()
    }

    /// The centres of the plates and their angles.
    pub fn points(&self) -> Points {
        let members = (0..self.count()).map(|i| vec![3 * i, 3 * i + 1]).collect();
        Points { dimension: 2, members, spins: (0..self.count()).map(|i| 3 * i + 2).collect() }
    }

    /// Names plates, for messages and columns; one without a name is called by its number.
    pub fn set_names(&mut self, names: Vec<Option<String>>) -> Result<(), Misuse> {
        if names.len() != self.count() {
            return Err(Misuse::Length { what: "the list of names", found: names.len(), needed: self.count() });
        }
        self.names = names;
        Ok(())
    }

    /// Adds uniform gravity `−m g·x` on a group.
    pub fn add_gravity(&mut self, acceleration: [f64; 2], group: &Group) -> Result<(), Misuse> {
        vector("the acceleration of gravity", &acceleration, 2)?;
        let (members, count) = (group.members(PLATE, self.count())?, self.count());
        let gravity = self.gravity.get_or_insert_with(|| vec![[0.0; 2]; count]);
        for i in members {
            gravity[i] = [gravity[i][0] + acceleration[0], gravity[i][1] + acceleration[1]];
        }
        Ok(())
    }

    /// Adds a potential per plate: an expression of its centre `x`, `y`, the time `t`, its mass `m` and named constants.
    pub fn add_field(&mut self, text: &str, constants: &[(&str, f64)], group: &Group) -> Result<(), Misuse> {
        let members = group.members(PLATE, self.count())?;
        self.fields.push(Field { potential: LocalPotential::parse(text, constants, 2)?, members });
        Ok(())
    }

    /// Adds a gap between a wall and every corner of every plate of a group.
    pub fn add_wall(&mut self, wall: &Wall, group: &Group) -> Result<(), Misuse> {
        let normal = vector("the normal of a wall", &wall.normal, 2)?;
        positive("the length of the normal of a wall", normal[0].hypot(normal[1]))?;
        vector("the offset of a wall", &[wall.offset], 1)?;
        restitution(wall.restitution)?;
        friction(wall.friction)?;
        let members = group.members(PLATE, self.count())?;
        self.gaps.push(wall, members.into_iter().map(|i| (i, self.vertices[i].as_slice())));
        Ok(())
    }

    /// Says how soft the contacts with a wall are, for methods that regularise them: compliance in m/N of each corner, damping in s. Walls are
    /// counted from 0 in the order in which they were added.
    pub fn set_wall_softness(&mut self, wall: usize, of: Softness) -> Result<(), Misuse> {
        if wall >= self.gaps.walls() {
            return Err(Misuse::Absent { what: "wall", index: wall, count: self.gaps.walls() });
        }
        softness(of)?;
        self.gaps.set_softness(wall, of);
        Ok(())
    }

    /// A vector field from one expression per coordinate of a plate, in `x`, `y`, `angle`, the mass `m` and named constants:
    /// `["-y", "x", "1"]` turns all plates about the origin.
    pub fn motion(&self, texts: &[&str], constants: &[(&str, f64)]) -> Result<Box<dyn VectorField>, Misuse> {
        if texts.len() != 3 {
            return Err(Misuse::Length { what: "the generator of a motion", found: texts.len(), needed: 3 });
        }
        Ok(Box::new(Motion::parse(texts, &COORDINATES, constants, self.masses.clone())?))
    }

    /// What a plate is called.
    fn name(&self, plate: usize) -> String {
        self.names[plate].clone().unwrap_or_else(|| plate.to_string())
    }
}
