//! A system seen with other constraints: without any, or with some of its inequalities held as equalities.
//!
//! A contact that is held is an equality constraint for one step. Base steps run on these views as on any system.

use crate::system::{Constraints, Dynamics, Forces, Mass, Segment, System, TimeDependence};

/// A system without its constraints.
#[derive(Debug)]
pub struct Free<'a, S: ?Sized>(pub &'a S);

/// A system with some inequalities as equalities, behind its own.
#[derive(Debug)]
pub struct Held<'a, S: ?Sized> {
    /// The system.
    pub system: &'a S,
    /// Its inequalities that are held.
    pub contacts: &'a [usize],
    /// Room for all gaps: values are written there.
    pub gaps: &'a std::cell::RefCell<Vec<f64>>,
}

macro_rules! dynamics_of {
    ($view:ident, $inner:tt) => {
        impl<S: System + ?Sized> Dynamics for $view<'_, S> {
            #[inline]
            fn dim(&self) -> usize {
                self.$inner.dim()
            }
            #[inline]
            fn mass(&self) -> Mass<'_> {
                self.$inner.mass()
            }
            #[inline]
            fn potential(&self, t: f64, q: &[f64]) -> f64 {
                self.$inner.potential(t, q)
            }
            #[inline]
            fn potential_gradient(&self, t: f64, q: &[f64], out: &mut [f64]) {
                self.$inner.potential_gradient(t, q, out);
            }
            #[inline]
            fn potential_hessian(&self, t: f64, q: &[f64], out: &mut [f64]) {
                self.$inner.potential_hessian(t, q, out);
            }
            fn potential_rates(&self, t: f64, q: &[f64]) -> [f64; 2] {
                self.$inner.potential_rates(t, q)
            }
            fn potential_gradient_rate(&self, t: f64, q: &[f64], out: &mut [f64]) {
                self.$inner.potential_gradient_rate(t, q, out);
            }
            fn potential_discrete_gradient(&self, segment: &Segment, out: &mut [f64]) {
                self.$inner.potential_discrete_gradient(segment, out);
            }
            fn time_dependence(&self) -> TimeDependence {
                self.$inner.time_dependence()
            }
            fn forces(&self) -> Option<&dyn Forces> {
                self.$inner.forces()
            }
            fn coordinate_name(&self, index: usize) -> String {
                self.$inner.coordinate_name(index)
            }
        }
    };
}

dynamics_of!(Free, 0);
dynamics_of!(Held, system);

impl<S: ?Sized> Constraints for Free<'_, S> {}

impl<S: System + ?Sized> Held<'_, S> {
    fn own(&self) -> usize {
        self.system.equalities()
    }
}

impl<S: System + ?Sized> Constraints for Held<'_, S> {
    fn equalities(&self) -> usize {
        self.own() + self.contacts.len()
    }
    fn equality(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let (own, held) = out.split_at_mut(self.own());
        self.system.equality(t, q, own);
        let gaps = &mut *self.gaps.borrow_mut();
        self.system.gap_of(q, self.contacts, gaps);
        for (out, &contact) in held.iter_mut().zip(self.contacts) {
            *out = gaps[contact];
        }
    }
    fn equality_rounding(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let (own, held) = out.split_at_mut(self.own());
        self.system.equality_rounding(t, q, own);
        let gaps = &mut *self.gaps.borrow_mut();
        self.system.gap_rounding(q, gaps);
        for (out, &contact) in held.iter_mut().zip(self.contacts) {
            *out = gaps[contact];
        }
    }
    fn equality_jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let n = self.dim();
        let (own, held) = out.split_at_mut(self.own() * n);
        self.system.equality_jacobian(t, q, own);
        for (row, &contact) in held.chunks_exact_mut(n).zip(self.contacts) {
            self.system.gap_gradient(q, contact, row);
        }
    }
    fn equality_rate(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let (own, held) = out.split_at_mut(self.own());
        self.system.equality_rate(t, q, own);
        held.fill(0.0);
    }
    fn equality_name(&self, index: usize) -> String {
        match index.checked_sub(self.own()) {
            None => self.system.equality_name(index),
            Some(place) => self.system.gap_name(self.contacts[place]),
        }
    }
}
