using System;
using System.Collections;
using System.Collections.Generic;

namespace Cupel.Native.Interop
{
    /// <summary>Where the items of a selection are: in the caller's list, or in a batch.</summary>
    internal sealed class RowSource
    {
        private readonly ContextItem[] _items;
        private readonly Batch _batch;
        private readonly long _removals;

        internal RowSource(IReadOnlyList<ContextItem> items)
        {
            _items = new ContextItem[items.Count];
            for (int row = 0; row < _items.Length; row++)
            {
                _items[row] = items[row];
            }
        }

        internal RowSource(Batch batch)
        {
            _batch = batch;
            _removals = batch.Removals;
        }

        internal ContextItem ItemAt(int row)
        {
            if (_items != null)
            {
                return _items[row];
            }

            if (_batch.Removals != _removals)
            {
                throw new InvalidOperationException("Rows were removed from the batch: those of the selection are others now.");
            }

            return _batch.ItemAt(row);
        }

        /// <summary>Some of the rows as a list of items.</summary>
        internal sealed class View : IReadOnlyList<ContextItem>
        {
            private readonly RowSource _source;
            private readonly int[] _rows;

            internal View(RowSource source, int[] rows)
            {
                _source = source;
                _rows = rows;
            }

            public int Count
            {
                get { return _rows.Length; }
            }

            public ContextItem this[int index]
            {
                get { return _source.ItemAt(_rows[index]); }
            }

            public IEnumerator<ContextItem> GetEnumerator()
            {
                foreach (int row in _rows)
                {
                    yield return _source.ItemAt(row);
                }
            }

            IEnumerator IEnumerable.GetEnumerator()
            {
                return GetEnumerator();
            }
        }
    }
}
