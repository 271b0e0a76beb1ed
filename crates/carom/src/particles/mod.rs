//! Systems of point masses in space of dimension 1, 2 or 3, put together from pools of elements.
//!
//! Coordinates stand particle by particle, `x1, y1, z1, x2, …`; the mass is constant and diagonal. Elements of one kind
//! form a pool with analytic derivatives; the dimension is a constant inside, chosen once per call. A fixed point is no
//! particle but an anchor of a spring or a rod. Particles may have a radius; then gaps between spheres, walls and balls
//! are inequality rows.
//!
//! The order of summation is fixed: the same state gives the same bits whatever was computed before. Nothing is
//! allocated once lists of neighbours have their size. Cost: that of the elements; with a cut-off, pair potentials are
//! O(N). Limits: space is unbounded (no periodic images).
//!
//! ```
//! use carom::particles::{Cutoff, LennardJones, Link, Particles, Selection};
//! use carom::system::Dynamics;
//!
//! let mut system = Particles::new(3, vec![1.0; 3])?;
//! system.add_rod(Link::between(0, 1), 1.0)?;
//! let pairs = Selection { excluded: vec![(0, 1)], ..Selection::default() };
//! system.add_lennard_jones(LennardJones { epsilon: 1.0, sigma: 0.6 }, &pairs, Some(Cutoff::at(1.5)))?;
//! assert_eq!(system.dim(), 9);
//! # Ok::<(), carom::particles::Misuse>(())
//! ```

mod couplings;
mod field;
mod gaps;
mod geometry;
mod gravity;
pub(crate) mod input;
mod law;
mod lennard_jones;
mod motion;
mod names;
mod neighbours;
mod pairs;
mod pool;
mod radial;
mod rods;
mod shares;
mod springs;
mod system;

use std::ops::Range;

use crate::problem::Points;
use crate::system::{Pattern, Softness};
use crate::team::Team;
use couplings::Couplings;
use field::Field;
use gaps::Gaps;
pub(crate) use gaps::Room;
pub use gaps::{Ball, Side, Surface, Wall};
pub(crate) use geometry::frame;
use gravity::{Newton, Uniform};
pub use input::{End, Group, Link, Misuse, Selection};
use input::{Excluded, PARTICLE, not_negative, positive, softness, vector};
pub use law::Cutoff;
pub use lennard_jones::LennardJones;
use names::Names;
use pairs::Pairs;
use pool::Rows as _;
use radial::Radial;
use rods::Rods;
use springs::Springs;

/// Point masses, what acts on them and what they must satisfy.
pub struct Particles {
    dimension: usize,
    /// Per particle.
    masses: Vec<f64>,
    names: Names,
    radii: Vec<f64>,
    /// Mass per coordinate.
    diagonal: Vec<f64>,
    springs: Springs,
    uniform: Option<Uniform>,
    newton: Option<Newton>,
    fields: Vec<Field>,
    lennard_jones: Vec<Pairs<LennardJones>>,
    radial: Vec<Pairs<Radial>>,
    rods: Rods,
    rod_pattern: Pattern,
    couplings: Couplings,
    gaps: Gaps,
    /// Pairs of spheres that are listed at most.
    most_listed: usize,
    team: Team,
}

/// Pairs of spheres up to which all of them are looked at in every step: 45 spheres.
const MOST_LISTED: usize = 1000;

impl Particles {
    /// Free particles without radius, with these masses.
    pub fn new(dimension: usize, masses: Vec<f64>) -> Result<Self, Misuse> {
        if !(1..=3).contains(&dimension) {
            return Err(Misuse::Dimension(dimension));
        }
        masses.iter().try_for_each(|&mass| positive("a mass", mass))?;
        Ok(Self {
            dimension,
            radii: vec![0.0; masses.len()],
            diagonal: masses.iter().flat_map(|&mass| std::iter::repeat_n(mass, dimension)).collect(),
            masses,
            names: Names::default(),
            springs: Springs::default(),
            uniform: None,
            newton: None,
            fields: Vec::new(),
            lennard_jones: Vec::new(),
            radial: Vec::new(),
            rods: Rods::default(),
            rod_pattern: Pattern::new(dimension),
            couplings: Couplings::default(),
            gaps: Gaps::default(),
            most_listed: MOST_LISTED,
            team: Team::alone(),
        })
    }

    /// Gives it threads to work with. Only sums over many pairs and fields of many particles are shared; no bit of a result depends on it.
    pub fn set_team(&mut self, team: &Team) {
        self.team = team.clone();
    }

    /// How many particles there are.
    pub fn count(&self) -> usize {
        self.masses.len()
    }

    /// The dimension of space.
    pub fn dimension(&self) -> usize {
        self.dimension
    }

    /// Which coordinates belong to which particle.
    pub fn points(&self) -> Points {
        let d = self.dimension;
        let members = (0..self.count()).map(|i| (d * i..d * (i + 1)).collect()).collect();
        Points { dimension: d, members, spins: Vec::new() }
    }

    /// Names particles, for messages and columns; one without a name is called by its number.
    pub fn set_names(&mut self, names: Vec<Option<String>>) -> Result<(), Misuse> {
        if names.len() != self.count() {
            return Err(Misuse::Length { what: "the list of names", found: names.len(), needed: self.count() });
        }
        self.names = Names::new(names);
        Ok(())
    }

    /// Makes the particles spheres, for gaps that are added later.
    pub fn set_radii(&mut self, radii: Vec<f64>) -> Result<(), Misuse> {
        if radii.len() != self.count() {
            return Err(Misuse::Length { what: "the list of radii", found: radii.len(), needed: self.count() });
        }
        radii.iter().try_for_each(|&radius| not_negative("a radius", radius))?;
        self.radii = radii;
        Ok(())
    }

    /// Adds a spring `½k(|d| − rest)²`.
    pub fn add_spring(&mut self, link: Link, stiffness: f64, rest: f64) -> Result<(), Misuse> {
        link.check(self.count())?;
        not_negative("the stiffness of a spring", stiffness)?;
        not_negative("the rest length of a spring", rest)?;
        self.springs.push(link, stiffness, rest);
        self.couplings = Couplings::default();
        Ok(())
    }

    /// Uniform gravity `−m g·x`; replaces one that was set before.
    pub fn set_gravity(&mut self, acceleration: &[f64]) -> Result<(), Misuse> {
        vector("the acceleration of gravity", acceleration, self.dimension)?;
        self.uniform = None;
        self.add_gravity(acceleration, &Group::All)
    }

    /// Adds uniform gravity `−m g·x` on a group.
    pub fn add_gravity(&mut self, acceleration: &[f64], group: &Group) -> Result<(), Misuse> {
        let acceleration = vector("the acceleration of gravity", acceleration, self.dimension)?;
        let (members, count) = (group.members(PARTICLE, self.count())?, self.count());
        self.uniform.get_or_insert_with(|| Uniform::none(count)).add(acceleration, &members);
        Ok(())
    }

    /// Newton's gravity `−G m_i m_j / r` between all pairs; replaces one that was set before.
    pub fn set_gravitation(&mut self, constant: f64) -> Result<(), Misuse> {
        not_negative("the constant of gravitation", constant)?;
        self.newton = Some(Newton::new(constant, self.count()));
        Ok(())
    }

    /// Adds a potential per particle: an expression of its place `x`, `y`, `z` (as far as the dimension goes), the
    /// time `t`, its mass `m` and named constants.
    pub fn add_field(&mut self, text: &str, constants: &[(&str, f64)], group: &Group) -> Result<(), Misuse> {
        let members = group.members(PARTICLE, self.count())?;
        self.fields.push(Field::parse(text, constants, (self.dimension, members))?);
        Ok(())
    }

    /// Adds a Lennard-Jones potential between pairs; without a cut-off all of them interact at any distance.
    pub fn add_lennard_jones(
        &mut self,
        law: LennardJones,
        pairs: &Selection,
        cutoff: Option<Cutoff>,
    ) -> Result<(), Misuse> {
        law.check()?;
        self.lennard_jones.push(Pairs::new(law, pairs, cutoff, self.count())?);
        Ok(())
    }

    /// Adds a pair potential: an expression of the distance `r` and named constants.
    pub fn add_pair_potential(
        &mut self,
        text: &str,
        constants: &[(&str, f64)],
        pairs: &Selection,
        cutoff: Option<Cutoff>,
    ) -> Result<(), Misuse> {
        self.radial.push(Pairs::new(Radial::parse(text, constants)?, pairs, cutoff, self.count())?);
        Ok(())
    }

    /// Adds a rod: an equality row `|d| − length`.
    pub fn add_rod(&mut self, link: Link, length: f64) -> Result<(), Misuse> {
        link.check(self.count())?;
        positive("the length of a rod", length)?;
        self.rod_pattern.push_row(match link.other {
            End::Particle(j) => [link.particle.min(j)].into_iter().chain(Some(link.particle.max(j))),
            End::Anchor(_) => [link.particle].into_iter().chain(None),
        });
        self.rods.push(link, length);
        Ok(())
    }

    /// Says how soft a rod is, for methods that regularise constraints: compliance in m/N, damping in s. Rods are counted from 0 in the
    /// order in which they were added.
    pub fn set_rod_softness(&mut self, rod: usize, softness: Softness) -> Result<(), Misuse> {
        if rod >= self.rods.len() {
            return Err(Misuse::Absent { what: "rod", index: rod, count: self.rods.len() });
        }
        softness.compliance.map_or(Ok(()), |compliance| not_negative("the compliance of a rod", compliance))?;
        softness.damping.map_or(Ok(()), |damping| not_negative("the damping of a rod", damping))?;
        self.rods.set_softness(rod, softness);
        Ok(())
    }

    /// Adds a gap between the spheres of every pair.
    pub fn add_sphere_gaps(&mut self, pairs: &Selection, surface: Surface) -> Result<(), Misuse> {
        surface.check()?;
        let members = pairs.group.members(PARTICLE, self.count())?;
        let excluded = Excluded::new(&pairs.excluded, self.count())?;
        self.gaps.spheres.add((&members, &self.radii), excluded, surface, self.most_listed);
        Ok(())
    }

    /// How many pairs of spheres are listed at most; of more, those that are near are looked for. For gaps that are added later.
    pub fn list_pairs(&mut self, most: usize) {
        self.most_listed = most;
    }

    /// Says how soft gaps are, for methods that regularise contacts: compliance in m/N, damping in s. Gaps are counted from 0 as the rows
    /// stand now: between spheres, at walls, at balls. Of a group of so many spheres that its pairs are not listed all or none are said.
    pub fn set_gap_softness(&mut self, gaps: Range<usize>, of: Softness) -> Result<(), Misuse> {
        if gaps.end > self.gaps.len() {
            return Err(Misuse::Absent { what: "gap", index: gaps.end - 1, count: self.gaps.len() });
        }
        softness(of)?;
        self.gaps.set_softness(gaps, of);
        Ok(())
    }

    /// The least sum of two radii among contacts between particles.
    pub fn least_reach(&self) -> Option<f64> {
        self.gaps.spheres.least()
    }

    /// Adds a gap between a wall and every sphere of a group.
    pub fn add_wall(&mut self, wall: &Wall, group: &Group) -> Result<(), Misuse> {
        let normal = vector("the normal of a wall", &wall.normal, self.dimension)?;
        positive("the length of the normal of a wall", geometry::product(&normal, &normal).sqrt())?;
        vector("the offset of a wall", &[wall.offset], 1)?;
        wall.surface().check()?;
        let members = group.members(PARTICLE, self.count())?;
        self.gaps.walls.push(wall, normal, members.iter().map(|&i| (i, self.radii[i])));
        Ok(())
    }

    /// Adds a gap between a ball and every sphere of a group.
    pub fn add_ball(&mut self, ball: &Ball, group: &Group) -> Result<(), Misuse> {
        let centre = vector("the centre of a ball", &ball.centre, self.dimension)?;
        positive("the radius of a ball", ball.radius)?;
        ball.surface().check()?;
        let members = group.members(PARTICLE, self.count())?;
        self.gaps.balls.push(ball, centre, members.iter().map(|&i| (i, self.radii[i])));
        Ok(())
    }
}
