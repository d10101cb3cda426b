//! The scorers that are measured, under one name in both libraries.

/// A scorer of the suite.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scorer {
    Recency,
    Priority,
    Kind,
    Tag,
    Frequency,
    Reflexive,
    Trust,
    MetadataKey,
    DecayExponential,
    DecayWindow,
    DecayStep,
    ScaledKind,
    ScaledRecency,
    Composite,
}

impl Scorer {
    pub const ALL: [Self; 14] = [
        Self::Recency,
        Self::Priority,
        Self::Kind,
        Self::Tag,
        Self::Frequency,
        Self::Reflexive,
        Self::Trust,
        Self::MetadataKey,
        Self::DecayExponential,
        Self::DecayWindow,
        Self::DecayStep,
        Self::ScaledKind,
        Self::ScaledRecency,
        Self::Composite,
    ];

    pub fn name(self) -> &'static str {
        match self {
            Self::Recency => "recency",
            Self::Priority => "priority",
            Self::Kind => "kind",
            Self::Tag => "tag",
            Self::Frequency => "frequency",
            Self::Reflexive => "reflexive",
            Self::Trust => "metadata trust",
            Self::MetadataKey => "metadata key",
            Self::DecayExponential => "decay exponential",
            Self::DecayWindow => "decay window",
            Self::DecayStep => "decay step of 3",
            Self::ScaledKind => "scaled(kind)",
            Self::ScaledRecency => "scaled(recency)",
            Self::Composite => "composite",
        }
    }

    /// The cost that is asked for, in nanoseconds per item at 10,000 and at 1,000,000 rows.
    pub fn target(self) -> (f64, f64) {
        match self {
            Self::Recency => (15.0, 28.0),
            Self::Priority => (2.0, 4.0),
            Self::Kind => (0.6, 1.0),
            Self::Tag => (6.0, 6.0),
            Self::Frequency => (17.0, 12.0),
            Self::Reflexive | Self::Trust | Self::DecayWindow => (0.5, 1.1),
            Self::MetadataKey => (0.5, 1.0),
            Self::DecayExponential => (6.0, 6.0),
            Self::DecayStep => (1.5, 2.0),
            Self::ScaledKind => (2.5, 3.5),
            Self::ScaledRecency => (18.0, 32.0),
            Self::Composite => (37.0, 46.0),
        }
    }

    /// The scorer as JSON.
    pub fn json(self) -> &'static str {
        match self {
            Self::Recency => r#"{"type": "recency"}"#,
            Self::Priority => r#"{"type": "priority"}"#,
            Self::Kind => r#"{"type": "kind"}"#,
            Self::Tag => r#"{"type": "tag", "tagWeights": {"tag-1": 1, "tag-2": 2, "tag-3": 3, "tag-40": 4}}"#,
            Self::Frequency => r#"{"type": "frequency"}"#,
            Self::Reflexive => r#"{"type": "reflexive"}"#,
            Self::Trust => r#"{"type": "metadataTrust"}"#,
            Self::MetadataKey => r#"{"type": "metadataKey", "key": "topic", "value": "deploy", "boost": 1.5}"#,
            Self::DecayExponential => r#"{"type": "decay", "curve": {"exponential": {"halfLife": "7d"}}}"#,
            Self::DecayWindow => r#"{"type": "decay", "curve": {"window": {"maxAge": "7d"}}}"#,
            Self::DecayStep => {
                r#"{"type": "decay", "curve": {"step": [{"maxAge": "1d", "score": 1}, {"maxAge": "7d", "score": 0.5},
                    {"maxAge": "14d", "score": 0.2}]}}"#
            }
            Self::ScaledKind => r#"{"type": "scaled", "innerScorer": {"type": "kind"}}"#,
            Self::ScaledRecency => r#"{"type": "scaled", "innerScorer": {"type": "recency"}}"#,
            Self::Composite => {
                r#"{"type": "composite", "scorers": [{"type": "recency", "weight": 0.4}, {"type": "kind", "weight": 0.3},
                    {"type": "frequency", "weight": 0.2}, {"type": "metadataTrust", "weight": 0.1}]}"#
            }
        }
    }

    /// The bytes per row of the columns that it reads: see the floor.
    pub fn bytes_read(self) -> usize {
        match self {
            Self::Kind | Self::MetadataKey | Self::ScaledKind | Self::Priority => 1,
            Self::Tag | Self::Frequency => 4,
            Self::Composite => 8 + 1 + 4 + 8,
            _ => 8,
        }
    }
}
