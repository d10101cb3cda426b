namespace Cupel.Native
{
    /// <summary>What a selector does when the rows to keep exceed the target.</summary>
    public enum Overflow
    {
        /// <summary>The call fails.</summary>
        Fail = 0,

        /// <summary>Rows that are not pinned are dropped until the rest fits.</summary>
        Truncate = 1,

        /// <summary>All are kept, up to the window less the output reserve.</summary>
        Proceed = 2,
    }
}
