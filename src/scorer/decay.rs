//! The decay scorer: a curve over the age of a row.

use crate::error::{Error, Parameter, Value, check};
use crate::kernel::decay;
use crate::memory::try_push;
use crate::scorer::{Clock, Parameters, ScoreContext, Scorer, SharedScorer, check_unit};

/// A curve over the age of the row: now minus its timestamp, at least 0. Rows without a timestamp get the null score.
#[derive(Debug)]
pub struct Decay {
    clock: Clock,
    curve: Curve,
    null_timestamp_score: f64,
}

/// A function from an age in whole nanoseconds to a score.
#[derive(Debug)]
pub struct Curve(Shape);

/// The shape of a curve. Durations are in nanoseconds.
#[derive(Debug)]
#[non_exhaustive]
pub enum Shape {
    /// The score halves with every half-life.
    Exponential {
        /// The half-life.
        half_life: i64,
    },
    /// 1.0 below an age, then 0.0.
    Window {
        /// The age.
        max_age: i64,
    },
    /// Maximum ages with their scores.
    Step(Vec<(i64, f64)>),
}

impl Curve {
    /// The shape.
    pub fn shape(&self) -> &Shape {
        &self.0
    }

    /// 2 to the power of minus the number of half-lives: within one unit in the last place, 1.0 at age 0 and 0.5 at one
    /// half-life. In nanoseconds, more than zero.
    pub fn exponential(half_life: i64) -> Result<Self, Error> {
        check_duration(Parameter::HalfLife, half_life)?;
        Ok(Self(Shape::Exponential { half_life }))
    }

    /// 1.0 below the maximum age, else 0.0. In nanoseconds, more than zero.
    pub fn window(max_age: i64) -> Result<Self, Error> {
        check_duration(Parameter::MaxAge, max_age)?;
        Ok(Self(Shape::Window { max_age }))
    }

    /// The score of the first step whose maximum age exceeds the age, else that of the last step.
    ///
    /// Ages are in nanoseconds, more than zero and strictly increasing; scores are finite; there is at least one step.
    pub fn step(steps: impl IntoIterator<Item = (i64, f64)>) -> Result<Self, Error> {
        let mut kept: Vec<(i64, f64)> = Vec::new();
        for (index, (max_age, score)) in steps.into_iter().enumerate() {
            check_duration(Parameter::StepMaxAge(index), max_age)?;
            let is_older = kept.last().is_none_or(|&(before, _)| before < max_age);
            let rule = "steps come youngest first: it must be more than that of the step before";
            check(is_older, Parameter::StepMaxAge(index), Value::Integer(max_age), rule)?;
            let rule = "the score of a step must be finite";
            check(score.is_finite(), Parameter::StepScore(index), Value::Double(score), rule)?;
            try_push(&mut kept, (max_age, score))?;
        }
        check(!kept.is_empty(), Parameter::Steps, Value::Size(0), "a step curve needs at least one step")?;
        Ok(Self(Shape::Step(kept)))
    }
}

fn check_duration(parameter: Parameter, nanoseconds: i64) -> Result<(), Error> {
    check(nanoseconds > 0, parameter, Value::Integer(nanoseconds), "a duration must be more than zero")
}

impl Decay {
    /// A scorer with a source of the present instant, a curve, and a score from 0 to 1 for rows without a timestamp.
    pub fn new(clock: &Clock, curve: Curve, null_timestamp_score: f64) -> Result<SharedScorer, Error> {
        let null_timestamp_score = check_unit(Parameter::NullTimestampScore, null_timestamp_score)?;
        SharedScorer::new(Self { clock: clock.clone(), curve, null_timestamp_score })
    }
}

impl Scorer for Decay {
    fn parameters(&self) -> Parameters<'_> {
        Parameters::Decay(&self.curve, self.null_timestamp_score)
    }

    fn score(&self, context: &mut ScoreContext<'_>, out: &mut [f64]) -> Result<(), Error> {
        let now = context.now(&self.clock)?;
        let null = self.null_timestamp_score;
        let Some((timestamps, present)) = context.batch().timestamp().parts() else {
            out.fill(null);
            return Ok(());
        };
        match &self.curve.0 {
            Shape::Exponential { half_life } => decay::exponential(timestamps, present, now, null, *half_life, out),
            Shape::Window { max_age } => decay::window(timestamps, present, now, null, *max_age, out),
            Shape::Step(steps) => decay::step(timestamps, present, now, null, steps, out),
        }
        Ok(())
    }

    fn may_fail(&self) -> bool {
        self.clock.may_fail()
    }
}
