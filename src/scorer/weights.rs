//! A list of names with weights.

use crate::error::{Error, Excerpt, Parameter, Value, check, check_with};
use crate::text::{Match as TextMatch, TextInterner, TextKey};

/// The rule that a weight breaks whose sum with those before it overflows.
pub const TOTAL_OVERFLOWS: &str = "with it the sum of the weights overflows to infinity";

/// Distinct names, each with a weight that is finite and not negative.
#[derive(Debug)]
pub struct Weights {
    names: TextInterner,
    weights: Vec<f64>,
}

impl Weights {
    /// Checks and keeps a list, in its order.
    pub fn new<'a>(
        entries: impl IntoIterator<Item = (&'a str, f64)>,
        rule: TextMatch,
        check_name: impl Fn(&str, Parameter) -> Result<(), Error>,
    ) -> Result<Self, Error> {
        let mut list = Self { names: TextInterner::new(rule), weights: Vec::new() };
        for (index, (name, weight)) in entries.into_iter().enumerate() {
            check_name(name, Parameter::WeightName(index))?;
            let is_valid = weight >= 0.0 && weight.is_finite();
            let value = || Value::Named(Excerpt::new(name), weight);
            check_with(is_valid, Parameter::Weight(index), value, "a weight must be zero or more and finite")?;
            let number = list.names.intern(name.into())? as usize;
            let value = || Value::Duplicate(Excerpt::new(name), number);
            check_with(number == index, Parameter::WeightName(index), value, "each name may occur once")?;
            // Turns -0.0, which is legal and means zero, into 0.0.
            let weight = weight + 0.0;
            crate::memory::try_push(&mut list.weights, weight)?;
        }
        Ok(list)
    }

    /// The weight of a name.
    pub fn get<'a>(&self, name: impl Into<TextKey<'a>>) -> Option<f64> {
        self.names.get(name).map(|number| self.weights[number as usize])
    }

    /// All entries, in the caller's order.
    pub fn iter(&self) -> impl Iterator<Item = (&str, f64)> {
        self.names.texts().zip(self.weights.iter().copied())
    }

    /// The sum of the weights, added up in the caller's order.
    ///
    /// # Errors
    ///
    /// A sum that overflows; the error names the entry at which it does.
    pub fn total(&self) -> Result<f64, Error> {
        let mut total = 0.0;
        for (index, &weight) in self.weights.iter().enumerate() {
            total += weight;
            check(total.is_finite(), Parameter::Weight(index), Value::Double(weight), TOTAL_OVERFLOWS)?;
        }
        Ok(total)
    }
}
