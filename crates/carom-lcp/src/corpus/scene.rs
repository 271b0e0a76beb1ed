//! Bodies, ball joints and contacts, and the friction problem that one step of the stepper makes of them.

use crate::matrix::{Blocks, Dense, Misshapen, Sparse};
use crate::problem::{GlobalFriction, Saddle};

// Notation
//   h      the length of the step                          s
//   ε      compliance of joints and normals                m/N
//   τ      relaxation time of a violated constraint        s
//   γ      slip speed per tangential force in stick        m/(N s)
//   φ      1 / (1 + 4 τ/h)
//   T      4 ε φ / h² for joints and normals [lacoursiere-linde-2011 (56)], γ/h for tangents
//   v0     velocities before the step: linear, then angular, all in the world's frame

/// The parameters of the stepper.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stepping {
    /// h, in seconds.
    pub h: f64,
    /// Acceleration of gravity along −z, in m/s².
    pub gravity: f64,
    /// ε of joints and normals, in m/N.
    pub compliance: f64,
    /// τ, in seconds.
    pub relaxation: f64,
    /// γ: the speed of slip per newton of a contact that sticks, in m/(N s).
    pub slip: f64,
}

impl Default for Stepping {
    /// 60 steps a second, 9.81 m/s², ε = 1e-8, τ = 2h, γ = 1e-8.
    fn default() -> Stepping {
        Stepping { h: 1.0 / 60.0, gravity: 9.81, compliance: 1e-8, relaxation: 2.0 / 60.0, slip: 1e-8 }
    }
}

impl Stepping {
    /// φ = 1 / (1 + 4 τ/h).
    pub fn damping(&self) -> f64 {
        1.0 / (1.0 + 4.0 * self.relaxation / self.h)
    }
}

/// A rigid body in the world's frame.
#[derive(Clone, Debug, PartialEq)]
pub struct Body {
    /// Mass in kg.
    pub mass: f64,
    /// Moments of inertia about the centre in kg m², in the world's frame.
    pub inertia: [[f64; 3]; 3],
    /// The centre of mass.
    pub position: [f64; 3],
    /// Half the lengths of the edges; for a sphere its radius three times.
    pub half: [f64; 3],
    /// The columns are the directions of the edges in the world's frame.
    pub rotation: [[f64; 3]; 3],
    /// Linear, then angular velocity before the step.
    pub velocity: [f64; 6],
    /// Force and torque besides gravity.
    pub force: [f64; 6],
}

impl Body {
    /// A homogeneous box with its edges along the axes, at rest.
    pub fn cuboid(mass: f64, half: [f64; 3], position: [f64; 3]) -> Body {
        let [a, b, c] = half.map(|length| length * length);
        Body::at_rest(mass, half, position, [b + c, a + c, a + b].map(|sum| mass / 3.0 * sum))
    }

    /// A homogeneous ball at rest.
    pub fn sphere(mass: f64, radius: f64, position: [f64; 3]) -> Body {
        Body::at_rest(mass, [radius; 3], position, [0.4 * mass * radius * radius; 3])
    }

    fn at_rest(mass: f64, half: [f64; 3], position: [f64; 3], moments: [f64; 3]) -> Body {
        let mut inertia = [[0.0; 3]; 3];
        let mut rotation = [[0.0; 3]; 3];
        for k in 0..3 {
            inertia[k][k] = moments[k];
            rotation[k][k] = 1.0;
        }
        Body { mass, inertia, position, half, rotation, velocity: [0.0; 6], force: [0.0; 6] }
    }

    /// The same body turned about the axis y through its centre, by an angle in radians.
    pub fn turned_about_y(mut self, angle: f64) -> Body {
        let (sin, cos) = angle.sin_cos();
        let turn = [[cos, 0.0, sin], [0.0, 1.0, 0.0], [-sin, 0.0, cos]];
        let product = |a: &[[f64; 3]; 3], b: &dyn Fn(usize, usize) -> f64| {
            let mut out = [[0.0; 3]; 3];
            for i in 0..3 {
                for j in 0..3 {
                    out[i][j] = (0..3).map(|k| a[i][k] * b(k, j)).sum();
                }
            }
            out
        };
        let (rotation, inertia) = (self.rotation, self.inertia);
        self.rotation = product(&turn, &|k, j| rotation[k][j]);
        let half_way = product(&turn, &|k, j| inertia[k][j]);
        self.inertia = product(&half_way, &|k, j| turn[j][k]);
        self
    }

    /// A point given in the frame of the edges, in the world's.
    pub fn point(&self, local: [f64; 3]) -> [f64; 3] {
        let mut point = self.position;
        for i in 0..3 {
            point[i] += (0..3).map(|k| self.rotation[i][k] * local[k]).sum::<f64>();
        }
        point
    }

    /// The corners of a box: the sign of the last edge changes fastest.
    pub fn corners(&self) -> [[f64; 3]; 8] {
        std::array::from_fn(|k| {
            let sign = |bit: usize| if k & bit == 0 { -1.0 } else { 1.0 };
            self.point([sign(4) * self.half[0], sign(2) * self.half[1], sign(1) * self.half[2]])
        })
    }
}

/// A contact of a body with another one or with the ground.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Contact {
    /// The body that the normal points to.
    pub body: usize,
    /// The body that the normal points away from; `None` is the ground.
    pub other: Option<usize>,
    /// Where they touch.
    pub point: [f64; 3],
    /// The unit normal.
    pub normal: [f64; 3],
    /// The distance along the normal, negative where they overlap, in metres.
    pub gap: f64,
    /// The coefficient of friction.
    pub mu: f64,
}

/// Bodies, ball joints and contacts.
#[derive(Clone, Debug, Default)]
pub struct Scene {
    /// The parameters of the stepper.
    pub stepping: Stepping,
    bodies: Vec<Body>,
    joints: Vec<([usize; 2], [[f64; 3]; 2])>,
    contacts: Vec<Contact>,
}

impl Scene {
    /// Nothing yet, stepped in this way.
    pub fn new(stepping: Stepping) -> Scene {
        Scene { stepping, ..Scene::default() }
    }

    /// Puts a body in and says its number.
    pub fn add(&mut self, body: Body) -> usize {
        self.bodies.push(body);
        self.bodies.len() - 1
    }

    /// Holds a point of the first body on a point of the second: three rows, the difference first minus second along x, y and z.
    pub fn join(&mut self, bodies: [usize; 2], points: [[f64; 3]; 2]) {
        self.joints.push((bodies, points));
    }

    /// Puts a contact in.
    pub fn touch(&mut self, contact: Contact) {
        self.contacts.push(contact);
    }

    /// Puts in a contact with the ground for every corner of a box on or below the plane through `on` with that normal.
    pub fn touch_plane(&mut self, body: usize, on: [f64; 3], normal: [f64; 3], mu: f64) {
        for point in self.bodies[body].corners() {
            let gap = (0..3).map(|k| (point[k] - on[k]) * normal[k]).sum::<f64>();
            if gap <= 0.0 {
                self.touch(Contact { body, other: None, point, normal, gap, mu });
            }
        }
    }

    /// The problem of one step: joints, then contacts, in the order they were put in; each contact normal, d1, d2.
    pub fn problem(&self) -> Result<GlobalFriction, Misshapen> {
        let Stepping { h, gravity, compliance, slip, .. } = self.stepping;
        let phi = self.stepping.damping();
        let t_holonomic = 4.0 * compliance * phi / (h * h);

        let mut blocks = Vec::with_capacity(self.bodies.len());
        let mut p = Vec::with_capacity(6 * self.bodies.len());
        for body in &self.bodies {
            let mut block = Dense::zeros(6, 6);
            for i in 0..3 {
                block[(i, i)] = body.mass;
                block.row_mut(3 + i)[3..].copy_from_slice(&body.inertia[i]);
            }
            let mut momentum = [0.0; 6];
            block.times(&body.velocity, &mut momentum);
            for (k, value) in momentum.iter().enumerate() {
                let weight = if k == 2 { -body.mass * gravity } else { 0.0 };
                p.push(-(value + h * (body.force[k] + weight)));
            }
            blocks.push(block);
        }

        let mut rows = Rows { bodies: &self.bodies, triplets: Vec::new(), t: Vec::new(), q: Vec::new() };
        for (bodies, points) in &self.joints {
            for axis in 0..3 {
                let mut direction = [0.0; 3];
                direction[axis] = 1.0;
                let ends = [(Some(bodies[0]), points[0]), (Some(bodies[1]), points[1])];
                let speed = rows.push(ends, direction);
                let violation = points[0][axis] - points[1][axis];
                rows.t.push(t_holonomic);
                rows.q.push(4.0 / h * phi * violation - phi * speed);
            }
        }
        for contact in &self.contacts {
            for (k, direction) in frame(contact.normal).into_iter().enumerate() {
                let ends = [(Some(contact.body), contact.point), (contact.other, contact.point)];
                let speed = rows.push(ends, direction);
                rows.t.push(if k == 0 { t_holonomic } else { slip / h });
                rows.q.push(if k == 0 { 4.0 / h * phi * contact.gap - phi * speed } else { 0.0 });
            }
        }
        let Rows { triplets, t, q, .. } = rows;
        let jacobian = Sparse::from_triplets(q.len(), p.len(), &triplets)?;
        let saddle = Saddle::new(Blocks::from_blocks(&blocks)?, jacobian, t, p, q)?;
        let mu = self.contacts.iter().map(|contact| contact.mu).collect();
        GlobalFriction::new(saddle, 3, 3 * self.joints.len(), mu)
    }
}

/// Rows as they are put together.
struct Rows<'a> {
    bodies: &'a [Body],
    triplets: Vec<(usize, usize, f64)>,
    t: Vec<f64>,
    q: Vec<f64>,
}

impl Rows<'_> {
    /// The row of the velocity of the first point relative to the second along a direction; says that velocity before the step.
    fn push(&mut self, ends: [(Option<usize>, [f64; 3]); 2], direction: [f64; 3]) -> f64 {
        let row = self.q.len();
        let mut speed = 0.0;
        for ((body, point), sign) in ends.into_iter().zip([1.0, -1.0]) {
            let Some(index) = body else { continue };
            let body = &self.bodies[index];
            let arm: [f64; 3] = std::array::from_fn(|k| point[k] - body.position[k]);
            let turning = cross(arm, direction);
            for k in 0..6 {
                let value = sign * if k < 3 { direction[k] } else { turning[k - 3] };
                if value != 0.0 {
                    self.triplets.push((row, 6 * index + k, value));
                    speed += value * body.velocity[k];
                }
            }
        }
        speed
    }
}

/// The normal n, d1 and d2 = n × d1: d1 is the axis x, or y where n is nearer to x, without its part along n.
fn frame(normal: [f64; 3]) -> [[f64; 3]; 3] {
    let axis = if normal[0].abs() <= 0.7 { 0 } else { 1 };
    let mut d1: [f64; 3] = std::array::from_fn(|k| -normal[axis] * normal[k]);
    d1[axis] += 1.0;
    let length = crate::cone::norm(&d1);
    d1.iter_mut().for_each(|value| *value /= length);
    [normal, d1, cross(normal, d1)]
}

fn cross(a: [f64; 3], b: [f64; 3]) -> [f64; 3] {
    [a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_right_handed_and_begin_with_x_where_they_can() {
        assert_eq!(frame([0.0, 0.0, 1.0]), [[0.0, 0.0, 1.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]]);
        assert_eq!(frame([0.0, 0.0, -1.0])[2], [0.0, -1.0, 0.0]);
        for normal in [[1.0, 0.0, 0.0], [0.6, 0.0, 0.8], [0.0, -1.0, 0.0]] {
            let [n, d1, d2] = frame(normal);
            let dot = |a: [f64; 3], b: [f64; 3]| (0..3).map(|k| a[k] * b[k]).sum::<f64>();
            for (value, want) in [(dot(n, d1), 0.0), (dot(d1, d1), 1.0), (dot(d2, d2), 1.0), (dot(n, d2), 0.0)] {
                assert!((value - want).abs() < 1e-15, "{normal:?}: {value} is not {want}");
            }
        }
    }

    #[test]
    fn a_turned_box_keeps_its_trace_and_its_lowest_edge_touches() {
        let body = Body::cuboid(10.0, [0.05, 0.5, 0.5], [0.0; 3]);
        let trace: f64 = (0..3).map(|k| body.inertia[k][k]).sum();
        let turned = body.turned_about_y(std::f64::consts::FRAC_PI_6);
        assert!(((0..3).map(|k| turned.inertia[k][k]).sum::<f64>() - trace).abs() < 1e-14);
        let lowest = turned.corners().into_iter().map(|corner| corner[2]).fold(0.0, f64::min);
        assert!((lowest + 0.025 + 0.5 * (3.0_f64.sqrt() / 2.0)).abs() < 1e-15, "{lowest}");
    }

    #[test]
    fn a_ball_on_the_ground_takes_the_impulse_of_its_weight() {
        let mut scene = Scene::default();
        let ball = scene.add(Body::sphere(2.0, 0.5, [0.0, 0.0, 0.5]));
        let up = [0.0, 0.0, 1.0];
        scene.touch(Contact { body: ball, other: None, point: [0.0; 3], normal: up, gap: 0.0, mu: 0.5 });
        let problem = scene.problem().expect("a problem");
        // ν = m g h / (1 + m T): the row N v + T ν = 0 with m v = ν − m g h.
        let nu = 2.0 * 9.81 / 60.0 / (1.0 + 2.0 * problem.saddle.t[0]);
        assert!(crate::Judged::residual(&problem, &[nu, 0.0, 0.0]).relative < 1e-14);
        assert!(crate::Judged::residual(&problem, &[1.01 * nu, 0.0, 0.0]).relative > 1e-3);
    }
}
