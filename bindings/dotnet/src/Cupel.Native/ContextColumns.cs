using System;
using System.Diagnostics.CodeAnalysis;

namespace Cupel.Native
{
    /// <summary>
    /// Many rows at once, as flat arrays that are lent without copying: for hosts that hold columns already.
    /// <see cref="Batch.Append(ContextColumns)"/> takes them in one crossing, and <see cref="Batch.ReadColumns(BatchColumns)"/>
    /// gives them back. A column that is not set is absent, and its
    /// field then has its default in every row; rows without content can be scored, and nothing else. Where a validity array
    /// is set, 1 says that the row has a value and 0 that it has none; not set, every row has one. Arrays may be longer than
    /// what counts. For one thread at a time.
    /// </summary>
    public sealed class ContextColumns
    {
        private int _rows;

        /// <summary>Starts with no column set.</summary>
        /// <param name="rows">The number of rows.</param>
        /// <exception cref="ArgumentOutOfRangeException"><paramref name="rows"/> is negative.</exception>
        public ContextColumns(int rows)
        {
            Rows = rows;
        }

        /// <summary>The number of rows.</summary>
        /// <exception cref="ArgumentOutOfRangeException">The value is negative.</exception>
        public int Rows
        {
            get
            {
                return _rows;
            }

            set
            {
                if (value < 0)
                {
                    throw new ArgumentOutOfRangeException(nameof(value), value, "The number of rows is negative.");
                }

                _rows = value;
            }
        }

        /// <summary>Contents, one per row; none may be empty.</summary>
        public TextColumn Content { get; set; }

        /// <summary>Token counts, one per row; absent: 0.</summary>
        [AllowNull]
        [MaybeNull]
        public long[] Tokens { get; set; }

        /// <summary>Kinds, one per row; absent: <c>Message</c>.</summary>
        public TextColumn Kind { get; set; }

        /// <summary>Which rows have a kind; a row without one has <c>Message</c>.</summary>
        [AllowNull]
        [MaybeNull]
        public byte[] KindValidity { get; set; }

        /// <summary>Sources, one per row; absent: <c>Chat</c>.</summary>
        public TextColumn Source { get; set; }

        /// <summary>Which rows have a source; a row without one has <c>Chat</c>.</summary>
        [AllowNull]
        [MaybeNull]
        public byte[] SourceValidity { get; set; }

        /// <summary>Priorities, one per row; absent: none.</summary>
        [AllowNull]
        [MaybeNull]
        public long[] Priority { get; set; }

        /// <summary>Which rows have a priority.</summary>
        [AllowNull]
        [MaybeNull]
        public byte[] PriorityValidity { get; set; }

        /// <summary>Timestamps in nanoseconds since the Unix epoch, one per row; absent: none.</summary>
        [AllowNull]
        [MaybeNull]
        public long[] Timestamp { get; set; }

        /// <summary>Which rows have a timestamp.</summary>
        [AllowNull]
        [MaybeNull]
        public byte[] TimestampValidity { get; set; }

        /// <summary>Hints, one per row; absent: none.</summary>
        [AllowNull]
        [MaybeNull]
        public double[] FutureRelevanceHint { get; set; }

        /// <summary>Which rows have a hint.</summary>
        [AllowNull]
        [MaybeNull]
        public byte[] FutureRelevanceHintValidity { get; set; }

        /// <summary>1 for pinned, 0 for not, one per row; absent: not.</summary>
        [AllowNull]
        [MaybeNull]
        public byte[] Pinned { get; set; }

        /// <summary>Token counts before shortening, one per row; absent: none.</summary>
        [AllowNull]
        [MaybeNull]
        public long[] OriginalTokens { get; set; }

        /// <summary>Which rows have an original token count.</summary>
        [AllowNull]
        [MaybeNull]
        public byte[] OriginalTokensValidity { get; set; }

        /// <summary>Row <c>i</c> has the tags from slot <c>TagLists[i]</c> up to <c>TagLists[i + 1]</c>; absent: no tags.</summary>
        [AllowNull]
        [MaybeNull]
        public long[] TagLists { get; set; }

        /// <summary>The tags of all rows, one after the other.</summary>
        public TextColumn Tags { get; set; }

        /// <summary>Row <c>i</c> has the metadata from slot <c>MetadataLists[i]</c> up to <c>MetadataLists[i + 1]</c>; absent: none.</summary>
        [AllowNull]
        [MaybeNull]
        public long[] MetadataLists { get; set; }

        /// <summary>The metadata keys of all rows, one after the other.</summary>
        public TextColumn MetadataKeys { get; set; }

        /// <summary>What each metadata value is: 0 a string, 1 a double, 2 other; absent: all strings.</summary>
        [AllowNull]
        [MaybeNull]
        public byte[] MetadataTypes { get; set; }

        /// <summary>The texts of the metadata values; the slot of a double is not read. May be absent when all are doubles.</summary>
        public TextColumn MetadataTexts { get; set; }

        /// <summary>The numbers of the metadata values, read where the value is a double.</summary>
        [AllowNull]
        [MaybeNull]
        public double[] MetadataNumbers { get; set; }
    }
}
