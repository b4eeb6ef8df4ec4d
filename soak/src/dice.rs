//! Random numbers that a seed brings back.

/// xorshift64*: enough to choose moments.
#[derive(Clone, Debug)]
pub struct Dice(u64);

impl Dice {
    /// The same seed and name give the same throws.
    pub fn new(seed: u64, name: u64) -> Dice {
        let mixed = (seed ^ name.wrapping_mul(0x9e37_79b9_7f4a_7c15)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        Dice(mixed | 1)
    }

    /// From 0 to one below `end`.
    pub fn below(&mut self, end: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 16) % end.max(1)
    }

    /// True once in so many times.
    pub fn once_in(&mut self, times: u64) -> bool {
        self.below(times) == 0
    }
}
