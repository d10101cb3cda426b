using System;
using System.Collections.Generic;
using System.Text;
using System.Threading;

namespace Cupel.Native.Interop
{
    /// <summary>Turns a list of items into columns, in buffers that are used again.</summary>
    internal sealed class ItemPacker
    {
        // A packer that has grown beyond this is left to the collector.
        private const int KeptBytes = 1 << 20;

        private static ItemPacker _spare;

        private readonly ContextColumns _columns = new ContextColumns(0);
        private readonly TextBuffer _content = new TextBuffer();
        private readonly TextDictionary _kinds = new TextDictionary();
        private readonly TextDictionary _sources = new TextDictionary();
        private readonly TextBuffer _tags = new TextBuffer();
        private readonly TextDictionary _metadataKeys = new TextDictionary();
        private readonly TextBuffer _metadataTexts = new TextBuffer();
        private readonly OptionalColumn<long> _priority = new OptionalColumn<long>();
        private readonly OptionalColumn<long> _timestamp = new OptionalColumn<long>();
        private readonly OptionalColumn<double> _hint = new OptionalColumn<double>();
        private readonly OptionalColumn<long> _originalTokens = new OptionalColumn<long>();
        private long[] _tokens = new long[16];
        private byte[] _pinned = new byte[16];
        private long[] _tagLists = new long[17];
        private long[] _metadataLists = new long[17];
        private byte[] _metadataTypes = new byte[16];
        private double[] _metadataNumbers = new double[16];
        private int _metadataCount;

        internal static ItemPacker Rent()
        {
            return Interlocked.Exchange(ref _spare, null) ?? new ItemPacker();
        }

        internal static void Return(ItemPacker packer)
        {
            if (packer._tokens.Length * 8L + packer._content.DataLength <= KeptBytes)
            {
                packer.Clear(0);
                _spare = packer;
            }
        }

        /// <param name="items">The rows.</param>
        /// <param name="parameter">The public parameter that the items came in.</param>
        /// <param name="scoresOnly">Leave out what no scorer reads.</param>
        /// <returns>Columns that are good until the next call.</returns>
        internal ContextColumns Pack(IReadOnlyList<ContextItem> items, string parameter, bool scoresOnly)
        {
            int rows = items.Count;
            Clear(rows);
            for (int row = 0; row < rows; row++)
            {
                ContextItem item = items[row];
                if (item == null)
                {
                    throw new ArgumentException(parameter + "[" + row + "] is null.", parameter);
                }

                try
                {
                    Add(item, row, scoresOnly);
                }
                catch (EncoderFallbackException cause)
                {
                    // Everything else was checked when the item was built.
                    throw new ArgumentException(
                        parameter + "[" + row + "]: the text of a metadata value has an unpaired surrogate.",
                        parameter,
                        cause);
                }
            }

            Publish(rows, scoresOnly);
            return _columns;
        }

        private void Clear(int rows)
        {
            _content.Clear();
            _kinds.Clear(rows);
            _sources.Clear(rows);
            _tags.Clear();
            _metadataKeys.Clear(0);
            _metadataTexts.Clear();
            _priority.Clear(rows);
            _timestamp.Clear(rows);
            _hint.Clear(rows);
            _originalTokens.Clear(rows);
            _metadataCount = 0;
            if (_tokens.Length < rows)
            {
                _tokens = new long[rows];
                _pinned = new byte[rows];
                _tagLists = new long[rows + 1L];
                _metadataLists = new long[rows + 1L];
            }
        }

        private void Add(ContextItem item, int row, bool scoresOnly)
        {
            if (!scoresOnly)
            {
                _content.Add(item.Content);
                _sources.Add(item.Source.Value);
                _tokens[row] = item.Tokens;
                _pinned[row] = item.Pinned ? (byte)1 : (byte)0;
                _originalTokens.Set(row, item.OriginalTokens);
            }

            _kinds.Add(item.Kind.Value);
            _priority.Set(row, item.Priority);
            _hint.Set(row, item.FutureRelevanceHint);
            _timestamp.Set(row, item.TimestampNanoseconds);
            foreach (string tag in item.TagArray)
            {
                _tags.Add(tag);
            }

            _tagLists[row + 1] = _tags.Count;
            foreach (KeyValuePair<string, object> entry in item.MetadataEntries)
            {
                AddMetadata(entry.Key, MetadataValue.Of(entry.Value));
            }

            _metadataLists[row + 1] = _metadataCount;
        }

        private void AddMetadata(string key, MetadataValue value)
        {
            if (_metadataCount == _metadataTypes.Length)
            {
                TextBuffer.Grow(ref _metadataTypes, _metadataCount, _metadataCount + 1L);
                TextBuffer.Grow(ref _metadataNumbers, _metadataCount, _metadataCount + 1L);
            }

            _metadataKeys.Add(key);
            _metadataTypes[_metadataCount] = value.Type;
            _metadataNumbers[_metadataCount] = value.Number;
            _metadataTexts.Add(value.Text ?? string.Empty);
            _metadataCount++;
        }

        private void Publish(int rows, bool scoresOnly)
        {
            _columns.Rows = rows;
            _columns.Content = scoresOnly ? default(TextColumn) : _content.ToColumn();
            _columns.Source = scoresOnly ? default(TextColumn) : _sources.ToColumn();
            _columns.Tokens = scoresOnly ? null : _tokens;
            _columns.Pinned = scoresOnly ? null : _pinned;
            _columns.OriginalTokens = scoresOnly ? null : _originalTokens.Values;
            _columns.OriginalTokensValidity = scoresOnly ? null : _originalTokens.Validity;
            _columns.Kind = _kinds.ToColumn();
            _columns.Priority = _priority.Values;
            _columns.PriorityValidity = _priority.Validity;
            _columns.Timestamp = _timestamp.Values;
            _columns.TimestampValidity = _timestamp.Validity;
            _columns.FutureRelevanceHint = _hint.Values;
            _columns.FutureRelevanceHintValidity = _hint.Validity;
            _columns.TagLists = _tagLists;
            _columns.Tags = _tags.ToColumn();
            _columns.MetadataLists = _metadataLists;
            _columns.MetadataKeys = _metadataKeys.ToColumn();
            _columns.MetadataTypes = _metadataTypes;
            _columns.MetadataTexts = _metadataTexts.ToColumn();
            _columns.MetadataNumbers = _metadataNumbers;
        }
    }
}
