using System;
using System.Collections.Generic;

namespace Cupel.Native.Interop
{
    /// <summary>Reads a native item, field by field.</summary>
    internal static unsafe class ItemReader
    {
        private delegate int TextGetter(IntPtr item, byte** data, UIntPtr* length, IntPtr* error);

        internal static ContextItem Read(IntPtr item)
        {
            IntPtr error;
            long tokens;
            Failure.ThrowIfFailed(NativeMethods.cupel_item_tokens(item, &tokens, &error), error);
            byte pinned;
            Failure.ThrowIfFailed(NativeMethods.cupel_item_pinned(item, &pinned, &error), error);
            long priority;
            byte hasPriority;
            Failure.ThrowIfFailed(NativeMethods.cupel_item_priority(item, &priority, &hasPriority, &error), error);
            long originalTokens;
            byte hasOriginalTokens;
            Failure.ThrowIfFailed(
                NativeMethods.cupel_item_original_tokens(item, &originalTokens, &hasOriginalTokens, &error), error);
            long timestamp;
            byte hasTimestamp;
            Failure.ThrowIfFailed(NativeMethods.cupel_item_timestamp(item, &timestamp, &hasTimestamp, &error), error);
            double hint;
            byte hasHint;
            Failure.ThrowIfFailed(
                NativeMethods.cupel_item_future_relevance_hint(item, &hint, &hasHint, &error), error);
            return new ContextItem(
                Text(NativeMethods.cupel_item_content, item),
                tokens,
                new ContextKind(Text(NativeMethods.cupel_item_kind, item)),
                new ContextSource(Text(NativeMethods.cupel_item_source, item)),
                hasPriority != 0 ? priority : (long?)null,
                Tags(item),
                Metadata(item),
                hasTimestamp != 0 ? UnixTime.FromNanoseconds(timestamp) : (DateTimeOffset?)null,
                hasTimestamp != 0 ? timestamp : (long?)null,
                hasHint != 0 ? hint : (double?)null,
                pinned != 0,
                hasOriginalTokens != 0 ? originalTokens : (long?)null);
        }

        private static string Text(TextGetter getter, IntPtr item)
        {
            byte* data;
            UIntPtr length;
            IntPtr error;
            Failure.ThrowIfFailed(getter(item, &data, &length, &error), error);
            return Utf8.Decode(data, length);
        }

        private static string[] Tags(IntPtr item)
        {
            UIntPtr count;
            IntPtr error;
            Failure.ThrowIfFailed(NativeMethods.cupel_item_tags_len(item, &count, &error), error);
            var tags = new string[checked((int)count.ToUInt64())];
            for (int i = 0; i < tags.Length; i++)
            {
                byte* data;
                UIntPtr length;
                Failure.ThrowIfFailed(
                    NativeMethods.cupel_item_tag(item, (UIntPtr)(uint)i, &data, &length, &error), error);
                tags[i] = Utf8.Decode(data, length);
            }

            return tags;
        }

        private static Dictionary<string, object> Metadata(IntPtr item)
        {
            UIntPtr count;
            IntPtr error;
            Failure.ThrowIfFailed(NativeMethods.cupel_item_metadata_len(item, &count, &error), error);
            var metadata = new Dictionary<string, object>(StringComparer.Ordinal);
            for (ulong i = 0; i < count.ToUInt64(); i++)
            {
                byte* data;
                UIntPtr length;
                Failure.ThrowIfFailed(
                    NativeMethods.cupel_item_metadata_key(item, (UIntPtr)i, &data, &length, &error), error);
                string key = Utf8.Decode(data, length);
                int type;
                double number;
                Failure.ThrowIfFailed(
                    NativeMethods.cupel_item_metadata_value(
                        item, (UIntPtr)i, &type, &data, &length, &number, &error),
                    error);
                metadata[key] = Value(type, data, length, number);
            }

            return metadata;
        }

        private static object Value(int type, byte* data, UIntPtr length, double number)
        {
            if (type == MetadataValue.Double)
            {
                return number;
            }

            string text = Utf8.Decode(data, length);
            return type == MetadataValue.String ? (object)text : new OpaqueValue(text);
        }
    }
}
