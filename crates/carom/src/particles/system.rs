//! The particles as a system: sums over the pools, in a fixed order.

use super::Particles;
use super::geometry::{Blocks, points, points_mut, product};
use super::input::{Link, Misuse};
use super::pool::{Ends, Place, Potentials, Rows};
use crate::system::{
    ContactId, ContactSet, Contacts, ContactsAlong, Depths, Dynamics, Equalities, Mass, Material, Nonholonomic,
    Parabola, Passage, Pattern, Segment, Softness, SparseEqualities, SparseHessian, System, TimeDependence, Way,
};

/// Calls a method with the dimension as a constant.
macro_rules! in_space {
    ($self:ident.$method:ident($($argument:expr),*)) => {
        match $self.dimension {
            1 => $self.$method::<1>($($argument),*),
            2 => $self.$method::<2>($($argument),*),
            _ => $self.$method::<3>($($argument),*),
        }
    };
}

/// Calls `$do` with every pool of potentials.
macro_rules! each_pool {
    ($self:ident, $pool:ident => $do:expr) => {{
        if !$self.springs.is_empty() {
            let $pool = &$self.springs;
            $do;
        }
        if let Some($pool) = &$self.uniform {
            $do;
        }
        if let Some($pool) = &$self.newton {
            $do;
        }
        for $pool in &$self.fields {
            $do;
        }
        for $pool in &$self.lennard_jones {
            $do;
        }
        for $pool in &$self.radial {
            $do;
        }
    }};
}

impl Particles {
    #[inline(always)]
    fn place<'a, const D: usize>(&'a self, t: f64, q: &'a [f64]) -> Place<'a, D> {
        Place { t, x: points(q), mass: &self.masses, team: &self.team }
    }

    fn value<const D: usize>(&self, t: f64, q: &[f64]) -> f64 {
        let (at, mut sum) = (self.place::<D>(t, q), 0.0);
        each_pool!(self, pool => sum += pool.value(at));
        sum
    }

    /// Values by pool.
    fn values<const D: usize>(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let (at, mut out) = (self.place::<D>(t, q), out.iter_mut());
        each_pool!(self, pool => if let Some(out) = out.next() { *out = pool.value(at) });
    }

    #[inline]
    fn gradient<const D: usize>(&self, t: f64, q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let (at, out) = (self.place::<D>(t, q), points_mut(out));
        each_pool!(self, pool => pool.add_gradient(at, out));
    }

    fn discrete_gradient<const D: usize>(&self, segment: &Segment, out: &mut [f64]) {
        out.fill(0.0);
        let (start, end) = (points(segment.start), points(segment.end));
        let (between, out) = (Ends::<D> { t: segment.t, start, end, mass: &self.masses }, points_mut(out));
        each_pool!(self, pool => pool.add_discrete_gradient(between, out));
    }

    fn hessian<const D: usize>(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let (at, mut out) = (self.place::<D>(t, q), Blocks::new(q.len(), out));
        each_pool!(self, pool => pool.add_hessian(at, &mut out));
    }

    fn rates<const D: usize>(&self, t: f64, q: &[f64]) -> [f64; 2] {
        let at = self.place::<D>(t, q);
        self.fields.iter().map(|field| field.rates(at)).fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]])
    }

    fn gradient_rate<const D: usize>(&self, t: f64, q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let (at, out) = (self.place::<D>(t, q), points_mut(out));
        for field in &self.fields {
            field.add_gradient_rate(at, out);
        }
    }

    /// The distance between the ends of a link at `q`, as springs and rods compute it.
    pub fn distance(&self, link: Link, q: &[f64]) -> Result<f64, Misuse> {
        link.check(self.count())?;
        if q.len() != self.dim() {
            return Err(Misuse::Length { what: "the list of coordinates", found: q.len(), needed: self.dim() });
        }
        Ok(in_space!(self.apart(link, q)))
    }

    fn apart<const D: usize>(&self, link: Link, q: &[f64]) -> f64 {
        let d = link.difference::<D>(points(q));
        product(&d, &d).sqrt()
    }

    #[inline]
    fn rod_values<const D: usize>(&self, q: &[f64], out: &mut [f64]) {
        self.rods.values::<D>(points(q), out);
    }

    fn rod_jacobian<const D: usize>(&self, q: &[f64], out: &mut [f64]) {
        for (index, row) in out.chunks_exact_mut(q.len().max(1)).enumerate() {
            dense_row::<D>(&self.rods, q, index, row);
        }
    }

    /// Values, and entries in the order of the pattern: the first of two particles first.
    #[inline]
    fn rod_entries<const D: usize>(&self, q: &[f64], f: &mut [f64], entries: &mut [f64]) {
        self.rods.entries::<D>(points(q), f, points_mut(entries));
    }

    fn rod_discrete_entries<const D: usize>(&self, segment: &Segment, entries: &mut [f64]) {
        self.rods.discrete_entries::<D>(points(segment.start), points(segment.end), points_mut(entries));
    }

    fn rod_hessian<const D: usize>(&self, q: &[f64], lambda: &[f64], out: &mut [f64]) {
        let mut out = Blocks::new(q.len(), out);
        for (row, &lambda) in lambda.iter().enumerate() {
            self.rods.add_hessian::<D>(points(q), row, lambda, &mut out);
        }
    }

    fn rod_row_hessian<const D: usize>(&self, q: &[f64], row: usize, out: &mut [f64]) {
        self.rods.row_hessian::<D>(points(q), row, out);
    }

    fn rod_bend<const D: usize>(&self, q: &[f64], v: &[f64], out: &mut [f64]) {
        self.rods.bend::<D>(points(q), points(v), out);
    }

    fn gap_values<const D: usize>(&self, q: &[f64], out: &mut [f64]) {
        self.gaps.values::<D>(points(q), out);
    }

    fn gap_some<const D: usize>(&self, q: &[f64], contacts: &[ContactId], out: &mut [f64]) {
        for (out, contact) in out.iter_mut().zip(contacts) {
            *out = self.gaps.value::<D>(points(q), contact.place());
        }
    }

    fn gap_search<const D: usize>(&self, way: [&[f64]; 2], margin: f64, set: &mut ContactSet) {
        self.gaps.detect::<D>(way.map(points), margin, set);
    }

    fn gap_row<const D: usize>(&self, q: &[f64], index: usize, out: &mut [f64]) {
        dense_row::<D>(&self.gaps, q, index, out);
    }

    fn gap_entries<const D: usize>(&self, q: &[f64], index: usize, put: &mut dyn FnMut(usize, f64)) {
        self.gaps.gradient::<D>(points(q), index, |particle, part| {
            part.iter().enumerate().for_each(|(axis, &entry)| put(D * particle + axis, entry));
        });
    }

    fn slide_entries<const D: usize>(&self, q: &[f64], index: usize, put: &mut dyn FnMut(usize, usize, f64)) {
        self.gaps.tangents::<D>(points(q), index, |direction, particle, part| {
            part.iter().enumerate().for_each(|(axis, &entry)| put(direction, D * particle + axis, entry));
        });
    }

    fn gap_slides<const D: usize>(&self, q: &[f64], index: usize, out: &mut [f64]) {
        out.fill(0.0);
        self.gaps.tangents::<D>(points(q), index, |direction, particle, part| {
            out[direction * q.len() + D * particle..][..D].copy_from_slice(&part);
        });
    }

    fn gap_bounds<const D: usize>(&self, arc: &Parabola, index: usize) -> [f64; 2] {
        self.gaps.bend::<D>(arc, index)
    }

    fn gap_speed<const D: usize>(&self, arc: &Parabola, index: usize) -> f64 {
        self.gaps.fastest::<D>(arc, index)
    }

    fn gap_passages<const D: usize>(
        &self,
        [start, end]: [&[f64]; 2],
        set: (&[ContactId], &[f64]),
        found: &mut dyn FnMut(Passage),
    ) {
        self.gaps.passages::<D>([points(start), points(end)], set, found);
    }

    fn gap_curvature<const D: usize>(&self, q: &[f64], weights: &[(ContactId, f64)], out: &mut [f64]) {
        let mut out = Blocks::new(q.len(), out);
        for &(contact, weight) in weights {
            self.gaps.add_hessian::<D>(points(q), contact.place(), weight, &mut out);
        }
    }
}

/// A gradient as a full row.
fn dense_row<const D: usize>(rows: &impl Rows, q: &[f64], row: usize, out: &mut [f64]) {
    out.fill(0.0);
    rows.gradient::<D>(points(q), row, |particle, part| out[D * particle..][..D].copy_from_slice(&part));
}

/// Of distances that are computed as roots of sums of squares, and compared with lengths.
fn rounding(rows: &impl Rows, row: usize) -> f64 {
    4.0 * rows.length(row).abs()
}

impl Dynamics for Particles {
    #[inline]
    fn dim(&self) -> usize {
        self.diagonal.len()
    }
    #[inline]
    fn mass(&self) -> Mass<'_> {
        Mass::Diagonal(&self.diagonal)
    }
    fn potential(&self, t: f64, q: &[f64]) -> f64 {
        in_space!(self.value(t, q))
    }
    #[inline]
    fn potential_gradient(&self, t: f64, q: &[f64], out: &mut [f64]) {
        in_space!(self.gradient(t, q, out));
    }
    fn potential_hessian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        in_space!(self.hessian(t, q, out));
    }
    fn sparse_hessian(&self) -> Option<&dyn SparseHessian> {
        self.sparse()
    }
    fn potential_rates(&self, t: f64, q: &[f64]) -> [f64; 2] {
        in_space!(self.rates(t, q))
    }
    fn potential_gradient_rate(&self, t: f64, q: &[f64], out: &mut [f64]) {
        in_space!(self.gradient_rate(t, q, out));
    }
    fn potential_discrete_gradient(&self, segment: &Segment, out: &mut [f64]) {
        in_space!(self.discrete_gradient(segment, out));
    }
    fn time_dependence(&self) -> TimeDependence {
        let potential = self.fields.iter().any(|field| field.depends_on_time());
        TimeDependence { potential, ..TimeDependence::default() }
    }
    fn potential_parts(&self) -> Vec<String> {
        let mut names = Vec::new();
        if !self.springs.is_empty() {
            names.push("springs".into());
        }
        names.extend(self.uniform.iter().map(|_| "gravity".into()));
        names.extend(self.newton.iter().map(|_| "gravitation".into()));
        names.extend((0..self.fields.len()).map(|k| format!("field[{k}]")));
        names.extend((0..self.lennard_jones.len()).map(|k| format!("lennard_jones[{k}]")));
        names.extend((0..self.radial.len()).map(|k| format!("pair[{k}]")));
        names
    }
    fn potential_by_parts(&self, t: f64, q: &[f64], out: &mut [f64]) {
        in_space!(self.values(t, q, out));
    }
    fn coordinate_name(&self, index: usize) -> String {
        self.names.coordinate(index / self.dimension, index % self.dimension)
    }
}

impl System for Particles {
    #[inline]
    fn equalities(&self) -> &dyn Equalities {
        self
    }
    #[inline]
    fn contacts(&self) -> &dyn Contacts {
        self
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }
}

impl Equalities for Particles {
    #[inline]
    fn count(&self) -> usize {
        self.rods.len()
    }
    #[inline]
    fn values(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        in_space!(self.rod_values(q, out));
    }
    fn rounding(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.iter_mut().enumerate().for_each(|(row, out)| *out = rounding(&self.rods, row));
    }
    fn jacobian(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        in_space!(self.rod_jacobian(q, out));
    }
    fn hessian(&self, _t: f64, q: &[f64], lambda: &[f64], out: &mut [f64]) {
        in_space!(self.rod_hessian(q, lambda, out));
    }
    fn bend(&self, _t: f64, q: &[f64], v: &[f64], out: &mut [f64]) {
        in_space!(self.rod_bend(q, v, out));
    }
    fn rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn second_rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn jacobian_rate(&self, _t: f64, _q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
    }
    fn softness(&self, index: usize) -> Softness {
        self.rods.softness(index)
    }
    fn name(&self, index: usize) -> String {
        self.rods.name(index, &self.names)
    }
    #[inline]
    fn sparse(&self) -> Option<&dyn SparseEqualities> {
        Some(self)
    }
}

impl SparseEqualities for Particles {
    fn pattern(&self) -> &Pattern {
        &self.rod_pattern
    }
    #[inline]
    fn entries(&self, _t: f64, q: &[f64], f: &mut [f64], entries: &mut [f64]) {
        in_space!(self.rod_entries(q, f, entries));
    }
    fn discrete_entries(&self, segment: &Segment, entries: &mut [f64]) -> bool {
        in_space!(self.rod_discrete_entries(segment, entries));
        true
    }
    fn row_hessian(&self, _t: f64, q: &[f64], index: usize, out: &mut [f64]) {
        in_space!(self.rod_row_hessian(q, index, out));
    }
}

impl Contacts for Particles {
    #[inline]
    fn count(&self) -> usize {
        self.gaps.len()
    }
    #[inline]
    fn is_constant(&self) -> bool {
        self.gaps.spheres.groups().is_empty()
    }
    fn detect(&self, way: Way, margin: f64, set: &mut ContactSet) {
        in_space!(self.gap_search(way.q, margin, set));
    }
    fn samples(&self, visit: &mut dyn FnMut(ContactId)) {
        self.gaps.samples(&mut |row| visit(ContactId::of(row)));
    }
    fn gaps(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        in_space!(self.gap_values(q, out));
    }
    fn gaps_of(&self, _t: f64, q: &[f64], contacts: &[ContactId], out: &mut [f64]) {
        in_space!(self.gap_some(q, contacts, out));
    }
    fn rounding(&self, _t: f64, _q: &[f64], contacts: &[ContactId], out: &mut [f64]) {
        out.iter_mut().zip(contacts).for_each(|(out, contact)| *out = rounding(&self.gaps, contact.place()));
    }
    fn gradient(&self, _t: f64, q: &[f64], contact: ContactId, out: &mut [f64]) {
        in_space!(self.gap_row(q, contact.place(), out));
    }
    fn partials(&self, _t: f64, q: &[f64], contact: ContactId, put: &mut dyn FnMut(usize, f64)) {
        in_space!(self.gap_entries(q, contact.place(), put));
    }
    fn hessian(&self, _t: f64, q: &[f64], weights: &[(ContactId, f64)], out: &mut [f64]) {
        in_space!(self.gap_curvature(q, weights, out));
    }
    fn rates(&self, _t: f64, _q: &[f64], _contact: ContactId) -> [f64; 2] {
        [0.0; 2]
    }
    fn gradient_rate(&self, _t: f64, _q: &[f64], _contact: ContactId, out: &mut [f64]) {
        out.fill(0.0);
    }
    fn material(&self, contact: ContactId) -> Material {
        self.gaps.material(contact.place())
    }
    fn materials(&self, visit: &mut dyn FnMut(ContactId, Material)) {
        self.gaps.materials(&mut |row, material| visit(ContactId::of(row), material));
    }
    fn directions(&self, _contact: ContactId) -> usize {
        self.dimension - 1
    }
    fn tangents(&self, _t: f64, q: &[f64], contact: ContactId, out: &mut [f64]) {
        in_space!(self.gap_slides(q, contact.place(), out));
    }
    fn slides(&self, _t: f64, q: &[f64], contact: ContactId, put: &mut dyn FnMut(usize, usize, f64)) {
        in_space!(self.slide_entries(q, contact.place(), put));
    }
    fn name(&self, contact: ContactId) -> String {
        self.gaps.name(contact.place(), &self.names)
    }
    fn passages(&self, way: Way, set: (&[ContactId], &[f64]), found: &mut dyn FnMut(Passage)) -> Depths {
        if !self.gaps.are_passable() {
            return Depths::Infinite;
        }
        in_space!(self.gap_passages(way.q, set, found));
        Depths::Known
    }
    fn along(&self) -> Option<&dyn ContactsAlong> {
        Some(self)
    }
}

impl ContactsAlong for Particles {
    fn bend(&self, arc: &Parabola, contact: ContactId) -> Option<[f64; 2]> {
        Some(in_space!(self.gap_bounds(arc, contact.place())))
    }
    fn rate(&self, arc: &Parabola, contact: ContactId) -> Option<f64> {
        Some(in_space!(self.gap_speed(arc, contact.place())))
    }
}
