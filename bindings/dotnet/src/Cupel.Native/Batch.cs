using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using Cupel.Native.Interop;

namespace Cupel.Native
{
    /// <summary>
    /// The rows that are scored together. Appending the same item twice gives two rows. Any number of threads may read and
    /// score a batch at once; changing it is for one thread, with nobody else at it. Who comes at the wrong time gets an
    /// <see cref="InvalidOperationException"/>.
    /// </summary>
    public sealed partial class Batch : IDisposable
    {
        // What a row of a batch takes besides its content, roughly.
        private const int ItemBytes = 128;

        private readonly NativeHandle _handle;
        private readonly BatchGate _gate = new BatchGate();

        // Null for a batch that is lent to a callback.
        private readonly BatchHandle _owned;
        private ItemWriter _writer;

        // How many bytes of arrays, JSON and items the rows came from, and the most that it was: clearing keeps memory.
        private long _bytes;
        private long _mostBytes;

        /// <summary>Makes an empty batch.</summary>
        /// <exception cref="CupelException">The native library is of another version than this assembly.</exception>
        public Batch()
            : this(0)
        {
        }

        /// <summary>Makes an empty batch with room for some rows.</summary>
        /// <param name="capacity">How many rows fit before memory must be had again.</param>
        /// <exception cref="ArgumentOutOfRangeException"><paramref name="capacity"/> is negative.</exception>
        /// <exception cref="InsufficientMemoryException">The memory could not be had.</exception>
        /// <exception cref="CupelException">The native library is of another version than this assembly.</exception>
        public unsafe Batch(int capacity)
        {
            if (capacity < 0)
            {
                throw new ArgumentOutOfRangeException(nameof(capacity), capacity, "The capacity is negative.");
            }

            CupelLibrary.RequireCompatible();
            _handle = _owned = new BatchHandle();
            IntPtr batch;
            IntPtr error;
            int status = NativeMethods.cupel_batch_new((UIntPtr)(uint)capacity, &batch, &error);
            Failure.ThrowIfFailed(status, error, nameof(capacity), capacity, "new Batch");
            _handle.Own(batch);
        }

        /// <summary>A batch that native code lends to a callback, until the handle is closed.</summary>
        internal Batch(BorrowedBatchHandle loan)
        {
            _handle = loan;
        }

        /// <summary>The number of rows.</summary>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public int Count
        {
            get
            {
                using (BatchLease batch = Read())
                {
                    return batch.Length;
                }
            }
        }

        /// <summary>
        /// Appends one row, with one native call per field. For more than a few rows the overload that takes a list is faster.
        /// </summary>
        /// <param name="item">The row.</param>
        /// <exception cref="ArgumentNullException"><paramref name="item"/> is null.</exception>
        /// <exception cref="ArgumentException">The text of a metadata value has an unpaired surrogate. No row was
        /// appended.</exception>
        /// <exception cref="InvalidOperationException">The batch is being scored or changed.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void Append(ContextItem item)
        {
            if (item == null)
            {
                throw new ArgumentNullException(nameof(item));
            }

            using (BatchLease batch = Change())
            {
                _writer = _writer ?? new ItemWriter();
                using (ItemHandle owner = _writer.Write(item, nameof(item)))
                using (HandleLease row = new HandleLease(owner, nameof(ContextItem)))
                {
                    IntPtr error;
                    int status = NativeMethods.cupel_batch_push(batch.Pointer, row.Pointer, &error);
                    Failure.ThrowIfFailed(status, error, nameof(item));
                    Account(ItemBytes + item.Content.Length);
                }
            }
        }

        /// <summary>Appends rows in one native call, whatever their number: all of them or, on failure, none.</summary>
        /// <param name="items">The rows.</param>
        /// <exception cref="ArgumentNullException"><paramref name="items"/> is null.</exception>
        /// <exception cref="ArgumentException">An item is null, or the text of a metadata value has an unpaired
        /// surrogate.</exception>
        /// <exception cref="InvalidOperationException">The batch is being scored or changed.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public void Append(IReadOnlyList<ContextItem> items)
        {
            Append(items, false);
        }

        /// <summary>Appends columns in one native call: all of their rows or, on failure, none.</summary>
        /// <param name="columns">The rows. The arrays are lent for the time of the call.</param>
        /// <exception cref="ArgumentNullException"><paramref name="columns"/> is null.</exception>
        /// <exception cref="ArgumentException">An array is too short, or what it holds is against the rules.</exception>
        /// <exception cref="InvalidOperationException">The batch is being scored or changed.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public void Append(ContextColumns columns)
        {
            if (columns == null)
            {
                throw new ArgumentNullException(nameof(columns));
            }

            Append(columns, nameof(columns));
        }

        /// <summary>Appends items from JSON in one native call: all of them or, on failure, none.</summary>
        /// <param name="json">An array of items, one item, or JSON Lines.</param>
        /// <exception cref="ArgumentNullException"><paramref name="json"/> is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="json"/> has an unpaired surrogate.</exception>
        /// <exception cref="CupelException">The text is not JSON, or not that of items. The message gives path, line and
        /// column.</exception>
        /// <exception cref="InvalidOperationException">The batch is being scored or changed.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public void AppendJson(string json)
        {
            AppendJson(Utf8.Encode(json, nameof(json)));
        }

        /// <summary>Appends items from JSON in UTF-8, as a file has it: all of them or, on failure, none.</summary>
        /// <param name="json">An array of items, one item, or JSON Lines.</param>
        /// <exception cref="ArgumentNullException"><paramref name="json"/> is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="json"/> is not UTF-8.</exception>
        /// <exception cref="CupelException">The text is not JSON, or not that of items. The message gives path, line and
        /// column.</exception>
        /// <exception cref="InvalidOperationException">The batch is being scored or changed.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void AppendJson(byte[] json)
        {
            if (json == null)
            {
                throw new ArgumentNullException(nameof(json));
            }

            using (BatchLease batch = Change())
            {
                fixed (byte* text = json)
                {
                    IntPtr error;
                    int status = NativeMethods.cupel_batch_append_json(
                        batch.Pointer, text, (UIntPtr)(uint)json.Length, &error);
                    Failure.ThrowIfFailed(status, error, nameof(json));
                }

                Account(json.Length);
            }
        }

        /// <summary>
        /// Appends the rows of an Arrow table through the C data interface: all of them or, on failure, none. Columns are found by
        /// name, as <c>docs/arrow.md</c> says. The structs are read during the call, and stay the caller's to release.
        /// </summary>
        /// <param name="schema">The address of an <c>ArrowSchema</c>: a struct.</param>
        /// <param name="array">The address of its <c>ArrowArray</c>. The buffers must be as long as it says, which cannot be
        /// checked.</param>
        /// <param name="naiveIsUtc">Takes timestamps without a zone as UTC, instead of refusing them.</param>
        /// <exception cref="ArgumentNullException">An address is null.</exception>
        /// <exception cref="ArgumentException">The table is not what a batch takes. The message names column and row.</exception>
        /// <exception cref="InvalidOperationException">The batch is being scored or changed.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void AppendArrow(IntPtr schema, IntPtr array, bool naiveIsUtc = false)
        {
            RequireAddress(schema, nameof(schema));
            RequireAddress(array, nameof(array));
            using (BatchLease batch = Change())
            {
                NativeArrowOptions options = NativeArrowOptions.Of(naiveIsUtc);
                int before = batch.Length;
                IntPtr error;
                int status = NativeMethods.cupel_batch_append_arrow(batch.Pointer, schema, array, &options, &error);
                Failure.ThrowIfFailed(status, error, nameof(array));
                Account((batch.Length - before) * (long)ItemBytes);
            }
        }

        /// <summary>
        /// Appends the rows of all tables of an Arrow stream through the C stream interface: all of them or, on failure, none.
        /// What the stream hands out is released here; the stream itself stays the caller's to release. After a failure its
        /// position is lost.
        /// </summary>
        /// <param name="stream">The address of an <c>ArrowArrayStream</c>, which is read to its end.</param>
        /// <param name="naiveIsUtc">Takes timestamps without a zone as UTC, instead of refusing them.</param>
        /// <exception cref="ArgumentNullException">The address is null.</exception>
        /// <exception cref="ArgumentException">A table is not what a batch takes. The message names column and row.</exception>
        /// <exception cref="CupelException">The stream failed (<see cref="CupelStatus.CallbackFailed"/>); the message has its
        /// own.</exception>
        /// <exception cref="InvalidOperationException">The batch is being scored or changed.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void AppendArrowStream(IntPtr stream, bool naiveIsUtc = false)
        {
            RequireAddress(stream, nameof(stream));
            using (BatchLease batch = Change())
            {
                NativeArrowOptions options = NativeArrowOptions.Of(naiveIsUtc);
                int before = batch.Length;
                IntPtr error;
                int status = NativeMethods.cupel_batch_append_arrow_stream(batch.Pointer, stream, &options, &error);
                Failure.ThrowIfFailed(status, error, nameof(stream));
                Account((batch.Length - before) * (long)ItemBytes);
            }
        }

        /// <summary>The rows as JSON Lines, which <see cref="AppendJson(string)"/> reads.</summary>
        /// <returns>For each row an object of every field that is set, and a line feed.</returns>
        /// <exception cref="ArgumentException">A row has what JSON cannot express, such as no content or a number that is not
        /// finite. The message names row and field.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public string ToJson()
        {
            using (BatchLease batch = Read())
            using (TextHandle json = Json(batch, 0, batch.Length))
            {
                return json.Text;
            }
        }

        /// <summary>A range of rows as JSON Lines.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="rows">How many rows.</param>
        /// <returns>For each row an object of every field that is set, and a line feed.</returns>
        /// <exception cref="ArgumentOutOfRangeException">There are no such rows.</exception>
        /// <exception cref="ArgumentException">A row has what JSON cannot express.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public string ToJson(int firstRow, int rows)
        {
            using (BatchLease batch = Read())
            {
                CheckRange(batch, firstRow, rows, nameof(rows));
                using (TextHandle json = Json(batch, firstRow, rows))
                {
                    return json.Text;
                }
            }
        }

        /// <summary>The rows as JSON Lines in UTF-8, as a file has it.</summary>
        /// <returns>What <see cref="AppendJson(byte[])"/> reads.</returns>
        /// <exception cref="ArgumentException">A row has what JSON cannot express.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public byte[] ToUtf8Json()
        {
            using (BatchLease batch = Read())
            using (TextHandle json = Json(batch, 0, batch.Length))
            {
                return json.Bytes;
            }
        }

        /// <summary>A range of rows as JSON Lines in UTF-8.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="rows">How many rows.</param>
        /// <returns>What <see cref="AppendJson(byte[])"/> reads.</returns>
        /// <exception cref="ArgumentOutOfRangeException">There are no such rows.</exception>
        /// <exception cref="ArgumentException">A row has what JSON cannot express.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public byte[] ToUtf8Json(int firstRow, int rows)
        {
            using (BatchLease batch = Read())
            {
                CheckRange(batch, firstRow, rows, nameof(rows));
                using (TextHandle json = Json(batch, firstRow, rows))
                {
                    return json.Bytes;
                }
            }
        }

        /// <summary>A copy of one row. Metadata may come in another order than it was set.</summary>
        /// <param name="row">The row, from 0.</param>
        /// <returns>
        /// The item. Numbers of its metadata are doubles, and values that are neither text nor numbers are
        /// <see cref="OpaqueValue"/>s.
        /// </returns>
        /// <exception cref="ArgumentOutOfRangeException">There is no such row.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe ContextItem ItemAt(int row)
        {
            using (BatchLease batch = Read())
            {
                CheckRow(row);
                using (var owner = new ItemHandle())
                {
                    IntPtr item;
                    IntPtr error;
                    int status = NativeMethods.cupel_batch_item(batch.Pointer, (UIntPtr)(uint)row, &item, &error);
                    Failure.ThrowIfFailed(status, error, nameof(row), row);
                    owner.Own(item);
                    return ItemReader.Read(item);
                }
            }
        }

        /// <summary>Makes room for more rows.</summary>
        /// <param name="additionalRows">How many rows are to be appended.</param>
        /// <exception cref="ArgumentOutOfRangeException"><paramref name="additionalRows"/> is negative.</exception>
        /// <exception cref="InsufficientMemoryException">The memory could not be had.</exception>
        /// <exception cref="InvalidOperationException">The batch is being scored or changed.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void Reserve(int additionalRows)
        {
            if (additionalRows < 0)
            {
                throw new ArgumentOutOfRangeException(
                    nameof(additionalRows), additionalRows, "The number of rows is negative.");
            }

            using (BatchLease batch = Change())
            {
                IntPtr error;
                int status = NativeMethods.cupel_batch_reserve(batch.Pointer, (UIntPtr)(uint)additionalRows, &error);
                Failure.ThrowIfFailed(status, error, nameof(additionalRows), additionalRows);
            }
        }

        /// <summary>Gives back memory that the rows do not need.</summary>
        /// <exception cref="InvalidOperationException">The batch is being scored or changed.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void Shrink()
        {
            using (BatchLease batch = Change())
            {
                IntPtr error;
                Failure.ThrowIfFailed(NativeMethods.cupel_batch_shrink(batch.Pointer, &error), error);
                _mostBytes = _bytes;
                Account(0);
            }
        }

        /// <summary>
        /// Removes rows in one call. Those that remain keep their order and are numbered anew; scores are those of a batch that
        /// has had these rows only. The memory of removed rows is used again, and given back once more were removed than remain.
        /// </summary>
        /// <param name="keep">For each row whether it remains.</param>
        /// <exception cref="ArgumentNullException"><paramref name="keep"/> is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="keep"/> is not as long as the batch.</exception>
        /// <exception cref="InvalidOperationException">The batch is being scored or changed.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void Retain(bool[] keep)
        {
            if (keep == null)
            {
                throw new ArgumentNullException(nameof(keep));
            }

            fixed (bool* mask = keep)
            {
                Retain((byte*)mask, keep.Length);
            }
        }

#if NETCOREAPP
        /// <summary>Removes rows in one call, as <see cref="Retain(bool[])"/> does.</summary>
        /// <param name="keep">For each row whether it remains.</param>
        /// <exception cref="ArgumentException"><paramref name="keep"/> is not as long as the batch.</exception>
        /// <exception cref="InvalidOperationException">The batch is being scored or changed.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void Retain(ReadOnlySpan<bool> keep)
        {
            fixed (bool* mask = &MemoryMarshal.GetReference(keep))
            {
                Retain((byte*)mask, keep.Length);
            }
        }
#endif

        /// <summary>Removes all rows but those of a list, as <see cref="Retain(bool[])"/> does.</summary>
        /// <param name="rows">The rows to keep, each greater than the one before.</param>
        /// <exception cref="ArgumentNullException"><paramref name="rows"/> is null.</exception>
        /// <exception cref="ArgumentException">The rows do not ascend.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There is no such row.</exception>
        /// <exception cref="InvalidOperationException">The batch is being scored or changed.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void RetainRows(IReadOnlyList<int> rows)
        {
            if (rows == null)
            {
                throw new ArgumentNullException(nameof(rows));
            }

            var numbers = new uint[rows.Count];
            for (int i = 0; i < numbers.Length; i++)
            {
                int row = rows[i];
                if (row < 0)
                {
                    throw new ArgumentOutOfRangeException(nameof(rows), row, "rows[" + i + "] is negative.");
                }

                numbers[i] = (uint)row;
            }

            using (BatchLease batch = Change())
            {
                int before = batch.Length;
                fixed (uint* first = numbers)
                {
                    IntPtr error;
                    int status = NativeMethods.cupel_batch_retain_rows(
                        batch.Pointer, first, (UIntPtr)(uint)numbers.Length, &error);
                    Failure.ThrowIfFailed(status, error, nameof(rows));
                }

                Removed(batch, before);
            }
        }

        /// <summary>Removes all rows but the last ones, as <see cref="Retain(bool[])"/> does.</summary>
        /// <param name="rows">How many rows to keep; with as many as there are, or more, nothing is removed.</param>
        /// <exception cref="ArgumentOutOfRangeException"><paramref name="rows"/> is negative.</exception>
        /// <exception cref="InvalidOperationException">The batch is being scored or changed.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void KeepLast(int rows)
        {
            if (rows < 0)
            {
                throw new ArgumentOutOfRangeException(nameof(rows), rows, "The number of rows is negative.");
            }

            using (BatchLease batch = Change())
            {
                int before = batch.Length;
                IntPtr error;
                int status = NativeMethods.cupel_batch_keep_last(batch.Pointer, (UIntPtr)(uint)rows, &error);
                Failure.ThrowIfFailed(status, error, nameof(rows));
                Removed(batch, before);
            }
        }

        /// <summary>Removes all rows and keeps the memory.</summary>
        /// <exception cref="InvalidOperationException">The batch is being scored or changed.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void Clear()
        {
            using (BatchLease batch = Change())
            {
                IntPtr error;
                Failure.ThrowIfFailed(NativeMethods.cupel_batch_clear(batch.Pointer, &error), error);
                _bytes = 0;
                Removals++;
            }
        }

        /// <summary>Frees the rows. Doing it again does nothing; a scoring call that is under way ends first.</summary>
        public void Dispose()
        {
            _handle.Dispose();
            _writer?.Dispose();
        }

        /// <summary>How often rows were removed: rows that were known before are others now.</summary>
        internal long Removals { get; private set; }

        internal static void CheckRow(int row)
        {
            if (row < 0)
            {
                throw new ArgumentOutOfRangeException(nameof(row), row, "The row is negative.");
            }
        }

        internal BatchLease Read()
        {
            return new BatchLease(_handle, _gate, false);
        }

        internal void Append(IReadOnlyList<ContextItem> items, bool scoresOnly)
        {
            if (items == null)
            {
                throw new ArgumentNullException(nameof(items));
            }

            ItemPacker packer = ItemPacker.Rent();
            Append(packer.Pack(items, nameof(items), scoresOnly), nameof(items));
            ItemPacker.Return(packer);
        }

        private unsafe void Append(ContextColumns columns, string parameter)
        {
            using (BatchLease batch = Change())
            {
                IntPtr error;
                int status = ColumnCrossing.Append(batch.Pointer, columns, &error);
                Failure.ThrowIfFailed(status, error, parameter);
                Account(ColumnCrossing.Bytes(columns));
            }
        }

        internal static void RequireAddress(IntPtr address, string parameter)
        {
            if (address == IntPtr.Zero)
            {
                throw new ArgumentNullException(parameter);
            }
        }

        private static unsafe TextHandle Json(BatchLease batch, int firstRow, int rows)
        {
            var owner = new TextHandle();
            IntPtr text;
            IntPtr error;
            int status = NativeMethods.cupel_batch_to_json(
                batch.Pointer, (UIntPtr)(uint)firstRow, (UIntPtr)(uint)rows, &text, &error);
            Failure.ThrowIfFailed(status, error, null, null, nameof(ToJson));
            owner.Own(text);
            return owner;
        }

        private unsafe void Retain(byte* keep, int length)
        {
            using (BatchLease batch = Change())
            {
                int before = batch.Length;
                IntPtr error;
                int status = NativeMethods.cupel_batch_retain(batch.Pointer, keep, (UIntPtr)(uint)length, &error);
                Failure.ThrowIfFailed(status, error, nameof(keep));
                Removed(batch, before);
            }
        }

        /// <summary>Accounts for rows that were removed: their memory is given back once they are more than those that
        /// remain.</summary>
        private void Removed(BatchLease batch, int before)
        {
            int after = batch.Length;
            if (after != before)
            {
                Removals++;
                _bytes = (long)(_bytes * ((double)after / before));
                _mostBytes = Math.Min(_mostBytes, 2 * _bytes);
                Account(0);
            }
        }

        private void Account(long bytes)
        {
            _bytes += bytes;
            _mostBytes = Math.Max(_mostBytes, _bytes);
            _owned.Account(_mostBytes);
        }

        private BatchLease Change()
        {
            if (_owned == null && !_handle.IsClosed)
            {
                throw new InvalidOperationException("A batch that is being scored cannot be changed.");
            }

            return new BatchLease(_handle, _gate, true);
        }
    }
}
