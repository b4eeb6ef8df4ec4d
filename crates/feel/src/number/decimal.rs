//! A 34-digit decimal in 16 bytes: sign, exponent and coefficient packed as in IEEE 754 decimal128.
//!
//! **Invariant:** the coefficient is below 10^34 and the exponent within [-6176, 6111]; there is no NaN
//! and no infinity: an operation that would need one answers `None`.
//! **Invariant:** every result is the exact one rounded half-even to 34 digits.

use std::cmp::Ordering;

/// Digits a coefficient may have.
pub(crate) const DIGITS: u32 = 34;
const LIMIT: u128 = 10u128.pow(DIGITS);
const BIAS: i32 = 6176;
const MAXIMUM_EXPONENT: i32 = 6111;
const COEFFICIENT_BITS: u32 = 49;

/// A decimal number of up to 34 significant digits.
#[derive(Clone, Copy, Debug)]
pub struct Decimal {
    high: u64,
    low: u64,
}

/// A decimal taken apart: `± coefficient × 10^exponent`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Parts {
    pub(crate) negative: bool,
    pub(crate) coefficient: u128,
    pub(crate) exponent: i32,
}

impl Decimal {
    pub(crate) const ZERO: Decimal = Decimal { high: (BIAS as u64) << COEFFICIENT_BITS, low: 0 };

    pub(crate) fn parts(self) -> Parts {
        let high = self.high & ((1 << COEFFICIENT_BITS) - 1);
        Parts {
            negative: self.high >> 63 == 1,
            coefficient: (u128::from(high) << 64) | u128::from(self.low),
            exponent: ((self.high >> COEFFICIENT_BITS) & 0x3fff) as i32 - BIAS,
        }
    }

    /// Rounds to 34 digits; `sticky` says that something below the last digit was cut off already.
    pub(crate) fn new(negative: bool, coefficient: u128, exponent: i32, sticky: bool) -> Option<Decimal> {
        let (mut coefficient, mut exponent) = fit(coefficient, exponent, sticky);
        if coefficient == 0 {
            return Some(Decimal::ZERO);
        }
        while exponent > MAXIMUM_EXPONENT && coefficient < LIMIT / 10 {
            coefficient *= 10;
            exponent -= 1;
        }
        if exponent > MAXIMUM_EXPONENT {
            return None;
        }
        if exponent < -BIAS {
            let dropped = (-BIAS - exponent) as u32;
            coefficient = if dropped > 38 { 0 } else { shift_right(coefficient, dropped, sticky) };
            exponent = -BIAS;
            if coefficient == 0 {
                return Some(Decimal::ZERO);
            }
        }
        Some(Decimal::pack(negative, coefficient, exponent))
    }

    fn pack(negative: bool, coefficient: u128, exponent: i32) -> Decimal {
        debug_assert!(coefficient < LIMIT && (-BIAS..=MAXIMUM_EXPONENT).contains(&exponent));
        let high = (u64::from(negative) << 63)
            | (((exponent + BIAS) as u64) << COEFFICIENT_BITS)
            | (coefficient >> 64) as u64;
        Decimal { high, low: coefficient as u64 }
    }

    pub(crate) fn from_i128(value: i128) -> Decimal {
        Decimal::new(value < 0, value.unsigned_abs(), 0, false)
            .expect("39 digits are far below the largest exponent")
    }

    pub(crate) fn is_zero(self) -> bool {
        self.parts().coefficient == 0
    }

    pub(crate) fn is_negative(self) -> bool {
        self.high >> 63 == 1
    }

    pub(crate) fn negate(self) -> Decimal {
        if self.is_zero() { self } else { Decimal { high: self.high ^ (1 << 63), low: self.low } }
    }

    pub(crate) fn add(self, other: Decimal) -> Option<Decimal> {
        let (a, b) = (self.parts(), other.parts());
        match (a.coefficient, b.coefficient) {
            (0, _) => return Some(other),
            (_, 0) => return Some(self),
            _ => {}
        }
        if a.exponent >= b.exponent { add_parts(a, b) } else { add_parts(b, a) }
    }

    pub(crate) fn subtract(self, other: Decimal) -> Option<Decimal> {
        self.add(other.negate())
    }

    pub(crate) fn multiply(self, other: Decimal) -> Option<Decimal> {
        let (a, b) = (self.parts(), other.parts());
        let negative = a.negative != b.negative;
        let exponent = a.exponent + b.exponent;
        if let Some(product) = a.coefficient.checked_mul(b.coefficient) {
            return Decimal::new(negative, product, exponent, false);
        }
        let (coefficient, dropped, sticky) = super::wide::multiply(a.coefficient, b.coefficient);
        Decimal::new(negative, coefficient, exponent + dropped as i32, sticky)
    }

    /// `None` when the divisor is zero.
    pub(crate) fn divide(self, other: Decimal) -> Option<Decimal> {
        let (a, b) = (self.parts(), other.parts());
        if b.coefficient == 0 {
            return None;
        }
        let mut quotient = a.coefficient / b.coefficient;
        let mut rest = a.coefficient % b.coefficient;
        let mut exponent = a.exponent - b.exponent;
        let step_limit = 38 - digits(b.coefficient);
        while rest != 0 && quotient < LIMIT {
            let step = step_limit.min(DIGITS + 1 - digits(quotient).min(DIGITS)).max(1);
            rest *= power_of_ten(step);
            quotient = quotient * power_of_ten(step) + rest / b.coefficient;
            rest %= b.coefficient;
            exponent -= step as i32;
        }
        Decimal::new(a.negative != b.negative, quotient, exponent, rest != 0).map(Decimal::normalised)
    }

    /// The same number with no trailing zeros in its coefficient.
    pub(crate) fn normalised(self) -> Decimal {
        let Parts { negative, mut coefficient, mut exponent } = self.parts();
        if coefficient == 0 {
            return Decimal::ZERO;
        }
        while coefficient.is_multiple_of(10) && exponent < MAXIMUM_EXPONENT {
            coefficient /= 10;
            exponent += 1;
        }
        Decimal::pack(negative, coefficient, exponent)
    }

    pub(crate) fn compare(self, other: Decimal) -> Ordering {
        let (a, b) = (self.parts(), other.parts());
        match (a.coefficient, b.coefficient) {
            (0, 0) => return Ordering::Equal,
            (0, _) => {
                return if b.negative { Ordering::Greater } else { Ordering::Less };
            }
            (_, 0) => {
                return if a.negative { Ordering::Less } else { Ordering::Greater };
            }
            _ => {}
        }
        match (a.negative, b.negative) {
            (false, true) => Ordering::Greater,
            (true, false) => Ordering::Less,
            (false, false) => compare_magnitude(a, b),
            (true, true) => compare_magnitude(b, a),
        }
    }

    /// The number as an `i128`, if it is an integer that fits.
    pub(crate) fn to_i128(self) -> Option<i128> {
        let Parts { negative, coefficient, exponent } = self.normalised().parts();
        if coefficient == 0 {
            return Some(0);
        }
        if !(0..=38).contains(&exponent) {
            return None;
        }
        let magnitude = coefficient.checked_mul(power_of_ten(exponent as u32))?;
        let signed = i128::try_from(magnitude).ok()?;
        Some(if negative { -signed } else { signed })
    }

    /// The number as an `i64`, if it is an integer that fits.
    pub(crate) fn to_i64(self) -> Option<i64> {
        i64::try_from(self.to_i128()?).ok()
    }
}

fn add_parts(a: Parts, b: Parts) -> Option<Decimal> {
    let shift = (a.exponent - b.exponent) as u32;
    let room = 37 - digits(a.coefficient);
    let up = shift.min(room);
    let large = a.coefficient * power_of_ten(up);
    let down = shift - up;
    let (small, sticky) = match down {
        0 => (b.coefficient, false),
        1..=38 => (b.coefficient / power_of_ten(down), !b.coefficient.is_multiple_of(power_of_ten(down))),
        _ => (0, true),
    };
    let exponent = b.exponent + down as i32;
    if a.negative == b.negative {
        return Decimal::new(a.negative, large + small, exponent, sticky);
    }
    if sticky {
        return Decimal::new(a.negative, large - small - 1, exponent, true);
    }
    let negative = if large >= small { a.negative } else { b.negative };
    Decimal::new(negative, large.abs_diff(small), exponent, false)
}

fn compare_magnitude(a: Parts, b: Parts) -> Ordering {
    let size = |parts: &Parts| digits(parts.coefficient) as i32 + parts.exponent;
    size(&a).cmp(&size(&b)).then_with(|| {
        // Equal sizes: the exponents differ by at most 33, so that scaling the one up stays within 34 digits.
        let shift = a.exponent - b.exponent;
        if shift >= 0 {
            (a.coefficient * power_of_ten(shift as u32)).cmp(&b.coefficient)
        } else {
            a.coefficient.cmp(&(b.coefficient * power_of_ten(shift.unsigned_abs())))
        }
    })
}

/// Brings a coefficient of up to 39 digits to 34, half-even.
fn fit(coefficient: u128, exponent: i32, sticky: bool) -> (u128, i32) {
    if coefficient < LIMIT {
        return (coefficient, exponent);
    }
    let dropped = digits(coefficient) - DIGITS;
    let rounded = shift_right(coefficient, dropped, sticky);
    if rounded == LIMIT {
        (LIMIT / 10, exponent + dropped as i32 + 1)
    } else {
        (rounded, exponent + dropped as i32)
    }
}

/// Divides by a power of ten, half-even.
fn shift_right(coefficient: u128, places: u32, sticky: bool) -> u128 {
    if places == 0 {
        return coefficient;
    }
    let divisor = power_of_ten(places);
    let (quotient, rest) = (coefficient / divisor, coefficient % divisor);
    let up = match rest.cmp(&(divisor / 2)) {
        Ordering::Greater => true,
        Ordering::Equal => sticky || quotient % 2 == 1,
        Ordering::Less => false,
    };
    quotient + u128::from(up)
}

pub(crate) fn power_of_ten(exponent: u32) -> u128 {
    const POWERS: [u128; 39] = {
        let mut powers = [1u128; 39];
        let mut index = 1;
        while index < 39 {
            powers[index] = powers[index - 1] * 10;
            index += 1;
        }
        powers
    };
    POWERS[exponent as usize]
}

/// How many decimal digits a coefficient has; zero has one.
pub(crate) fn digits(coefficient: u128) -> u32 {
    coefficient.checked_ilog10().map_or(1, |log| log + 1)
}
