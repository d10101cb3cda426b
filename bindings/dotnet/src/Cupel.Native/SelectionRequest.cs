using System.Diagnostics.CodeAnalysis;

namespace Cupel.Native
{
    /// <summary>
    /// The budget of one selection. A struct: a copy can be changed on its own, in C# 10 by
    /// <c>request with { Previous = kept }</c>.
    /// </summary>
    public struct SelectionRequest
    {
        /// <summary>A request with a window and no other limits.</summary>
        /// <param name="maxTokens">The window.</param>
        public SelectionRequest(long maxTokens)
            : this()
        {
            MaxTokens = maxTokens;
        }

        /// <summary>The window: how many tokens the model takes, those of its answer included.</summary>
        public long MaxTokens { get; set; }

        /// <summary>How much of the window to fill; 0 for all but the output reserve.</summary>
        public long TargetTokens { get; set; }

        /// <summary>Tokens left for the answer.</summary>
        public long OutputReserve { get; set; }

        /// <summary>Tokens left for rows that the caller adds.</summary>
        public long ReservedTokens { get; set; }

        /// <summary>By how much the budget is lowered because token counts are estimates, 0 to 100.</summary>
        public double SafetyMarginPercent { get; set; }

        /// <summary>How many rows are kept at most; 0 for no limit.</summary>
        public int MaxRows { get; set; }

        /// <summary>A score for each row, in place of the selector's scorer; null for the scorer.</summary>
        [AllowNull]
        [MaybeNull]
        public double[] Scores { get; set; }

        /// <summary>
        /// An earlier selection over the same rows, to which some may have been appended since. While everything still fits
        /// the window, its rows stay in front and the new ones follow, so that a prompt cache stays valid. Null for none.
        /// </summary>
        [AllowNull]
        [MaybeNull]
        public Selection Previous { get; set; }
    }
}
