using System;

namespace Cupel.Native
{
    /// <summary>Columns of a batch: what a scorer reads, or what is to be read back. The bits never change their meaning.</summary>
    [Flags]
    public enum BatchColumns
    {
        /// <summary>No column.</summary>
        None = 0,

        /// <summary><see cref="ContextColumns.Content"/>.</summary>
        Content = 1,

        /// <summary><see cref="ContextColumns.Tokens"/>.</summary>
        Tokens = 2,

        /// <summary><see cref="ContextColumns.Kind"/>.</summary>
        Kind = 4,

        /// <summary><see cref="ContextColumns.Source"/>.</summary>
        Source = 8,

        /// <summary><see cref="ContextColumns.Priority"/>.</summary>
        Priority = 16,

        /// <summary><see cref="ContextColumns.Tags"/> and <see cref="ContextColumns.TagLists"/>.</summary>
        Tags = 32,

        /// <summary><see cref="ContextColumns.MetadataKeys"/> and the other columns of metadata.</summary>
        Metadata = 64,

        /// <summary><see cref="ContextColumns.Timestamp"/>.</summary>
        Timestamp = 128,

        /// <summary><see cref="ContextColumns.FutureRelevanceHint"/>.</summary>
        FutureRelevanceHint = 256,

        /// <summary><see cref="ContextColumns.Pinned"/>.</summary>
        Pinned = 512,

        /// <summary><see cref="ContextColumns.OriginalTokens"/>.</summary>
        OriginalTokens = 1024,
    }
}
