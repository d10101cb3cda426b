//! The parameters of scorers, as data.

use crate::ingest::ColumnSet;
use crate::scorer::decay::Curve;
use crate::scorer::weights::Weights;
use crate::text::Match as TextMatch;

/// The parameters of a scorer, one variant per scorer. Its children are in
/// [`SharedScorer::children`](super::SharedScorer::children).
#[derive(Clone, Copy, Debug)]
#[non_exhaustive]
pub enum Parameters<'a> {
    /// [`Recency`](super::Recency)
    Recency,
    /// [`Priority`](super::Priority)
    Priority,
    /// [`Frequency`](super::Frequency)
    Frequency,
    /// [`Reflexive`](super::Reflexive)
    Reflexive,
    /// [`Kind`](super::Kind): the weights; none stands for the defaults.
    Kind(Option<&'a Weights>),
    /// [`Tag`](super::Tag): the weights, and when two tags are equal.
    Tag(&'a Weights, TextMatch),
    /// [`Scaled`](super::Scaled)
    Scaled,
    /// [`Composite`](super::Composite): the weights of the children as they were given.
    Composite(&'a [f64]),
    /// [`MetadataTrust`](super::MetadataTrust): the score of rows without a usable trust.
    MetadataTrust(f64),
    /// [`MetadataKey`](super::MetadataKey)
    MetadataKey {
        /// The key.
        key: &'a str,
        /// The text that the value must have.
        value: &'a str,
        /// The score of rows that have it.
        boost: f64,
    },
    /// [`Decay`](super::Decay): the curve, and the score of rows without a timestamp.
    Decay(&'a Curve, f64),
    /// A custom scorer, which has no parameters.
    Custom,
}

impl Parameters<'_> {
    /// The name of the scorer, as in JSON.
    pub fn name(&self) -> &'static str {
        match self {
            Self::Recency => "recency",
            Self::Priority => "priority",
            Self::Frequency => "frequency",
            Self::Reflexive => "reflexive",
            Self::Kind(_) => "kind",
            Self::Tag(..) => "tag",
            Self::Scaled => "scaled",
            Self::Composite(_) => "composite",
            Self::MetadataTrust(_) => "metadataTrust",
            Self::MetadataKey { .. } => "metadataKey",
            Self::Decay(..) => "decay",
            Self::Custom => "custom",
        }
    }

    /// The columns that the scorer itself reads, not its children.
    pub fn columns(&self) -> ColumnSet {
        match self {
            Self::Recency | Self::Decay(..) => ColumnSet::TIMESTAMP,
            Self::Priority => ColumnSet::PRIORITY,
            Self::Frequency | Self::Tag(..) => ColumnSet::TAGS,
            Self::Reflexive => ColumnSet::FUTURE_RELEVANCE_HINT,
            Self::Kind(_) => ColumnSet::KIND,
            Self::MetadataTrust(_) | Self::MetadataKey { .. } => ColumnSet::METADATA,
            Self::Scaled | Self::Composite(_) => ColumnSet::NONE,
            // A custom scorer may read anything.
            Self::Custom => ColumnSet::ALL,
        }
    }
}
