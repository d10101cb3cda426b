using System;

namespace Cupel.Native.Interop
{
    /// <summary>Reads columns of which the size is known only after asking: texts, tags and metadata.</summary>
    internal static unsafe class ColumnReader
    {
        internal delegate int IntegerReader(
            IntPtr batch, UIntPtr firstRow, UIntPtr rows, long* values, byte* validity, IntPtr* error);

        internal delegate int CodeReader(IntPtr batch, UIntPtr firstRow, UIntPtr rows, uint* codes, IntPtr* error);

        private delegate int RowTextReader(
            IntPtr batch, UIntPtr firstRow, UIntPtr rows, long* offsets, byte* data, UIntPtr dataLength, IntPtr* error);

        private delegate int DistinctReader(
            IntPtr batch, long* offsets, UIntPtr offsetsLength, byte* data, UIntPtr dataLength, IntPtr* error);

        private delegate int TextReader(long* offsets, byte* data, UIntPtr dataLength, IntPtr* error);

        /// <summary>Reads a range of rows, which exists.</summary>
        internal static ContextColumns Read(IntPtr batch, int firstRow, int rows, BatchColumns columns)
        {
            var result = new ContextColumns(rows);
            var first = (UIntPtr)(uint)firstRow;
            var count = (UIntPtr)(uint)rows;
            IntPtr error;
            if ((columns & BatchColumns.Content) != 0)
            {
                result.Content = Content(batch, firstRow, rows);
            }

            if ((columns & BatchColumns.Tokens) != 0)
            {
                result.Tokens = new long[rows];
                fixed (long* values = result.Tokens)
                {
                    Failure.ThrowIfFailed(
                        NativeMethods.cupel_batch_read_tokens(batch, first, count, values, &error), error);
                }
            }

            if ((columns & BatchColumns.Kind) != 0)
            {
                result.Kind = Kind(batch, firstRow, rows);
            }

            if ((columns & BatchColumns.Source) != 0)
            {
                result.Source = Source(batch, firstRow, rows);
            }

            if ((columns & BatchColumns.Priority) != 0)
            {
                byte[] validity;
                result.Priority = Integers(NativeMethods.cupel_batch_read_priority, batch, firstRow, rows, out validity);
                result.PriorityValidity = validity;
            }

            if ((columns & BatchColumns.Timestamp) != 0)
            {
                byte[] validity;
                result.Timestamp = Integers(NativeMethods.cupel_batch_read_timestamp, batch, firstRow, rows, out validity);
                result.TimestampValidity = validity;
            }

            if ((columns & BatchColumns.FutureRelevanceHint) != 0)
            {
                result.FutureRelevanceHint = new double[rows];
                result.FutureRelevanceHintValidity = new byte[rows];
                fixed (double* values = result.FutureRelevanceHint)
                fixed (byte* validity = result.FutureRelevanceHintValidity)
                {
                    Failure.ThrowIfFailed(
                        NativeMethods.cupel_batch_read_future_relevance_hint(
                            batch, first, count, values, validity, &error),
                        error);
                }
            }

            if ((columns & BatchColumns.Pinned) != 0)
            {
                result.Pinned = new byte[rows];
                fixed (byte* values = result.Pinned)
                {
                    Failure.ThrowIfFailed(
                        NativeMethods.cupel_batch_read_pinned(batch, first, count, values, &error), error);
                }
            }

            if ((columns & BatchColumns.OriginalTokens) != 0)
            {
                byte[] validity;
                result.OriginalTokens = Integers(NativeMethods.cupel_batch_read_original_tokens, batch, firstRow, rows, out validity);
                result.OriginalTokensValidity = validity;
            }

            if ((columns & BatchColumns.Tags) != 0)
            {
                long[] lists;
                result.Tags = Tags(batch, firstRow, rows, out lists);
                result.TagLists = lists;
            }

            if ((columns & BatchColumns.Metadata) != 0)
            {
                ReadMetadata(batch, firstRow, rows, result);
            }

            return result;
        }

        internal static TextColumn Content(IntPtr batch, int firstRow, int rows)
        {
            return RowTexts(NativeMethods.cupel_batch_read_content, batch, firstRow, rows);
        }

        /// <summary>The kinds, with a dictionary unless the batch has more kinds than are read.</summary>
        internal static TextColumn Kind(IntPtr batch, int firstRow, int rows)
        {
            return NativeMethods.cupel_batch_kinds_len(batch).ToUInt64() > (ulong)rows
                ? RowTexts(NativeMethods.cupel_batch_read_kind, batch, firstRow, rows)
                : Coded(KindTexts(batch), Codes(NativeMethods.cupel_batch_read_kind_codes, batch, firstRow, rows));
        }

        /// <summary>The sources, with a dictionary unless the batch has more sources than are read.</summary>
        internal static TextColumn Source(IntPtr batch, int firstRow, int rows)
        {
            return NativeMethods.cupel_batch_sources_len(batch).ToUInt64() > (ulong)rows
                ? RowTexts(NativeMethods.cupel_batch_read_source, batch, firstRow, rows)
                : Coded(SourceTexts(batch), Codes(NativeMethods.cupel_batch_read_source_codes, batch, firstRow, rows));
        }

        /// <summary>The distinct kinds, by code.</summary>
        internal static TextColumn KindTexts(IntPtr batch)
        {
            return Distinct(
                NativeMethods.cupel_batch_read_kind_texts, batch, NativeMethods.cupel_batch_kinds_len(batch));
        }

        /// <summary>The distinct sources, by code.</summary>
        internal static TextColumn SourceTexts(IntPtr batch)
        {
            return Distinct(
                NativeMethods.cupel_batch_read_source_texts, batch, NativeMethods.cupel_batch_sources_len(batch));
        }

        internal static TextColumn Tags(IntPtr batch, int firstRow, int rows, out long[] lists)
        {
            var first = (UIntPtr)(uint)firstRow;
            var count = (UIntPtr)(uint)rows;
            lists = new long[rows + 1L];
            fixed (long* begins = lists)
            {
                IntPtr error;
                Failure.ThrowIfFailed(
                    NativeMethods.cupel_batch_read_tags(
                        batch, first, count, begins, null, UIntPtr.Zero, null, UIntPtr.Zero, &error),
                    error);
                int tags = Length(lists[rows]);
                var listsAgain = (IntPtr)begins;
                return Texts(
                    tags,
                    (offsets, data, length, failure) => NativeMethods.cupel_batch_read_tags(
                        batch, first, count, (long*)listsAgain, offsets, (UIntPtr)(uint)(tags + 1), data, length, failure));
            }
        }

        internal static TextColumn MetadataTexts(
            IntPtr batch, byte[] key, int firstRow, int rows, byte* types, byte* validity)
        {
            var typesAddress = (IntPtr)types;
            var validityAddress = (IntPtr)validity;
            fixed (byte* name = key)
            {
                var nameAddress = (IntPtr)name;
                return Texts(
                    rows,
                    (offsets, data, length, error) => NativeMethods.cupel_batch_read_metadata_key(
                        batch,
                        (byte*)nameAddress,
                        (UIntPtr)(uint)key.Length,
                        (UIntPtr)(uint)firstRow,
                        (UIntPtr)(uint)rows,
                        (byte*)typesAddress,
                        (byte*)validityAddress,
                        null,
                        offsets,
                        data,
                        length,
                        error));
            }
        }

        private static void ReadMetadata(IntPtr batch, int firstRow, int rows, ContextColumns result)
        {
            var first = (UIntPtr)(uint)firstRow;
            var count = (UIntPtr)(uint)rows;
            result.MetadataLists = new long[rows + 1L];
            fixed (long* lists = result.MetadataLists)
            {
                IntPtr error;
                Failure.ThrowIfFailed(
                    NativeMethods.cupel_batch_read_metadata(
                        batch, first, count, lists, null, null, null, null, UIntPtr.Zero, null, UIntPtr.Zero, &error),
                    error);
                int entries = Length(result.MetadataLists[rows]);
                var codes = new uint[entries];
                result.MetadataTypes = new byte[entries];
                result.MetadataNumbers = new double[entries];
                fixed (uint* keys = codes)
                fixed (byte* types = result.MetadataTypes)
                fixed (double* numbers = result.MetadataNumbers)
                {
                    var listsAddress = (IntPtr)lists;
                    var keysAddress = (IntPtr)keys;
                    var typesAddress = (IntPtr)types;
                    var numbersAddress = (IntPtr)numbers;
                    result.MetadataTexts = Texts(
                        entries,
                        (offsets, data, length, failure) => NativeMethods.cupel_batch_read_metadata(
                            batch,
                            first,
                            count,
                            (long*)listsAddress,
                            (uint*)keysAddress,
                            (byte*)typesAddress,
                            (double*)numbersAddress,
                            offsets,
                            (UIntPtr)(uint)entries,
                            data,
                            length,
                            failure));
                }

                TextColumn names = Distinct(
                    NativeMethods.cupel_batch_read_metadata_keys, batch, NativeMethods.cupel_batch_metadata_keys_len(batch));
                result.MetadataKeys = Coded(names, codes);
            }
        }

        private static long[] Integers(
            IntegerReader read, IntPtr batch, int firstRow, int rows, out byte[] validity)
        {
            var integers = new long[rows];
            validity = new byte[rows];
            fixed (long* values = integers)
            fixed (byte* present = validity)
            {
                IntPtr error;
                int status = read(batch, (UIntPtr)(uint)firstRow, (UIntPtr)(uint)rows, values, present, &error);
                Failure.ThrowIfFailed(status, error);
            }

            return integers;
        }

        private static uint[] Codes(CodeReader read, IntPtr batch, int firstRow, int rows)
        {
            var codes = new uint[rows];
            fixed (uint* first = codes)
            {
                IntPtr error;
                Failure.ThrowIfFailed(read(batch, (UIntPtr)(uint)firstRow, (UIntPtr)(uint)rows, first, &error), error);
            }

            return codes;
        }

        /// <summary>A text for each row.</summary>
        private static TextColumn RowTexts(RowTextReader read, IntPtr batch, int firstRow, int rows)
        {
            return Texts(
                rows,
                (offsets, data, length, error) => read(
                    batch, (UIntPtr)(uint)firstRow, (UIntPtr)(uint)rows, offsets, data, length, error));
        }

        /// <summary>The texts of a dictionary.</summary>
        private static TextColumn Distinct(DistinctReader read, IntPtr batch, UIntPtr distinct)
        {
            int count = Length((long)distinct.ToUInt64());
            return Texts(
                count,
                (offsets, data, length, error) => read(
                    batch, offsets, (UIntPtr)(uint)(count + 1), data, length, error));
        }

        /// <summary>Asks for the offsets, and then, where there is text, for all.</summary>
        private static TextColumn Texts(int count, TextReader read)
        {
            var offsets = new long[count + 1L];
            fixed (long* begins = offsets)
            {
                IntPtr error;
                Failure.ThrowIfFailed(read(begins, null, UIntPtr.Zero, &error), error);
                var data = new byte[Length(offsets[count])];
                if (data.Length > 0)
                {
                    fixed (byte* bytes = data)
                    {
                        Failure.ThrowIfFailed(read(begins, bytes, (UIntPtr)(uint)data.Length, &error), error);
                    }
                }

                return new TextColumn(data, offsets);
            }
        }

        private static TextColumn Coded(TextColumn texts, uint[] codes)
        {
            return new TextColumn(texts.Data, texts.Offsets, codes);
        }

        /// <summary>A number of elements that an array can have.</summary>
        private static int Length(long elements)
        {
            const long Longest = 0x7FFFFFC7;
            if (elements > Longest)
            {
                throw new InsufficientMemoryException(
                    "The rows have " + elements + " bytes or entries, more than an array holds: read fewer rows at a time.");
            }

            return (int)elements;
        }
    }
}
