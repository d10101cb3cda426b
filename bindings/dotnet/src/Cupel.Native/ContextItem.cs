using System;
using System.Collections.Generic;
using System.Collections.ObjectModel;
using Cupel.Native.Interop;

namespace Cupel.Native
{
    /// <summary>
    /// One piece of context for a language model. Immutable; any number of threads may use it. Made by a
    /// <see cref="ContextItemBuilder"/>.
    /// </summary>
    public sealed class ContextItem
    {
        private static readonly string[] NoTags = new string[0];
        private static readonly ReadOnlyCollection<string> NoTagList = new ReadOnlyCollection<string>(NoTags);
        private static readonly Dictionary<string, object> NoEntries = new Dictionary<string, object>();
        private static readonly ReadOnlyDictionary<string, object> NoMetadata =
            new ReadOnlyDictionary<string, object>(NoEntries);

        private readonly ReadOnlyDictionary<string, object> _metadata;

        internal ContextItem(
            string content,
            long tokens,
            ContextKind kind,
            ContextSource source,
            long? priority,
            IList<string> tags,
            IDictionary<string, object> metadata,
            DateTimeOffset? timestamp,
            long? timestampNanoseconds,
            double? futureRelevanceHint,
            bool pinned,
            long? originalTokens)
        {
            Content = content;
            Tokens = tokens;
            Kind = kind;
            Source = source;
            Priority = priority;
            Timestamp = timestamp;
            TimestampNanoseconds = timestampNanoseconds;
            FutureRelevanceHint = futureRelevanceHint;
            Pinned = pinned;
            OriginalTokens = originalTokens;
            if (tags.Count == 0)
            {
                TagArray = NoTags;
                Tags = NoTagList;
            }
            else
            {
                TagArray = new string[tags.Count];
                tags.CopyTo(TagArray, 0);
                Tags = new ReadOnlyCollection<string>(TagArray);
            }

            if (metadata.Count == 0)
            {
                MetadataEntries = NoEntries;
                _metadata = NoMetadata;
            }
            else
            {
                MetadataEntries = new Dictionary<string, object>(metadata, StringComparer.Ordinal);
                _metadata = new ReadOnlyDictionary<string, object>(MetadataEntries);
            }
        }

        /// <summary>The text. No scorer reads it. Empty only for a row that was appended without content.</summary>
        public string Content { get; }

        /// <summary>The number of tokens, as counted by the caller. No scorer reads it.</summary>
        public long Tokens { get; }

        /// <summary>What the item is.</summary>
        public ContextKind Kind { get; }

        /// <summary>Where the item came from.</summary>
        public ContextSource Source { get; }

        /// <summary>How important the item is, higher being more; null when nobody said.</summary>
        public long? Priority { get; }

        /// <summary>The tags, in order, duplicates kept.</summary>
        public IReadOnlyList<string> Tags { get; }

        /// <summary>
        /// The metadata. Keys that begin with <c>cupel:</c> are reserved for the library's conventions.
        /// <see cref="ContextItemBuilder.Metadata"/> says how scorers see the values.
        /// </summary>
#if NET5_0_OR_GREATER
        public IReadOnlyDictionary<string, object?> Metadata
#else
        public IReadOnlyDictionary<string, object> Metadata
#endif
        {
            get { return _metadata; }
        }

        /// <summary>When the item came to be; null when nobody said.</summary>
        public DateTimeOffset? Timestamp { get; }

        /// <summary>The timestamp as scorers see it, in nanoseconds since the Unix epoch; null when nobody said.</summary>
        public long? TimestampNanoseconds { get; }

        /// <summary>How relevant the caller expects the item to be, from 0 to 1; null when nobody said.</summary>
        public double? FutureRelevanceHint { get; }

        /// <summary>Whether the item must be kept. No scorer reads it.</summary>
        public bool Pinned { get; }

        /// <summary>The number of tokens before the item was shortened. No scorer reads it.</summary>
        public long? OriginalTokens { get; }

        internal string[] TagArray { get; }

        internal Dictionary<string, object> MetadataEntries { get; }

        /// <summary>A builder that holds what this item holds.</summary>
        /// <returns>A builder of its own.</returns>
        public ContextItemBuilder ToBuilder()
        {
            return new ContextItemBuilder(this);
        }

        /// <summary>The item as JSON, which <see cref="Batch.AppendJson(string)"/> reads.</summary>
        /// <returns>An object of every field that is set. A metadata value that is neither text nor a number is written as it is
        /// where that reads back as the same value, and elsewhere as a string of the same text.</returns>
        /// <exception cref="ArgumentException">The item has what JSON cannot express, such as a number that is not finite, or
        /// the text of a metadata value has an unpaired surrogate.</exception>
        public unsafe string ToJson()
        {
            CupelLibrary.RequireCompatible();
            using (var writer = new ItemWriter())
            using (ItemHandle owner = writer.Write(this, "item"))
            using (HandleLease item = new HandleLease(owner, nameof(ContextItem)))
            using (var json = new TextHandle())
            {
                IntPtr text;
                IntPtr error;
                Failure.ThrowIfFailed(NativeMethods.cupel_item_to_json(item.Pointer, &text, &error), error);
                json.Own(text);
                return json.Text;
            }
        }
    }
}
