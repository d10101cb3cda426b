//! Scorers as trees of shared, immutable nodes.

use std::fmt;
use std::sync::OnceLock;

use crate::batch::Batch;
use crate::error::{Error, Parameter};
use crate::ingest::ColumnSet;
use crate::memory::{Shared, try_box};
use crate::scorer::context::ClockReadings;
use crate::scorer::plan::Plan;
use crate::scorer::{Groups, Parameters, ScoreInput, Scorer};

/// A scorer that is ready for use: immutable, cheap to clone, and usable by many threads and in many trees.
///
/// Its children exist before it does, so that cycles cannot be built.
#[derive(Clone)]
pub struct SharedScorer(Shared<Node>);

/// A scorer with the scorers that it combines.
pub(super) struct Node {
    scorer: Box<dyn Scorer>,
    children: Vec<SharedScorer>,
    /// The columns that this scorer and those below it read.
    columns: ColumnSet,
    /// Whether this scorer or one below it is custom.
    is_custom: bool,
    /// The plan, made when the scorer is first used as a root.
    plan: OnceLock<Plan>,
    /// The next node in the chain of nodes that are being dropped.
    dropping: Option<SharedScorer>,
}

impl SharedScorer {
    /// Makes a scorer ready for use.
    pub fn new(scorer: impl Scorer + 'static) -> Result<Self, Error> {
        Self::with_children(scorer, Vec::new())
    }

    /// Makes a scorer that combines the scores of `children` ready for use.
    pub fn with_children(scorer: impl Scorer + 'static, children: Vec<SharedScorer>) -> Result<Self, Error> {
        Ok(Self(Shared::try_new(Node {
            columns: children.iter().fold(scorer.parameters().columns(), |all, child| all.with(child.0.columns)),
            is_custom: matches!(scorer.parameters(), Parameters::Custom)
                || children.iter().any(|child| child.0.is_custom),
            scorer: try_box(scorer)?,
            children,
            plan: OnceLock::new(),
            dropping: None,
        })?))
    }

    /// Scores every row of `batch`.
    ///
    /// `out` has the batch's length. On an error nothing has been written to it.
    pub fn score_batch(&self, batch: &Batch, out: &mut [f64]) -> Result<(), Error> {
        check_length(batch, out)?;
        self.score_input(ScoreInput::new(batch, None, None), &mut ClockReadings::new(), out)
    }

    /// Scores every row of `batch` among the rows of its group, with the same bits as one batch per group. `groups` are
    /// non-decreasing offsets into the rows, from 0 to the length of the batch.
    ///
    /// `out` has the batch's length. On an error nothing has been written to it. A tree with a custom scorer is refused, since
    /// a custom scorer cannot see a part of a batch.
    pub fn score_groups(&self, batch: &Batch, groups: &[i64], out: &mut [f64]) -> Result<(), Error> {
        check_length(batch, out)?;
        let groups = Groups::new(groups, batch.len())?;
        if self.0.is_custom {
            return Err(Error::CustomInGroups);
        }
        self.score_input(ScoreInput::new(batch, None, Some(groups)), &mut ClockReadings::new(), out)
    }

    /// The columns that this scorer and those below it read.
    pub fn columns(&self) -> ColumnSet {
        self.0.columns
    }

    /// Whether this scorer or one below it is custom.
    pub fn is_custom(&self) -> bool {
        self.0.is_custom
    }

    /// Scores one row of `batch`: what [`score_batch`](Self::score_batch) gives it, at the cost of the whole batch.
    pub fn score_row(&self, batch: &Batch, row: usize) -> Result<f64, Error> {
        if row >= batch.len() {
            return Err(Error::OutOfRange { parameter: Parameter::Row, index: row, len: batch.len() });
        }
        let mut scores = Vec::new();
        crate::memory::try_pad(&mut scores, batch.len(), 0.0)?;
        self.score_batch(batch, &mut scores)?;
        Ok(scores[row])
    }

    /// Scores the peers of each group to the same bits as a batch that holds them alone; the scores of other rows are
    /// unspecified. A custom scorer must not be given groups. `readings` is empty for the first part of a call: a clock is read
    /// once for all parts.
    ///
    /// `out` has the batch's length. On an error nothing has been written to it.
    pub(crate) fn score_input(
        &self,
        input: ScoreInput<'_>,
        readings: &mut ClockReadings,
        out: &mut [f64],
    ) -> Result<(), Error> {
        assert_eq!(out.len(), input.batch().len(), "one score per row");
        let plan = match self.0.plan.get() {
            Some(plan) => plan,
            None => {
                let plan = Plan::new(self)?;
                self.0.plan.get_or_init(|| plan)
            }
        };
        plan.run(self, input, readings, out)
    }

    /// The scorer itself.
    pub fn scorer(&self) -> &dyn Scorer {
        &*self.0.scorer
    }

    /// The scorers that it combines.
    pub fn children(&self) -> &[SharedScorer] {
        &self.0.children
    }

    /// The same for all shares of one scorer, and for no other scorer that exists at the same time.
    pub(super) fn identity(&self) -> usize {
        self.0.as_ptr().addr()
    }
}

fn check_length(batch: &Batch, out: &[f64]) -> Result<(), Error> {
    if out.len() == batch.len() {
        return Ok(());
    }
    Err(Error::LengthMismatch { parameter: Parameter::Scores, actual: out.len(), expected: batch.len() })
}

impl fmt::Debug for SharedScorer {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Not the children: a tree may be deeper than the stack.
        f.debug_tuple("SharedScorer").field(&self.0.scorer.name()).finish()
    }
}

impl Drop for Node {
    /// Drops the tree below without recursion or allocation: it may be ten thousand levels deep.
    fn drop(&mut self) {
        // Nodes that only their dropped parent shared, linked through `dropping`.
        let mut chain: Option<SharedScorer> = None;
        let release = |node: &mut Node, chain: &mut Option<SharedScorer>| {
            // The plan shares nodes below, but not as the last owner while `children` holds them.
            node.plan.take();
            for mut child in std::mem::take(&mut node.children) {
                if let Some(only) = child.0.get_mut() {
                    only.dropping = chain.take();
                    *chain = Some(child);
                }
            }
        };
        release(self, &mut chain);
        while let Some(mut node) = chain {
            // Nodes in the chain have no other owner.
            let Some(only) = node.0.get_mut() else { break };
            chain = only.dropping.take();
            release(only, &mut chain);
        }
    }
}
