using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using Cupel.Native.Interop;

namespace Cupel.Native
{
    /// <summary>
    /// Texts as flat arrays: one blob of UTF-8 and the offsets into it, as Arrow's LargeUtf8 has them. Text <c>t</c> is
    /// <c>data[offsets[t]]</c> up to <c>data[offsets[t + 1]]</c>. A column may be dictionary-encoded: then slot <c>i</c>
    /// has text <c>codes[i]</c>. The arrays are lent, not copied, and must not change while the column is in use.
    /// The default value is an absent column.
    /// </summary>
    public readonly struct TextColumn
    {
        /// <summary>A column with one text per slot, over the whole of both arrays.</summary>
        /// <param name="data">The texts, one after the other, in UTF-8.</param>
        /// <param name="offsets">Where each text begins, and at the end where the last one ends.</param>
        /// <exception cref="ArgumentNullException">An array is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="offsets"/> is empty.</exception>
        public TextColumn(byte[] data, long[] offsets)
            : this(data, Length(data, nameof(data)), offsets, Length(offsets, nameof(offsets)) - 1, null, 0)
        {
        }

        /// <summary>A dictionary-encoded column, over the whole of all arrays.</summary>
        /// <param name="data">The distinct texts, one after the other, in UTF-8.</param>
        /// <param name="offsets">Where each text begins, and at the end where the last one ends.</param>
        /// <param name="codes">For each slot the number of its text.</param>
        /// <exception cref="ArgumentNullException">An array is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="offsets"/> is empty.</exception>
        public TextColumn(byte[] data, long[] offsets, uint[] codes)
            : this(
                data,
                Length(data, nameof(data)),
                offsets,
                Length(offsets, nameof(offsets)) - 1,
                codes,
                Length(codes, nameof(codes)))
        {
        }

        /// <summary>A column over the first elements of arrays that may be longer, such as pooled ones.</summary>
        /// <param name="data">The texts, one after the other, in UTF-8.</param>
        /// <param name="dataLength">The number of bytes that count.</param>
        /// <param name="offsets">Where each text begins, and at the end where the last one ends.</param>
        /// <param name="textCount">The number of texts: one less than the offsets that count.</param>
        /// <param name="codes">For each slot the number of its text; null for one text per slot.</param>
        /// <param name="codeCount">The number of codes that count.</param>
        /// <exception cref="ArgumentNullException"><paramref name="data"/> or <paramref name="offsets"/> is null.</exception>
        /// <exception cref="ArgumentException">An array is shorter than what is said to count.</exception>
        public TextColumn(
            byte[] data, int dataLength, long[] offsets, int textCount, [AllowNull] uint[] codes, int codeCount)
        {
            Require(Length(data, nameof(data)), dataLength, nameof(data));
            Require(textCount, 0, nameof(offsets));
            Require(Length(offsets, nameof(offsets)), textCount + 1L, nameof(offsets));
            Require(codes == null ? 0 : codes.Length, codeCount, nameof(codes));
            Data = data;
            DataLength = dataLength;
            Offsets = offsets;
            TextCount = textCount;
            Codes = codes;
            Count = codes == null ? textCount : codeCount;
        }

        /// <summary>The number of slots.</summary>
        public int Count { get; }

        /// <summary>Whether there is no column.</summary>
        public bool IsAbsent
        {
            get { return Offsets == null; }
        }

        /// <summary>The texts, one after the other, in UTF-8: the array itself, of which <see cref="DataLength"/> bytes count;
        /// null for an absent column.</summary>
        [MaybeNull]
        public byte[] Data { get; }

        /// <summary>The number of bytes that count.</summary>
        public int DataLength { get; }

        /// <summary>Where each text begins, and after that of the last one where it ends: the array itself; null for an absent
        /// column.</summary>
        [MaybeNull]
        public long[] Offsets { get; }

        /// <summary>The number of texts: with a dictionary that of the distinct ones, else that of the slots.</summary>
        public int TextCount { get; }

        /// <summary>For each slot the number of its text: the array itself; null without a dictionary.</summary>
        [MaybeNull]
        public uint[] Codes { get; }

        /// <summary>The text of a slot, decoded anew each time.</summary>
        /// <param name="slot">The slot, from 0.</param>
        /// <exception cref="ArgumentOutOfRangeException">There is no such slot.</exception>
        /// <exception cref="ArgumentException">The code, the offsets or the text are not valid.</exception>
        public string this[int slot]
        {
            get
            {
                if (slot < 0 || slot >= Count)
                {
                    throw new ArgumentOutOfRangeException(
                        nameof(slot), slot, "There are " + Count + " slots, counted from 0.");
                }

                return Text(Codes == null ? (uint)slot : Codes[slot]);
            }
        }

        /// <summary>Encodes strings, one per slot.</summary>
        /// <param name="texts">The texts.</param>
        /// <returns>A column with arrays of its own.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="texts"/> is null.</exception>
        /// <exception cref="ArgumentException">A text is null or has an unpaired surrogate.</exception>
        public static TextColumn FromStrings(IEnumerable<string> texts)
        {
            return Encoded(texts).ToColumn();
        }

        /// <summary>Encodes the distinct strings of a dictionary-encoded column.</summary>
        /// <param name="texts">The distinct texts.</param>
        /// <param name="codes">For each slot the number of its text. Lent, not copied.</param>
        /// <returns>A column with a blob and offsets of its own.</returns>
        /// <exception cref="ArgumentNullException">An argument is null.</exception>
        /// <exception cref="ArgumentException">A text is null or has an unpaired surrogate.</exception>
        public static TextColumn FromStrings(IEnumerable<string> texts, uint[] codes)
        {
            int count = Length(codes, nameof(codes));
            return Encoded(texts).ToColumn(codes, count);
        }

        /// <summary>Decodes the texts, one per slot. Slots with the same code share a string.</summary>
        /// <returns>The texts; none for an absent column.</returns>
        /// <exception cref="ArgumentException">A code, the offsets or a text are not valid.</exception>
        public string[] ToStrings()
        {
            var texts = new string[Count];
            string[] distinct = Codes == null ? null : new string[TextCount];
            for (int slot = 0; slot < texts.Length; slot++)
            {
                if (distinct == null)
                {
                    texts[slot] = Text((uint)slot);
                    continue;
                }

                uint code = Codes[slot];
                texts[slot] = (code < TextCount ? distinct[code] : null) ?? Text(code);
                distinct[code] = texts[slot];
            }

            return texts;
        }

        private string Text(uint text)
        {
            if (text >= TextCount)
            {
                throw new ArgumentException("The code " + text + " is that of no text: there are " + TextCount + ".");
            }

            long begin = Offsets[text];
            long end = Offsets[text + 1];
            if (begin < 0 || end < begin || end > DataLength)
            {
                throw new ArgumentException(
                    "The text " + text + " lies from " + begin + " to " + end + ": there are " + DataLength + " bytes.");
            }

            return Utf8.Strict.GetString(Data, (int)begin, (int)(end - begin));
        }

        private static TextBuffer Encoded(IEnumerable<string> texts)
        {
            if (texts == null)
            {
                throw new ArgumentNullException(nameof(texts));
            }

            var buffer = new TextBuffer();
            foreach (string text in texts)
            {
                string name = nameof(texts) + "[" + buffer.Count + "]";
                if (text == null)
                {
                    throw new ArgumentException(name + " is null.", nameof(texts));
                }

                if (!Utf8.IsValid(text))
                {
                    throw Utf8.Unpaired(name, null);
                }

                buffer.Add(text);
            }

            return buffer;
        }

        private static int Length(Array array, string parameter)
        {
            if (array == null)
            {
                throw new ArgumentNullException(parameter);
            }

            return array.Length;
        }

        private static void Require(long present, long needed, string parameter)
        {
            if (needed < 0 || present < needed)
            {
                throw new ArgumentException(
                    parameter + " has " + present + " elements, " + needed + " are needed.", parameter);
            }
        }
    }
}
