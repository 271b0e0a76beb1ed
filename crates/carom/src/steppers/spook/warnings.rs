//! What `spook` warns of before a run: bounds that its options pass on a system.

use super::choices::Solver;
use super::options::{Config, Equations};
use crate::state::State;
use crate::steppers::shared::contacts::Row;
use crate::steppers::shared::mass::InverseMass;
use crate::system::System;

/// Below this part of the mobility of its row, T leaves factors without digits to spare.
const CONDITIONING: f64 = 1e-8;

/// Numbers in the gradients of a system whose rows are not looked at one by one before a run.
const LARGE: usize = 1_000_000;

/// Steps in a radian of the swing of a contact below which the steps do not follow it.
const FOLLOWED: f64 = 1.0;

impl Config {
    /// All warnings.
    pub(super) fn warn<S: System + ?Sized>(&self, system: &S, start: &State, h: f64) -> Vec<String> {
        let mut warnings = Vec::new();
        warnings.extend(self.growth(system, start, h));
        warnings.extend(self.undamped_contacts(system, h));
        warnings.extend(self.conditioning(system, start, h));
        warnings.extend(self.unresolved_contacts(system, start, h));
        let sweeps = self.sweeps();
        if self.solver() == Solver::Pgs && sweeps < 100 && self.warm() > 0.5 && self.damping(h) < 10.0 * h {
            warnings.push(format!(
                "{sweeps} sweeps from {} of the last impulses with damping below 10 steps: errors feed back through the positions and can \
                 grow from step to step; warm <= 0.5, damping_steps >= 10 or more sweeps are safe",
                self.warm()
            ));
        }
        warnings
    }

    /// Rows without damping: what violates them does not decay, and grows where they bend or have no compliance either.
    fn growth<S: System + ?Sized>(&self, system: &S, start: &State, h: f64) -> Option<String> {
        let m = system.equalities().count();
        if m == 0 || self.equations == Equations::Nonlinear || m.saturating_mul(system.dim()) > LARGE {
            return None;
        }
        // Linear rows bend along no velocity; any in general position shows which do.
        let v: Vec<f64> = (0..start.q.len()).map(|k| libm::sin(1.0 + k as f64)).collect();
        let mut bend = vec![0.0; m];
        system.equalities().bend(start.t, &start.q, &v, &mut bend);
        let grows = |row: &usize| {
            let [epsilon, tau] = self.softness(system, *row, h);
            tau == 0.0 && (epsilon == 0.0 || bend[*row] != 0.0)
        };
        let count = (0..m).filter(grows).count();
        let first = (0..m).find(grows)?;
        let name = system.equalities().name(first);
        let others = if count > 1 { format!(" and {} more", count - 1) } else { String::new() };
        let why = match self.softness(system, first, h)[0] {
            0.0 => {
                "compliance and damping are both 0; a violation then alternates and grows with every step (bound: one of them above 0)"
            }
            _ => {
                "damping is 0 and the constraint bends; violations do not decay and can take up energy (bound: above 0; 2 steps are critical)"
            }
        };
        Some(format!("`{name}`{others}: {why}"))
    }

    /// Contacts without damping.
    fn undamped_contacts<S: System + ?Sized>(&self, system: &S, h: f64) -> Option<String> {
        // One with a compliance of its own is a spring: what it stores it gives back.
        let mut undamped = false;
        system.contacts().materials(&mut |contact, material| {
            let stiff = !material.softness.gives_way();
            undamped |= stiff && self.contact_softness(system, contact, h)[1] == 0.0;
        });
        undamped.then(|| {
            "contacts without damping give back more than they take: a depth d throws them back with 4 d/h (bound: damping above 0; 2 steps are \
             critical)"
                .to_string()
        })
    }

    /// Rows whose T is so small against their mobility that factors lose digits, and dependent rows cannot be told.
    fn conditioning<S: System + ?Sized>(&self, system: &S, start: &State, h: f64) -> Option<String> {
        let (n, m) = (system.dim(), system.equalities().count());
        // The rows are looked at one by one, by products with a full row each: large systems are not asked.
        if m == 0 || m.saturating_mul(n) > LARGE {
            return None;
        }
        let inverse = InverseMass::new(system, &start.q).ok()?;
        let mut g = vec![0.0; m * n];
        system.equalities().jacobian(start.t, &start.q, &mut g);
        let mut worst: Option<(f64, usize)> = None;
        for (row, g) in g.chunks_exact(n).enumerate() {
            let [epsilon, tau] = self.softness(system, row, h);
            let mut y = g.to_vec();
            inverse.solve(&mut y);
            let mobility: f64 = y.iter().zip(g).map(|(y, g)| y * g).sum();
            let relative = 4.0 * epsilon / (h * h * (1.0 + 4.0 * tau / h)) / mobility;
            if relative < worst.map_or(CONDITIONING, |(worst, _)| worst) {
                worst = Some((relative, row));
            }
        }
        let (relative, row) = worst?;
        let name = system.equalities().name(row);
        Some(format!(
            "`{name}`: the regularisation T is {relative:.1e} of its mobility G M⁻¹Gᵀ, below the bound {CONDITIONING:.0e}: fine while rows \
             are independent, but redundant rows may end in an error; a larger compliance is safe"
        ))
    }

    /// Contacts that are springs whose swing the steps do not follow: what comes back from them is then made by the steps.
    fn unresolved_contacts<S: System + ?Sized>(&self, system: &S, start: &State, h: f64) -> Option<String> {
        let contacts = system.contacts();
        let inverse = InverseMass::new(system, &start.q).ok()?;
        let (mut row, mut room, mut most) = (Row::default(), vec![0.0; system.dim()], (FOLLOWED, None));
        contacts.samples(&mut |contact| {
            if contacts.material(contact).softness.gives_way() {
                row.load(contacts, start.t, &start.q, contact);
                let mobility = row.mobility(&inverse, &mut room);
                let swing = h * (mobility / self.contact_softness(system, contact, h)[0]).sqrt();
                if swing > most.0 {
                    most = (swing, Some(contact));
                }
            }
        });
        let (swing, contact) = most;
        let name = system.contacts().name(contact?);
        Some(format!(
            "`{name}`: the contact swings with h ω = {swing:.1} on its compliance, and steps follow it only up to {FOLLOWED}: what comes back \
             from it is made by the steps; steps below {:.1e} or a larger compliance follow it, and without one of its own its restitution \
             counts",
            h * FOLLOWED / swing
        ))
    }
}
