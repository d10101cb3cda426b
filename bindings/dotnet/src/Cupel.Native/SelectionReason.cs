namespace Cupel.Native
{
    /// <summary>Why a row was kept (below 16) or dropped (from 16 on). The numbers never change their meaning.</summary>
    public enum SelectionReason
    {
        /// <summary>Kept: it took part and fitted.</summary>
        Scored = 1,

        /// <summary>Kept: it is pinned.</summary>
        Pinned = 2,

        /// <summary>Kept: it has no tokens.</summary>
        ZeroTokens = 3,

        /// <summary>Kept: its group has a pinned row.</summary>
        Group = 4,

        /// <summary>Dropped: it did not fit.</summary>
        Budget = 16,

        /// <summary>Dropped: a row with the same content stayed.</summary>
        Duplicate = 17,

        /// <summary>Dropped: its token count is negative.</summary>
        NegativeTokens = 18,

        /// <summary>Dropped: it would have fitted without the pinned rows.</summary>
        PinnedOverride = 19,

        /// <summary>Dropped: as many rows of its kind as its count quota allows were kept.</summary>
        CountCap = 20,

        /// <summary>Dropped: its tokens fitted, and the number of rows was used up.</summary>
        RowLimit = 21,
    }
}
