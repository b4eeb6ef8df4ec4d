//! The one product that does not fit 128 bits: two 34-digit coefficients.

/// Multiplies and cuts to at most 38 digits: the product, how many digits were cut, and whether they held anything.
pub(super) fn multiply(a: u128, b: u128) -> (u128, u32, bool) {
    let mut limbs = product(a, b);
    let mut dropped = 0;
    let mut sticky = false;
    while limbs[2] != 0 || limbs[3] != 0 || limbs[1] >> 62 != 0 {
        let places = if limbs[3] != 0 || limbs[2] >> 32 != 0 { 10 } else { 1 };
        let rest = divide_small(&mut limbs, 10u64.pow(places));
        sticky |= rest != 0;
        dropped += places;
    }
    ((u128::from(limbs[1]) << 64) | u128::from(limbs[0]), dropped, sticky)
}

fn product(a: u128, b: u128) -> [u64; 4] {
    let split = |value: u128| [value as u64, (value >> 64) as u64];
    let (a, b) = (split(a), split(b));
    let mut limbs = [0u64; 4];
    for (i, x) in a.into_iter().enumerate() {
        let mut carry = 0u128;
        for (j, y) in b.into_iter().enumerate() {
            let sum = u128::from(x) * u128::from(y) + u128::from(limbs[i + j]) + carry;
            limbs[i + j] = sum as u64;
            carry = sum >> 64;
        }
        limbs[i + 2] = carry as u64;
    }
    limbs
}

fn divide_small(limbs: &mut [u64; 4], divisor: u64) -> u64 {
    let mut rest = 0u128;
    for limb in limbs.iter_mut().rev() {
        let current = (rest << 64) | u128::from(*limb);
        *limb = (current / u128::from(divisor)) as u64;
        rest = current % u128::from(divisor);
    }
    rest as u64
}
