//! An instance that other nodes work on too is left alone for a moment after a conflict, each time a little longer.
//!
//! **Invariant:** while an instance is left alone nothing of it is stepped here; all others go on.
//! **Invariant:** no two nodes wait equally long for the same instance.

use std::time::Duration;

use tokio::time::Instant;
use tyer_engine::InstanceId;
use tyer_map::{Map, Set};

use super::{Stepped, Track};

/// A conflict is often over at once: so many times nobody waits.
const AT_ONCE: u8 = 1;

/// Instances that are left alone, by the end of it.
pub(super) type LeftAlone = Set<(Instant, InstanceId)>;

impl Track {
    /// Leaves the instances of these turns alone for a moment, as if each had one more turn that has not landed.
    pub(super) fn back_off(&mut self, conflicts: &[Stepped]) {
        if !self.shared.several_nodes {
            return;
        }
        let mut longest: Map<InstanceId, u8> = Map::new();
        for stepped in conflicts.iter().filter(|stepped| stepped.request.tries.conflicts > AT_ONCE) {
            let tries = longest.entry(stepped.request.instance).or_default();
            *tries = stepped.request.tries.conflicts.max(*tries);
        }
        for (id, tries) in longest {
            let end = Instant::now() + pause(self.shared.ids.node(), id, tries);
            self.left_alone.insert((end, id));
            *self.uncommitted.entry(id).or_default() += 1;
        }
    }

    /// Those whose time is over go on.
    pub(super) fn rested(&mut self) {
        let now = Instant::now();
        while let Some((end, id)) = self.left_alone.pop_first() {
            if end > now {
                self.left_alone.insert((end, id));
                return;
            }
            self.one_less(id);
        }
    }
}

/// Until the first of them goes on.
pub(super) async fn resting(left_alone: &LeftAlone) {
    match left_alone.first() {
        Some((end, _)) => tokio::time::sleep_until(*end).await,
        None => std::future::pending().await,
    }
}

/// Doubles with each try, up to a tenth of a second, and differs from node to node.
fn pause(node: u16, id: InstanceId, tries: u8) -> Duration {
    let base_us = 1_000_u64 << tries.min(6);
    let mixed = id.0.cast_unsigned() ^ (u64::from(node) << 48) ^ (u64::from(tries) << 40);
    let spread = mixed.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
    Duration::from_micros(base_us / 2 + spread % base_us)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_grow_and_differ_from_node_to_node() {
        let id = InstanceId(4_711);
        for tries in 2..20 {
            let base_us = 1_000 << tries.min(6);
            let all = [1, 2, 3].map(|node| pause(node, id, tries).as_micros());
            assert!(all.iter().all(|us| (base_us / 2..base_us * 3 / 2).contains(us)), "{tries}: {all:?}");
            assert!(all[0] != all[1] && all[1] != all[2] && all[0] != all[2], "{tries}: {all:?}");
        }
    }
}
