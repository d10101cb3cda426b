//! Integers, numbers, instants and booleans.

use std::io::Write as _;

use bytemuck::Pod;

use crate::arrow::buffer::{Buffer, try_collect};
use crate::arrow::error::Fault;
use crate::arrow::node::{Node, Result};
use crate::arrow::text::Validity;
use crate::ingest::{Flags, Values};
use crate::memory::try_pad;

/// Numbers, one for each slot of a node.
#[derive(Debug)]
pub(super) struct Numbers<'a, T> {
    values: Buffer<'a, T>,
    validity: Validity<'a>,
}

impl<'a, T: Pod> Numbers<'a, T> {
    fn lent(node: &Node<'a>) -> Result<Self> {
        node.expect(2, 0)?;
        Ok(Self { values: node.values(1)?, validity: node.validity().into() })
    }

    /// Translates the values that are present.
    fn translated<S: Pod>(node: &Node<'a>, mut translate: impl FnMut(usize, S) -> Result<T>) -> Result<Self> {
        let source = Numbers::<S>::lent(node)?;
        let values = source
            .values
            .iter()
            .enumerate()
            .map(|(slot, &value)| if source.validity.get(slot) { translate(slot, value) } else { Ok(T::zeroed()) });
        let values = Buffer::Own(try_collect(node.len, values)?);
        Ok(Self { values, validity: source.validity })
    }

    /// All missing.
    fn missing(node: &Node<'a>) -> Result<Self> {
        let (mut values, mut validity) = (Vec::new(), Vec::new());
        try_pad(&mut values, node.len, T::zeroed())?;
        try_pad(&mut validity, node.len, 0)?;
        Ok(Self { values: Buffer::Own(values), validity: Validity::Own(validity) })
    }

    /// The numbers as a column.
    pub fn values(&self) -> Values<'_, T> {
        Values { values: &self.values, validity: self.validity.view() }
    }

    /// The value of a slot.
    pub fn get(&self, slot: usize) -> Option<T> {
        self.validity.get(slot).then(|| self.values[slot])
    }
}

/// What an integer column takes, for messages.
const INTEGER: &str = "an integer, or float64 with integers";
/// What a number column takes, for messages.
const NUMBER: &str = "a number: floating-point, integer, or a decimal of up to 128 bits";
/// What a timestamp column takes, for messages.
const TIMESTAMP: &str = "a timestamp with a time zone";

/// The least double above all integers of 64 bits.
const BEYOND: f64 = 9_223_372_036_854_775_808.0;

/// Integers; of unsigned and floating-point types where each value that is present is one of 64 bits with a sign. NaN is missing.
pub(super) fn integers<'a>(node: &Node<'a>) -> Result<Numbers<'a, i64>> {
    if node.dictionary()?.is_some() {
        return Err(node.wrong_type(INTEGER));
    }
    let refuse = |slot: usize| node.fault(Some(slot), Fault::Value("must be an integer of 64 bits"));
    match node.format {
        "n" => Numbers::missing(node),
        "l" => Numbers::lent(node),
        "c" => Numbers::translated(node, |_, value: i8| Ok(value.into())),
        "C" => Numbers::translated(node, |_, value: u8| Ok(value.into())),
        "s" => Numbers::translated(node, |_, value: i16| Ok(value.into())),
        "S" => Numbers::translated(node, |_, value: u16| Ok(value.into())),
        "i" => Numbers::translated(node, |_, value: i32| Ok(value.into())),
        "I" => Numbers::translated(node, |_, value: u32| Ok(value.into())),
        "L" => Numbers::translated(node, |slot, value: u64| i64::try_from(value).map_err(|_| refuse(slot))),
        "g" => {
            let source = Numbers::<f64>::lent(node)?;
            let mut numbers = Numbers::translated(node, |slot, value: f64| match value {
                _ if value.is_nan() => Ok(0),
                _ if value.trunc() == value && (-BEYOND..BEYOND).contains(&value) => Ok(value as i64),
                _ => Err(refuse(slot)),
            })?;
            if (0..node.len).any(|slot| source.values[slot].is_nan()) {
                let present = |slot: usize| u8::from(source.validity.get(slot) && !source.values[slot].is_nan());
                numbers.validity = Validity::Own(try_collect(
                    node.len,
                    (0..node.len).map(|slot| Ok::<_, crate::arrow::ArrowError>(present(slot))),
                )?);
            }
            Ok(numbers)
        }
        _ => Err(node.wrong_type(INTEGER)),
    }
}

/// Whether a type is one of numbers.
pub(super) fn is_number(node: &Node<'_>) -> bool {
    matches!(node.format, "c" | "C" | "s" | "S" | "i" | "I" | "l" | "L" | "e" | "f" | "g")
        || node.format.starts_with("d:")
}

/// Numbers as the nearest doubles.
pub(super) fn doubles<'a>(node: &Node<'a>) -> Result<Numbers<'a, f64>> {
    if node.dictionary()?.is_some() {
        return Err(node.wrong_type(NUMBER));
    }
    match node.format {
        "n" => Numbers::missing(node),
        "g" => Numbers::lent(node),
        "f" => Numbers::translated(node, |_, value: f32| Ok(value.into())),
        "e" => Numbers::translated(node, |_, value: u16| Ok(double_of_half(value))),
        "c" => Numbers::translated(node, |_, value: i8| Ok(value.into())),
        "C" => Numbers::translated(node, |_, value: u8| Ok(value.into())),
        "s" => Numbers::translated(node, |_, value: i16| Ok(value.into())),
        "S" => Numbers::translated(node, |_, value: u16| Ok(value.into())),
        "i" => Numbers::translated(node, |_, value: i32| Ok(value.into())),
        "I" => Numbers::translated(node, |_, value: u32| Ok(value.into())),
        "l" => Numbers::translated(node, |_, value: i64| Ok(value as f64)),
        "L" => Numbers::translated(node, |_, value: u64| Ok(value as f64)),
        format => match format.strip_prefix("d:").and_then(decimal) {
            Some((scale, 32)) => Numbers::translated(node, |_, value: i32| Ok(double_of_decimal(value.into(), scale))),
            Some((scale, 64)) => Numbers::translated(node, |_, value: i64| Ok(double_of_decimal(value.into(), scale))),
            Some((scale, 128)) => {
                Numbers::translated(node, |_, value: [u8; 16]| Ok(double_of_decimal(i128::from_ne_bytes(value), scale)))
            }
            _ => Err(node.wrong_type(NUMBER)),
        },
    }
}

/// The scale and the width of a decimal type, of what follows `d:`: precision, scale, and a width if it is not 128.
fn decimal(parameters: &str) -> Option<(i32, u32)> {
    let mut parts = parameters.split(',');
    let _precision: u32 = parts.next()?.parse().ok()?;
    let scale = parts.next()?.parse().ok()?;
    let width = parts.next().map_or(Some(128), |width| width.parse().ok())?;
    parts.next().is_none().then_some((scale, width))
}

/// The double nearest to `value` times ten to the minus `scale`.
fn double_of_decimal(value: i128, scale: i32) -> f64 {
    // The decimal as a text is read with one rounding. 40 digits with a sign, and an exponent of 11.
    let mut text = [0_u8; 64];
    let mut rest = &mut text[..];
    let exponent = i64::from(scale).saturating_neg();
    if write!(rest, "{value}e{exponent}").is_err() {
        return f64::NAN;
    }
    let left = rest.len();
    let len = text.len() - left;
    std::str::from_utf8(&text[..len]).ok().and_then(|text| text.parse().ok()).unwrap_or(f64::NAN)
}

/// The value of a half-precision float.
fn double_of_half(bits: u16) -> f64 {
    let (sign, exponent, fraction) = (bits >> 15, i32::from(bits >> 10 & 0x1F), f64::from(bits & 0x3FF));
    let magnitude = match exponent {
        0 => fraction * 2_f64.powi(-24),
        31 if fraction == 0.0 => f64::INFINITY,
        31 => f64::NAN,
        _ => (1024.0 + fraction) * 2_f64.powi(exponent - 25),
    };
    if sign == 1 { -magnitude } else { magnitude }
}

/// Instants in nanoseconds since the Unix epoch.
pub(super) fn instants<'a>(node: &Node<'a>, naive_is_utc: bool) -> Result<Numbers<'a, i64>> {
    if node.is_null_type() {
        return Numbers::missing(node);
    }
    let parts = node.format.strip_prefix("ts").and_then(|rest| rest.split_once(':'));
    let Some((unit, zone)) = parts.filter(|_| node.dictionary().is_ok_and(|dictionary| dictionary.is_none())) else {
        return Err(node.wrong_type(TIMESTAMP));
    };
    if zone.is_empty() && !naive_is_utc {
        return Err(node.wrong_type(TIMESTAMP));
    }
    let factor = match unit {
        "n" => return Numbers::lent(node),
        "u" => 1_000,
        "m" => 1_000_000,
        "s" => 1_000_000_000,
        _ => return Err(node.wrong_type(TIMESTAMP)),
    };
    Numbers::translated(node, |slot, value: i64| {
        value.checked_mul(factor).ok_or_else(|| {
            let rule = "an instant must lie between the years 1677 and 2262";
            node.fault(Some(slot), Fault::OutOfRange { value: i128::from(value) * i128::from(factor), rule })
        })
    })
}

/// Booleans; a missing one is false.
#[derive(Debug)]
pub(super) enum Booleans<'a> {
    Lent(Flags<'a>),
    Own(Vec<u8>),
}

impl<'a> Booleans<'a> {
    pub fn read(node: &Node<'a>) -> Result<Self> {
        let mut bytes = Vec::new();
        if node.is_null_type() {
            try_pad(&mut bytes, node.len, 0)?;
            return Ok(Self::Own(bytes));
        }
        let (bits, validity) = bits(node)?;
        match (bits, validity) {
            (None, _) => Ok(Self::Own(bytes)),
            (Some(bits), None) => Ok(Self::Lent(bits)),
            (Some(bits), Some(validity)) => {
                let flags = (0..node.len)
                    .map(|slot| Ok::<_, crate::arrow::ArrowError>(u8::from(validity.get(slot) && bits.get(slot))));
                Ok(Self::Own(try_collect(node.len, flags)?))
            }
        }
    }

    pub fn view(&self) -> Flags<'_> {
        match self {
            Self::Lent(flags) => *flags,
            Self::Own(bytes) => Flags::Bytes(bytes),
        }
    }
}

/// The bits of a node of booleans, none for an empty one, and which are present.
pub(super) fn bits<'a>(node: &Node<'a>) -> Result<(Option<Flags<'a>>, Option<Flags<'a>>)> {
    if node.format != "b" || node.dictionary()?.is_some() {
        return Err(node.wrong_type("bool"));
    }
    node.expect(2, 0)?;
    let bits = node.needed_buffer::<u8>(1, node.len)?;
    Ok(((node.len > 0).then(|| node.bits_at(bits)), node.validity()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decimals_are_rounded_once() {
        assert_eq!(double_of_decimal(5, 1), 0.5);
        assert_eq!(double_of_decimal(-123, 2), -1.23);
        assert_eq!(double_of_decimal(7, -3), 7000.0);
        assert_eq!(double_of_decimal(i128::MIN, 0), -170_141_183_460_469_231_731_687_303_715_884_105_728.0);
        assert_eq!(double_of_decimal(1, i32::MIN), f64::INFINITY);
        assert_eq!(double_of_decimal(10_000_000_000_000_000_055_511_151_231_257_827, 35), 0.1);
        assert_eq!(decimal("10,2"), Some((2, 128)));
        assert_eq!(decimal("5,-2,32"), Some((-2, 32)));
        assert_eq!(decimal("5"), None);
        assert_eq!(decimal("5,2,32,1"), None);
    }

    #[test]
    fn halves_are_exact() {
        for (bits, value) in
            [(0x3C00, 1.0), (0xC000, -2.0), (0x3555, 0.333_251_953_125), (0x0001, 5.960_464_477_539_063e-8)]
        {
            assert_eq!(double_of_half(bits), value);
        }
        assert_eq!(double_of_half(0x7BFF), 65504.0);
        assert_eq!(double_of_half(0xFC00), f64::NEG_INFINITY);
        assert!(double_of_half(0x7E00).is_nan());
        assert!(double_of_half(0x8000).is_sign_negative());
    }
}
