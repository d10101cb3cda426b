namespace Cupel.Native
{
    /// <summary>In which order a selector puts the rows that it keeps.</summary>
    public enum Placer
    {
        /// <summary>By timestamp, oldest first; rows without one after all others.</summary>
        Chronological = 0,

        /// <summary>The best scores at both ends.</summary>
        UShaped = 1,

        /// <summary>By score, best first.</summary>
        Ranked = 2,

        /// <summary>In the order of the batch.</summary>
        BatchOrder = 3,
    }
}
