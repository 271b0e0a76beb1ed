//! Pairs of numbers as they are found, put in order by counting. Cost: O(pairs), times the logarithm of partners of one.

/// Pairs, first unordered, then ascending.
#[derive(Debug, Clone, Default)]
pub(crate) struct Rows {
    /// Pairs as they were found; longer than what counts, so that candidates can be written without a branch.
    found: Vec<[u32; 2]>,
    count: usize,
    /// Where the pairs of each first number begin.
    starts: Vec<usize>,
    sorted: Vec<[u32; 2]>,
}

impl Rows {
    /// The pairs in ascending order, each once.
    pub(crate) fn pairs(&self) -> &[[u32; 2]] {
        &self.sorted
    }

    pub(super) fn clear(&mut self) {
        self.count = 0;
        self.sorted.clear();
    }

    /// Adds those of up to `most` candidates that count. Every candidate is written and most are written over: no
    /// branch that cannot be foreseen.
    #[inline(always)]
    pub(super) fn add(&mut self, most: usize, candidates: impl Iterator<Item = ([u32; 2], bool)>) {
        if self.found.len() < self.count + most {
            self.found.resize(self.count + most, [0; 2]);
        }
        let (out, mut count) = (&mut self.found[self.count..], 0);
        for (pair, counts) in candidates {
            out[count] = pair;
            count += usize::from(counts);
        }
        self.count += count;
    }

    /// Puts in order what was added; first numbers are below `size`.
    pub(super) fn sort(&mut self, size: usize) {
        let found = &self.found[..self.count];
        self.starts.clear();
        self.starts.resize(size + 1, 0);
        for [first, _] in found {
            self.starts[*first as usize] += 1;
        }
        let mut sum = 0;
        for start in &mut self.starts {
            sum += *start;
            *start = sum;
        }
        self.sorted.resize(found.len(), [0; 2]);
        for pair in found {
            let start = &mut self.starts[pair[0] as usize];
            *start -= 1;
            self.sorted[*start] = *pair;
        }
        for row in self.starts.windows(2) {
            self.sorted[row[0]..row[1]].sort_unstable_by_key(|pair| pair[1]);
        }
        self.sorted.dedup();
    }
}
