//! A system seen with other constraints: without any, or with some of its inequalities held as equalities.
//!
//! A contact that is held is an equality constraint for one step. Base steps run on these views as on any system.

use crate::system::{
    Contacts, Dynamics, Equalities, Forces, Mass, NoRows, Nonholonomic, Segment, Softness, SparseEqualities,
    SparseHessian, System, TimeDependence, bend_of_hessians,
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
                self.$inner.time_dependence()
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

    /// Values of gaps, each at its place among all, to those of the contacts that are held.
    fn put(&self, of_all: impl FnOnce(&dyn Contacts, &mut [f64]), out: &mut [f64]) {
        let gaps = &mut *self.gaps.borrow_mut();
        of_all(self.system.contacts(), gaps);
        for (out, &contact) in out.iter_mut().zip(self.contacts) {
            *out = gaps[contact];
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
        self.put(|contacts, gaps| contacts.gaps_of(q, self.contacts, gaps), held);
    }
    fn rounding(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let (own, held) = out.split_at_mut(self.own());
        self.system.equalities().rounding(t, q, own);
        self.put(|contacts, gaps| contacts.rounding(q, gaps), held);
    }
    fn jacobian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let n = self.dim();
        let (own, held) = out.split_at_mut(self.own() * n);
        self.system.equalities().jacobian(t, q, own);
        for (row, &contact) in held.chunks_exact_mut(n).zip(self.contacts) {
            self.system.contacts().gradient(q, contact, row);
        }
    }
    /// Allocates; no step of a method that holds contacts asks for it.
    fn hessian(&self, t: f64, q: &[f64], lambda: &[f64], out: &mut [f64]) {
        let (own, held) = lambda.split_at(self.own());
        self.system.equalities().hessian(t, q, own, out);
        let (contacts, mut bend) = (self.system.contacts(), vec![0.0; out.len()]);
        let mut of_all = vec![0.0; contacts.count()];
        self.contacts.iter().zip(held).for_each(|(&contact, lambda)| of_all[contact] = *lambda);
        contacts.hessian(q, &of_all, &mut bend);
        out.iter_mut().zip(bend).for_each(|(out, bend)| *out += bend);
    }
    fn bend(&self, t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        bend_of_hessians(self, t, q, v, out);
    }
    fn rate(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let (own, held) = out.split_at_mut(self.own());
        self.system.equalities().rate(t, q, own);
        held.fill(0.0);
    }
    fn second_rate(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let (own, held) = out.split_at_mut(self.own());
        self.system.equalities().second_rate(t, q, own);
        held.fill(0.0);
    }
    fn jacobian_rate(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let (own, held) = out.split_at_mut(self.own() * self.dim());
        self.system.equalities().jacobian_rate(t, q, own);
        held.fill(0.0);
    }
    fn softness(&self, index: usize) -> Softness {
        match index.checked_sub(self.own()) {
            None => self.system.equalities().softness(index),
            Some(place) => self.system.contacts().softness(self.contacts[place]),
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
