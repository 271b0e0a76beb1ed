//! Warm starts by id: the impulses of one problem as the start of the next, where contacts come and go.

/// Impulses by the id of their contact, or of their row with a dimension of 1.
///
/// Tangential impulses are kept in the contact's own frame: they are right for the next problem only where its tangents are carried over.
/// A start that feeds back through stabilised positions is safest scaled down: with few sweeps of Gauss–Seidel and relaxation times near
/// two steps a factor near 1 lets errors grow from step to step, 0.5 does not. For [`crate::BlockPivot`] and [`crate::Newton`] 1 is right.
#[derive(Clone, Debug, Default)]
pub struct Memory {
    impulses: Vec<(u64, [f64; 3])>,
}

impl Memory {
    /// Forgets what was kept and keeps the impulses `z` of these contacts, `z.len() / ids.len()` of them each, at most three. Of an id
    /// that is there twice the first is kept.
    ///
    /// # Panics
    ///
    /// If `z` is not a whole number of impulses for each id, at most three.
    pub fn keep(&mut self, ids: &[u64], z: &[f64]) {
        self.impulses.clear();
        if ids.is_empty() {
            return;
        }
        let d = dimension(ids, z);
        for (id, r) in ids.iter().zip(z.chunks_exact(d)) {
            let mut kept = [0.0; 3];
            kept[..d].copy_from_slice(r);
            self.impulses.push((*id, kept));
        }
        self.impulses.sort_by_key(|(id, _)| *id);
        self.impulses.dedup_by_key(|(id, _)| *id);
    }

    /// Fills `z` with `factor` times what is kept of these contacts, 0 for those that are new; the number of contacts that were known.
    ///
    /// # Panics
    ///
    /// If `z` is not a whole number of impulses for each id, at most three.
    pub fn recall(&self, ids: &[u64], factor: f64, z: &mut [f64]) -> usize {
        if ids.is_empty() {
            return 0;
        }
        let d = dimension(ids, z);
        let mut known = 0;
        for (id, r) in ids.iter().zip(z.chunks_exact_mut(d)) {
            r.fill(0.0);
            if let Ok(place) = self.impulses.binary_search_by_key(id, |(id, _)| *id) {
                known += 1;
                r.iter_mut().zip(&self.impulses[place].1).for_each(|(r, kept)| *r = factor * kept);
            }
        }
        known
    }
}

fn dimension(ids: &[u64], z: &[f64]) -> usize {
    let d = z.len() / ids.len();
    assert!((1..=3).contains(&d) && d * ids.len() == z.len(), "{} impulses for {} contacts", z.len(), ids.len());
    d
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn impulses_find_their_contacts_again() {
        let mut memory = Memory::default();
        memory.keep(&[7, 3, 5], &[1.0, 0.1, 2.0, 0.2, 3.0, 0.3]);
        let mut z = [9.0; 8];
        assert_eq!(memory.recall(&[5, 4, 3, 7], 0.5, &mut z), 3);
        assert_eq!(z, [1.5, 0.15, 0.0, 0.0, 1.0, 0.1, 0.5, 0.05]);
        memory.keep(&[], &[]);
        assert_eq!(memory.recall(&[5], 1.0, &mut z[..2]), 0);
        assert_eq!(z[..2], [0.0, 0.0]);
    }

    #[test]
    fn of_an_id_that_is_there_twice_the_first_counts() {
        let mut memory = Memory::default();
        memory.keep(&[2, 2], &[1.0, 5.0]);
        let mut z = [0.0];
        memory.recall(&[2], 1.0, &mut z);
        assert_eq!(z, [1.0]);
    }

    #[test]
    #[should_panic(expected = "5 impulses for 2 contacts")]
    fn impulses_that_do_not_fit_their_contacts_are_refused() {
        Memory::default().keep(&[1, 2], &[0.0; 5]);
    }
}
