using System;

namespace Cupel.Native.Interop
{
    /// <summary>Lends the arrays of <see cref="ContextColumns"/> to native code for the time of one call.</summary>
    internal static class ColumnCrossing
    {
        /// <summary>
        /// Checks what native code cannot, the lengths of the arrays, and appends the rows. The contents of the arrays are
        /// native code's to check.
        /// </summary>
        internal static unsafe int Append(IntPtr batch, ContextColumns columns, IntPtr* error)
        {
            CheckParts(columns);
            CheckLengths(columns);
            fixed (byte* contentData = columns.Content.Data, kindData = columns.Kind.Data)
            fixed (byte* sourceData = columns.Source.Data, tagsData = columns.Tags.Data)
            fixed (byte* keysData = columns.MetadataKeys.Data, textsData = columns.MetadataTexts.Data)
            fixed (long* contentOffsets = columns.Content.Offsets, kindOffsets = columns.Kind.Offsets)
            fixed (long* sourceOffsets = columns.Source.Offsets, tagsOffsets = columns.Tags.Offsets)
            fixed (long* keysOffsets = columns.MetadataKeys.Offsets, textsOffsets = columns.MetadataTexts.Offsets)
            fixed (uint* contentCodes = columns.Content.Codes, kindCodes = columns.Kind.Codes)
            fixed (uint* sourceCodes = columns.Source.Codes, tagsCodes = columns.Tags.Codes)
            fixed (uint* keysCodes = columns.MetadataKeys.Codes, textsCodes = columns.MetadataTexts.Codes)
            fixed (long* tokens = columns.Tokens, originalTokens = columns.OriginalTokens)
            fixed (long* priority = columns.Priority, timestamp = columns.Timestamp)
            fixed (long* tagLists = columns.TagLists, metadataLists = columns.MetadataLists)
            fixed (byte* kindValidity = columns.KindValidity, sourceValidity = columns.SourceValidity)
            fixed (byte* priorityValidity = columns.PriorityValidity, timestampValidity = columns.TimestampValidity)
            fixed (byte* hintValidity = columns.FutureRelevanceHintValidity)
            fixed (byte* originalTokensValidity = columns.OriginalTokensValidity)
            fixed (byte* pinned = columns.Pinned, metadataTypes = columns.MetadataTypes)
            fixed (double* hint = columns.FutureRelevanceHint, metadataNumbers = columns.MetadataNumbers)
            {
                var native = new NativeColumns
                {
                    struct_size = (UIntPtr)(uint)sizeof(NativeColumns),
                    rows = (UIntPtr)(uint)columns.Rows,
                    content = Text(columns.Content, contentData, contentOffsets, contentCodes),
                    tokens = tokens,
                    kind = Text(columns.Kind, kindData, kindOffsets, kindCodes),
                    kind_validity = kindValidity,
                    source = Text(columns.Source, sourceData, sourceOffsets, sourceCodes),
                    source_validity = sourceValidity,
                    priority = priority,
                    priority_validity = priorityValidity,
                    timestamp = timestamp,
                    timestamp_validity = timestampValidity,
                    future_relevance_hint = hint,
                    future_relevance_hint_validity = hintValidity,
                    pinned = pinned,
                    original_tokens = originalTokens,
                    original_tokens_validity = originalTokensValidity,
                    tag_lists = tagLists,
                    tags_len = (UIntPtr)(uint)columns.Tags.Count,
                    tags = Text(columns.Tags, tagsData, tagsOffsets, tagsCodes),
                    metadata_lists = metadataLists,
                    metadata_len = (UIntPtr)(uint)columns.MetadataKeys.Count,
                    metadata_keys = Text(columns.MetadataKeys, keysData, keysOffsets, keysCodes),
                    metadata_types = metadataTypes,
                    metadata_texts = Text(columns.MetadataTexts, textsData, textsOffsets, textsCodes),
                    metadata_numbers = metadataNumbers,
                };
                return NativeMethods.cupel_batch_append_columns(batch, &native, error);
            }
        }

        /// <summary>How many bytes the columns lend.</summary>
        internal static long Bytes(ContextColumns columns)
        {
            long rows = columns.Rows;
            long bytes = Bytes(columns.Content) + Bytes(columns.Kind) + Bytes(columns.Source) + Bytes(columns.Tags)
                + Bytes(columns.MetadataKeys) + Bytes(columns.MetadataTexts);
            Array[] words =
            {
                columns.Tokens, columns.Priority, columns.Timestamp, columns.FutureRelevanceHint, columns.OriginalTokens,
                columns.TagLists, columns.MetadataLists,
            };
            foreach (Array column in words)
            {
                bytes += column == null ? 0 : rows * sizeof(long);
            }

            return bytes + (columns.MetadataNumbers == null ? 0 : columns.MetadataKeys.Count * (long)sizeof(double));
        }

        private static long Bytes(TextColumn column)
        {
            return column.DataLength + (column.Count * (long)(column.Codes == null ? sizeof(long) : sizeof(uint)));
        }

        private static unsafe NativeTextColumn Text(TextColumn column, byte* data, long* offsets, uint* codes)
        {
            return new NativeTextColumn
            {
                data = data,
                data_len = (UIntPtr)(uint)column.DataLength,
                offsets = offsets,

                // An empty array of codes has no address: then there must be no texts either.
                texts_len = (UIntPtr)(uint)(column.Count == 0 ? 0 : column.TextCount),
                codes = codes,
            };
        }

        private static void CheckLengths(ContextColumns columns)
        {
            int rows = columns.Rows;
            int entries = columns.MetadataKeys.Count;
            Texts(columns.Content, rows, nameof(columns.Content));
            Texts(columns.Kind, rows, nameof(columns.Kind));
            Texts(columns.Source, rows, nameof(columns.Source));
            Texts(columns.MetadataTexts, entries, nameof(columns.MetadataTexts));
            Elements(columns.Tokens, rows, nameof(columns.Tokens));
            Elements(columns.KindValidity, rows, nameof(columns.KindValidity));
            Elements(columns.SourceValidity, rows, nameof(columns.SourceValidity));
            Elements(columns.Priority, rows, nameof(columns.Priority));
            Elements(columns.PriorityValidity, rows, nameof(columns.PriorityValidity));
            Elements(columns.Timestamp, rows, nameof(columns.Timestamp));
            Elements(columns.TimestampValidity, rows, nameof(columns.TimestampValidity));
            Elements(columns.FutureRelevanceHint, rows, nameof(columns.FutureRelevanceHint));
            Elements(columns.FutureRelevanceHintValidity, rows, nameof(columns.FutureRelevanceHintValidity));
            Elements(columns.Pinned, rows, nameof(columns.Pinned));
            Elements(columns.OriginalTokens, rows, nameof(columns.OriginalTokens));
            Elements(columns.OriginalTokensValidity, rows, nameof(columns.OriginalTokensValidity));
            Elements(columns.TagLists, rows + 1L, nameof(columns.TagLists));
            Elements(columns.MetadataLists, rows + 1L, nameof(columns.MetadataLists));
            Elements(columns.MetadataTypes, entries, nameof(columns.MetadataTypes));
            Elements(columns.MetadataNumbers, entries, nameof(columns.MetadataNumbers));
        }

        /// <summary>A column of which a part is missing is refused: left out, what is there would vanish.</summary>
        private static void CheckParts(ContextColumns columns)
        {
            bool keys = !columns.MetadataKeys.IsAbsent;
            Needs(columns.KindValidity, !columns.Kind.IsAbsent, nameof(columns.KindValidity), nameof(columns.Kind));
            Needs(columns.SourceValidity, !columns.Source.IsAbsent, nameof(columns.SourceValidity), nameof(columns.Source));
            Needs(columns.PriorityValidity, columns.Priority, nameof(columns.PriorityValidity), nameof(columns.Priority));
            Needs(
                columns.TimestampValidity, columns.Timestamp, nameof(columns.TimestampValidity), nameof(columns.Timestamp));
            Needs(
                columns.FutureRelevanceHintValidity,
                columns.FutureRelevanceHint,
                nameof(columns.FutureRelevanceHintValidity),
                nameof(columns.FutureRelevanceHint));
            Needs(
                columns.OriginalTokensValidity,
                columns.OriginalTokens,
                nameof(columns.OriginalTokensValidity),
                nameof(columns.OriginalTokens));
            Needs(columns.Tags.Offsets, columns.TagLists, nameof(columns.Tags), nameof(columns.TagLists));
            Needs(
                columns.MetadataKeys.Offsets,
                columns.MetadataLists,
                nameof(columns.MetadataKeys),
                nameof(columns.MetadataLists));
            Needs(columns.MetadataTypes, keys, nameof(columns.MetadataTypes), nameof(columns.MetadataKeys));
            Needs(columns.MetadataTexts.Offsets, keys, nameof(columns.MetadataTexts), nameof(columns.MetadataKeys));
            Needs(columns.MetadataNumbers, keys, nameof(columns.MetadataNumbers), nameof(columns.MetadataKeys));
        }

        private static void Needs(Array column, Array other, string name, string otherName)
        {
            Needs(column, other != null, name, otherName);
        }

        private static void Needs(Array column, bool other, string name, string otherName)
        {
            if (column != null && !other)
            {
                throw new ArgumentException("columns." + name + " is set without columns." + otherName + ".", "columns." + name);
            }
        }

        private static void Texts(TextColumn column, int slots, string name)
        {
            if (!column.IsAbsent && column.Count != slots)
            {
                throw new ArgumentException(
                    "columns." + name + " has " + column.Count + " slots, " + slots + " are needed.", "columns." + name);
            }
        }

        private static void Elements(Array array, long needed, string name)
        {
            if (array != null && array.Length < needed)
            {
                throw new ArgumentException(
                    "columns." + name + " has " + array.Length + " elements, " + needed + " are needed.", "columns." + name);
            }
        }
    }
}
