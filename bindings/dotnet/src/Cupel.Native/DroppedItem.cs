using Cupel.Native.Interop;

namespace Cupel.Native
{
    /// <summary>A row that a selection did not keep.</summary>
    public sealed class DroppedItem
    {
        private readonly RowSource _items;

        internal DroppedItem(RowSource items, int row, double score, SelectionReason reason, int? cause)
        {
            _items = items;
            Row = row;
            Score = score;
            Reason = reason;
            Cause = cause;
        }

        /// <summary>The item. Of a selection from a <see cref="Batch"/> a copy of the row, read when asked for.</summary>
        /// <exception cref="System.InvalidOperationException">Rows were removed from the batch since.</exception>
        /// <exception cref="System.ObjectDisposedException">The batch is disposed.</exception>
        public ContextItem Item
        {
            get { return _items.ItemAt(Row); }
        }

        /// <summary>The row.</summary>
        public int Row { get; }

        /// <summary>Its score; 0 when its token count is negative.</summary>
        public double Score { get; }

        /// <summary>Why it was dropped.</summary>
        public SelectionReason Reason { get; }

        /// <summary>
        /// The row that is the cause: of a duplicate the one that stayed, of <see cref="SelectionReason.PinnedOverride"/> the
        /// first pinned one; null where there is none.
        /// </summary>
        public int? Cause { get; }
    }
}
