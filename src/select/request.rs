//! What a single call asks for: the budget, scores, and an earlier selection.

use crate::error::{Error, Parameter, Value, check};
use crate::select::Selection;

/// An earlier selection over the same batch, to which rows were only appended since.
#[derive(Clone, Copy, Debug, Default)]
pub enum Previous<'a> {
    /// There is none.
    #[default]
    None,
    /// The one that is selected into.
    Own,
    /// Another one.
    Selection(&'a Selection),
}

/// The budget of a call, in tokens, and what else may differ from call to call.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request<'a> {
    /// The window of the model.
    pub max_tokens: i64,
    /// How much to fill; 0 is `max_tokens` less `output_reserve`.
    pub target_tokens: i64,
    /// What the window keeps free for the output.
    pub output_reserve: i64,
    /// What the host will add itself; it is taken off the room of rows that are not pinned.
    pub reserved_tokens: i64,
    /// What is taken off that room for errors in counting, in percent.
    pub safety_margin_percent: f64,
    /// How many rows may be kept; 0 is no limit.
    pub max_rows: usize,
    /// A score for each row, instead of the scorer's.
    pub scores: Option<&'a [f64]>,
    /// An earlier selection, whose rows are left alone while they and the rows that came since fit the window.
    pub previous: Previous<'a>,
}

impl Request<'_> {
    /// A request with a window and nothing else.
    pub fn of(max_tokens: i64) -> Self {
        Self { max_tokens, ..Self::default() }
    }

    /// Checks the fields in the order of their declaration.
    pub(super) fn budget(&self, takes_max_rows: bool) -> Result<Budget, Error> {
        for (parameter, tokens, most) in [
            (Parameter::MaxTokens, self.max_tokens, i64::MAX),
            (Parameter::TargetTokens, self.target_tokens, self.max_tokens),
            (Parameter::OutputReserve, self.output_reserve, self.max_tokens),
            (Parameter::ReservedTokens, self.reserved_tokens, i64::MAX),
        ] {
            check(tokens >= 0, parameter, Value::Integer(tokens), "it must be 0 or more")?;
            check(tokens <= most, parameter, Value::Integer(tokens), "it must not exceed max_tokens")?;
        }
        let margin = self.safety_margin_percent;
        let rule = "a percentage must lie from 0 to 100";
        check((0.0..=100.0).contains(&margin), Parameter::SafetyMarginPercent, Value::Double(margin), rule)?;
        let rule = "the slicer must be greedy, ranked or prefix, without quotas";
        check(self.max_rows == 0 || takes_max_rows, Parameter::MaxRows, Value::Size(self.max_rows), rule)?;
        let ceiling = self.max_tokens - self.output_reserve;
        Ok(Budget {
            ceiling,
            target: if self.target_tokens == 0 { ceiling } else { self.target_tokens },
            output_reserve: self.output_reserve,
            reserved: self.reserved_tokens,
            margin,
            max_rows: if self.max_rows == 0 { u64::MAX } else { self.max_rows as u64 },
        })
    }
}

/// The numbers of a request, checked.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// The window less the output reserve: no selection exceeds it.
    pub ceiling: i64,
    /// How much to fill.
    pub target: i64,
    output_reserve: i64,
    reserved: i64,
    margin: f64,
    /// How many rows may be kept; `u64::MAX` is no limit.
    pub max_rows: u64,
}

/// The room that pinned rows and reserves leave.
#[derive(Clone, Copy, Debug)]
pub(super) struct Room {
    /// Up to the ceiling.
    pub max: i64,
    /// Up to the target: what the slicer fills.
    pub target: i64,
}

impl Budget {
    /// What rows that are kept may add up to: the target, or the ceiling where that is less.
    pub fn limit(&self) -> i64 {
        self.target.min(self.ceiling)
    }

    /// The most tokens a unit can have and still fit, were no row pinned.
    pub fn unpinned_target(&self) -> i64 {
        // Both are 0 or more, so that the difference cannot overflow.
        self.target - self.output_reserve
    }

    /// The room that is left by `pinned` tokens, which are 0 or more.
    pub fn room(&self, pinned: i64) -> Room {
        let left = |whole: i64| {
            let left = i128::from(whole) - i128::from(pinned) - i128::from(self.reserved);
            i64::try_from(left.max(0)).unwrap_or(i64::MAX)
        };
        let max = left(self.ceiling);
        let target = left(self.target).min(max);
        if self.margin > 0.0 {
            let factor = 1.0 - self.margin / 100.0;
            let shrink = |tokens: i64| ((tokens as f64 * factor).floor() as i64).min(tokens);
            let max = shrink(max);
            return Room { max, target: shrink(target).min(max) };
        }
        Room { max, target }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_margin_never_adds() {
        let request = Request { safety_margin_percent: 1e-300, ..Request::of(i64::MAX) };
        let room = request.budget(true).unwrap().room(0);
        assert_eq!((room.max, room.target), (i64::MAX, i64::MAX));
        let request = Request { safety_margin_percent: 100.0, ..request };
        assert_eq!(request.budget(true).unwrap().room(0).max, 0);
    }

    #[test]
    fn reserves_larger_than_the_window_leave_nothing() {
        let request = Request { reserved_tokens: i64::MAX, output_reserve: 5, ..Request::of(10) };
        let room = request.budget(true).unwrap().room(5);
        assert_eq!((room.max, room.target), (0, 0));
    }
}
