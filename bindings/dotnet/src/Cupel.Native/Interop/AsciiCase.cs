namespace Cupel.Native.Interop
{
    /// <summary>
    /// Equality under ASCII case folding, as the native library compares kinds and sources.
    /// <see cref="System.StringComparer.OrdinalIgnoreCase"/> would fold beyond ASCII.
    /// </summary>
    internal static class AsciiCase
    {
        internal static bool Equals(string left, string right)
        {
            if (ReferenceEquals(left, right))
            {
                return true;
            }

            if (left.Length != right.Length)
            {
                return false;
            }

            for (int i = 0; i < left.Length; i++)
            {
                if (left[i] != right[i] && Fold(left[i]) != Fold(right[i]))
                {
                    return false;
                }
            }

            return true;
        }

        internal static int GetHashCode(string text)
        {
            uint hash = 2166136261;
            foreach (char c in text)
            {
                hash = unchecked((hash ^ Fold(c)) * 16777619);
            }

            return unchecked((int)hash);
        }

        private static char Fold(char c)
        {
            return c >= 'A' && c <= 'Z' ? (char)(c | 0x20) : c;
        }
    }
}
