//! Numbers: a 64-bit integer as long as it fits, a 34-digit decimal otherwise.
//!
//! **Invariant:** `Int` and `Decimal` of equal value compare and hash equal; which one holds a value is
//! never visible in a result.

mod decimal;
mod functions;
mod text;
mod wide;

pub use decimal::Decimal;
pub(crate) use functions::Rounding;
use std::cmp::Ordering;
use std::fmt;

/// A FEEL number.
#[derive(Clone, Copy, Debug)]
pub enum Number {
    /// An integer that fits 64 bits.
    Int(i64),
    /// Everything else, 34 significant digits.
    Decimal(Decimal),
}

impl Number {
    /// Reads a JSON or FEEL numeric literal.
    pub fn parse(text: &str) -> Option<Number> {
        if let Some(value) = Number::short_integer(text) {
            return Some(Number::Int(value));
        }
        Decimal::parse(text).map(Number::Decimal).map(Number::compact)
    }

    /// Up to 18 digits and nothing else: they cannot overflow.
    #[inline]
    pub(crate) fn short_integer(text: &str) -> Option<i64> {
        if text.is_empty() || text.len() > 18 {
            return None;
        }
        let digit = |value: i64, byte: u8| byte.is_ascii_digit().then(|| value * 10 + i64::from(byte - b'0'));
        text.bytes().try_fold(0, digit)
    }

    /// The value as an `i64`, if it is an integer that fits.
    pub fn to_i64(self) -> Option<i64> {
        match self {
            Number::Int(value) => Some(value),
            Number::Decimal(value) => value.to_i64(),
        }
    }

    /// The nearest 64-bit float.
    pub fn to_f64(self) -> f64 {
        match self {
            Number::Int(value) => value as f64,
            Number::Decimal(value) => value.to_f64(),
        }
    }

    /// The decimal nearest to a float; `None` for NaN and the infinities.
    pub fn from_f64(value: f64) -> Option<Number> {
        Decimal::from_f64(value).map(Number::Decimal).map(Number::compact)
    }

    /// The sum; `None` of nothing, and where it is out of range.
    pub fn sum(numbers: Vec<Number>) -> Option<Number> {
        numbers.into_iter().map(Some).reduce(|total, number| total?.add(number?))?
    }

    pub(crate) fn from_i128(value: i128) -> Number {
        i64::try_from(value).map_or_else(|_| Number::Decimal(Decimal::from_i128(value)), Number::Int)
    }

    /// The value as an `i128`, if it is an integer that fits.
    pub(crate) fn to_i128(self) -> Option<i128> {
        match self {
            Number::Int(value) => Some(i128::from(value)),
            Number::Decimal(value) => value.to_i128(),
        }
    }

    pub(crate) fn decimal(self) -> Decimal {
        match self {
            Number::Int(value) => Decimal::from_i128(i128::from(value)),
            Number::Decimal(value) => value,
        }
    }

    /// An integral decimal back on the fast path.
    pub(crate) fn compact(self) -> Number {
        match self {
            Number::Int(_) => self,
            Number::Decimal(value) => value.to_i64().map_or(self, Number::Int),
        }
    }

    pub(crate) fn is_zero(self) -> bool {
        match self {
            Number::Int(value) => value == 0,
            Number::Decimal(value) => value.is_zero(),
        }
    }

    pub(crate) fn is_negative(self) -> bool {
        match self {
            Number::Int(value) => value < 0,
            Number::Decimal(value) => value.is_negative() && !value.is_zero(),
        }
    }

    pub(crate) fn is_integer(self) -> bool {
        match self {
            Number::Int(_) => true,
            Number::Decimal(value) => value.normalised().parts().exponent >= 0,
        }
    }

    pub(crate) fn negate(self) -> Number {
        match self {
            Number::Int(value) => {
                value.checked_neg().map_or_else(|| Number::from_i128(-i128::from(value)), Number::Int)
            }
            Number::Decimal(value) => Number::Decimal(value.negate()),
        }
    }

    pub(crate) fn add(self, other: Number) -> Option<Number> {
        if let (Number::Int(a), Number::Int(b)) = (self, other) {
            return Some(
                a.checked_add(b)
                    .map_or_else(|| Number::from_i128(i128::from(a) + i128::from(b)), Number::Int),
            );
        }
        self.decimal().add(other.decimal()).map(Number::Decimal)
    }

    pub(crate) fn subtract(self, other: Number) -> Option<Number> {
        if let (Number::Int(a), Number::Int(b)) = (self, other) {
            return Some(
                a.checked_sub(b)
                    .map_or_else(|| Number::from_i128(i128::from(a) - i128::from(b)), Number::Int),
            );
        }
        self.decimal().subtract(other.decimal()).map(Number::Decimal)
    }

    pub(crate) fn multiply(self, other: Number) -> Option<Number> {
        if let (Number::Int(a), Number::Int(b)) = (self, other) {
            return Some(Number::from_i128(i128::from(a) * i128::from(b)));
        }
        self.decimal().multiply(other.decimal()).map(Number::Decimal)
    }

    /// `None` when the divisor is zero.
    pub(crate) fn divide(self, other: Number) -> Option<Number> {
        if let (Number::Int(a), Number::Int(b)) = (self, other)
            && b != 0
            && a.checked_rem(b) == Some(0)
        {
            return Some(Number::Int(a / b));
        }
        self.decimal().divide(other.decimal()).map(Number::Decimal)
    }
}

impl PartialEq for Number {
    fn eq(&self, other: &Number) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Number {}

impl PartialOrd for Number {
    fn partial_cmp(&self, other: &Number) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Number {
    fn cmp(&self, other: &Number) -> Ordering {
        match (self, other) {
            (Number::Int(a), Number::Int(b)) => a.cmp(b),
            _ => self.decimal().compare(other.decimal()),
        }
    }
}

impl From<i64> for Number {
    fn from(value: i64) -> Number {
        Number::Int(value)
    }
}

impl fmt::Display for Number {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Number::Int(value) => write!(out, "{value}"),
            Number::Decimal(value) => write!(out, "{value}"),
        }
    }
}
