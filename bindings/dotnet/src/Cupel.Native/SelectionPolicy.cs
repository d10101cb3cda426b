using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;

namespace Cupel.Native
{
    /// <summary>
    /// What a <see cref="Selector"/> is made of. The defaults are those of the managed library. A selector copies it.
    /// </summary>
    public sealed class SelectionPolicy
    {
        /// <summary>Scores the rows; null when every request brings scores.</summary>
        [AllowNull]
        [MaybeNull]
        public Scorer Scorer { get; set; }

        /// <summary>How rows are chosen.</summary>
        public Slicer Slicer { get; set; }

        /// <summary>How kept rows are ordered.</summary>
        public Placer Placer { get; set; }

        /// <summary>What happens when the rows to keep exceed the target.</summary>
        public Overflow Overflow { get; set; }

        /// <summary>What happens when a count quota cannot be met.</summary>
        public Scarcity Scarcity { get; set; }

        /// <summary>Shares of the budget by kind; a kind once.</summary>
        public IList<Quota> Quotas { get; } = new List<Quota>();

        /// <summary>Numbers of rows by kind; a kind once.</summary>
        public IList<CountQuota> CountQuotas { get; } = new List<CountQuota>();

        /// <summary>
        /// A metadata key: rows with the same text at it are kept or dropped together. Null for no groups. By convention
        /// <c>cupel:group</c>.
        /// </summary>
        [AllowNull]
        [MaybeNull]
        public string GroupKey { get; set; }

        /// <summary>A metadata key: rows with the same text at it are duplicates. Null for rows with the same content.</summary>
        [AllowNull]
        [MaybeNull]
        public string DuplicateKey { get; set; }

        /// <summary>Tokens per bucket of <see cref="Native.Slicer.Knapsack"/>; 0 for 100.</summary>
        public long BucketSize { get; set; }

        /// <summary>Whether duplicates are kept.</summary>
        public bool KeepDuplicates { get; set; }

        /// <summary>Whether pinned rows come before all others, in the order of the batch.</summary>
        public bool PinnedFirst { get; set; }
    }
}
