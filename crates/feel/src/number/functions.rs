//! Roundings, roots, powers, exponential and logarithm.

use super::Number;
use super::decimal::{Decimal, Parts, power_of_ten};

/// How a digit that falls away changes the one before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Rounding {
    HalfEven,
    HalfUp,
    HalfDown,
    Up,
    Down,
    Floor,
    Ceiling,
}

impl Number {
    /// Rounds to `scale` digits after the point (before it, when negative).
    pub(crate) fn round(self, scale: i32, rounding: Rounding) -> Option<Number> {
        if let (Number::Int(_), 0..) = (self, scale) {
            return Some(self);
        }
        let Parts { negative, coefficient, exponent } = self.decimal().parts();
        let dropped = (-scale).checked_sub(exponent)?;
        if dropped <= 0 {
            return Some(self);
        }
        let (quotient, half, rest) = if dropped > 38 {
            (0, std::cmp::Ordering::Less, coefficient != 0)
        } else {
            let divisor = power_of_ten(dropped as u32);
            let rest = coefficient % divisor;
            (coefficient / divisor, rest.cmp(&(divisor / 2)), rest != 0)
        };
        let up = rest
            && match rounding {
                Rounding::Up => true,
                Rounding::Down => false,
                Rounding::Floor => negative,
                Rounding::Ceiling => !negative,
                Rounding::HalfUp => half.is_ge(),
                Rounding::HalfDown => half.is_gt(),
                Rounding::HalfEven => half.is_gt() || (half.is_eq() && quotient % 2 == 1),
            };
        Decimal::new(negative, quotient + u128::from(up), -scale, false)
            .map(|value| Number::Decimal(value).compact())
    }

    /// `self - divisor * floor(self / divisor)`; `None` when the divisor is zero.
    pub(crate) fn modulo(self, divisor: Number) -> Option<Number> {
        if let (Number::Int(a), Number::Int(b)) = (self, divisor) {
            let rest = a.checked_rem(b)?;
            return Some(Number::Int(if rest != 0 && (rest < 0) != (b < 0) { rest + b } else { rest }));
        }
        let floor = self.divide(divisor)?.round(0, Rounding::Floor)?;
        self.subtract(divisor.multiply(floor)?)
    }

    /// `None` for a negative number.
    pub(crate) fn square_root(self) -> Option<Number> {
        if self.is_zero() {
            return Some(self);
        }
        if self.is_negative() {
            return None;
        }
        let value = self.decimal();
        // Newton doubles the digits at each step: 16 from the float, then 32, then all.
        let half = Decimal::new(false, 5, -1, false)?;
        let mut root = float_root(value)?;
        for _ in 0..4 {
            root = root.add(value.divide(root)?)?.multiply(half)?;
        }
        Some(Number::Decimal(root.normalised()).compact())
    }

    /// `None` when the result is not a number or out of range.
    pub(crate) fn power(self, exponent: Number) -> Option<Number> {
        if let Some(whole) = exponent.to_i64() {
            let positive = integer_power(self, whole.unsigned_abs())?;
            return if whole < 0 { Number::Int(1).divide(positive) } else { Some(positive) };
        }
        if self.is_zero() {
            return if exponent.is_negative() { None } else { Some(Number::Int(0)) };
        }
        if exponent == Number::Decimal(Decimal::new(false, 5, -1, false)?) {
            return self.square_root();
        }
        self.natural_logarithm()?.multiply(exponent)?.exponential()
    }

    pub(crate) fn exponential(self) -> Option<Number> {
        let value = self.decimal();
        if value.to_f64().abs() > 15_000.0 {
            return if value.is_negative() { Some(Number::Int(0)) } else { None };
        }
        // e^x = (e^(x / 2^n))^(2^n), with a Taylor series for the small one. What is squared is e^r - 1, so that the
        // roundings stay small against the result: (1 + s)^2 - 1 = s (s + 2).
        let halvings = value.to_f64().abs().log2().max(0.0).ceil() as u32 + 6;
        let reduced = value.divide(Decimal::from_i128(1i128 << halvings))?;
        let mut sum = Decimal::ZERO;
        let mut term = Decimal::from_i128(1);
        for index in 1..30 {
            term = term.multiply(reduced)?.divide(Decimal::from_i128(index))?;
            sum = sum.add(term)?;
        }
        for _ in 0..halvings {
            sum = sum.multiply(sum.add(Decimal::from_i128(2))?)?;
        }
        sum.add(Decimal::from_i128(1)).map(Number::Decimal)
    }

    /// `None` for zero and negative numbers.
    pub(crate) fn natural_logarithm(self) -> Option<Number> {
        if self.is_zero() || self.is_negative() {
            return None;
        }
        let value = self.decimal();
        // y' = y + 2 (x - e^y) / (x + e^y): each step triples the digits.
        let Parts { coefficient, exponent, .. } = value.parts();
        let guess = (coefficient as f64).ln() + f64::from(exponent) * std::f64::consts::LN_10;
        let mut result = Decimal::from_f64(guess)?;
        for _ in 0..2 {
            let power = Number::Decimal(result).exponential()?.decimal();
            let step = value.subtract(power)?.divide(value.add(power)?)?;
            result = result.add(step.add(step)?)?;
        }
        Some(Number::Decimal(result).compact())
    }
}

fn float_root(value: Decimal) -> Option<Decimal> {
    let Parts { coefficient, exponent, .. } = value.parts();
    // An even exponent keeps the float in range.
    let (coefficient, exponent) = if exponent % 2 == 0 {
        (coefficient as f64, exponent)
    } else {
        (coefficient as f64 * 10.0, exponent - 1)
    };
    Decimal::from_f64(coefficient.sqrt())?.multiply(Decimal::new(false, 1, exponent / 2, false)?)
}

fn integer_power(base: Number, mut exponent: u64) -> Option<Number> {
    let mut result = Number::Int(1);
    let mut square = base;
    loop {
        if exponent & 1 == 1 {
            result = result.multiply(square)?;
        }
        exponent >>= 1;
        if exponent == 0 {
            return Some(result);
        }
        square = square.multiply(square)?;
    }
}
