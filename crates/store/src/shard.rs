//! Where an instance lives when its rows are spread over several machines.
//!
//! **Invariant:** never changes: the number is part of every key that was ever stored.

use tyer_engine::InstanceId;

/// 0 to 255. Ids grow with time, so they are mixed (the finaliser of splitmix64) before eight bits are taken.
pub fn shard(instance: InstanceId) -> i16 {
    let mut x = instance.0.cast_unsigned();
    x = (x ^ (x >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    x = (x ^ (x >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    x ^= x >> 31;
    i16::from((x & 0xff) as u8)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn stored_shards_are_still_the_same() {
        let ids = [1, 2, 4096, 7_205_759_403_792_793, i64::MAX];
        assert_eq!(ids.map(|id| shard(InstanceId(id))), [229, 138, 128, 77, 189]);
    }

    #[test]
    fn ids_of_one_moment_are_spread_evenly() {
        let mut counts = [0; 256];
        for id in 0..256 * 100 {
            counts[usize::try_from(shard(InstanceId(id))).expect("0 to 255")] += 1;
        }
        assert!(counts.iter().all(|count| (50..150).contains(count)), "{counts:?}");
    }
}
