using System;
using System.Collections.Generic;
using System.Collections.ObjectModel;
using Cupel.Native.Interop;

namespace Cupel.Native
{
    /// <summary>
    /// Which rows a <see cref="Selector"/> keeps, in which order, and why. Immutable; any number of threads may read it.
    /// Disposing it is not needed: it frees early what <see cref="SelectionRequest.Previous"/> takes.
    /// </summary>
    public sealed class Selection : IDisposable
    {
        private readonly SelectionHandle _handle;
        private readonly RowSource _items;
        private readonly int[] _rows;
        private readonly double[] _scores;
        private readonly SelectionReason[] _reasons;
        private readonly int[] _causes;
        private readonly Shortfall[] _shortfalls;
        private readonly int[] _offsets;
        private readonly int[] _shortfallOffsets;
        private DroppedItem[] _dropped;

        internal unsafe Selection(SelectionHandle handle, NativeSelectionView* view, RowSource items)
        {
            _handle = handle;
            _items = items;
            _rows = new int[checked((int)view->rows_len)];
            for (int i = 0; i < _rows.Length; i++)
            {
                _rows[i] = (int)view->rows[i];
            }

            int count = checked((int)view->batch_len);
            _scores = new double[count];
            _reasons = new SelectionReason[count];
            _causes = new int[count];
            for (int row = 0; row < count; row++)
            {
                _scores[row] = view->scores[row];
                _reasons[row] = (SelectionReason)view->reasons[row];
                _causes[row] = unchecked((int)view->causes[row]);
            }

            _shortfalls = new Shortfall[checked((int)view->shortfalls_len)];
            for (int i = 0; i < _shortfalls.Length; i++)
            {
                NativeShortfall shortfall = view->shortfalls[i];
                _shortfalls[i] = new Shortfall(
                    checked((int)shortfall.entry), checked((long)shortfall.required), checked((long)shortfall.found));
            }

            _offsets = new int[checked((int)view->offsets_len)];
            _shortfallOffsets = new int[_offsets.Length];
            for (int group = 0; group < _offsets.Length; group++)
            {
                _offsets[group] = checked((int)view->offsets[group]);
                _shortfallOffsets[group] = checked((int)view->shortfall_offsets[group]);
            }

            KeptTokens = view->kept_tokens;
            PinnedTokens = view->pinned_tokens;
            ConsideredTokens = view->considered_tokens;
            EffectiveTarget = view->effective_target;
            AvailableTokens = view->available_tokens;
            OverflowTokens = view->overflow_tokens;
            IsStable = view->stable != 0;
            Items = new RowSource.View(items, _rows);
        }

        /// <summary>
        /// The kept items, in order. Of a selection from a <see cref="Batch"/> copies of the rows, read when asked for: that
        /// throws once rows were removed from the batch, or it was disposed.
        /// </summary>
        public IReadOnlyList<ContextItem> Items { get; }

        /// <summary>The kept rows, in order; of a selection of groups those of one group after those of another.</summary>
        public IReadOnlyList<int> Rows
        {
            get { return Array.AsReadOnly(_rows); }
        }

        /// <summary>The dropped rows, by score, best first; among equal scores in the order of the batch.</summary>
        public IReadOnlyList<DroppedItem> Dropped
        {
            get { return Array.AsReadOnly(_dropped ?? (_dropped = Drop())); }
        }

        /// <summary>The score of every row. That of a pinned row is 1.</summary>
        public IReadOnlyList<double> Scores
        {
            get { return Array.AsReadOnly(_scores); }
        }

        /// <summary>Why every row was kept or dropped.</summary>
        public IReadOnlyList<SelectionReason> Reasons
        {
            get { return Array.AsReadOnly(_reasons); }
        }

        /// <summary>Count quotas that could not be met.</summary>
        public IReadOnlyList<Shortfall> Shortfalls
        {
            get { return Array.AsReadOnly(_shortfalls); }
        }

        /// <summary>The number of groups: 1, but for <see cref="Selector.SelectGroups"/>.</summary>
        public int GroupCount
        {
            get { return _offsets.Length - 1; }
        }

        /// <summary>
        /// Where the rows of each group begin in <see cref="Rows"/> and <see cref="Items"/>, and at the end where those of the
        /// last one end.
        /// </summary>
        public IReadOnlyList<int> Offsets
        {
            get { return Array.AsReadOnly(_offsets); }
        }

        /// <summary>
        /// The tokens of the kept rows. Sums are over all groups, and stop at the limits of <see cref="long"/>.
        /// </summary>
        public long KeptTokens { get; }

        /// <summary>The tokens of the pinned rows.</summary>
        public long PinnedTokens { get; }

        /// <summary>The tokens of all rows.</summary>
        public long ConsideredTokens { get; }

        /// <summary>The tokens that the rows that are not pinned were to fill.</summary>
        public long EffectiveTarget { get; }

        /// <summary>What of <see cref="EffectiveTarget"/> is left; negative where count quotas exceed it.</summary>
        public long AvailableTokens { get; }

        /// <summary>By how much the rows to keep exceeded the target, before <see cref="Overflow"/> applied.</summary>
        public long OverflowTokens { get; }

        /// <summary>Whether the rows of <see cref="SelectionRequest.Previous"/> are in front, as they were.</summary>
        public bool IsStable { get; }

        /// <summary>The number of rows that were chosen from.</summary>
        internal int BatchCount
        {
            get { return _scores.Length; }
        }

        /// <summary>Whether a row was kept.</summary>
        /// <param name="row">The row, from 0.</param>
        /// <returns>Whether it was kept.</returns>
        /// <exception cref="ArgumentOutOfRangeException">There is no such row.</exception>
        public bool IsKept(int row)
        {
            if (row < 0 || row >= _reasons.Length)
            {
                throw new ArgumentOutOfRangeException(
                    nameof(row), row, "There are " + _reasons.Length + " rows, counted from 0.");
            }

            return IsKept(_reasons[row]);
        }

        /// <summary>The kept rows of a group, in order.</summary>
        /// <param name="group">The group, from 0.</param>
        /// <returns>The rows, numbered as in the batch.</returns>
        /// <exception cref="ArgumentOutOfRangeException">There is no such group.</exception>
        public IReadOnlyList<int> RowsOf(int group)
        {
            return Part(_rows, _offsets, group);
        }

        /// <summary>The kept items of a group, in order, read as those of <see cref="Items"/> are.</summary>
        /// <param name="group">The group, from 0.</param>
        /// <returns>The items.</returns>
        /// <exception cref="ArgumentOutOfRangeException">There is no such group.</exception>
        public IReadOnlyList<ContextItem> ItemsOf(int group)
        {
            CheckGroup(group);
            var rows = new int[_offsets[group + 1] - _offsets[group]];
            Array.Copy(_rows, _offsets[group], rows, 0, rows.Length);
            return new RowSource.View(_items, rows);
        }

        /// <summary>Count quotas that could not be met in a group.</summary>
        /// <param name="group">The group, from 0.</param>
        /// <returns>The shortfalls.</returns>
        /// <exception cref="ArgumentOutOfRangeException">There is no such group.</exception>
        public IReadOnlyList<Shortfall> ShortfallsOf(int group)
        {
            return Part(_shortfalls, _shortfallOffsets, group);
        }

        /// <summary>Frees what <see cref="SelectionRequest.Previous"/> takes; all else can be read on.</summary>
        public void Dispose()
        {
            _handle.Dispose();
        }

        internal HandleLease Lease()
        {
            return new HandleLease(_handle, nameof(Selection));
        }

        private ReadOnlyCollection<T> Part<T>(T[] all, int[] offsets, int group)
        {
            CheckGroup(group);
            return new ReadOnlyCollection<T>(
                new ArraySegment<T>(all, offsets[group], offsets[group + 1] - offsets[group]));
        }

        private void CheckGroup(int group)
        {
            if (group < 0 || group >= GroupCount)
            {
                throw new ArgumentOutOfRangeException(
                    nameof(group), group, "There are " + GroupCount + " groups, counted from 0.");
            }
        }

        private static bool IsKept(SelectionReason reason)
        {
            return (int)reason < 16;
        }

        /// <summary>Greater for better scores: NaN is the least, and the two zeros are equal.</summary>
        private static double Key(double score)
        {
            return double.IsNaN(score) ? double.NegativeInfinity : score;
        }

        private DroppedItem[] Drop()
        {
            var dropped = new List<DroppedItem>(_reasons.Length - _rows.Length);
            for (int row = 0; row < _reasons.Length; row++)
            {
                if (!IsKept(_reasons[row]))
                {
                    int? cause = _causes[row] < 0 ? (int?)null : _causes[row];
                    dropped.Add(new DroppedItem(_items, row, _scores[row], _reasons[row], cause));
                }
            }

            DroppedItem[] sorted = dropped.ToArray();
            Array.Sort(sorted, Compare);
            return sorted;
        }

        private static int Compare(DroppedItem left, DroppedItem right)
        {
            int byScore = Key(right.Score).CompareTo(Key(left.Score));
            if (byScore == 0)
            {
                byScore = double.IsNaN(left.Score).CompareTo(double.IsNaN(right.Score));
            }

            return byScore != 0 ? byScore : left.Row.CompareTo(right.Row);
        }
    }
}
