using System;
using System.Collections.Generic;
using Cupel.Native.Interop;

namespace Cupel.Native
{
    /// <summary>
    /// Makes <see cref="ContextItem"/>s. Set what the item has, then call <see cref="Build"/>; the builder can be changed
    /// and used again. For one thread at a time.
    /// </summary>
    /// <example>
    /// <code>
    /// ContextItem item = new ContextItemBuilder("Deploys run on Fridays.", 6)
    /// {
    ///     Kind = ContextKind.Memory,
    ///     Priority = 7,
    ///     Tags = { "deploy", "policy" },
    ///     Metadata = { ["cupel:trust"] = 0.9 },
    /// }.Build();
    /// </code>
    /// </example>
    public sealed class ContextItemBuilder
    {
        private string _content;
        private DateTimeOffset? _timestamp;
        private long? _timestampNanoseconds;
        private List<string> _tags = new List<string>();
        private Dictionary<string, object> _metadata = new Dictionary<string, object>(StringComparer.Ordinal);

        /// <summary>Starts an item with the two fields that every item has.</summary>
        /// <param name="content">The text; not empty.</param>
        /// <param name="tokens">The number of tokens, as counted by the caller. It is not checked.</param>
        /// <exception cref="ArgumentNullException"><paramref name="content"/> is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="content"/> is empty, or has an unpaired surrogate.</exception>
        public ContextItemBuilder(string content, long tokens)
        {
            _content = CheckedContent(content, nameof(content));
            Tokens = tokens;
        }

        internal ContextItemBuilder(ContextItem item)
        {
            _content = item.Content;
            Tokens = item.Tokens;
            Kind = item.Kind;
            Source = item.Source;
            Priority = item.Priority;
            _tags.AddRange(item.TagArray);
            _metadata = new Dictionary<string, object>(item.MetadataEntries, StringComparer.Ordinal);
            _timestamp = item.Timestamp;
            _timestampNanoseconds = item.TimestampNanoseconds;
            FutureRelevanceHint = item.FutureRelevanceHint;
            Pinned = item.Pinned;
            OriginalTokens = item.OriginalTokens;
        }

        /// <summary>The text; not empty. No scorer reads it.</summary>
        /// <exception cref="ArgumentNullException">The value is null.</exception>
        /// <exception cref="ArgumentException">The value is empty, or has an unpaired surrogate.</exception>
        public string Content
        {
            get { return _content; }
            set { _content = CheckedContent(value, nameof(value)); }
        }

        /// <summary>The number of tokens. No scorer reads it, and it is not checked.</summary>
        public long Tokens { get; set; }

        /// <summary>What the item is; <see cref="ContextKind.Message"/> unless set.</summary>
        public ContextKind Kind { get; set; }

        /// <summary>Where the item came from; <see cref="ContextSource.Chat"/> unless set.</summary>
        public ContextSource Source { get; set; }

        /// <summary>How important the item is, higher being more; null for none.</summary>
        public long? Priority { get; set; }

        /// <summary>The tags: order and duplicates are kept, empty ones are legal. Setting copies the list.</summary>
        /// <exception cref="ArgumentNullException">The value is null.</exception>
        public IList<string> Tags
        {
            get
            {
                return _tags;
            }

            set
            {
                if (value == null)
                {
                    throw new ArgumentNullException(nameof(value));
                }

                _tags = new List<string>(value);
            }
        }

        /// <summary>
        /// The metadata. A string or a <see cref="char"/> counts as text; every numeric type, up to
        /// <see cref="decimal"/> and <see cref="System.Numerics.BigInteger"/>, as the nearest double; anything else, null
        /// included, as <em>other</em>: a value with a text, the invariant culture's (empty for null), that no scorer
        /// takes for a number. Enumerations are <em>other</em>, by name. Values are read when the item is appended or
        /// scored. Setting copies the dictionary.
        /// </summary>
        /// <exception cref="ArgumentNullException">The value is null.</exception>
#if NET5_0_OR_GREATER
        public IDictionary<string, object?> Metadata
#else
        public IDictionary<string, object> Metadata
#endif
        {
            get
            {
                return _metadata;
            }

            set
            {
                if (value == null)
                {
                    throw new ArgumentNullException(nameof(value));
                }

                _metadata = new Dictionary<string, object>(value, StringComparer.Ordinal);
            }
        }

        /// <summary>
        /// When the item came to be; null for none. Exact to 100 ns; an instant before 1677 or after 2262 is scored as
        /// the nearest one inside those years.
        /// </summary>
        public DateTimeOffset? Timestamp
        {
            get
            {
                return _timestamp;
            }

            set
            {
                _timestamp = value;
                _timestampNanoseconds = value.HasValue ? UnixTime.ToNanoseconds(value.Value) : (long?)null;
            }
        }

        /// <summary>
        /// The same as <see cref="Timestamp"/> in nanoseconds since the Unix epoch, for instants that are no whole number of
        /// 100 ns. Setting one sets the other, <see cref="Timestamp"/> rounded down.
        /// </summary>
        public long? TimestampNanoseconds
        {
            get
            {
                return _timestampNanoseconds;
            }

            set
            {
                _timestampNanoseconds = value;
                _timestamp = value.HasValue ? UnixTime.FromNanoseconds(value.Value) : (DateTimeOffset?)null;
            }
        }

        /// <summary>How relevant the caller expects the item to be, from 0 to 1; null for none. Any value is legal.</summary>
        public double? FutureRelevanceHint { get; set; }

        /// <summary>Whether the item must be kept. No scorer reads it.</summary>
        public bool Pinned { get; set; }

        /// <summary>The number of tokens before the item was shortened; null for none. No scorer reads it.</summary>
        public long? OriginalTokens { get; set; }

        /// <summary>Makes an item of what is set now.</summary>
        /// <returns>An item that later changes to the builder leave alone.</returns>
        /// <exception cref="ArgumentException">A tag is null, or a tag, a metadata key or a metadata text has an unpaired
        /// surrogate.</exception>
        public ContextItem Build()
        {
            for (int i = 0; i < _tags.Count; i++)
            {
                if (_tags[i] == null)
                {
                    throw new ArgumentException("Tags[" + i + "] is null.", nameof(Tags));
                }

                if (!Utf8.IsValid(_tags[i]))
                {
                    throw Utf8.Unpaired("Tags[" + i + "]", null);
                }
            }

            foreach (KeyValuePair<string, object> entry in _metadata)
            {
                if (!Utf8.IsValid(entry.Key))
                {
                    throw Utf8.Unpaired("A key of Metadata", null);
                }

                if (entry.Value is string text && !Utf8.IsValid(text))
                {
                    throw Utf8.Unpaired("Metadata[\"" + entry.Key + "\"]", null);
                }
            }

            return new ContextItem(
                _content,
                Tokens,
                Kind,
                Source,
                Priority,
                _tags,
                _metadata,
                _timestamp,
                _timestampNanoseconds,
                FutureRelevanceHint,
                Pinned,
                OriginalTokens);
        }

        private static string CheckedContent(string content, string parameter)
        {
            if (Utf8.Checked(content, parameter).Length == 0)
            {
                throw new ArgumentException("The content of an item must not be empty.", parameter);
            }

            return content;
        }
    }
}
