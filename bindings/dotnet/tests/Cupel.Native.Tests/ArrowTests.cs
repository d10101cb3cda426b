using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;

namespace Cupel.Native.Tests
{
    internal static class ArrowTests
    {
        private const string Utc = "tsn:UTC";

        [Test]
        private static void RowsAreThoseOfTheTable()
        {
            using (ArrowTable table = Table(0))
            using (ArrowTable slice = Table(2))
            using (var batch = new Batch())
            using (var expected = new Batch())
            {
                batch.AppendArrow(table.Schema, table.Array);
                batch.AppendArrow(slice.Schema, slice.Array);
                Check.True(table.IsLive && slice.IsLive, "the structs stay the caller's to release");
                expected.Append(new ContextColumns(4)
                {
                    Content = TextColumn.FromStrings(new[] { "a", "caf\u00e9", "\ud83e\udd80", "d" }),
                    Tokens = new long[] { 1, 2, 3, 4 },
                    Kind = TextColumn.FromStrings(new[] { "Memory", "Message", "Ticket", "Memory" }),
                    Priority = new long[] { 7, 0, 9, 1 },
                    PriorityValidity = new byte[] { 1, 0, 1, 1 },
                    Timestamp = new long[] { 5, 6, 0, 8 },
                    TimestampValidity = new byte[] { 1, 1, 0, 1 },
                    Tags = TextColumn.FromStrings(new[] { "x", "y", "x" }),
                    TagLists = new long[] { 0, 2, 2, 3, 3 },
                });
                Check.Equal(expected.ToJson() + expected.ToJson(2, 2), batch.ToJson());
            }
        }

        [Test]
        private static void TheValidityOfATableWithoutNullsIsNotRead()
        {
            // Some producers leave its address as it is.
            using (ArrowTable table = Table(0))
            using (var batch = new Batch())
            {
                Marshal.WriteInt64(table.Array, 8, 0);
                Marshal.WriteIntPtr(Marshal.ReadIntPtr(table.Array, 40), 0, (IntPtr)1);
                batch.AppendArrow(table.Schema, table.Array);
                Check.Equal(4, batch.Count);
            }
        }

        [Test]
        private static void WrongTablesChangeNothing()
        {
            using (var batch = new Batch())
            {
                batch.Append(ItemTests.Plain());
                string before = batch.ToJson();
                using (ArrowTable table = Table(0))
                {
                    Check.Rejects<ArgumentNullException>("schema", () => batch.AppendArrow(IntPtr.Zero, table.Array));
                    Check.Rejects<ArgumentNullException>("array", () => batch.AppendArrow(table.Schema, IntPtr.Zero));
                    Check.Rejects<ArgumentNullException>("stream", () => batch.AppendArrowStream(IntPtr.Zero));
                    ArrowTable.ReleaseArray(table.Array);
                    Check.Rejects<ArgumentException>("array", () => batch.AppendArrow(table.Schema, table.Array), "was released");
                }

                Wrong<ArgumentException>(batch, "content[1] is null", new ArrowTable(2).Texts("content", "a", null).Finish());
                Wrong<ArgumentException>(batch, "content", new ArrowTable(2).Texts("content", "a", string.Empty).Finish());
                Wrong<ArgumentException>(batch, "kind has the type \"l\"", new ArrowTable(1).Integers("kind", "l", 1).Finish());
                Wrong<ArgumentException>(batch, "the table has no column", new ArrowTable(1).Integers("mine", "l", 1).Finish());
                Wrong<ArgumentException>(
                    batch,
                    "original_tokens occurs twice",
                    new ArrowTable(1).Integers("original_tokens", "l", 1).Integers("original_tokens", "l", 1).Finish());
                Wrong<ArgumentException>(
                    batch, "future_relevance_hint has the type \"u\"", new ArrowTable(1).Texts("future_relevance_hint", "x").Finish());
                Wrong<ArgumentOutOfRangeException>(
                    batch, "timestamp[1]", new ArrowTable(2).Integers("timestamp", "tss:UTC", 1, long.MaxValue).Finish());
                Wrong<ArgumentException>(batch, "timestamp", new ArrowTable(1).Integers("timestamp", "tsn:", 1).Finish());
                Check.Equal(before, batch.ToJson());

                using (ArrowTable naive = new ArrowTable(1).Integers("timestamp", "tsn:", 77).Finish())
                {
                    batch.AppendArrow(naive.Schema, naive.Array, naiveIsUtc: true);
                    Check.Equal(77L, batch.ItemAt(1).TimestampNanoseconds);
                    batch.Dispose();
                    Check.Throws<ObjectDisposedException>(() => batch.AppendArrow(naive.Schema, naive.Array));
                }
            }
        }

        [Test]
        private static void StreamsAreReadToTheirEnd()
        {
            using (ArrowTable first = Table(0))
            using (ArrowTable second = Table(1))
            using (var stream = new Stream(first, second))
            using (var batch = new Batch())
            using (var expected = new Batch())
            {
                expected.AppendArrow(first.Schema, first.Array);
                expected.AppendArrow(second.Schema, second.Array);
                batch.AppendArrowStream(stream.Address);
                Check.Equal(expected.ToJson(), batch.ToJson());
                Check.Equal(3, stream.Released, "the schema and both arrays");
            }
        }

        [Test]
        private static void StreamsThatFailAppendNothing()
        {
            using (ArrowTable good = Table(0))
            using (ArrowTable bad = new ArrowTable(1).Texts("content", new string[] { null }).Finish())
            using (var batch = new Batch())
            {
                batch.Append(ItemTests.Plain());
                using (var stream = new Stream(good) { FailsAtEnd = true })
                {
                    var failed = Check.Throws<CupelException>(
                        () => batch.AppendArrowStream(stream.Address), "the disk is on fire");
                    Check.Equal(CupelStatus.CallbackFailed, failed.Status);
                    Check.Equal(2, stream.Released, "the schema and the array");
                }

                using (var stream = new Stream(bad))
                {
                    Check.Rejects<ArgumentException>(
                        "stream", () => batch.AppendArrowStream(stream.Address), "content[0] is null");
                    Check.Equal(2, stream.Released, "the schema and the array");
                }

                Check.Equal(1, batch.Count);
            }
        }

        [Test]
        private static void ScoresOfATableAreThoseOfItsGroups()
        {
            string[] conversations = { "p", "p", "q", "q" };
            using (ArrowTable table = Columns().Texts("conversation", conversations).Finish())
            using (ArrowTable lists = Columns().FinishAsLists(0, 2, 4))
            using (var batch = new Batch())
            using (Scorer scorer = Scorer.Composite((Scorer.Priority(), 0.5), (Scorer.Recency(), 0.25), (Scorer.Frequency(), 0.25)))
            {
                batch.AppendArrow(table.Schema, table.Array);
                double[] expected = scorer.ScoreGroups(batch, new long[] { 0, 2, 4 });
                var scores = new double[4];
                scorer.ScoreArrow(table.Schema, table.Array, scores, "conversation");
                Check.Same(expected, scores);
                System.Array.Clear(scores, 0, 4);
                scorer.ScoreArrow(lists.Schema, lists.Array, scores);
                Check.Same(expected, scores);
                scorer.ScoreArrow(table.Schema, table.Array, scores);
                Check.Same(scorer.Score(batch), scores);
                Check.True(table.IsLive && lists.IsLive, "the structs stay the caller's to release");
#if NETCOREAPP
                Span<double> span = stackalloc double[4];
                scorer.ScoreArrow(table.Schema, table.Array, span, "conversation");
                Check.Same(expected, span.ToArray());
#endif
            }
        }

        [Test]
        private static void WrongTablesToScoreWriteNothing()
        {
            using (ArrowTable table = Columns().Texts("my_group", "p", "q", "p", "q").Finish())
            using (Scorer scorer = Scorer.Priority())
            using (Scorer custom = Scorer.Scaled(Scorer.Custom((batch, all) => { })))
            {
                var scores = new[] { 5.0, 5.0, 5.0, 5.0 };
                Check.Rejects<ArgumentNullException>("schema", () => scorer.ScoreArrow(IntPtr.Zero, table.Array, scores));
                Check.Rejects<ArgumentNullException>("array", () => scorer.ScoreArrow(table.Schema, IntPtr.Zero, scores));
                Check.Rejects<ArgumentNullException>("destination", () => scorer.ScoreArrow(table.Schema, table.Array, null));
                Check.Rejects<ArgumentException>(
                    "destination",
                    () => scorer.ScoreArrow(table.Schema, table.Array, new double[3]),
                    "destination.Length is 3: it must be 4, the number of rows");
                Check.Rejects<ArgumentException>(
                    "array", () => scorer.ScoreArrow(table.Schema, table.Array, scores, "my_group"), "my_group[2] comes back");
                Check.Rejects<ArgumentException>(
                    "array", () => scorer.ScoreArrow(table.Schema, table.Array, scores, "nobody"), "nobody");
                Check.Rejects<ArgumentException>("array", () => scorer.ScoreArrow(table.Schema, table.Array, scores, string.Empty));
                Check.Rejects<ArgumentException>("group", () => scorer.ScoreArrow(table.Schema, table.Array, scores, "\ud800"));
                Check.Rejects<ArgumentException>(
                    null, () => custom.ScoreArrow(table.Schema, table.Array, scores), "a custom scorer cannot score groups");
                Check.Same(new[] { 5.0, 5.0, 5.0, 5.0 }, scores);
                scorer.Dispose();
                Check.Throws<ObjectDisposedException>(() => scorer.ScoreArrow(table.Schema, table.Array, scores));
            }

            using (ArrowTable naive = new ArrowTable(1).Integers("timestamp", "tsn:", 77).Finish())
            using (Scorer recency = Scorer.Recency())
            {
                var scores = new double[1];
                Check.Rejects<ArgumentException>("array", () => recency.ScoreArrow(naive.Schema, naive.Array, scores), "timestamp");
                recency.ScoreArrow(naive.Schema, naive.Array, scores, naiveIsUtc: true);
                Check.Same(1.0, scores[0]);
            }
        }

        private static void Wrong<T>(Batch batch, string message, ArrowTable table)
            where T : ArgumentException
        {
            using (table)
            {
                Check.Rejects<T>("array", () => batch.AppendArrow(table.Schema, table.Array), message);
                Check.True(table.IsLive, "the structs stay the caller's to release");
            }
        }

        private static ArrowTable Table(int offset)
        {
            return Columns().Texts("unknown", "1", "2", "3", "4").Finish(offset);
        }

        private static ArrowTable Columns()
        {
            return new ArrowTable(4)
                .Texts("content", "a", "caf\u00e9", "\ud83e\udd80", "d")
                .Integers("tokens", "l", 1, 2, 3, 4)
                .Texts("kind", "Memory", null, "Ticket", "Memory")
                .Integers("priority", "l", 7, null, 9, 1)
                .Integers("timestamp", Utc, 5, 6, null, 8)
                .TextLists("tags", new[] { "x", "y" }, new string[0], new[] { "x" }, new string[0]);
        }

        /// <summary>A C stream over tables, which counts what is released of what it handed out.</summary>
        private sealed class Stream : IDisposable
        {
            private readonly Getter _getSchema;
            private readonly Getter _getNext;
            private readonly Message _getLastError;
            private readonly Releaser _release;
            private readonly Releaser _releaseSchema;
            private readonly Releaser _releaseArray;
            private readonly Queue<ArrowTable> _tables;
            private readonly IntPtr _message = Marshal.StringToHGlobalAnsi("the disk is on fire");

            internal Stream(params ArrowTable[] tables)
            {
                _tables = new Queue<ArrowTable>(tables);
                IntPtr schema = tables[0].Schema;
                _releaseSchema = self =>
                {
                    Released++;
                    ArrowTable.ReleaseSchema(self);
                };
                _releaseArray = self =>
                {
                    Released++;
                    ArrowTable.ReleaseArray(self);
                };
                _getSchema = (self, result) => Hand(schema, result, ArrowTable.SchemaSize, 56, _releaseSchema);
                _getNext = (self, result) =>
                {
                    if (_tables.Count == 0)
                    {
                        return FailsAtEnd ? 5 : 0;
                    }

                    return Hand(_tables.Dequeue().Array, result, ArrowTable.ArraySize, 64, _releaseArray);
                };
                _getLastError = self => _message;
                _release = self => { };
                Address = Marshal.AllocHGlobal(5 * IntPtr.Size);
                Marshal.WriteIntPtr(Address, 0, Marshal.GetFunctionPointerForDelegate(_getSchema));
                Marshal.WriteIntPtr(Address, 8, Marshal.GetFunctionPointerForDelegate(_getNext));
                Marshal.WriteIntPtr(Address, 16, Marshal.GetFunctionPointerForDelegate(_getLastError));
                Marshal.WriteIntPtr(Address, 24, Marshal.GetFunctionPointerForDelegate(_release));
                Marshal.WriteIntPtr(Address, 32, IntPtr.Zero);
            }

            [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
            private delegate int Getter(IntPtr self, IntPtr result);

            [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
            private delegate IntPtr Message(IntPtr self);

            [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
            private delegate void Releaser(IntPtr self);

            internal IntPtr Address { get; }

            internal bool FailsAtEnd { get; set; }

            internal int Released { get; private set; }

            public void Dispose()
            {
                Marshal.FreeHGlobal(Address);
                Marshal.FreeHGlobal(_message);
            }

            /// <summary>A copy of the struct, which has a release of its own.</summary>
            private static int Hand(IntPtr from, IntPtr to, int size, int releaseOffset, Releaser release)
            {
                var copy = new byte[size];
                Marshal.Copy(from, copy, 0, size);
                Marshal.Copy(copy, 0, to, size);
                Marshal.WriteIntPtr(to, releaseOffset, Marshal.GetFunctionPointerForDelegate(release));
                return 0;
            }
        }
    }
}
