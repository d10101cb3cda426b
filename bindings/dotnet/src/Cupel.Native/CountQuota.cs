using System;

namespace Cupel.Native
{
    /// <summary>How many rows of a kind are kept.</summary>
    public readonly struct CountQuota
    {
        /// <summary>Makes a quota.</summary>
        /// <param name="kind">The kind.</param>
        /// <param name="minCount">How many are kept whatever they cost.</param>
        /// <param name="maxCount">How many are kept at most; null for no limit.</param>
        /// <exception cref="ArgumentOutOfRangeException">A count is negative.</exception>
        public CountQuota(ContextKind kind, int minCount = 0, int? maxCount = null)
        {
            Kind = kind;
            if (minCount < 0)
            {
                throw new ArgumentOutOfRangeException(nameof(minCount), minCount, "The count is negative.");
            }

            if (maxCount < 0)
            {
                throw new ArgumentOutOfRangeException(nameof(maxCount), maxCount, "The count is negative.");
            }

            MinCount = minCount;
            MaxCount = maxCount;
        }

        /// <summary>The kind.</summary>
        public ContextKind Kind { get; }

        /// <summary>How many are kept whatever they cost.</summary>
        public int MinCount { get; }

        /// <summary>How many are kept at most; null for no limit.</summary>
        public int? MaxCount { get; }
    }
}
