//! Randomness that is the same on every machine: splitmix64.
//!
//! **Invariant:** a seed gives the same sequence for ever; nothing else is read.

/// A sequence of numbers that follows from its seed alone.
#[derive(Clone, Debug)]
pub struct Random {
    state: u64,
}

impl Random {
    /// The sequence of this seed.
    pub fn new(seed: u64) -> Random {
        Random { state: seed }
    }

    /// The next 64 bits.
    pub fn bits(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut mixed = self.state;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        mixed ^ (mixed >> 31)
    }

    /// A number smaller than `limit`, or 0 when nothing is smaller.
    pub fn below(&mut self, limit: usize) -> usize {
        if limit == 0 { 0 } else { (self.bits() % limit as u64) as usize }
    }

    /// A number of the range, its ends included.
    pub fn between(&mut self, least: usize, most: usize) -> usize {
        least + self.below(most.saturating_sub(least) + 1)
    }

    /// True in so many of a hundred cases.
    pub fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }

    /// One of them. Panics on an empty slice: the caller has nothing to choose from.
    pub fn pick<'slice, T>(&mut self, of: &'slice [T]) -> &'slice T {
        &of[self.below(of.len())]
    }

    /// A sequence of its own, so that what one part draws does not move the other parts.
    pub fn split(&mut self) -> Random {
        Random::new(self.bits())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_numbers_of_a_seed_are_those_of_splitmix64() {
        let mut random = Random::new(1_234_567);
        let first: Vec<u64> = (0..3).map(|_| random.bits()).collect();
        assert_eq!(first, [6_457_827_717_110_365_317, 3_203_168_211_198_807_973, 9_817_491_932_198_370_423]);
    }

    #[test]
    fn a_number_between_two_reaches_both_ends() {
        let mut random = Random::new(7);
        let drawn: Vec<usize> = (0..200).map(|_| random.between(2, 4)).collect();
        assert!(drawn.iter().all(|number| (2..=4).contains(number)));
        assert!(drawn.contains(&2) && drawn.contains(&4));
    }
}
