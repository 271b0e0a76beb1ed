//! A system seen with other constraints: without any, or with some of its inequalities held as equalities.
//!
//! A contact that is held is an equality constraint for one step. Base steps run on these views as on any system.

use crate::system::{
    ContactId, Contacts, Dynamics, Equalities, Forces, Mass, NoRows, Nonholonomic, Segment, Softness,
    SparseEqualities, SparseHessian, System, TimeDependence, bend_of_hessians,
};

/// A system without its constraints.
#[derive(Debug)]
pub struct Free<'a, S: ?Sized>(pub &'a S);

/// A system with some inequalities as equalities, behind its own.
#[derive(Debug)]
pub struct Held<'a, S: ?Sized> {
    /// The system.
    pub system: &'a S,
    /// Its inequalities that are held.
    pub contacts: &'a [ContactId],
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
            fn sparse_hessian(&self) -> Option<&dyn SparseHessian> {
                self.$inner.sparse_hessian()
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
                // What is held is an equality.
                let of = self.$inner.time_dependence();
                TimeDependence { equalities: of.equalities || of.contacts, ..of }
            }
            fn forces(&self) -> Option<&dyn Forces> {
                self.$inner.forces()
            }
            fn potential_parts(&self) -> Vec<String> {
                self.$inner.potential_parts()
            }
            fn potential_by_parts(&self, t: f64, q: &[f64], out: &mut [f64]) {
                self.$inner.potential_by_parts(t, q, out);
            }
            fn coordinate_name(&self, index: usize) -> String {
                self.$inner.coordinate_name(index)
            }
        }
    };
}

dynamics_of!(Free, 0);
dynamics_of!(Held, system);

impl<S: System + ?Sized> System for Free<'_, S> {
    fn equalities(&self) -> &dyn Equalities {
        &NoRows
    }
    fn contacts(&self) -> &dyn Contacts {
        &NoRows
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }
}

impl<S: System + ?Sized> System for Held<'_, S> {
    fn equalities(&self) -> &dyn Equalities {
        self
    }
    fn contacts(&self) -> &dyn Contacts {
        &NoRows
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }
}

impl<S: System + ?Sized> Held<'_, S> {
    fn own(&self) -> usize {
        self.system.equalities().count()
    }

    /// Rates of the contacts that are held, of first or second order.
    fn rates(&self, t: f64, q: &[f64], order: usize, out: &mut [f64]) {
        if !self.system.time_dependence().contacts {
            return out.fill(0.0);
        }
        for (out, &contact) in out.iter_mut().zip(self.contacts) {
            *out = self.system.contacts().rates(t, q, contact)[order];
        }
    }
}

impl<S: System + ?Sized> Equalities for Held<'_, S> {
    fn count(&self) -> usize {
        self.own() + self.contacts.len()
    }
    fn values(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let (own, held) = out.split_at_mut(self.own());
        self.system.equalities().values(t, q, own);
        self.system.contacts().gaps_of(t, q, self.contacts, held);
    }
    fn rounding(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let (own, held) = out.split_at_mut(self.own());
        self.system.equalities().rounding(t, q, own);
        self.system.contacts().rounding(t, q, self.contacts, held);
    }
    fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let n = self.dim();
        let (own, held) = out.split_at_mut(self.own() * n);
        self.system.equalities().jacobian(t, q, own);
        for (row, &contact) in held.chunks_exact_mut(n).zip(self.contacts) {
            self.system.contacts().gradient(t, q, contact, row);
        }
    }
    /// Allocates; no step of a method that holds contacts asks for it.
    fn hessian(&self, t: f64, q: &[f64], lambda: &[f64], out: &mut [f64]) {
        let (own, held) = lambda.split_at(self.own());
        self.system.equalities().hessian(t, q, own, out);
        let weights: Vec<_> = self.contacts.iter().copied().zip(held.iter().copied()).collect();
        let mut bend = vec![0.0; out.len()];
        self.system.contacts().hessian(t, q, &weights, &mut bend);
        out.iter_mut().zip(bend).for_each(|(out, bend)| *out += bend);
    }
    fn bend(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        bend_of_hessians(self, t, q, v, out);
    }
    fn rate(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let (own, held) = out.split_at_mut(self.own());
        self.system.equalities().rate(t, q, own);
        self.rates(t, q, 0, held);
    }
    fn second_rate(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let (own, held) = out.split_at_mut(self.own());
        self.system.equalities().second_rate(t, q, own);
        self.rates(t, q, 1, held);
    }
    fn jacobian_rate(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let n = self.dim();
        let (own, held) = out.split_at_mut(self.own() * n);
        self.system.equalities().jacobian_rate(t, q, own);
        for (row, &contact) in held.chunks_exact_mut(n).zip(self.contacts) {
            self.system.contacts().gradient_rate(t, q, contact, row);
        }
    }
    fn softness(&self, index: usize) -> Softness {
        match index.checked_sub(self.own()) {
            None => self.system.equalities().softness(index),
            Some(place) => self.system.contacts().material(self.contacts[place]).softness,
        }
    }
    fn name(&self, index: usize) -> String {
        match index.checked_sub(self.own()) {
            None => self.system.equalities().name(index),
            Some(place) => self.system.contacts().name(self.contacts[place]),
        }
    }
    fn sparse(&self) -> Option<&dyn SparseEqualities> {
        None
    }
}
