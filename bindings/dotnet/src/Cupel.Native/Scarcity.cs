namespace Cupel.Native
{
    /// <summary>What a selector does when a count quota asks for more rows of a kind than there are.</summary>
    public enum Scarcity
    {
        /// <summary>It goes on, and reports a <see cref="Shortfall"/>.</summary>
        Degrade = 0,

        /// <summary>The call fails.</summary>
        Fail = 1,
    }
}
