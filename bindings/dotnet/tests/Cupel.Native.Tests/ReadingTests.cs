using System;
using System.Collections.Generic;
using System.Text;

namespace Cupel.Native.Tests
{
    internal static class ReadingTests
    {
        private const BatchColumns All = (BatchColumns)2047;

        [Test]
        private static void NumbersAreThoseOfTheItems()
        {
            using (Batch batch = Rows(200))
            {
                foreach (int[] range in new[] { new[] { 0, 200 }, new[] { 63, 66 }, new[] { 199, 1 }, new[] { 200, 0 }, new[] { 0, 0 } })
                {
                    int first = range[0];
                    int rows = range[1];

                    // Longer than needed: what is beyond the rows stays as it is.
                    var tokens = Filled(rows + 1, -7L);
                    var priorities = Filled(rows + 1, -7L);
                    var timestamps = Filled(rows + 1, -7L);
                    var hints = Filled(rows + 1, -7.0);
                    var originals = Filled(rows + 1, -7L);
                    var pinned = Filled(rows + 1, (byte)9);
                    var hasPriority = Filled(rows + 1, (byte)9);
                    var hasTimestamp = Filled(rows + 1, (byte)9);
                    var hasHint = Filled(rows + 1, (byte)9);
                    var hasOriginal = Filled(rows + 1, (byte)9);
                    batch.ReadTokens(first, rows, tokens);
                    batch.ReadPriority(first, rows, priorities, hasPriority);
                    batch.ReadTimestamp(first, rows, timestamps, hasTimestamp);
                    batch.ReadFutureRelevanceHint(first, rows, hints, hasHint);
                    batch.ReadOriginalTokens(first, rows, originals, hasOriginal);
                    batch.ReadPinned(first, rows, pinned);
                    for (int i = 0; i < rows; i++)
                    {
                        ContextItem item = batch.ItemAt(first + i);
                        Check.Equal(item.Tokens, tokens[i]);
                        Number(item.Priority, priorities[i], hasPriority[i]);
                        Number(item.TimestampNanoseconds, timestamps[i], hasTimestamp[i]);
                        Number(item.OriginalTokens, originals[i], hasOriginal[i]);
                        Check.Equal(item.FutureRelevanceHint.HasValue, hasHint[i] == 1);
                        Check.Same(item.FutureRelevanceHint ?? double.NaN, hints[i]);
                        Check.Equal(item.Pinned ? (byte)1 : (byte)0, pinned[i]);
                    }

                    Check.Equal(-7L, tokens[rows]);
                    Check.Equal(-7L, priorities[rows]);
                    Check.Equal(-7L, timestamps[rows]);
                    Check.Same(-7.0, hints[rows]);
                    Check.Equal(-7L, originals[rows]);
                    foreach (byte[] bytes in new[] { pinned, hasPriority, hasTimestamp, hasHint, hasOriginal })
                    {
                        Check.Equal((byte)9, bytes[rows]);
                    }

                    // Without validity.
                    var again = new long[rows];
                    batch.ReadPriority(first, rows, again);
                    for (int i = 0; i < rows; i++)
                    {
                        Check.Equal(priorities[i], again[i]);
                    }
                }
            }
        }

#if NETCOREAPP
        [Test]
        private static void SpansGetTheSameNumbers()
        {
            using (Batch batch = Rows(100))
            {
                Span<long> longs = stackalloc long[40];
                Span<double> doubles = stackalloc double[40];
                Span<byte> bytes = stackalloc byte[40];
                Span<uint> codes = stackalloc uint[40];
                var longArray = new long[40];
                var doubleArray = new double[40];
                var byteArray = new byte[40];
                var codeArray = new uint[40];

                batch.ReadTokens(30, longs);
                batch.ReadTokens(30, 40, longArray);
                Check.True(longs.SequenceEqual(longArray), "tokens");
                batch.ReadPriority(30, longs, bytes);
                batch.ReadPriority(30, 40, longArray, byteArray);
                Check.True(longs.SequenceEqual(longArray) && bytes.SequenceEqual(byteArray), "priorities");
                batch.ReadTimestamp(30, longs, bytes);
                batch.ReadTimestamp(30, 40, longArray, byteArray);
                Check.True(longs.SequenceEqual(longArray) && bytes.SequenceEqual(byteArray), "timestamps");
                batch.ReadOriginalTokens(30, longs);
                batch.ReadOriginalTokens(30, 40, longArray);
                Check.True(longs.SequenceEqual(longArray), "original tokens");
                batch.ReadFutureRelevanceHint(30, doubles, bytes);
                batch.ReadFutureRelevanceHint(30, 40, doubleArray, byteArray);
                Check.True(doubles.SequenceEqual(doubleArray) && bytes.SequenceEqual(byteArray), "hints");
                batch.ReadPinned(30, bytes);
                batch.ReadPinned(30, 40, byteArray);
                Check.True(bytes.SequenceEqual(byteArray), "pinned");
                batch.ReadKindCodes(30, codes);
                batch.ReadKindCodes(30, 40, codeArray);
                Check.True(codes.SequenceEqual(codeArray), "kinds");
                batch.ReadSourceCodes(30, codes);
                batch.ReadSourceCodes(30, 40, codeArray);
                Check.True(codes.SequenceEqual(codeArray), "sources");
                batch.ReadMetadataNumbers("number", 30, doubles);
                batch.ReadMetadataNumbers("number", 30, 40, doubleArray);
                Check.True(doubles.SequenceEqual(doubleArray), "metadata");
                batch.ReadTokens(100, Span<long>.Empty);

                Check.Rejects<ArgumentException>("tokens", () => batch.ReadTokens(61, new long[40].AsSpan()), "tokens has 40 elements");
                Check.Rejects<ArgumentException>("hints", () => batch.ReadFutureRelevanceHint(61, new double[40].AsSpan()));
                Check.Rejects<ArgumentOutOfRangeException>("firstRow", () => batch.ReadTokens(101, Span<long>.Empty));
                Check.Rejects<ArgumentException>(
                    "validity", () => batch.ReadPriority(0, new long[3].AsSpan(), new byte[2].AsSpan()), "priorities has 3");
            }
        }
#endif

        [Test]
        private static void TextsAreThoseOfTheItems()
        {
            using (Batch batch = Rows(150))
            {
                foreach (int[] range in new[] { new[] { 0, 150 }, new[] { 70, 3 }, new[] { 149, 1 }, new[] { 150, 0 } })
                {
                    int first = range[0];
                    int rows = range[1];
                    TextColumn content = batch.ReadContent(first, rows);
                    TextColumn kinds = batch.ReadKind(first, rows);
                    TextColumn sources = batch.ReadSource(first, rows);
                    long[] lists;
                    TextColumn tags = batch.ReadTags(first, rows, out lists);
                    Check.Equal(rows, content.Count);
                    Check.Equal(rows, kinds.Count);
                    Check.Equal(rows, sources.Count);
                    Check.Equal(rows + 1, lists.Length);
                    Check.Equal(0L, lists[0]);
                    Check.Equal(lists[rows], (long)tags.Count);

                    // A dictionary where it pays.
                    Check.Equal(rows >= 3, kinds.Codes != null, "dictionary for " + rows);
                    for (int i = 0; i < rows; i++)
                    {
                        ContextItem item = batch.ItemAt(first + i);
                        Check.Equal(item.Content, content[i]);
                        Check.Equal(item.Content, Encoding.UTF8.GetString(
                            content.Data, (int)content.Offsets[i], (int)(content.Offsets[i + 1] - content.Offsets[i])));
                        Check.Equal(item.Kind.Value, kinds[i]);
                        Check.Equal(item.Source.Value, sources[i]);
                        Check.Equal(item.Tags.Count, (int)(lists[i + 1] - lists[i]));
                        for (int t = 0; t < item.Tags.Count; t++)
                        {
                            Check.Equal(item.Tags[t], tags[(int)lists[i] + t]);
                        }
                    }

                    Check.Equal(string.Join("|", kinds.ToStrings()), Joined(kinds));
                    Check.Equal(string.Join("|", tags.ToStrings()), Joined(tags));
                }

                var codes = new uint[151];
                batch.ReadKindCodes(0, 150, codes);
                string[] names = batch.ReadKindTexts();
                Check.Equal(3, names.Length);
                Check.Equal(batch.ItemAt(149).Kind.Value, names[codes[149]]);
                batch.ReadSourceCodes(0, 150, codes);
                names = batch.ReadSourceTexts();
                Check.Equal(2, names.Length);
                Check.Equal(batch.ItemAt(149).Source.Value, names[codes[149]]);
            }
        }

        [Test]
        private static void OneMetadataKey()
        {
            using (Batch batch = Rows(90))
            {
                foreach (string key in new[] { "text", "number", "other", "mixed", "none", string.Empty })
                {
                    var numbers = new double[80];
                    var types = new byte[80];
                    var validity = new byte[80];
                    var textTypes = new byte[80];
                    var textValidity = new byte[80];
                    batch.ReadMetadataNumbers(key, 10, 80, numbers, types, validity);
                    TextColumn texts = batch.ReadMetadataTexts(key, 10, 80, textTypes, textValidity);
                    Check.Equal(80, texts.Count);
                    Check.Equal(Joined(texts), Joined(batch.ReadMetadataTexts(key, 10, 80)));
                    for (int i = 0; i < 80; i++)
                    {
                        object value;
                        bool present = batch.ItemAt(10 + i).Metadata.TryGetValue(key, out value);
                        byte type = (byte)(value is double ? 1 : value is OpaqueValue ? 2 : 0);
                        Check.Equal(present ? (byte)1 : (byte)0, validity[i], key);
                        Check.Equal(validity[i], textValidity[i]);
                        Check.Equal(type, types[i], key);
                        Check.Equal(type, textTypes[i]);
                        Check.Same(value is double ? (double)value : double.NaN, numbers[i]);
                        Check.Equal(value is string ? (string)value : value is OpaqueValue ? value.ToString() : string.Empty, texts[i]);
                    }
                }

                Check.Rejects<ArgumentNullException>("key", () => batch.ReadMetadataNumbers(null, 0, 1, new double[1]));
                Check.Rejects<ArgumentException>("key", () => batch.ReadMetadataNumbers("\ud800", 0, 1, new double[1]));
                Check.Rejects<ArgumentNullException>("numbers", () => batch.ReadMetadataNumbers("k", 0, 1, null));
                Check.Rejects<ArgumentException>("types", () => batch.ReadMetadataNumbers("k", 0, 2, new double[2], new byte[1]));
                Check.Rejects<ArgumentException>(
                    "validity", () => batch.ReadMetadataNumbers("k", 0, 2, new double[2], null, new byte[1]));
                Check.Rejects<ArgumentNullException>("key", () => batch.ReadMetadataTexts(null, 0, 1));
                Check.Rejects<ArgumentException>("types", () => batch.ReadMetadataTexts("k", 0, 2, new byte[1]));
                Check.Rejects<ArgumentException>("validity", () => batch.ReadMetadataTexts("k", 0, 2, null, new byte[1]));
                Check.Rejects<ArgumentOutOfRangeException>("rows", () => batch.ReadMetadataTexts("k", 0, 91));
            }
        }

        [Test]
        private static void ColumnsComeBackAsTheyWereAppended()
        {
            using (Batch batch = Rows(130))
            using (var copy = new Batch())
            {
                copy.Append(batch.ReadColumns(All));
                Check.Equal(batch.ToJson(), copy.ToJson());
                copy.Clear();
                copy.Append(batch.ReadColumns(60, 7, All));
                Check.Equal(batch.ToJson(60, 7), copy.ToJson());
                copy.Clear();
                copy.Append(batch.ReadColumns(5, 1, All));
                Check.Equal(batch.ToJson(5, 1), copy.ToJson());
                copy.Append(batch.ReadColumns(130, 0, All));
                Check.Equal(1, copy.Count);

                ContextColumns some = batch.ReadColumns(BatchColumns.Priority | BatchColumns.Tags);
                Check.Equal(130, some.Rows);
                Check.True(some.Content.IsAbsent && some.Kind.IsAbsent && some.Tokens == null, "not asked for");
                Check.True(some.Priority != null && some.TagLists != null && !some.Tags.IsAbsent, "asked for");
                Check.Equal(0, batch.ReadColumns(3, 0, BatchColumns.None).Rows);
                Check.Rejects<ArgumentOutOfRangeException>("columns", () => batch.ReadColumns((BatchColumns)2048));
                Check.Rejects<ArgumentOutOfRangeException>("firstRow", () => batch.ReadColumns(-1, 1, All));
            }

            using (var empty = new Batch())
            using (var copy = new Batch())
            {
                copy.Append(empty.ReadColumns(All));
                Check.Equal(0, copy.Count);
                Check.Equal(0, empty.ReadKindTexts().Length);
            }
        }

        [Test]
        private static void WrongRangesAndArrays()
        {
            using (Batch batch = Rows(5))
            {
                Check.Rejects<ArgumentNullException>("tokens", () => batch.ReadTokens(0, 1, null));
                Check.Rejects<ArgumentNullException>("codes", () => batch.ReadKindCodes(0, 1, null));
                Check.Rejects<ArgumentException>("tokens", () => batch.ReadTokens(0, 5, new long[4]), "tokens has 4 elements, 5 are needed.");
                Check.Rejects<ArgumentException>("hints", () => batch.ReadFutureRelevanceHint(0, 5, new double[4]));
                Check.Rejects<ArgumentException>("pinned", () => batch.ReadPinned(0, 5, new byte[4]));
                Check.Rejects<ArgumentException>("validity", () => batch.ReadPriority(0, 5, new long[5], new byte[4]));
                Check.Rejects<ArgumentException>("validity", () => batch.ReadTimestamp(0, 5, new long[5], new byte[4]));
                Check.Rejects<ArgumentException>("validity", () => batch.ReadOriginalTokens(0, 5, new long[5], new byte[4]));
                Check.Rejects<ArgumentOutOfRangeException>("firstRow", () => batch.ReadTokens(-1, 1, new long[9]));
                Check.Rejects<ArgumentOutOfRangeException>("firstRow", () => batch.ReadTokens(6, 0, new long[9]), "The batch has 5 rows.");
                Check.Rejects<ArgumentOutOfRangeException>("rows", () => batch.ReadTokens(0, -1, new long[9]));
                Check.Rejects<ArgumentOutOfRangeException>("rows", () => batch.ReadTokens(3, 3, new long[9]), "has 2 rows from row 3 on.");
                Check.Rejects<ArgumentOutOfRangeException>("rows", () => batch.ReadContent(1, int.MaxValue));
                Check.Rejects<ArgumentOutOfRangeException>("rows", () => batch.ReadContent(0, 6));
                long[] lists;
                Check.Rejects<ArgumentOutOfRangeException>("rows", () => batch.ReadTags(0, 6, out lists));
                Check.Rejects<ArgumentOutOfRangeException>("rows", () => batch.ToJson(0, 6));
                Check.Rejects<ArgumentOutOfRangeException>("firstRow", () => batch.ToUtf8Json(-2, 6));
                batch.Dispose();
                Check.Throws<ObjectDisposedException>(() => batch.ReadTokens(0, 1, new long[1]));
                Check.Throws<ObjectDisposedException>(() => batch.ReadColumns(All));
                Check.Throws<ObjectDisposedException>(() => batch.ReadKindTexts());
            }
        }

        [Test]
        private static void TextColumnsSayWhatIsWrong()
        {
            var texts = TextColumn.FromStrings(new[] { "a", "bb", string.Empty });
            Check.Equal("bb", texts[1]);
            Check.Equal(string.Empty, texts[2]);
            Check.Rejects<ArgumentOutOfRangeException>("slot", () => texts[3].ToString(), "There are 3 slots");
            Check.Rejects<ArgumentOutOfRangeException>("slot", () => texts[-1].ToString());
            Check.Rejects<ArgumentOutOfRangeException>("slot", () => default(TextColumn)[0].ToString());
            Check.Equal(0, default(TextColumn).ToStrings().Length);
            Check.Throws<ArgumentException>(() => TextColumn.FromStrings(new[] { "a" }, new uint[] { 0, 1 }).ToStrings(), "code 1");
            Check.Throws<ArgumentException>(() => new TextColumn(new byte[2], new long[] { 0, 3 }).ToStrings(), "from 0 to 3");
            Check.Throws<ArgumentException>(() => new TextColumn(new byte[2], new long[] { 2, 1 }).ToStrings());
            Check.Throws<ArgumentException>(() => new TextColumn(new byte[2], new long[] { -1, 1 })[0].ToString());
            string[] shared = TextColumn.FromStrings(new[] { "x", "y" }, new uint[] { 1, 0, 1 }).ToStrings();
            Check.Equal("y|x|y", string.Join("|", shared));
            Check.True(ReferenceEquals(shared[0], shared[2]), "slots with the same code share a string");
        }

        [Test]
        private static void CustomScorersReadTheirBatchByColumn()
        {
            Batch lent = null;
            using (Batch batch = Rows(64))
            using (Scorer scorer = Scorer.Custom((rows, scores) =>
            {
                lent = rows;
                var priorities = new long[scores.Length];
                rows.ReadPriority(0, scores.Length, priorities);
                TextColumn kinds = rows.ReadKind(0, scores.Length);
                for (int row = 0; row < scores.Length; row++)
                {
                    scores[row] = priorities[row] + (kinds[row] == "Memory" ? 0.5 : 0.0);
                }

                Check.Equal(batch.ToJson(), rows.ToJson());
                Check.Throws<InvalidOperationException>(() => rows.KeepLast(1));
                Check.Throws<InvalidOperationException>(() => rows.Retain(new bool[64]));
            }))
            {
                double[] actual = scorer.Score(batch);
                for (int row = 0; row < actual.Length; row++)
                {
                    ContextItem item = batch.ItemAt(row);
                    Check.Same((item.Priority ?? 0) + (item.Kind == ContextKind.Memory ? 0.5 : 0.0), actual[row]);
                }

                Check.Throws<ObjectDisposedException>(() => lent.ReadPriority(0, 1, new long[1]));
                Check.Throws<ObjectDisposedException>(() => lent.ReadColumns(All));
                Check.Throws<ObjectDisposedException>(() => lent.ToJson());

                // What fails inside reaches the caller of Score as it was thrown.
                using (Scorer wrong = Scorer.Custom((rows, scores) => rows.ReadTokens(0, 65, new long[65])))
                {
                    Check.Rejects<ArgumentOutOfRangeException>("rows", () => wrong.Score(batch));
                }
            }
        }

        [Test]
        private static void CustomScorersReadAPartAtATime()
        {
            using (Batch batch = Rows(700))
            using (Scorer byColumn = Scorer.Custom((rows, scores) =>
            {
                var priorities = new long[256];
                for (int first = 0; first < scores.Length; first += priorities.Length)
                {
                    int count = Math.Min(priorities.Length, scores.Length - first);
                    rows.ReadPriority(first, count, priorities);
                    for (int i = 0; i < count; i++)
                    {
                        scores[first + i] = 0.1 * priorities[i];
                    }
                }
            }))
            using (Scorer byItem = Scorer.Custom((rows, scores) =>
            {
                for (int row = 0; row < scores.Length; row++)
                {
                    scores[row] = 0.1 * (rows.ItemAt(row).Priority ?? 0);
                }
            }))
            {
                Check.Same(byItem.Score(batch), byColumn.Score(batch));
            }
        }

        /// <summary>Rows of which about half lack each field, with texts of several lengths and scripts.</summary>
        internal static Batch Rows(int count)
        {
            var items = new List<ContextItem>();
            for (int i = 0; i < count; i++)
            {
                var builder = new ContextItemBuilder("content \u3042\ud83e\udd80 " + new string('x', i % 7) + i, i - 3)
                {
                    Kind = i % 3 == 0 ? ContextKind.Memory : i % 3 == 1 ? ContextKind.Message : new ContextKind("Ticket"),
                    Source = i % 2 == 0 ? ContextSource.Tool : ContextSource.Chat,
                    Pinned = i % 5 == 0,
                };
                if (i % 2 == 0)
                {
                    builder.Priority = (i * 37) % 11;
                    builder.FutureRelevanceHint = i / 256.0;
                }

                if (i % 3 != 0)
                {
                    builder.TimestampNanoseconds = 1700000000000000000 - (i * 12345L);
                    builder.OriginalTokens = i + 100;
                }

                for (int t = 0; t < i % 4; t++)
                {
                    builder.Tags.Add("tag " + ((i + t) % 6));
                }

                if (i % 4 != 1)
                {
                    builder.Metadata["text"] = "value " + (i % 5);
                    builder.Metadata["number"] = i / 8.0;
                }

                if (i % 4 > 1)
                {
                    builder.Metadata["other"] = i % 8 == 3;
                    builder.Metadata["mixed"] = i % 8 == 2 ? (object)"\u00e9" : i;
                }

                items.Add(builder.Build());
            }

            var batch = new Batch();
            batch.Append(items);
            return batch;
        }

        private static string Joined(TextColumn column)
        {
            var texts = new string[column.Count];
            for (int i = 0; i < texts.Length; i++)
            {
                texts[i] = column[i];
            }

            return string.Join("|", texts);
        }

        private static void Number(long? expected, long value, byte valid)
        {
            Check.Equal(expected.HasValue ? (byte)1 : (byte)0, valid, "validity");
            Check.Equal(expected ?? 0, value);
        }

        private static T[] Filled<T>(int length, T value)
        {
            var array = new T[length];
            for (int i = 0; i < length; i++)
            {
                array[i] = value;
            }

            return array;
        }
    }
}
