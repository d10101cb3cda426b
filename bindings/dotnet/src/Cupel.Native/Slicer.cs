namespace Cupel.Native
{
    /// <summary>How a selector chooses the rows that fit the budget.</summary>
    public enum Slicer
    {
        /// <summary>By score per token, best first; what does not fit is skipped.</summary>
        Greedy = 0,

        /// <summary>The set of the greatest sum of scores, in buckets of tokens. Rows of score 0 are never kept.</summary>
        Knapsack = 1,

        /// <summary>By score, best first; what does not fit is skipped.</summary>
        Ranked = 2,

        /// <summary>By score, best first, up to the first row that does not fit.</summary>
        Prefix = 3,
    }
}
