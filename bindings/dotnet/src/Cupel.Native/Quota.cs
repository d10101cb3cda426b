namespace Cupel.Native
{
    /// <summary>The share of the budget that the rows of a kind get.</summary>
    public readonly struct Quota
    {
        /// <summary>Makes a quota. The selector that it is given to checks the numbers.</summary>
        /// <param name="kind">The kind.</param>
        /// <param name="minPercent">The least share, 0 to 100.</param>
        /// <param name="maxPercent">The greatest share, not below the least.</param>
        public Quota(ContextKind kind, double minPercent = 0.0, double maxPercent = 100.0)
        {
            Kind = kind;
            MinPercent = minPercent;
            MaxPercent = maxPercent;
        }

        /// <summary>The kind.</summary>
        public ContextKind Kind { get; }

        /// <summary>The least share of the budget.</summary>
        public double MinPercent { get; }

        /// <summary>The greatest share of the budget.</summary>
        public double MaxPercent { get; }
    }
}
