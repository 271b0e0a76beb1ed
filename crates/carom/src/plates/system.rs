//! The plates as a system: sums over the potentials, in a fixed order.

use super::{COORDINATES, Field, Plates};
use crate::lagrangian::local::Spot;
use crate::system::{
    ContactId, ContactSet, Contacts, ContactsAlong, Depths, Dynamics, Equalities, Mass, Material, NoRows,
    Nonholonomic, Parabola, Passage, SparseHessian, System, TimeDependence, Way,
};

impl Field {
    /// Every member and where it is.
    #[inline]
    fn spots<'a>(&'a self, t: f64, q: &'a [f64], masses: &'a [f64]) -> impl Iterator<Item = (usize, Spot<'a>)> {
        self.members.iter().map(move |&i| (i, Spot { t, x: &q[3 * i..3 * i + 2], mass: masses[i] }))
    }

    fn value(&self, t: f64, q: &[f64], masses: &[f64]) -> f64 {
        self.spots(t, q, masses).fold(0.0, |sum, (_, spot)| sum + self.potential.value(spot))
    }
}

impl Plates {
    /// `−m g·x` of all plates.
    fn weight(&self, gravity: &[[f64; 2]], q: &[f64]) -> f64 {
        let terms = q.as_chunks::<3>().0.iter().zip(&self.masses).zip(gravity);
        -terms.fold(0.0, |sum, (([x, y, _], m), [gx, gy])| sum + m * (gx * x + gy * y))
    }
}

impl Dynamics for Plates {
    #[inline]
    fn dim(&self) -> usize {
        self.diagonal.len()
    }
    #[inline]
    fn mass(&self) -> Mass<'_> {
        Mass::Diagonal(&self.diagonal)
    }
    fn potential(&self, t: f64, q: &[f64]) -> f64 {
        let weight = self.gravity.as_ref().map_or(0.0, |gravity| self.weight(gravity, q));
        self.fields.iter().fold(weight, |sum, field| sum + field.value(t, q, &self.masses))
    }
    #[inline]
    fn potential_gradient(&self, t: f64, q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        let out = out.as_chunks_mut::<3>().0;
        for ((out, m), [gx, gy]) in out.iter_mut().zip(&self.masses).zip(self.gravity.iter().flatten()) {
            (out[0], out[1]) = (-m * gx, -m * gy);
        }
        for field in &self.fields {
            for (i, spot) in field.spots(t, q, &self.masses) {
                let [x, y] = field.potential.gradient(spot);
                (out[i][0], out[i][1]) = (out[i][0] + x, out[i][1] + y);
            }
        }
    }
    fn potential_hessian(&self, t: f64, q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for field in &self.fields {
            for (i, spot) in field.spots(t, q, &self.masses) {
                for (row, values) in field.potential.hessian::<2>(spot).iter().enumerate() {
                    let begin = (3 * i + row) * q.len() + 3 * i;
                    (out[begin], out[begin + 1]) = (out[begin] + values[0], out[begin + 1] + values[1]);
                }
            }
        }
    }
    fn sparse_hessian(&self) -> Option<&dyn SparseHessian> {
        None
    }
    fn potential_rates(&self, t: f64, q: &[f64]) -> [f64; 2] {
        let spots =
            self.fields.iter().flat_map(|field| field.spots(t, q, &self.masses).map(move |of| (field, of.1)));
        let rates = spots.map(|(field, spot)| field.potential.rates(spot));
        rates.fold([0.0; 2], |a, b| [a[0] + b[0], a[1] + b[1]])
    }
    fn potential_gradient_rate(&self, t: f64, q: &[f64], out: &mut [f64]) {
        out.fill(0.0);
        for field in &self.fields {
            for (i, spot) in field.spots(t, q, &self.masses) {
                let [x, y] = field.potential.gradient_rate(spot);
                (out[3 * i], out[3 * i + 1]) = (out[3 * i] + x, out[3 * i + 1] + y);
            }
        }
    }
    fn time_dependence(&self) -> TimeDependence {
        let potential = self.fields.iter().any(|field| field.potential.depends_on_time());
        TimeDependence { potential, ..TimeDependence::default() }
    }
    fn potential_parts(&self) -> Vec<String> {
        let gravity = self.gravity.iter().map(|_| "gravity".into());
        gravity.chain((0..self.fields.len()).map(|k| format!("field[{k}]"))).collect()
    }
    fn potential_by_parts(&self, t: f64, q: &[f64], out: &mut [f64]) {
        let weight = self.gravity.iter().map(|gravity| self.weight(gravity, q));
        let values = weight.chain(self.fields.iter().map(|field| field.value(t, q, &self.masses)));
        out.iter_mut().zip(values).for_each(|(out, value)| *out = value);
    }
    fn coordinate_name(&self, index: usize) -> String {
        let (plate, coordinate) = (index / 3, COORDINATES[index % 3]);
        match &self.names[plate] {
            Some(name) => format!("{name}.{coordinate}"),
            None => format!("{coordinate}[{plate}]"),
        }
    }
}

impl System for Plates {
    fn equalities(&self) -> &dyn Equalities {
        &NoRows
    }
    #[inline]
    fn contacts(&self) -> &dyn Contacts {
        self
    }
    fn nonholonomic(&self) -> Option<&dyn Nonholonomic> {
        None
    }
}

impl Contacts for Plates {
    #[inline]
    fn count(&self) -> usize {
        self.gaps.len()
    }
    #[inline]
    fn is_constant(&self) -> bool {
        true
    }
    fn detect(&self, _way: Way, _margin: f64, set: &mut ContactSet) {
        (0..self.gaps.len()).for_each(|row| set.push(ContactId::of(row)));
    }
    fn samples(&self, visit: &mut dyn FnMut(ContactId)) {
        (0..self.gaps.len()).for_each(|row| visit(ContactId::of(row)));
    }
    #[inline]
    fn gaps(&self, _t: f64, q: &[f64], out: &mut [f64]) {
        self.gaps.values(q, out);
    }
    fn gaps_of(&self, _t: f64, q: &[f64], contacts: &[ContactId], out: &mut [f64]) {
        out.iter_mut().zip(contacts).for_each(|(out, contact)| *out = self.gaps.value(q, contact.place()));
    }
    fn rounding(&self, _t: f64, _q: &[f64], contacts: &[ContactId], out: &mut [f64]) {
        out.iter_mut().zip(contacts).for_each(|(out, contact)| *out = self.gaps.rounding(contact.place()));
    }
    #[inline]
    fn gradient(&self, _t: f64, q: &[f64], contact: ContactId, out: &mut [f64]) {
        out.fill(0.0);
        out[3 * self.gaps.row(contact.place()).plate..][..3]
            .copy_from_slice(&self.gaps.gradient(q, contact.place()));
    }
    fn partials(&self, _t: f64, q: &[f64], contact: ContactId, put: &mut dyn FnMut(usize, f64)) {
        let first = 3 * self.gaps.row(contact.place()).plate;
        let gradient = self.gaps.gradient(q, contact.place());
        gradient.into_iter().enumerate().for_each(|(k, entry)| put(first + k, entry));
    }
    fn hessian(&self, _t: f64, q: &[f64], weights: &[(ContactId, f64)], out: &mut [f64]) {
        out.fill(0.0);
        for &(contact, weight) in weights {
            self.gaps.add_hessian(q, contact.place(), weight, out);
        }
    }
    fn rates(&self, _t: f64, _q: &[f64], _contact: ContactId) -> [f64; 2] {
        [0.0; 2]
    }
    fn gradient_rate(&self, _t: f64, _q: &[f64], _contact: ContactId, out: &mut [f64]) {
        out.fill(0.0);
    }
    fn material(&self, contact: ContactId) -> Material {
        let wall = self.gaps.wall(contact.place());
        let softness = self.gaps.softness(contact.place());
        Material { restitution: wall.restitution, friction: wall.friction, softness }
    }
    fn materials(&self, visit: &mut dyn FnMut(ContactId, Material)) {
        (0..self.gaps.len()).map(ContactId::of).for_each(|contact| visit(contact, self.material(contact)));
    }
    fn directions(&self, _contact: ContactId) -> usize {
        1
    }
    fn tangents(&self, _t: f64, q: &[f64], contact: ContactId, out: &mut [f64]) {
        out.fill(0.0);
        out[3 * self.gaps.row(contact.place()).plate..][..3]
            .copy_from_slice(&self.gaps.tangent(q, contact.place()));
    }
    fn slides(&self, _t: f64, q: &[f64], contact: ContactId, put: &mut dyn FnMut(usize, usize, f64)) {
        let first = 3 * self.gaps.row(contact.place()).plate;
        let tangent = self.gaps.tangent(q, contact.place());
        tangent.into_iter().enumerate().for_each(|(k, entry)| put(0, first + k, entry));
    }
    fn name(&self, contact: ContactId) -> String {
        let row = self.gaps.row(contact.place());
        format!("corner {} of {} at wall {}", row.corner, self.name(row.plate), row.wall)
    }
    fn passages(&self, _way: Way, _set: (&[ContactId], &[f64]), _found: &mut dyn FnMut(Passage)) -> Depths {
        Depths::Unknown
    }
    fn along(&self) -> Option<&dyn ContactsAlong> {
        Some(self)
    }
}

impl ContactsAlong for Plates {
    fn bend(&self, arc: &Parabola, contact: ContactId) -> Option<[f64; 2]> {
        Some(self.gaps.bend(arc, contact.place()))
    }
    fn rate(&self, arc: &Parabola, contact: ContactId) -> Option<f64> {
        Some(self.gaps.fastest(arc, contact.place()))
    }
}
