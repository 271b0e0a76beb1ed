//! Where the energy of a step went, exactly: the energy of a node is `½v̄ᵀM v̄ + V(q)` with the average `v̄` of the velocities around it.
//!
//! From node to node the kinetic energy changes by `½(v̄ + v1)·½I` for each impulse `I` of the first node, by the impact of the second, and by
//! `½(v⁺ + v̄)·½I` for each impulse there. What is left is the potential, whose impulses are `−hV_q`: their work is not its change, and
//! through an impact it misses `½h V_q·(v⁺ − v⁻)`, since velocities are half a step old. The rest is the error of the step.

use super::options::Config;
use super::rows::Rows;
use crate::linear::dot;
use crate::measures::Role;
use crate::system::System;

/// How many accounts there are.
const COUNT: usize = 9;

/// With that of surfaces that move, which is the last one: the ledger has an account for it where there are any.
const ALL: usize = COUNT + 1;

/// What energy enters or leaves through.
pub const NAMES: [(&str, Role); COUNT] = [
    ("constraint compliance", Role::Store),
    ("contact compliance", Role::Store),
    ("constraint damping", Role::Damping),
    ("contact forces", Role::Contact),
    ("friction", Role::Contact),
    ("motors", Role::Source),
    ("velocity rows", Role::Sink),
    ("impacts", Role::Contact),
    ("timing of impacts", Role::Contact),
];
const COMPLIANCE: usize = 0;
const CONTACT_COMPLIANCE: usize = 1;
const DAMPING: usize = 2;
const CONTACTS: usize = 3;
const FRICTION: usize = 4;
const MOTORS: usize = 5;
const VELOCITIES: usize = 6;
const IMPACTS: usize = 7;
const TIMING: usize = 8;
const SURFACES: usize = 9;

/// The accounts between two nodes.
#[derive(Debug, Clone, Default)]
pub struct Accounts {
    /// Since the last node that was shown.
    carried: [f64; ALL],
    /// Of the planned step: what belongs to the time before its node, and after it.
    before: [f64; ALL],
    after: [f64; ALL],
    /// Whether `before` is in what was shown.
    shown: bool,
    /// Energy in the compliance of the constraints and in that of the contacts, of the planned step and of the node that was shown last.
    planned_stored: [f64; 2],
    stored: [f64; 2],
    works: [f64; ALL],
}

/// What a planned step consists of, for its accounts.
pub struct Planned<'a> {
    /// Its rows.
    pub rows: &'a Rows,
    /// Their impulses.
    pub z: &'a [f64],
    /// Velocities after the impact, and after the step.
    pub velocities: [&'a [f64]; 2],
    /// Energy that the impact took, and its change of velocities if there was one.
    pub impact: (f64, Option<&'a [f64]>),
    /// Impulses of the equalities in the impact.
    pub struck: &'a [f64],
    /// Gradient of the potential, and the length of the step.
    pub gradient: (&'a [f64], f64),
    /// Work of surfaces that move, in the step and in the impact.
    pub by_surfaces: [f64; 2],
    /// Energy in the compliance of the constraints, and in that of the contacts.
    pub stored: [f64; 2],
}

/// Energy in the compliance of the constraints, and in that of the contacts that have one of their own, after a step of length `h` with the
/// impulses `z` to the velocity `v1`.
pub fn stored<S: System + ?Sized>(
    config: &Config,
    system: &S,
    rows: &Rows,
    (z, v1, h): (&[f64], &[f64], f64),
) -> [f64; 2] {
    let (m, joints) = (rows.f.len(), rows.joints());
    // ½ε f² of the forces f = λ/h.
    let energy = |epsilon: f64, z: f64| 0.5 * epsilon * (z / h).powi(2);
    let of_equalities = (0..m).map(|row| energy(config.softness(system, row, h)[0], z[row])).sum();
    // Of a contact that is a spring, without what its damping pushes: ε f = −g − τ N v1.
    let springs = rows.contacts.iter().enumerate().filter_map(|(place, contact)| {
        let row = joints + place * rows.dimension;
        let pushes = z[row] > 0.0 && system.contacts().material(contact.id).softness.gives_way();
        let [epsilon, tau] = config.contact_softness(system, contact.id, h);
        pushes.then(|| energy(epsilon, z[row] + h * tau / epsilon * rows.speed(row, v1)))
    });
    [of_equalities, springs.sum()]
}

impl Accounts {
    /// Enters a planned step.
    pub fn plan(&mut self, planned: &Planned) {
        let Planned { rows, z, velocities: [v0, v1], impact: (work, change), struck, gradient, stored, .. } =
            *planned;
        let (gradient, h) = gradient;
        (self.before, self.after, self.shown) = ([0.0; ALL], [0.0; ALL], false);
        let ([m, s, k], dimension) = (rows.counts(), rows.dimension);
        for (row, impulse) in z.iter().enumerate().filter(|(_, impulse)| **impulse != 0.0) {
            let account = match row {
                _ if row < m + s => DAMPING,
                _ if row < m + s + k && rows.is_motor(row - m - s) => MOTORS,
                _ if row < m + s + k => VELOCITIES,
                _ if (row - m - s - k) % dimension == 0 => CONTACTS,
                _ => FRICTION,
            };
            let (start, end) = (rows.speed(row, v0), rows.speed(row, v1));
            self.before[account] += 0.25 * impulse * (1.5 * start + 0.5 * end);
            self.after[account] += 0.25 * impulse * (0.5 * start + 1.5 * end);
        }
        self.before[IMPACTS] = work;
        if let Some(change) = change {
            self.before[TIMING] = -0.5 * h * dot(gradient, change);
        }
        // What moving constraints do is entered with their impulses elsewhere, after the step.
        let moved = |z: &[f64]| rows.rates().iter().zip(z).map(|(rate, impulse)| -rate * impulse).sum::<f64>();
        self.after[DAMPING] -= moved(z);
        self.after[IMPACTS] -= moved(struck);
        // What surfaces do has an account of its own, in both halves around the node.
        let [in_step, in_impact] = planned.by_surfaces;
        for (accounts, share) in [(&mut self.before, 0.5 * in_step), (&mut self.after, 0.5 * in_step)] {
            accounts[CONTACTS] -= share;
            accounts[SURFACES] += share;
        }
        self.before[IMPACTS] -= in_impact;
        self.before[SURFACES] += in_impact;
        self.planned_stored = stored;
    }

    /// A planned step was made.
    pub fn commit(&mut self) {
        for account in 0..ALL {
            self.carried[account] += self.after[account] + if self.shown { 0.0 } else { self.before[account] };
        }
        self.shown = true;
    }

    /// The node of the planned step is shown.
    pub fn show(&mut self) {
        if !self.shown {
            self.works = self.carried;
            self.works.iter_mut().zip(&self.before).for_each(|(work, before)| *work += before);
            let change = |kind: usize| self.planned_stored[kind] - self.stored[kind];
            let [of_constraints, of_contacts] = [change(0), change(1)];
            self.works[COMPLIANCE] = -of_constraints;
            self.works[DAMPING] += of_constraints;
            self.works[CONTACT_COMPLIANCE] = -of_contacts;
            self.works[CONTACTS] += of_contacts;
            self.stored = self.planned_stored;
            self.carried = [0.0; ALL];
            self.shown = true;
        }
    }

    /// What came in between the last two nodes that were shown.
    pub fn works(&self) -> &[f64] {
        &self.works
    }

    /// What the impact at the planned step's node took, with the timing of its forces.
    pub fn impact(&self) -> f64 {
        self.before[IMPACTS] + self.before[TIMING]
    }

    /// Energy in the compliance of constraints and contacts at the node that was shown last.
    pub fn stored(&self) -> f64 {
        self.stored.iter().sum()
    }
}
