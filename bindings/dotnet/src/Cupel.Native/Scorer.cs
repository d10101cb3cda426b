using System;
using System.Collections.Generic;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Cupel.Native.Interop;

namespace Cupel.Native
{
    /// <summary>
    /// Scores the rows of a batch: higher is more worth keeping. Immutable; any number of threads may use it. Made by the
    /// static methods; a scorer keeps its own share of the scorers and the clock it was made of, so that they can be
    /// disposed in any order.
    /// </summary>
    public sealed partial class Scorer : IDisposable
    {
        private readonly ScorerHandle _handle = new ScorerHandle();

        // Whether a callback somewhere in the tree may read fields that no scorer of the library reads.
        private readonly bool _readsWholeItems;

        private Scorer(bool readsWholeItems)
        {
            CupelLibrary.RequireCompatible();
            _readsWholeItems = readsWholeItems;
        }

        /// <summary>Scores items that are needed only once. It costs a handful of native calls, whatever their number.</summary>
        /// <param name="items">The items.</param>
        /// <returns>A score for each item, in their order.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="items"/> is null.</exception>
        /// <exception cref="ArgumentException">An item is null, or the text of a metadata value has an unpaired
        /// surrogate.</exception>
        /// <exception cref="ObjectDisposedException">The scorer is disposed.</exception>
        public double[] Score(IReadOnlyList<ContextItem> items)
        {
            if (items == null)
            {
                throw new ArgumentNullException(nameof(items));
            }

            using (var batch = new Batch(items.Count))
            {
                batch.Append(items, !_readsWholeItems);
                return Score(batch);
            }
        }

        /// <summary>Scores the rows of a batch, in one native call.</summary>
        /// <param name="batch">The rows.</param>
        /// <returns>A score for each row, in their order.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="batch"/> is null.</exception>
        /// <exception cref="ObjectDisposedException">The scorer or the batch is disposed.</exception>
        public double[] Score(Batch batch)
        {
            if (batch == null)
            {
                throw new ArgumentNullException(nameof(batch));
            }

            using (BatchLease rows = batch.Read())
            {
                var scores = new double[rows.Length];
                Score(rows, scores, 0, scores.Length);
                return scores;
            }
        }

        /// <summary>Scores the rows of a batch into an array, in one native call.</summary>
        /// <param name="batch">The rows.</param>
        /// <param name="destination">Where the scores go; as long as the batch.</param>
        /// <exception cref="ArgumentNullException">An argument is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="destination"/> is not as long as the batch. Nothing was
        /// written.</exception>
        /// <exception cref="ObjectDisposedException">The scorer or the batch is disposed.</exception>
        public void Score(Batch batch, double[] destination)
        {
            if (destination == null)
            {
                throw new ArgumentNullException(nameof(destination));
            }

            Score(batch, destination, 0, destination.Length);
        }

        /// <summary>Scores the rows of a batch into a part of an array, in one native call.</summary>
        /// <param name="batch">The rows.</param>
        /// <param name="destination">Where the scores go.</param>
        /// <param name="offset">Where in <paramref name="destination"/> the first score goes.</param>
        /// <param name="count">How many scores there are: as many as rows.</param>
        /// <exception cref="ArgumentNullException">An argument is null.</exception>
        /// <exception cref="ArgumentOutOfRangeException"><paramref name="offset"/> and <paramref name="count"/> are no part of
        /// <paramref name="destination"/>.</exception>
        /// <exception cref="ArgumentException"><paramref name="count"/> is not the number of rows. Nothing was
        /// written.</exception>
        /// <exception cref="ObjectDisposedException">The scorer or the batch is disposed.</exception>
        public void Score(Batch batch, double[] destination, int offset, int count)
        {
            if (batch == null)
            {
                throw new ArgumentNullException(nameof(batch));
            }

            if (destination == null)
            {
                throw new ArgumentNullException(nameof(destination));
            }

            if (offset < 0 || offset > destination.Length)
            {
                throw new ArgumentOutOfRangeException(nameof(offset), offset, "The offset is outside of the array.");
            }

            if (count < 0 || count > destination.Length - offset)
            {
                throw new ArgumentOutOfRangeException(nameof(count), count, "The count is more than the array has.");
            }

            using (BatchLease rows = batch.Read())
            {
                Score(rows, destination, offset, count);
            }
        }

#if NETCOREAPP
        /// <summary>Scores the rows of a batch into a span, in one native call.</summary>
        /// <param name="batch">The rows.</param>
        /// <param name="destination">Where the scores go; as long as the batch.</param>
        /// <exception cref="ArgumentNullException"><paramref name="batch"/> is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="destination"/> is not as long as the batch. Nothing was
        /// written.</exception>
        /// <exception cref="ObjectDisposedException">The scorer or the batch is disposed.</exception>
        public unsafe void Score(Batch batch, Span<double> destination)
        {
            if (batch == null)
            {
                throw new ArgumentNullException(nameof(batch));
            }

            using (BatchLease rows = batch.Read())
            {
                fixed (double* first = &MemoryMarshal.GetReference(destination))
                {
                    Score(rows, first, destination.Length);
                }
            }
        }
#endif

        /// <summary>Scores many groups in one native call: each row among the rows of its group.</summary>
        /// <param name="batch">The rows, those of a group next to each other.</param>
        /// <param name="offsets">Group <c>i</c> has the rows from <c>offsets[i]</c> to before <c>offsets[i + 1]</c>: from 0 to the
        /// number of rows, never going down.</param>
        /// <returns>For each row the score that it would have in a batch of its group alone, to the bit.</returns>
        /// <exception cref="ArgumentNullException">An argument is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="offsets"/> is not as above, or there is a custom scorer in the
        /// tree, whose callback has no view of a part of a batch.</exception>
        /// <exception cref="ObjectDisposedException">The scorer or the batch is disposed.</exception>
        public unsafe double[] ScoreGroups(Batch batch, long[] offsets)
        {
            if (batch == null)
            {
                throw new ArgumentNullException(nameof(batch));
            }

            CheckOffsets(offsets);
            using (BatchLease rows = batch.Read())
            {
                var scores = new double[rows.Length];
                fixed (long* groups = offsets)
                fixed (double* first = scores)
                {
                    ScoreGroups(rows, groups, offsets.Length - 1, first, scores.Length);
                }

                return scores;
            }
        }

        /// <summary>Scores many groups in one native call, into an array.</summary>
        /// <param name="batch">The rows, those of a group next to each other.</param>
        /// <param name="offsets">Group <c>i</c> has the rows from <c>offsets[i]</c> to before <c>offsets[i + 1]</c>: from 0 to the
        /// number of rows, never going down.</param>
        /// <param name="destination">Where the scores go; as long as the batch.</param>
        /// <exception cref="ArgumentNullException">An argument is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="offsets"/> is not as above, <paramref name="destination"/> is not as
        /// long as the batch, or there is a custom scorer in the tree. Nothing was written.</exception>
        /// <exception cref="ObjectDisposedException">The scorer or the batch is disposed.</exception>
        public unsafe void ScoreGroups(Batch batch, long[] offsets, double[] destination)
        {
            if (batch == null)
            {
                throw new ArgumentNullException(nameof(batch));
            }

            CheckOffsets(offsets);
            if (destination == null)
            {
                throw new ArgumentNullException(nameof(destination));
            }

            using (BatchLease rows = batch.Read())
            {
                fixed (long* groups = offsets)
                fixed (double* first = destination)
                {
                    ScoreGroups(rows, groups, offsets.Length - 1, first, destination.Length);
                }
            }
        }

#if NETCOREAPP
        /// <summary>Scores many groups in one native call, from and into spans.</summary>
        /// <param name="batch">The rows, those of a group next to each other.</param>
        /// <param name="offsets">Group <c>i</c> has the rows from <c>offsets[i]</c> to before <c>offsets[i + 1]</c>: from 0 to the
        /// number of rows, never going down.</param>
        /// <param name="destination">Where the scores go; as long as the batch.</param>
        /// <exception cref="ArgumentNullException"><paramref name="batch"/> is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="offsets"/> is not as above, <paramref name="destination"/> is not as
        /// long as the batch, or there is a custom scorer in the tree. Nothing was written.</exception>
        /// <exception cref="ObjectDisposedException">The scorer or the batch is disposed.</exception>
        public unsafe void ScoreGroups(Batch batch, ReadOnlySpan<long> offsets, Span<double> destination)
        {
            if (batch == null)
            {
                throw new ArgumentNullException(nameof(batch));
            }

            CheckOffsetCount(offsets.Length);
            using (BatchLease rows = batch.Read())
            {
                fixed (long* groups = &MemoryMarshal.GetReference(offsets))
                fixed (double* first = &MemoryMarshal.GetReference(destination))
                {
                    ScoreGroups(rows, groups, offsets.Length - 1, first, destination.Length);
                }
            }
        }
#endif

        /// <summary>
        /// Scores the rows of an Arrow table through the C data interface: table in, scores out, each row among the rows of its
        /// group. Only the columns of <see cref="Columns"/> and the group column are read; an absent one has its default in every
        /// row. The structs are read during the call, and stay the caller's to release.
        /// </summary>
        /// <param name="schema">The address of an <c>ArrowSchema</c>: a struct, or a list of structs, each list of which is a
        /// group.</param>
        /// <param name="array">The address of its <c>ArrowArray</c>. The buffers must be as long as it says, which cannot be
        /// checked.</param>
        /// <param name="destination">Where the scores go; as long as there are rows.</param>
        /// <param name="group">The column whose values make rows a group; rows of a group must follow each other. Null for one
        /// group.</param>
        /// <param name="naiveIsUtc">Takes timestamps without a zone as UTC, instead of refusing them.</param>
        /// <exception cref="ArgumentNullException">An address or <paramref name="destination"/> is null.</exception>
        /// <exception cref="ArgumentException">The table is not what the scorer takes (the message names column and row),
        /// <paramref name="destination"/> is not as long as the table, <paramref name="group"/> has an unpaired surrogate, or there
        /// is a custom scorer in the tree. Nothing was written.</exception>
        /// <exception cref="ObjectDisposedException">The scorer is disposed.</exception>
        public unsafe void ScoreArrow(
            IntPtr schema, IntPtr array, double[] destination, [AllowNull] string group = null, bool naiveIsUtc = false)
        {
            if (destination == null)
            {
                throw new ArgumentNullException(nameof(destination));
            }

            fixed (double* first = destination)
            {
                ScoreArrow(schema, array, first, destination.Length, group, naiveIsUtc);
            }
        }

#if NETCOREAPP
        /// <summary>Scores the rows of an Arrow table into a span, as the overload with an array does.</summary>
        /// <param name="schema">The address of an <c>ArrowSchema</c>: a struct, or a list of structs, each list of which is a
        /// group.</param>
        /// <param name="array">The address of its <c>ArrowArray</c>.</param>
        /// <param name="destination">Where the scores go; as long as there are rows.</param>
        /// <param name="group">The column whose values make rows a group; null for one group.</param>
        /// <param name="naiveIsUtc">Takes timestamps without a zone as UTC, instead of refusing them.</param>
        /// <exception cref="ArgumentNullException">An address is null.</exception>
        /// <exception cref="ArgumentException">As for the overload with an array. Nothing was written.</exception>
        /// <exception cref="ObjectDisposedException">The scorer is disposed.</exception>
        public unsafe void ScoreArrow(
            IntPtr schema, IntPtr array, Span<double> destination, [AllowNull] string group = null, bool naiveIsUtc = false)
        {
            fixed (double* first = &MemoryMarshal.GetReference(destination))
            {
                ScoreArrow(schema, array, first, destination.Length, group, naiveIsUtc);
            }
        }
#endif

        /// <summary>Scores one row among the others of its batch.</summary>
        /// <param name="batch">The rows.</param>
        /// <param name="row">The row, from 0.</param>
        /// <returns>Its score.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="batch"/> is null.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There is no such row.</exception>
        /// <exception cref="ObjectDisposedException">The scorer or the batch is disposed.</exception>
        public unsafe double ScoreRow(Batch batch, int row)
        {
            if (batch == null)
            {
                throw new ArgumentNullException(nameof(batch));
            }

            using (HandleLease scorer = Lease())
            using (BatchLease rows = batch.Read())
            {
                Batch.CheckRow(row);
                double score;
                IntPtr error;
                int status = NativeMethods.cupel_scorer_score_row(
                    scorer.Pointer, rows.Pointer, (UIntPtr)(uint)row, &score, &error);
                Failure.ThrowIfFailed(status, error, nameof(row), row);
                return score;
            }
        }

        /// <summary>What the scorer is, by the name that it has in JSON, such as <c>recency</c>, or <c>custom</c>.</summary>
        /// <exception cref="ObjectDisposedException">The scorer is disposed.</exception>
        public unsafe string Type
        {
            get
            {
                using (HandleLease scorer = Lease())
                {
                    return Utf8.DecodeNulTerminated(NativeMethods.cupel_scorer_type(scorer.Pointer));
                }
            }
        }

        /// <summary>
        /// The columns that the scorer reads, with those that it is made of: what a table needs to be scored. No scorer of the
        /// library reads the content; one with a custom scorer in the tree may read every column.
        /// </summary>
        /// <exception cref="ObjectDisposedException">The scorer is disposed.</exception>
        public unsafe BatchColumns Columns
        {
            get
            {
                using (HandleLease scorer = Lease())
                {
                    uint columns;
                    IntPtr error;
                    Failure.ThrowIfFailed(NativeMethods.cupel_scorer_columns(scorer.Pointer, &columns, &error), error);
                    return (BatchColumns)columns;
                }
            }
        }

        /// <summary>
        /// The scorers that this one is made of, each with its weight: of a composite as a share of the sum, of a scaled one 1.
        /// The sum of their scores times their weights is the score of a composite.
        /// </summary>
        /// <returns>New scorers, to be disposed as any; none for a scorer without children.</returns>
        /// <exception cref="ObjectDisposedException">The scorer is disposed.</exception>
        public unsafe KeyValuePair<Scorer, double>[] GetChildren()
        {
            using (HandleLease scorer = Lease())
            {
                int count = checked((int)NativeMethods.cupel_scorer_children_len(scorer.Pointer).ToUInt64());
                var children = new KeyValuePair<Scorer, double>[count];
                for (int i = 0; i < count; i++)
                {
                    var child = new Scorer(_readsWholeItems);
                    child._handle.Roots = _handle.Roots;
                    IntPtr handle;
                    double weight;
                    IntPtr error;
                    int status = NativeMethods.cupel_scorer_child(
                        scorer.Pointer, (UIntPtr)(uint)i, &handle, &weight, &error);
                    child.Own(handle, status, error);
                    children[i] = new KeyValuePair<Scorer, double>(child, weight);
                }

                return children;
            }
        }

        /// <summary>The best items, best first. Pinned items are among them in any case.</summary>
        /// <param name="items">The items.</param>
        /// <param name="count">How many at most.</param>
        /// <returns>The items. Those of negative tokens are left out.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="items"/> is null.</exception>
        /// <exception cref="ArgumentOutOfRangeException"><paramref name="count"/> is negative.</exception>
        /// <exception cref="ArgumentException">An item is null.</exception>
        /// <exception cref="ObjectDisposedException">The scorer is disposed.</exception>
        public IReadOnlyList<ContextItem> Top(IReadOnlyList<ContextItem> items, int count)
        {
            if (items == null)
            {
                throw new ArgumentNullException(nameof(items));
            }

            if (count < 0)
            {
                throw new ArgumentOutOfRangeException(nameof(count), count, "The number of items is negative.");
            }

            var policy = new SelectionPolicy
            {
                Scorer = this,
                Slicer = Slicer.Ranked,
                Placer = Placer.Ranked,
                KeepDuplicates = true,
            };
            using (var selector = new Selector(policy))
            {
                if (count == 0)
                {
                    // To a request, no rows are no limit.
                    return Array.AsReadOnly(new ContextItem[0]);
                }

                return selector.Select(items, new SelectionRequest(long.MaxValue) { MaxRows = count }).Items;
            }
        }

        /// <summary>The scorer as JSON that <see cref="FromJson"/> reads.</summary>
        /// <returns>The text.</returns>
        /// <exception cref="ArgumentException">There is a custom scorer in the tree, which JSON cannot express.</exception>
        /// <exception cref="ObjectDisposedException">The scorer is disposed.</exception>
        public unsafe string ToJson()
        {
            using (HandleLease scorer = Lease())
            using (var owner = new TextHandle())
            {
                IntPtr text;
                IntPtr error;
                int status = NativeMethods.cupel_scorer_to_json(scorer.Pointer, &text, &error);
                Failure.ThrowIfFailed(status, error);
                owner.Own(text);
                return owner.Text;
            }
        }

        /// <summary>
        /// Frees the scorer; scorers made of it keep their share. Doing it again does nothing; a scoring call that is under way
        /// ends first.
        /// </summary>
        public void Dispose()
        {
            _handle.Dispose();
        }

        private unsafe void Score(BatchLease batch, double[] destination, int offset, int count)
        {
            fixed (double* first = destination)
            {
                Score(batch, first + offset, count);
            }
        }

        private unsafe void Score(BatchLease batch, double* destination, int count)
        {
            using (HandleLease scorer = Lease())
            {
                IntPtr error;
                int status = NativeMethods.cupel_scorer_score_batch(
                    scorer.Pointer, batch.Pointer, destination, (UIntPtr)(uint)count, &error);
                Failure.ThrowIfFailed(status, error, nameof(destination));
            }
        }

        internal static void CheckOffsets(long[] offsets)
        {
            if (offsets == null)
            {
                throw new ArgumentNullException(nameof(offsets));
            }

            CheckOffsetCount(offsets.Length);
        }

        private static void CheckOffsetCount(int count)
        {
            if (count == 0)
            {
                throw new ArgumentException("offsets is empty: it has one element more than there are groups.", "offsets");
            }
        }

        private unsafe void ScoreGroups(BatchLease batch, long* offsets, int groups, double* destination, int count)
        {
            using (HandleLease scorer = Lease())
            {
                IntPtr error;
                int status = NativeMethods.cupel_scorer_score_groups(
                    scorer.Pointer,
                    batch.Pointer,
                    offsets,
                    (UIntPtr)(uint)groups,
                    destination,
                    (UIntPtr)(uint)count,
                    &error);
                Failure.ThrowIfFailed(status, error, nameof(offsets));
            }
        }

        private unsafe void ScoreArrow(
            IntPtr schema, IntPtr array, double* destination, int count, string group, bool naiveIsUtc)
        {
            Batch.RequireAddress(schema, nameof(schema));
            Batch.RequireAddress(array, nameof(array));

            // One byte more, so that an empty name has an address: without one there is no group column.
            byte[] column = group == null ? null : Utf8.Encode(group + "\0", nameof(group));
            using (HandleLease scorer = Lease())
            {
                fixed (byte* name = column)
                {
                    NativeArrowOptions options = NativeArrowOptions.Of(naiveIsUtc);
                    options.group = name;
                    options.group_len = (UIntPtr)(uint)(column == null ? 0 : column.Length - 1);
                    IntPtr error;
                    int status = NativeMethods.cupel_scorer_score_arrow(
                        scorer.Pointer, schema, array, &options, destination, (UIntPtr)(uint)count, &error);
                    Failure.ThrowIfFailed(status, error, nameof(array));
                }
            }
        }

        internal object Roots
        {
            get { return _handle.Roots; }
        }

        internal HandleLease Lease()
        {
            return new HandleLease(_handle, nameof(Scorer));
        }
    }
}
