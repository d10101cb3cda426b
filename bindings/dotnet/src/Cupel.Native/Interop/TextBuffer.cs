using System;

namespace Cupel.Native.Interop
{
    /// <summary>Texts on their way into a <see cref="TextColumn"/>: a blob that grows, and its offsets.</summary>
    internal sealed class TextBuffer
    {
        // Above this many characters the exact size is computed, not the three bytes per character that suffice.
        private const int LongText = 1024;

        private byte[] _data = new byte[256];
        private long[] _offsets = new long[17];

        internal int Count { get; private set; }

        internal int DataLength { get; private set; }

        internal void Clear()
        {
            Count = 0;
            DataLength = 0;
        }

        /// <exception cref="System.Text.EncoderFallbackException">The text has an unpaired surrogate.</exception>
        internal void Add(string text)
        {
            int bytes = text.Length > LongText ? Utf8.Strict.GetByteCount(text) : text.Length * 3;
            if (bytes > _data.Length - DataLength)
            {
                Grow(ref _data, DataLength, DataLength + (long)bytes);
            }

            if (Count + 1 == _offsets.Length)
            {
                Grow(ref _offsets, _offsets.Length, Count + 2L);
            }

            DataLength += Utf8.Strict.GetBytes(text, 0, text.Length, _data, DataLength);
            Count++;
            _offsets[Count] = DataLength;
        }

        internal TextColumn ToColumn()
        {
            return ToColumn(null, 0);
        }

        internal TextColumn ToColumn(uint[] codes, int codeCount)
        {
            return new TextColumn(_data, DataLength, _offsets, Count, codes, codeCount);
        }

        /// <summary>Makes room for <paramref name="needed"/> elements, and for as many again.</summary>
        internal static void Grow<T>(ref T[] array, int used, long needed)
        {
            const long Longest = 0x7FFFFFC7;
            if (needed > Longest)
            {
                throw new InsufficientMemoryException("The texts of one call exceed 2 GiB: append in several calls.");
            }

            var larger = new T[Math.Min(Math.Max(needed, array.Length * 2L), Longest)];
            Array.Copy(array, larger, used);
            array = larger;
        }
    }
}
