using System;
using System.Collections.Generic;
using System.Text;

namespace Cupel.Native.Tests
{
    internal static class JsonTests
    {
        private const string Items =
            "{\"content\":\"caf\u00e9 \ud83e\udd80\",\"tokens\":3,\"kind\":\"memory\",\"source\":\"Rag\",\"priority\":2,\"tags\":[\"a\",\"b\"],"
            + "\"metadata\":{\"cupel:trust\":0.5,\"t\":\"x\",\"o\":true},\"timestamp\":\"2025-02-28T23:59:59.123456789Z\","
            + "\"futureRelevanceHint\":0.25,\"pinned\":true,\"originalTokens\":9}\n"
            + "{\"content\":\"y\",\"tokens\":1,\"priority\":null}\n";

        [Test]
        private static void ItemsAsLines()
        {
            using (var batch = new Batch())
            {
                batch.AppendJson(Items);
                batch.AppendJson(Encoding.UTF8.GetBytes(Items));
                Check.Equal(4, batch.Count);
                foreach (int row in new[] { 0, 2 })
                {
                    ContextItem item = batch.ItemAt(row);
                    Check.Equal("caf\u00e9 \ud83e\udd80", item.Content);
                    Check.Equal(3L, item.Tokens);
                    Check.Equal(ContextKind.Memory, item.Kind);
                    Check.Equal(ContextSource.Rag, item.Source);
                    Check.Equal(2L, item.Priority);
                    Check.Equal("a|b", string.Join("|", item.Tags));
                    Check.Equal<object>(0.5, item.Metadata["cupel:trust"]);
                    Check.Equal<object>("x", item.Metadata["t"]);
                    Check.Equal<object>(new OpaqueValue("true"), item.Metadata["o"]);
                    Check.Equal(1740787199123456789L, item.TimestampNanoseconds);
                    Check.Equal(0.25, item.FutureRelevanceHint);
                    Check.Equal(true, item.Pinned);
                    Check.Equal(9L, item.OriginalTokens);
                    Check.Equal(null, batch.ItemAt(row + 1).Priority);
                }

                batch.AppendJson("[]");
                Check.Equal(4, batch.Count);
            }
        }

        [Test]
        private static void WrongItemsChangeNothing()
        {
            using (var batch = new Batch())
            {
                var notJson = Check.Throws<CupelException>(() => batch.AppendJson("[{\"content\":\"x\",\"tokens\":1},{]"));
                Check.Equal(CupelStatus.InvalidJson, notJson.Status);
                Check.True(notJson.Message.Contains("line"), notJson.Message);
                Check.Throws<CupelException>(() => batch.AppendJson("[{\"content\":\"x\",\"tokens\":1,\"colour\":2}]"), "colour");
                Check.Throws<CupelException>(() => batch.AppendJson("[{\"content\":\"x\",\"tokens\":1,\"tags\":[1]}]"), "tags");
                Check.Throws<CupelException>(() => batch.AppendJson("[{\"content\":\"x\",\"tokens\":1},{\"content\":\"\",\"tokens\":1}]"), "$[1].content");
                Check.Rejects<ArgumentException>("json", () => batch.AppendJson(new byte[] { (byte)'"', 0xFF, (byte)'"' }));
                Check.Equal(0, batch.Count);
            }
        }

        [Test]
        private static void RowsThereAndBack()
        {
            using (Batch batch = ReadingTests.Rows(40))
            using (var again = new Batch())
            {
                string lines = batch.ToJson();
                Check.Equal(40, lines.Split('\n').Length - 1);
                again.AppendJson(lines);
                Check.Equal(lines, again.ToJson());
                Check.Equal(lines, Encoding.UTF8.GetString(batch.ToUtf8Json()));
                Check.Equal(lines, batch.ToJson(0, 13) + batch.ToJson(13, 27));
                Check.Equal(batch.ToJson(13, 2), Encoding.UTF8.GetString(batch.ToUtf8Json(13, 2)));
                Check.Equal(string.Empty, batch.ToJson(40, 0));
                for (int row = 0; row < 40; row++)
                {
                    // Metadata may come in another order.
                    again.Clear();
                    again.AppendJson(batch.ItemAt(row).ToJson());
                    Check.Equal(batch.ToJson(row, 1).Length, again.ToJson().Length);
                    Check.Equal(batch.ItemAt(row).Content, again.ItemAt(0).Content);
                }

                Check.Equal(
                    "{\"content\":\"caf\u00e9 \ud83e\udd80\",\"tokens\":3,\"kind\":\"Message\",\"source\":\"Chat\",\"priority\":2,"
                    + "\"metadata\":{\"o\":true},\"timestamp\":\"1970-01-01T00:00:00.000000007Z\",\"futureRelevanceHint\":0.25,"
                    + "\"pinned\":true,\"originalTokens\":9}",
                    new ContextItemBuilder("caf\u00e9 \ud83e\udd80", 3)
                    {
                        Priority = 2,
                        Metadata = { ["o"] = true },
                        TimestampNanoseconds = 7,
                        FutureRelevanceHint = 0.25,
                        Pinned = true,
                        OriginalTokens = 9,
                    }.Build().ToJson());
            }
        }

        [Test]
        private static void WhatJsonCannotExpress()
        {
            ContextItem infinite = new ContextItemBuilder("x", 1)
            {
                Metadata = { ["relevance_score"] = double.PositiveInfinity },
            }.Build();
            Check.Throws<ArgumentException>(() => infinite.ToJson(), "relevance_score");
            ContextItem unpaired = new ContextItemBuilder("x", 1) { Metadata = { ["k"] = '\ud800' } }.Build();
            Check.Throws<ArgumentException>(() => unpaired.ToJson(), "unpaired surrogate");
            using (var batch = new Batch())
            {
                batch.Append(ItemTests.Plain());
                batch.Append(infinite);
                Check.Throws<ArgumentException>(() => batch.ToJson(), "relevance_score");
                Check.True(batch.ToJson(0, 1).Length > 0, "the other row");
                batch.Clear();
                batch.Append(new ContextColumns(1) { Priority = new long[1] });
                Check.Throws<ArgumentException>(() => batch.ToUtf8Json(), "content");
                Check.Throws<ArgumentException>(() => batch.ItemAt(0).ToJson(), "content");
            }
        }

        [Test]
        private static void ScorersThereAndBack()
        {
            using (Clock clock = Clock.FixedNanoseconds(1740787200000000000))
            using (Scorer scorer = ScorerTests.Everything(clock))
            using (Scorer again = Scorer.FromJson(scorer.ToJson(), clock))
            {
                List<ContextItem> items = ScorerTests.Sample(100);
                Check.Same(scorer.Score(items), again.Score(items));
                Check.Equal(scorer.ToJson(), again.ToJson());
            }
        }

        [Test]
        private static void Policies()
        {
            const string Policy = "{\"scorers\":[{\"type\":\"kind\",\"weight\":1,\"kindWeights\":{\"Memory\":2}},{\"type\":\"priority\",\"weight\":3}]}";
            using (Scorer scorer = Scorer.FromJson(Policy))
            using (var batch = new Batch())
            {
                batch.AppendJson(Items);
                Check.Same(new[] { (2 * 0.25) + (1 * 0.75), 0.0 }, scorer.Score(batch));
            }
        }

        [Test]
        private static void WrongScorers()
        {
            Check.Throws<CupelException>(() => Scorer.FromJson(string.Empty));
            Check.Throws<CupelException>(() => Scorer.FromJson("{\"type\":\"recency\",\"x\":1}"), "x");
            Check.Throws<CupelException>(() => Scorer.FromJson("{\"type\":\"astrology\"}"), "astrology");
            var wrong = Check.Throws<CupelException>(
                () => Scorer.FromJson("{\"type\":\"tag\",\"tagWeights\":{\"urgent\":-1}}"), "$.tagWeights.urgent");
            Check.Equal(CupelStatus.InvalidJson, wrong.Status);
            string deep = new string('[', 100000);
            Check.Throws<CupelException>(() => Scorer.FromJson(deep));
            using (Scorer custom = Scorer.Scaled(Scorer.Custom((batch, scores) => { })))
            {
                Check.Throws<ArgumentException>(() => custom.ToJson(), "custom");
            }
        }
    }
}
