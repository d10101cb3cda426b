using System;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.InteropServices;
using Cupel.Native.Interop;

namespace Cupel.Native
{
    // Reading rows by column: one native call for a range of rows, inside a custom scorer and outside.
    public sealed partial class Batch
    {
        private const BatchColumns AllColumns = (BatchColumns)2047;

        private static readonly unsafe ColumnReader.IntegerReader PriorityReader = NativeMethods.cupel_batch_read_priority;
        private static readonly unsafe ColumnReader.IntegerReader TimestampReader = NativeMethods.cupel_batch_read_timestamp;
        private static readonly unsafe ColumnReader.IntegerReader OriginalTokensReader = NativeMethods.cupel_batch_read_original_tokens;
        private static readonly unsafe ColumnReader.CodeReader KindCodeReader = NativeMethods.cupel_batch_read_kind_codes;
        private static readonly unsafe ColumnReader.CodeReader SourceCodeReader = NativeMethods.cupel_batch_read_source_codes;

        /// <summary>Reads the token counts of a range of rows into an array, which may be longer.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="rows">How many rows to read.</param>
        /// <param name="tokens">Where to put them.</param>
        /// <exception cref="ArgumentNullException"><paramref name="tokens"/> is null.</exception>
        /// <exception cref="ArgumentException">An array is shorter than <paramref name="rows"/>.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There are no such rows.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void ReadTokens(int firstRow, int rows, long[] tokens)
        {
            CheckRoom(tokens, rows, nameof(tokens));
            fixed (long* values = tokens)
            {
                ReadTokens(firstRow, rows, nameof(rows), values);
            }
        }

#if NETCOREAPP
        /// <summary>Reads the token counts of as many rows as a span has room for.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="tokens">Where to put them.</param>
        /// <exception cref="ArgumentException">The span is longer than the rows that there are.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There is no such row.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void ReadTokens(int firstRow, Span<long> tokens)
        {
            fixed (long* values = &MemoryMarshal.GetReference(tokens))
            {
                ReadTokens(firstRow, tokens.Length, nameof(tokens), values);
            }
        }
#endif

        /// <summary>Reads the priorities of a range of rows into an array, which may be longer.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="rows">How many rows to read.</param>
        /// <param name="priorities">Where to put them: 0 where there is none.</param>
        /// <param name="validity">Where to put, for each row, 1 where it has a priority and 0 where it has none; may be
        /// null.</param>
        /// <exception cref="ArgumentNullException"><paramref name="priorities"/> is null.</exception>
        /// <exception cref="ArgumentException">An array is shorter than <paramref name="rows"/>.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There are no such rows.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void ReadPriority(int firstRow, int rows, long[] priorities, [AllowNull] byte[] validity = null)
        {
            CheckRoom(priorities, rows, nameof(priorities));
            CheckOptionalRoom(validity, rows, nameof(validity));
            fixed (long* values = priorities)
            fixed (byte* present = validity)
            {
                ReadIntegers(PriorityReader, firstRow, rows, nameof(rows), values, present);
            }
        }

#if NETCOREAPP
        /// <summary>Reads the priorities of as many rows as a span has room for.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="priorities">Where to put them: 0 where there is none.</param>
        /// <param name="validity">Where to put, for each row, 1 where it has a priority and 0 where it has none; empty,
        /// or as long as <paramref name="priorities"/>.</param>
        /// <exception cref="ArgumentException">A span is longer than the rows that there are, or they are of different
        /// lengths.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There is no such row.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void ReadPriority(int firstRow, Span<long> priorities, Span<byte> validity = default(Span<byte>))
        {
            CheckValidity(validity.Length, priorities.Length, nameof(priorities));
            fixed (long* values = &MemoryMarshal.GetReference(priorities))
            fixed (byte* present = &MemoryMarshal.GetReference(validity))
            {
                ReadIntegers(PriorityReader, firstRow, priorities.Length, nameof(priorities), values, present);
            }
        }
#endif

        /// <summary>Reads the timestamps, in nanoseconds since the Unix epoch, of a range of rows into an array, which
        /// may be longer.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="rows">How many rows to read.</param>
        /// <param name="unixNanoseconds">Where to put them: 0 where there is none.</param>
        /// <param name="validity">Where to put, for each row, 1 where it has a timestamp and 0 where it has none; may
        /// be null.</param>
        /// <exception cref="ArgumentNullException"><paramref name="unixNanoseconds"/> is null.</exception>
        /// <exception cref="ArgumentException">An array is shorter than <paramref name="rows"/>.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There are no such rows.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void ReadTimestamp(int firstRow, int rows, long[] unixNanoseconds, [AllowNull] byte[] validity = null)
        {
            CheckRoom(unixNanoseconds, rows, nameof(unixNanoseconds));
            CheckOptionalRoom(validity, rows, nameof(validity));
            fixed (long* values = unixNanoseconds)
            fixed (byte* present = validity)
            {
                ReadIntegers(TimestampReader, firstRow, rows, nameof(rows), values, present);
            }
        }

#if NETCOREAPP
        /// <summary>Reads the timestamps, in nanoseconds since the Unix epoch, of as many rows as a span has room
        /// for.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="unixNanoseconds">Where to put them: 0 where there is none.</param>
        /// <param name="validity">Where to put, for each row, 1 where it has a timestamp and 0 where it has none;
        /// empty, or as long as <paramref name="unixNanoseconds"/>.</param>
        /// <exception cref="ArgumentException">A span is longer than the rows that there are, or they are of different
        /// lengths.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There is no such row.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void ReadTimestamp(int firstRow, Span<long> unixNanoseconds, Span<byte> validity = default(Span<byte>))
        {
            CheckValidity(validity.Length, unixNanoseconds.Length, nameof(unixNanoseconds));
            fixed (long* values = &MemoryMarshal.GetReference(unixNanoseconds))
            fixed (byte* present = &MemoryMarshal.GetReference(validity))
            {
                ReadIntegers(TimestampReader, firstRow, unixNanoseconds.Length, nameof(unixNanoseconds), values, present);
            }
        }
#endif

        /// <summary>Reads the hints of a range of rows into an array, which may be longer.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="rows">How many rows to read.</param>
        /// <param name="hints">Where to put them: NaN where there is none.</param>
        /// <param name="validity">Where to put, for each row, 1 where it has a hint and 0 where it has none; may be
        /// null.</param>
        /// <exception cref="ArgumentNullException"><paramref name="hints"/> is null.</exception>
        /// <exception cref="ArgumentException">An array is shorter than <paramref name="rows"/>.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There are no such rows.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void ReadFutureRelevanceHint(
            int firstRow, int rows, double[] hints, [AllowNull] byte[] validity = null)
        {
            CheckRoom(hints, rows, nameof(hints));
            CheckOptionalRoom(validity, rows, nameof(validity));
            fixed (double* values = hints)
            fixed (byte* present = validity)
            {
                ReadHints(firstRow, rows, nameof(rows), values, present);
            }
        }

#if NETCOREAPP
        /// <summary>Reads the hints of as many rows as a span has room for.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="hints">Where to put them: NaN where there is none.</param>
        /// <param name="validity">Where to put, for each row, 1 where it has a hint and 0 where it has none; empty, or
        /// as long as <paramref name="hints"/>.</param>
        /// <exception cref="ArgumentException">A span is longer than the rows that there are, or they are of different
        /// lengths.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There is no such row.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void ReadFutureRelevanceHint(
            int firstRow, Span<double> hints, Span<byte> validity = default(Span<byte>))
        {
            CheckValidity(validity.Length, hints.Length, nameof(hints));
            fixed (double* values = &MemoryMarshal.GetReference(hints))
            fixed (byte* present = &MemoryMarshal.GetReference(validity))
            {
                ReadHints(firstRow, hints.Length, nameof(hints), values, present);
            }
        }
#endif

        /// <summary>Reads the token counts before shortening of a range of rows into an array, which may be
        /// longer.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="rows">How many rows to read.</param>
        /// <param name="originalTokens">Where to put them: 0 where there is none.</param>
        /// <param name="validity">Where to put, for each row, 1 where it has an original token count and 0 where it has
        /// none; may be null.</param>
        /// <exception cref="ArgumentNullException"><paramref name="originalTokens"/> is null.</exception>
        /// <exception cref="ArgumentException">An array is shorter than <paramref name="rows"/>.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There are no such rows.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void ReadOriginalTokens(
            int firstRow, int rows, long[] originalTokens, [AllowNull] byte[] validity = null)
        {
            CheckRoom(originalTokens, rows, nameof(originalTokens));
            CheckOptionalRoom(validity, rows, nameof(validity));
            fixed (long* values = originalTokens)
            fixed (byte* present = validity)
            {
                ReadIntegers(OriginalTokensReader, firstRow, rows, nameof(rows), values, present);
            }
        }

#if NETCOREAPP
        /// <summary>Reads the token counts before shortening of as many rows as a span has room for.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="originalTokens">Where to put them: 0 where there is none.</param>
        /// <param name="validity">Where to put, for each row, 1 where it has an original token count and 0 where it has
        /// none; empty, or as long as <paramref name="originalTokens"/>.</param>
        /// <exception cref="ArgumentException">A span is longer than the rows that there are, or they are of different
        /// lengths.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There is no such row.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void ReadOriginalTokens(
            int firstRow, Span<long> originalTokens, Span<byte> validity = default(Span<byte>))
        {
            CheckValidity(validity.Length, originalTokens.Length, nameof(originalTokens));
            fixed (long* values = &MemoryMarshal.GetReference(originalTokens))
            fixed (byte* present = &MemoryMarshal.GetReference(validity))
            {
                ReadIntegers(OriginalTokensReader, firstRow, originalTokens.Length, nameof(originalTokens), values, present);
            }
        }
#endif

        /// <summary>Reads the marks of pinned rows of a range of rows into an array, which may be longer.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="rows">How many rows to read.</param>
        /// <param name="pinned">Where to put, for each row, 1 for a pinned one and 0 for any other.</param>
        /// <exception cref="ArgumentNullException"><paramref name="pinned"/> is null.</exception>
        /// <exception cref="ArgumentException">An array is shorter than <paramref name="rows"/>.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There are no such rows.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void ReadPinned(int firstRow, int rows, byte[] pinned)
        {
            CheckRoom(pinned, rows, nameof(pinned));
            fixed (byte* values = pinned)
            {
                ReadPinned(firstRow, rows, nameof(rows), values);
            }
        }

#if NETCOREAPP
        /// <summary>Reads the marks of pinned rows of as many rows as a span has room for.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="pinned">Where to put, for each row, 1 for a pinned one and 0 for any other.</param>
        /// <exception cref="ArgumentException">The span is longer than the rows that there are.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There is no such row.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void ReadPinned(int firstRow, Span<byte> pinned)
        {
            fixed (byte* values = &MemoryMarshal.GetReference(pinned))
            {
                ReadPinned(firstRow, pinned.Length, nameof(pinned), values);
            }
        }
#endif

        /// <summary>Reads the kinds as codes of a range of rows into an array, which may be longer.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="rows">How many rows to read.</param>
        /// <param name="codes">Where to put the codes: positions in what <see cref="ReadKindTexts"/> gives, until the
        /// batch is changed.</param>
        /// <exception cref="ArgumentNullException"><paramref name="codes"/> is null.</exception>
        /// <exception cref="ArgumentException">An array is shorter than <paramref name="rows"/>.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There are no such rows.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void ReadKindCodes(int firstRow, int rows, uint[] codes)
        {
            CheckRoom(codes, rows, nameof(codes));
            fixed (uint* values = codes)
            {
                ReadCodes(KindCodeReader, firstRow, rows, nameof(rows), values);
            }
        }

#if NETCOREAPP
        /// <summary>Reads the kinds as codes of as many rows as a span has room for.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="codes">Where to put the codes: positions in what <see cref="ReadKindTexts"/> gives, until the
        /// batch is changed.</param>
        /// <exception cref="ArgumentException">The span is longer than the rows that there are.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There is no such row.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void ReadKindCodes(int firstRow, Span<uint> codes)
        {
            fixed (uint* values = &MemoryMarshal.GetReference(codes))
            {
                ReadCodes(KindCodeReader, firstRow, codes.Length, nameof(codes), values);
            }
        }
#endif

        /// <summary>The distinct kinds, by code. Some may be of rows that were removed.</summary>
        /// <returns>The kinds. A few names, where <see cref="ReadKind"/> gives one for each row.</returns>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public string[] ReadKindTexts()
        {
            using (BatchLease batch = Read())
            {
                return ColumnReader.KindTexts(batch.Pointer).ToStrings();
            }
        }

        /// <summary>Reads the sources as codes of a range of rows into an array, which may be longer.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="rows">How many rows to read.</param>
        /// <param name="codes">Where to put the codes: positions in what <see cref="ReadSourceTexts"/> gives, until the
        /// batch is changed.</param>
        /// <exception cref="ArgumentNullException"><paramref name="codes"/> is null.</exception>
        /// <exception cref="ArgumentException">An array is shorter than <paramref name="rows"/>.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There are no such rows.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void ReadSourceCodes(int firstRow, int rows, uint[] codes)
        {
            CheckRoom(codes, rows, nameof(codes));
            fixed (uint* values = codes)
            {
                ReadCodes(SourceCodeReader, firstRow, rows, nameof(rows), values);
            }
        }

#if NETCOREAPP
        /// <summary>Reads the sources as codes of as many rows as a span has room for.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="codes">Where to put the codes: positions in what <see cref="ReadSourceTexts"/> gives, until the
        /// batch is changed.</param>
        /// <exception cref="ArgumentException">The span is longer than the rows that there are.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There is no such row.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void ReadSourceCodes(int firstRow, Span<uint> codes)
        {
            fixed (uint* values = &MemoryMarshal.GetReference(codes))
            {
                ReadCodes(SourceCodeReader, firstRow, codes.Length, nameof(codes), values);
            }
        }
#endif

        /// <summary>The distinct sources, by code. Some may be of rows that were removed.</summary>
        /// <returns>The sources. A few names, where <see cref="ReadSource"/> gives one for each row.</returns>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public string[] ReadSourceTexts()
        {
            using (BatchLease batch = Read())
            {
                return ColumnReader.SourceTexts(batch.Pointer).ToStrings();
            }
        }

        /// <summary>Reads the contents of a range of rows.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="rows">How many rows to read.</param>
        /// <returns>A column of its own; the text of a row without content is empty.</returns>
        /// <exception cref="ArgumentOutOfRangeException">There are no such rows.</exception>
        /// <exception cref="InsufficientMemoryException">The texts are more than an array holds.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public TextColumn ReadContent(int firstRow, int rows)
        {
            using (BatchLease batch = Read())
            {
                CheckRange(batch, firstRow, rows, nameof(rows));
                return ColumnReader.Content(batch.Pointer, firstRow, rows);
            }
        }

        /// <summary>Reads the kinds of a range of rows.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="rows">How many rows to read.</param>
        /// <returns>A column of its own. It has a dictionary, unless the batch has more distinct kinds than rows are
        /// read.</returns>
        /// <exception cref="ArgumentOutOfRangeException">There are no such rows.</exception>
        /// <exception cref="InsufficientMemoryException">The texts are more than an array holds.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public TextColumn ReadKind(int firstRow, int rows)
        {
            using (BatchLease batch = Read())
            {
                CheckRange(batch, firstRow, rows, nameof(rows));
                return ColumnReader.Kind(batch.Pointer, firstRow, rows);
            }
        }

        /// <summary>Reads the sources of a range of rows.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="rows">How many rows to read.</param>
        /// <returns>A column of its own. It has a dictionary, unless the batch has more distinct sources than rows are
        /// read.</returns>
        /// <exception cref="ArgumentOutOfRangeException">There are no such rows.</exception>
        /// <exception cref="InsufficientMemoryException">The texts are more than an array holds.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public TextColumn ReadSource(int firstRow, int rows)
        {
            using (BatchLease batch = Read())
            {
                CheckRange(batch, firstRow, rows, nameof(rows));
                return ColumnReader.Source(batch.Pointer, firstRow, rows);
            }
        }

        /// <summary>Reads the tags of a range of rows.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="rows">How many rows to read.</param>
        /// <param name="tagLists">Row <c>firstRow + i</c> has the tags from slot <c>tagLists[i]</c> up to
        /// <c>tagLists[i + 1]</c>.</param>
        /// <returns>The tags of all rows, one after the other.</returns>
        /// <exception cref="ArgumentOutOfRangeException">There are no such rows.</exception>
        /// <exception cref="InsufficientMemoryException">The tags are more than an array holds.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public TextColumn ReadTags(int firstRow, int rows, out long[] tagLists)
        {
            using (BatchLease batch = Read())
            {
                CheckRange(batch, firstRow, rows, nameof(rows));
                return ColumnReader.Tags(batch.Pointer, firstRow, rows, out tagLists);
            }
        }

        /// <summary>Reads the numbers that a range of rows has at a metadata key.</summary>
        /// <param name="key">The key.</param>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="rows">How many rows to read.</param>
        /// <param name="numbers">Where to put them: NaN where the value is no double, or there is none.</param>
        /// <param name="types">Where to put, for each row, what its value is, as in
        /// <see cref="ContextColumns.MetadataTypes"/>; 0 where there is none. May be null.</param>
        /// <param name="validity">Where to put, for each row, 1 where it has the key and 0 where it has not; may be
        /// null.</param>
        /// <exception cref="ArgumentNullException"><paramref name="key"/> or <paramref name="numbers"/> is
        /// null.</exception>
        /// <exception cref="ArgumentException"><paramref name="key"/> has an unpaired surrogate, or an array is shorter
        /// than <paramref name="rows"/>.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There are no such rows.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void ReadMetadataNumbers(
            string key,
            int firstRow,
            int rows,
            double[] numbers,
            [AllowNull] byte[] types = null,
            [AllowNull] byte[] validity = null)
        {
            byte[] name = Utf8.Encode(key, nameof(key));
            CheckRoom(numbers, rows, nameof(numbers));
            CheckOptionalRoom(types, rows, nameof(types));
            CheckOptionalRoom(validity, rows, nameof(validity));
            fixed (double* values = numbers)
            fixed (byte* valueTypes = types, present = validity)
            {
                ReadMetadataNumbers(name, firstRow, rows, nameof(rows), values, valueTypes, present);
            }
        }

#if NETCOREAPP
        /// <summary>Reads the numbers that as many rows as a span has room for have at a metadata key.</summary>
        /// <param name="key">The key.</param>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="numbers">Where to put them: NaN where the value is no double, or there is none.</param>
        /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="key"/> has an unpaired surrogate, or the span is longer
        /// than the rows that there are.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There is no such row.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe void ReadMetadataNumbers(string key, int firstRow, Span<double> numbers)
        {
            byte[] name = Utf8.Encode(key, nameof(key));
            fixed (double* values = &MemoryMarshal.GetReference(numbers))
            {
                ReadMetadataNumbers(name, firstRow, numbers.Length, nameof(numbers), values, null, null);
            }
        }
#endif

        /// <summary>Reads the texts that a range of rows has at a metadata key.</summary>
        /// <param name="key">The key.</param>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="rows">How many rows to read.</param>
        /// <param name="types">Where to put, for each row, what its value is, as in
        /// <see cref="ContextColumns.MetadataTypes"/>; 0 where there is none. May be null.</param>
        /// <param name="validity">Where to put, for each row, 1 where it has the key and 0 where it has not; may be
        /// null.</param>
        /// <returns>A column of its own: the text is empty where the value is a double, or there is none.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="key"/> is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="key"/> has an unpaired surrogate, or an array is shorter
        /// than <paramref name="rows"/>.</exception>
        /// <exception cref="ArgumentOutOfRangeException">There are no such rows.</exception>
        /// <exception cref="InsufficientMemoryException">The texts are more than an array holds.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public unsafe TextColumn ReadMetadataTexts(
            string key, int firstRow, int rows, [AllowNull] byte[] types = null, [AllowNull] byte[] validity = null)
        {
            byte[] name = Utf8.Encode(key, nameof(key));
            CheckOptionalRoom(types, rows, nameof(types));
            CheckOptionalRoom(validity, rows, nameof(validity));
            using (BatchLease batch = Read())
            {
                CheckRange(batch, firstRow, rows, nameof(rows));
                fixed (byte* valueTypes = types, present = validity)
                {
                    return ColumnReader.MetadataTexts(batch.Pointer, name, firstRow, rows, valueTypes, present);
                }
            }
        }

        /// <summary>Reads columns of all rows.</summary>
        /// <param name="columns">Which columns.</param>
        /// <returns>Columns that <see cref="Append(ContextColumns)"/> takes; what was not asked for is
        /// absent.</returns>
        /// <exception cref="ArgumentOutOfRangeException"><paramref name="columns"/> has an unknown bit.</exception>
        /// <exception cref="InsufficientMemoryException">Texts are more than an array holds.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public ContextColumns ReadColumns(BatchColumns columns)
        {
            CheckColumns(columns);
            using (BatchLease batch = Read())
            {
                return ColumnReader.Read(batch.Pointer, 0, batch.Length, columns);
            }
        }

        /// <summary>Reads columns of a range of rows.</summary>
        /// <param name="firstRow">The first row, from 0.</param>
        /// <param name="rows">How many rows to read.</param>
        /// <param name="columns">Which columns.</param>
        /// <returns>Columns that <see cref="Append(ContextColumns)"/> takes; what was not asked for is absent. Leave
        /// out the content of rows that have none: an empty content is refused.</returns>
        /// <exception cref="ArgumentOutOfRangeException">There are no such rows, or <paramref name="columns"/> has an
        /// unknown bit.</exception>
        /// <exception cref="InsufficientMemoryException">Texts are more than an array holds.</exception>
        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        public ContextColumns ReadColumns(int firstRow, int rows, BatchColumns columns)
        {
            CheckColumns(columns);
            using (BatchLease batch = Read())
            {
                CheckRange(batch, firstRow, rows, nameof(rows));
                return ColumnReader.Read(batch.Pointer, firstRow, rows, columns);
            }
        }

        private static void CheckColumns(BatchColumns columns)
        {
            if ((columns & ~AllColumns) != 0)
            {
                throw new ArgumentOutOfRangeException(nameof(columns), columns, "columns has a bit that is no column.");
            }
        }

        /// <summary>Refuses rows that the batch does not have.</summary>
        private static void CheckRange(BatchLease batch, int firstRow, int rows, string parameter)
        {
            int count = batch.Length;
            if (firstRow < 0 || firstRow > count)
            {
                throw new ArgumentOutOfRangeException(nameof(firstRow), firstRow, "The batch has " + count + " rows.");
            }

            if (rows < 0 || rows > count - firstRow)
            {
                string available = "The batch has " + (count - firstRow) + " rows from row " + firstRow + " on.";
                if (parameter == nameof(rows))
                {
                    throw new ArgumentOutOfRangeException(parameter, rows, available);
                }

                throw new ArgumentException(parameter + " has " + rows + " elements. " + available, parameter);
            }
        }

        private static void CheckRoom(Array array, int rows, string parameter)
        {
            if (array == null)
            {
                throw new ArgumentNullException(parameter);
            }

            CheckOptionalRoom(array, rows, parameter);
        }

        private static void CheckOptionalRoom(Array array, int rows, string parameter)
        {
            if (array != null && array.Length < rows)
            {
                throw new ArgumentException(
                    parameter + " has " + array.Length + " elements, " + rows + " are needed.", parameter);
            }
        }

#if NETCOREAPP
        private static void CheckValidity(int validity, int rows, string values)
        {
            if (validity != 0 && validity != rows)
            {
                throw new ArgumentException(
                    "validity has " + validity + " elements, " + values + " has " + rows + ".", nameof(validity));
            }
        }
#endif

        private unsafe void ReadTokens(int firstRow, int rows, string parameter, long* values)
        {
            using (BatchLease batch = Read())
            {
                CheckRange(batch, firstRow, rows, parameter);
                IntPtr error;
                int status = NativeMethods.cupel_batch_read_tokens(
                    batch.Pointer, (UIntPtr)(uint)firstRow, (UIntPtr)(uint)rows, values, &error);
                Failure.ThrowIfFailed(status, error);
            }
        }

        private unsafe void ReadIntegers(
            ColumnReader.IntegerReader read, int firstRow, int rows, string parameter, long* values, byte* validity)
        {
            using (BatchLease batch = Read())
            {
                CheckRange(batch, firstRow, rows, parameter);
                IntPtr error;
                int status = read(batch.Pointer, (UIntPtr)(uint)firstRow, (UIntPtr)(uint)rows, values, validity, &error);
                Failure.ThrowIfFailed(status, error);
            }
        }

        private unsafe void ReadHints(int firstRow, int rows, string parameter, double* values, byte* validity)
        {
            using (BatchLease batch = Read())
            {
                CheckRange(batch, firstRow, rows, parameter);
                IntPtr error;
                int status = NativeMethods.cupel_batch_read_future_relevance_hint(
                    batch.Pointer, (UIntPtr)(uint)firstRow, (UIntPtr)(uint)rows, values, validity, &error);
                Failure.ThrowIfFailed(status, error);
            }
        }

        private unsafe void ReadPinned(int firstRow, int rows, string parameter, byte* values)
        {
            using (BatchLease batch = Read())
            {
                CheckRange(batch, firstRow, rows, parameter);
                IntPtr error;
                int status = NativeMethods.cupel_batch_read_pinned(
                    batch.Pointer, (UIntPtr)(uint)firstRow, (UIntPtr)(uint)rows, values, &error);
                Failure.ThrowIfFailed(status, error);
            }
        }

        private unsafe void ReadCodes(ColumnReader.CodeReader read, int firstRow, int rows, string parameter, uint* codes)
        {
            using (BatchLease batch = Read())
            {
                CheckRange(batch, firstRow, rows, parameter);
                IntPtr error;
                int status = read(batch.Pointer, (UIntPtr)(uint)firstRow, (UIntPtr)(uint)rows, codes, &error);
                Failure.ThrowIfFailed(status, error);
            }
        }

        private unsafe void ReadMetadataNumbers(
            byte[] key, int firstRow, int rows, string parameter, double* numbers, byte* types, byte* validity)
        {
            using (BatchLease batch = Read())
            {
                CheckRange(batch, firstRow, rows, parameter);
                fixed (byte* name = key)
                {
                    IntPtr error;
                    int status = NativeMethods.cupel_batch_read_metadata_key(
                        batch.Pointer,
                        name,
                        (UIntPtr)(uint)key.Length,
                        (UIntPtr)(uint)firstRow,
                        (UIntPtr)(uint)rows,
                        types,
                        validity,
                        numbers,
                        null,
                        null,
                        UIntPtr.Zero,
                        &error);
                    Failure.ThrowIfFailed(status, error);
                }
            }
        }
    }
}
