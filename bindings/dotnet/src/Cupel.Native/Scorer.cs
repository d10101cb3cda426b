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
                return Utf8.Decode(NativeMethods.cupel_text_data(text), NativeMethods.cupel_text_len(text));
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
