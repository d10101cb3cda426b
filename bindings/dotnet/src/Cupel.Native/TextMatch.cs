namespace Cupel.Native
{
    /// <summary>How two texts are compared.</summary>
    public enum TextMatch
    {
        /// <summary>Byte for byte.</summary>
        Exact = 0,

        /// <summary>The letters A to Z count as a to z.</summary>
        AsciiCaseInsensitive = 1,
    }
}
