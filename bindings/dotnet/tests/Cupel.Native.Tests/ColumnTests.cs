using System;
using System.Collections.Generic;

namespace Cupel.Native.Tests
{
    internal static class ColumnTests
    {
        [Test]
        private static void ScoreOnlyRows()
        {
            using (var batch = new Batch())
            using (Scorer kind = Scorer.Kind())
            using (Scorer priority = Scorer.Priority())
            {
                batch.Append(new ContextColumns(3)
                {
                    Kind = TextColumn.FromStrings(new[] { "memory", "Document" }, new uint[] { 1, 0, 1 }),
                    Priority = new long[] { 5, 7, 9 },
                    PriorityValidity = new byte[] { 1, 1, 0 },
                });
                Check.Same(new[] { 0.4, 0.8, 0.4 }, kind.Score(batch));
                Check.Same(new[] { 0.0, 1.0, 0.0 }, priority.Score(batch));
                Check.Equal(string.Empty, batch.ItemAt(0).Content);
                Check.Equal("||", string.Join("|", batch.ReadContent(0, 3).ToStrings()));
                Check.Equal("memory", batch.ItemAt(1).Kind.Value);
                Check.Equal("Chat", batch.ItemAt(1).Source.Value);
                Check.Equal(null, batch.ItemAt(2).Priority);
            }
        }

        [Test]
        private static void EveryColumn()
        {
            ContextItem item = ItemTests.Full();
            using (var batch = new Batch())
            {
                batch.Append(new ContextColumns(2)
                {
                    Content = TextColumn.FromStrings(new[] { "first", item.Content }),
                    Tokens = new long[] { 1, -5 },
                    Kind = TextColumn.FromStrings(new[] { "A", "B" }),
                    Source = TextColumn.FromStrings(new[] { "C" }, new uint[] { 0, 0 }),
                    SourceValidity = new byte[] { 0, 1 },
                    KindValidity = new byte[] { 0, 1 },
                    Priority = new long[] { long.MinValue, long.MaxValue },
                    Timestamp = new long[] { -1, 1 },
                    TimestampValidity = new byte[] { 1, 0 },
                    FutureRelevanceHint = new[] { Check.NegativeZero, 0.5 },
                    FutureRelevanceHintValidity = new byte[] { 1, 0 },
                    Pinned = new byte[] { 0, 1 },
                    OriginalTokens = new long[] { 3, 4 },
                    OriginalTokensValidity = new byte[] { 0, 1 },
                    Tags = TextColumn.FromStrings(new[] { "x", "y" }, new uint[] { 1, 0, 1 }),
                    TagLists = new long[] { 0, 2, 3 },
                    MetadataKeys = TextColumn.FromStrings(new[] { "s", "d", "o" }),
                    MetadataLists = new long[] { 0, 1, 3 },
                    MetadataTypes = new byte[] { 0, 1, 2 },
                    MetadataTexts = TextColumn.FromStrings(new[] { "text", "not read", "other" }),
                    MetadataNumbers = new[] { 9.0, 0.25, 9.0 },
                });
                ContextItem first = batch.ItemAt(0);
                ContextItem second = batch.ItemAt(1);
                Check.Equal("first", first.Content);
                Check.Equal(item.Content, second.Content);
                Check.Equal(1L, first.Tokens);
                Check.Equal("Message", first.Kind.Value);
                Check.Equal("B", second.Kind.Value);
                Check.Equal("Chat", first.Source.Value);
                Check.Equal("C", second.Source.Value);
                Check.Equal(long.MinValue, first.Priority);
                Check.Equal(-1L, first.TimestampNanoseconds);
                Check.Equal(null, second.Timestamp);
                Check.Same(Check.NegativeZero, first.FutureRelevanceHint.Value);
                Check.Equal(null, second.FutureRelevanceHint);
                Check.Equal(false, first.Pinned);
                Check.Equal(true, second.Pinned);
                Check.Equal(null, first.OriginalTokens);
                Check.Equal(4L, second.OriginalTokens);
                Check.Equal("y|x", string.Join("|", first.Tags));
                Check.Equal("y", string.Join("|", second.Tags));
                Check.Equal<object>("text", first.Metadata["s"]);
                Check.Equal<object>(0.25, second.Metadata["d"]);
                Check.Equal<object>(new OpaqueValue("other"), second.Metadata["o"]);
                Check.Equal(2, second.Metadata.Count);
            }
        }

        [Test]
        private static void ArraysMayBeLonger()
        {
            using (var batch = new Batch())
            {
                var data = new byte[] { (byte)'a', (byte)'b', (byte)'b', 255 };
                batch.Append(new ContextColumns(2)
                {
                    Content = new TextColumn(data, 3, new long[] { 0, 1, 3, -1 }, 2, null, 0),
                    Kind = new TextColumn(data, 3, new long[] { 0, 3, 99 }, 1, new uint[] { 0, 0, 77 }, 2),
                    Priority = new long[] { 1, 2, 3 },
                    PriorityValidity = new byte[] { 1, 1, 9 },
                    TagLists = new long[] { 0, 0, 0, 5 },
                });
                Check.Equal("bb", batch.ItemAt(1).Content);
                Check.Equal("abb", batch.ItemAt(1).Kind.Value);
            }
        }

        [Test]
        private static void NoRowsWithADictionary()
        {
            using (var batch = new Batch())
            {
                batch.Append(new ContextColumns(0) { Kind = TextColumn.FromStrings(new[] { "a" }, new uint[0]) });
                Check.Equal(0, batch.Count);
            }
        }

        [Test]
        private static void WrongColumnsChangeNothing()
        {
            var two = TextColumn.FromStrings(new[] { "a", "b" });
            var three = TextColumn.FromStrings(new[] { "a", "b", "c" });
            var lists = new long[] { 0, 1, 2 };
            Wrong("columns.Content", new ContextColumns(2) { Content = three });
            Wrong("columns.Kind", new ContextColumns(2) { Kind = three });
            Wrong("columns.Source", new ContextColumns(2) { Source = three });
            Wrong("columns.Tokens", new ContextColumns(2) { Tokens = new long[1] });
            Wrong("columns.KindValidity", new ContextColumns(2) { Kind = two, KindValidity = new byte[1] });
            Wrong("columns.SourceValidity", new ContextColumns(2) { Source = two, SourceValidity = new byte[1] });
            Wrong("columns.Priority", new ContextColumns(2) { Priority = new long[1] });
            Wrong("columns.PriorityValidity", new ContextColumns(2) { Priority = new long[2], PriorityValidity = new byte[1] });
            Wrong("columns.Timestamp", new ContextColumns(2) { Timestamp = new long[1] });
            Wrong("columns.TimestampValidity", new ContextColumns(2) { Timestamp = new long[2], TimestampValidity = new byte[1] });
            Wrong("columns.FutureRelevanceHint", new ContextColumns(2) { FutureRelevanceHint = new double[1] });
            Wrong("columns.FutureRelevanceHintValidity", new ContextColumns(2) { FutureRelevanceHint = new double[2], FutureRelevanceHintValidity = new byte[1] });
            Wrong("columns.Pinned", new ContextColumns(2) { Pinned = new byte[1] });
            Wrong("columns.OriginalTokens", new ContextColumns(2) { OriginalTokens = new long[1] });
            Wrong("columns.OriginalTokensValidity", new ContextColumns(2) { OriginalTokens = new long[2], OriginalTokensValidity = new byte[1] });
            Wrong("columns.TagLists", new ContextColumns(2) { TagLists = new long[2] });
            Wrong("columns.MetadataLists", new ContextColumns(2) { MetadataLists = new long[2] });
            Wrong("columns.MetadataTexts", new ContextColumns(2) { MetadataLists = lists, MetadataKeys = two, MetadataTexts = three });
            Wrong("columns.MetadataTypes", new ContextColumns(2) { MetadataLists = lists, MetadataKeys = two, MetadataTypes = new byte[1] });
            Wrong("columns.MetadataNumbers", new ContextColumns(2) { MetadataLists = lists, MetadataKeys = two, MetadataNumbers = new double[1] });

            // What only native code can see.
            Wrong("columns", new ContextColumns(2) { Kind = new TextColumn(new byte[] { 97, 0xFF }, new long[] { 0, 1, 2 }) });
            Wrong("columns", new ContextColumns(2) { Kind = new TextColumn(new byte[] { 97, 97 }, new long[] { 0, 2, 1 }) });
            Wrong("columns", new ContextColumns(2) { Kind = new TextColumn(new byte[] { 97, 97 }, new long[] { -1, 1, 2 }) });
            Wrong("columns", new ContextColumns(2) { Kind = new TextColumn(new byte[] { 97, 97 }, new long[] { 0, 1, 3 }) });
            Wrong("columns", new ContextColumns(2) { Kind = TextColumn.FromStrings(new[] { "a", " " }) });
            Wrong("columns", new ContextColumns(2) { Content = TextColumn.FromStrings(new[] { "a", string.Empty }) });
            Wrong("columns", new ContextColumns(2) { Kind = TextColumn.FromStrings(new[] { "a" }, new uint[] { 0, 1 }) });
            Wrong("columns", new ContextColumns(2) { Priority = new long[2], PriorityValidity = new byte[] { 1, 2 } });
            Wrong("columns", new ContextColumns(2) { Tags = two, TagLists = new long[] { 0, 1, 3 } });
            Wrong("columns", new ContextColumns(2) { Tags = two, TagLists = new long[] { 0, 2, 1 } });
            Wrong("columns", new ContextColumns(2) { Pinned = new byte[] { 0, 3 } });
            Wrong("columns", new ContextColumns(2)
            {
                MetadataKeys = two, MetadataTexts = two, MetadataTypes = new byte[] { 0, 3 }, MetadataLists = new long[] { 0, 1, 2 },
            });
        }

        [Test]
        private static void HalfColumnsAreRefusedByName()
        {
            var two = TextColumn.FromStrings(new[] { "a", "b" });
            var lists = new long[] { 0, 1, 2 };
            Half("KindValidity", "Kind", new ContextColumns(2) { KindValidity = new byte[2] });
            Half("SourceValidity", "Source", new ContextColumns(2) { SourceValidity = new byte[2] });
            Half("PriorityValidity", "Priority", new ContextColumns(2) { PriorityValidity = new byte[2] });
            Half("TimestampValidity", "Timestamp", new ContextColumns(2) { TimestampValidity = new byte[2] });
            Half("FutureRelevanceHintValidity", "FutureRelevanceHint", new ContextColumns(2) { FutureRelevanceHintValidity = new byte[2] });
            Half("OriginalTokensValidity", "OriginalTokens", new ContextColumns(2) { OriginalTokensValidity = new byte[2] });
            Half("Tags", "TagLists", new ContextColumns(2) { Tags = two });
            Half("MetadataKeys", "MetadataLists", new ContextColumns(2) { MetadataKeys = two, MetadataTexts = two });
            Half("MetadataTexts", "MetadataKeys", new ContextColumns(2) { MetadataLists = lists, MetadataTexts = two });
            Half("MetadataTypes", "MetadataKeys", new ContextColumns(2) { MetadataTypes = new byte[2] });
            Half("MetadataNumbers", "MetadataKeys", new ContextColumns(2) { MetadataNumbers = new double[2] });
        }

        [Test]
        private static void NoMessageHasANameOfC()
        {
            var two = TextColumn.FromStrings(new[] { "a", "b" });
            var lists = new long[] { 0, 1, 2 };
            string quoted = "tag_lists NULL";
            ContextColumns[] wrong =
            {
                new ContextColumns(2) { FutureRelevanceHint = new double[2], FutureRelevanceHintValidity = new byte[] { 0, 2 } },
                new ContextColumns(2) { Tags = two, TagLists = new long[] { 0, 1, 3 } },
                new ContextColumns(2) { Tags = two, TagLists = new long[] { 0, 2, 1 } },
                new ContextColumns(2) { Tags = two, TagLists = new long[] { -1, 0, 0 } },
                new ContextColumns(2) { TagLists = lists },
                new ContextColumns(2) { MetadataLists = lists },
                new ContextColumns(2) { MetadataLists = lists, MetadataKeys = two },
                new ContextColumns(2) { MetadataLists = lists, MetadataKeys = two, MetadataTexts = two, MetadataTypes = new byte[] { 0, 3 } },
                new ContextColumns(2) { MetadataLists = lists, MetadataKeys = two, MetadataTypes = new byte[] { 0, 1 } },
                new ContextColumns(2) { MetadataLists = lists, MetadataKeys = two, MetadataTypes = new byte[] { 1, 1 } },
                new ContextColumns(2) { MetadataLists = lists, MetadataKeys = new TextColumn(new byte[2], new long[] { 0, 2, 1 }), MetadataTexts = two },
                new ContextColumns(2) { Kind = new TextColumn(new byte[2], new long[] { 0, 1, 1 }, new uint[] { 0, 2 }) },
                new ContextColumns(2) { Kind = TextColumn.FromStrings(new[] { "a", "\u2003" }) },
                new ContextColumns(2) { Kind = new TextColumn(new byte[] { 97, 0xFF }, new long[] { 0, 1, 2 }) },
            };
            foreach (ContextColumns columns in wrong)
            {
                using (var batch = new Batch())
                {
                    try
                    {
                        batch.Append(columns);
                    }
                    catch (ArgumentException exception)
                    {
                        Check.True(exception.Message.StartsWith("columns."), exception.Message);
                        Check.True(
                            exception.Message.IndexOf('_') < 0 && !exception.Message.Contains("NULL"), exception.Message);
                        continue;
                    }

                    throw new Exception("accepted");
                }
            }

            // What the caller wrote stays as it is.
            var weights = new[]
            {
                new KeyValuePair<string, double>(quoted, 1), new KeyValuePair<string, double>(quoted, 1),
            };
            Check.Rejects<ArgumentException>("weights", () => Scorer.Tag(weights), "\"tag_lists NULL\"");
        }

        [Test]
        private static void TextColumnsCheckTheirArrays()
        {
            Check.Rejects<ArgumentNullException>("data", () => new TextColumn(null, new long[1]));
            Check.Rejects<ArgumentNullException>("offsets", () => new TextColumn(new byte[0], null));
            Check.Rejects<ArgumentNullException>("codes", () => new TextColumn(new byte[0], new long[1], null));
            Check.Throws<ArgumentException>(() => new TextColumn(new byte[0], new long[0]));
            Check.Rejects<ArgumentException>("data", () => new TextColumn(new byte[1], 2, new long[1], 0, null, 0));
            Check.Rejects<ArgumentException>("data", () => new TextColumn(new byte[1], -1, new long[1], 0, null, 0));
            Check.Rejects<ArgumentException>("offsets", () => new TextColumn(new byte[1], 1, new long[1], 1, null, 0));
            Check.Rejects<ArgumentException>("codes", () => new TextColumn(new byte[1], 1, new long[1], 0, new uint[1], 2));
            Check.True(default(TextColumn).IsAbsent, "the default is absent");
            Check.Equal(0, TextColumn.FromStrings(new string[0]).Count);
            Check.Equal(3, TextColumn.FromStrings(new[] { "a" }, new uint[3]).Count);
        }

        [Test]
        private static void LargeAndManyTexts()
        {
            var items = new List<ContextItem>();
            for (int i = 0; i < 2000; i++)
            {
                var builder = new ContextItemBuilder(new string((char)(0x3042 + (i % 50)), 1 + ((i * 37) % 3000)), i)
                {
                    Kind = new ContextKind("kind " + (i % 300)),
                    Tags = { "t" + (i % 700), "\ud83e\udd80" },
                };
                for (int k = 0; k < i % 12; k++)
                {
                    builder.Metadata["key " + k] = k % 2 == 0 ? (object)("v" + i) : i;
                }

                items.Add(builder.Build());
            }

            using (var batch = new Batch())
            {
                batch.Append(items);
                batch.Append(items.GetRange(0, 5));
                for (int i = 0; i < items.Count; i += 61)
                {
                    ContextItem back = batch.ItemAt(i);
                    Check.Equal(items[i].Content, back.Content);
                    Check.Equal(items[i].Kind.Value, back.Kind.Value);
                    Check.Equal(string.Join("|", items[i].Tags), string.Join("|", back.Tags));
                    Check.Equal(items[i].Metadata.Count, back.Metadata.Count);
                    foreach (KeyValuePair<string, object> entry in items[i].Metadata)
                    {
                        object expected = entry.Value is int ? (double)(int)entry.Value : entry.Value;
                        Check.Equal(expected, back.Metadata[entry.Key]);
                    }
                }

                Check.Equal(items[4].Content, batch.ItemAt(2004).Content);
            }
        }

        private static void Half(string name, string missing, ContextColumns columns)
        {
            using (var batch = new Batch())
            {
                Check.Rejects<ArgumentException>(
                    "columns." + name,
                    () => batch.Append(columns),
                    "columns." + name + " is set without columns." + missing + ".");
            }
        }

        private static void Wrong(string parameter, ContextColumns columns)
        {
            using (var batch = new Batch())
            {
                var exception = (ArgumentException)null;
                try
                {
                    batch.Append(columns);
                }
                catch (ArgumentException caught)
                {
                    exception = caught;
                }

                Check.True(exception != null, "accepted: " + parameter);
                Check.Equal(parameter, exception.ParamName, exception.Message);
                Check.Equal(0, batch.Count);
            }
        }
    }
}
