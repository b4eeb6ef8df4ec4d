//! Decimals from text and to text, exactly.

use super::decimal::{Decimal, Parts};
use std::fmt;

/// Beyond this many digits a number is written with an exponent.
const PLAIN_DIGITS: i32 = 400;

impl Decimal {
    /// Reads `[-]digits[.digits][e[±]digits]`; `None` when it is not one, or out of range.
    pub(crate) fn parse(text: &str) -> Option<Decimal> {
        let (negative, unsigned) = match text.strip_prefix('-') {
            Some(rest) => (true, rest),
            None => (false, text.strip_prefix('+').unwrap_or(text)),
        };
        let (mantissa, exponent) = match unsigned.find(['e', 'E']) {
            Some(at) => (&unsigned[..at], unsigned[at + 1..].parse::<i32>().ok()?),
            None => (unsigned, 0),
        };
        let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, ""));
        if whole.is_empty() && fraction.is_empty() {
            return None;
        }
        let mut reading =
            Reading { coefficient: 0, exponent: exponent.clamp(-100_000, 100_000), sticky: false };
        reading.digits(whole, false)?;
        reading.digits(fraction, true)?;
        Decimal::new(negative, reading.coefficient, reading.exponent, reading.sticky)
    }

    pub(crate) fn to_f64(self) -> f64 {
        let Parts { negative, coefficient, exponent } = self.parts();
        let text = format!("{}{coefficient}e{exponent}", if negative { "-" } else { "" });
        text.parse().unwrap_or(f64::NAN)
    }

    /// `None` for NaN and the infinities.
    pub(crate) fn from_f64(value: f64) -> Option<Decimal> {
        if value.is_finite() { Decimal::parse(&format!("{value:e}")) } else { None }
    }
}

struct Reading {
    coefficient: u128,
    exponent: i32,
    sticky: bool,
}

impl Reading {
    fn digits(&mut self, text: &str, fraction: bool) -> Option<()> {
        for byte in text.bytes() {
            if !byte.is_ascii_digit() {
                return None;
            }
            if self.coefficient < 10u128.pow(37) {
                self.coefficient = self.coefficient * 10 + u128::from(byte - b'0');
                self.exponent -= i32::from(fraction);
            } else {
                self.sticky |= byte != b'0';
                self.exponent += i32::from(!fraction);
            }
        }
        Some(())
    }
}

impl fmt::Display for Decimal {
    fn fmt(&self, out: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Parts { negative, coefficient, exponent } = self.normalised().parts();
        let sign = if negative { "-" } else { "" };
        let digits = coefficient.to_string();
        let point = digits.len() as i32 + exponent;
        if coefficient == 0 {
            out.write_str("0")
        } else if !(-PLAIN_DIGITS..=PLAIN_DIGITS).contains(&point) {
            let (first, rest) = digits.split_at(1);
            let dot = if rest.is_empty() { "" } else { "." };
            write!(out, "{sign}{first}{dot}{rest}e{}", point - 1)
        } else if exponent >= 0 {
            write!(out, "{sign}{digits}{}", "0".repeat(exponent as usize))
        } else if point > 0 {
            let (whole, fraction) = digits.split_at(point as usize);
            write!(out, "{sign}{whole}.{fraction}")
        } else {
            write!(out, "{sign}0.{}{digits}", "0".repeat(point.unsigned_abs() as usize))
        }
    }
}
