using System;
using System.Collections.Generic;
using System.Linq;
using System.Threading;

namespace Cupel.Native.Tests
{
    internal static class SelectionTests
    {
        [Test]
        private static void DefaultsOfAPolicy()
        {
            ContextItem[] items =
            {
                Turn("a", 30, 0.5), Turn("b", 40, 0.9), Turn("c", 50, 0.8), Turn("b", 40, 0.1), Turn("free", 0, 0.0),
                new ContextItemBuilder("p", 10) { Pinned = true, TimestampNanoseconds = 9 }.Build(), Turn("neg", -1, 1.0),
            };
            using (Scorer hint = Scorer.Reflexive())
            using (var selector = new Selector(new SelectionPolicy { Scorer = hint }))
            using (var batch = new Batch())
            {
                batch.Append(items);
                foreach (Selection kept in new[]
                {
                    selector.Select(items, new SelectionRequest(100)),
                    selector.Select(batch, new SelectionRequest(100)),
                })
                {
                    // 90 tokens beside the pinned ten: b has 0.0225 a token, a 0.0167, c 0.016. By time the
                    // pinned one is first; among equal times it is by score.
                    Check.Equal("5,1,0,4", string.Join(",", kept.Rows));
                    Check.Equal("p,b,a,free", string.Join(",", kept.Items.Select(item => item.Content)));
                    Check.Equal(4, kept.Items.Count);
                    Check.Equal("b", kept.Items[1].Content);
                    Check.Equal(
                        "Scored,Scored,Budget,Duplicate,ZeroTokens,Pinned,NegativeTokens", string.Join(",", kept.Reasons));
                    Check.Same(new[] { 0.5, 0.9, 0.8, 0.1, 0.0, 1.0, 0.0 }, kept.Scores.ToArray());
                    Check.Equal(
                        "c Budget ,b Duplicate 1,neg NegativeTokens ",
                        string.Join(",", kept.Dropped.Select(d => d.Item.Content + " " + d.Reason + " " + d.Cause)));
                    Check.Same(0.8, kept.Dropped[0].Score);
                    Check.Equal(2, kept.Dropped[0].Row);
                    Check.Equal(80L, kept.KeptTokens);
                    Check.Equal(10L, kept.PinnedTokens);
                    Check.Equal(169L, kept.ConsideredTokens);
                    Check.Equal(90L, kept.EffectiveTarget);
                    Check.Equal(20L, kept.AvailableTokens);
                    Check.Equal(0L, kept.OverflowTokens);
                    Check.Equal(0, kept.Shortfalls.Count);
                    Check.Equal(false, kept.IsStable);
                    Check.True(kept.IsKept(4) && !kept.IsKept(2), "IsKept");
                    Check.Rejects<ArgumentOutOfRangeException>("row", () => kept.IsKept(7));
                    Check.Rejects<ArgumentOutOfRangeException>("row", () => kept.IsKept(-1));
                }
            }
        }

        [Test]
        private static void DroppedItemsComeByScore()
        {
            double[] scores = { double.NaN, double.NegativeInfinity, Check.NegativeZero, 0.0, 0.5, double.PositiveInfinity, double.NaN };
            var items = new List<ContextItem>();
            for (int i = 0; i < scores.Length; i++)
            {
                items.Add(Turn("item " + i, 10, null));
            }

            using (var selector = new Selector(new SelectionPolicy { Slicer = Slicer.Ranked }))
            {
                Selection none = selector.Select(items, new SelectionRequest(1) { Scores = scores });
                Check.Equal("5,4,2,3,1,0,6", string.Join(",", none.Dropped.Select(dropped => dropped.Row)));
                Check.Equal(0, none.Items.Count);
                Selection all = selector.Select(items, new SelectionRequest(70) { Scores = scores });
                Check.Equal(0, all.Dropped.Count);
                Check.Equal(7, all.Rows.Count);
            }
        }

        [Test]
        private static void EveryFieldOfAPolicyArrives()
        {
            ContextItem[] items =
            {
                Grouped("call", 10, 0.1, "g"), Turn("x", 10, 0.9), Grouped("result", 10, 0.8, "g"), Turn("x", 10, 0.7),
                new ContextItemBuilder("system", 5) { Kind = ContextKind.SystemPrompt, Pinned = true }.Build(),
            };
            using (Scorer hint = Scorer.Reflexive())
            {
                var policy = new SelectionPolicy
                {
                    Scorer = hint,
                    Slicer = Slicer.Prefix,
                    Placer = Placer.BatchOrder,
                    GroupKey = "cupel:group",
                    KeepDuplicates = true,
                    PinnedFirst = true,
                };
                Check.Equal("4,0,2,1", Rows(policy, items, new SelectionRequest(35)));
                policy.Placer = Placer.Ranked;
                Check.Equal("4,1,0,2,3", Rows(policy, items, new SelectionRequest(45)));
                policy.PinnedFirst = false;
                policy.Placer = Placer.UShaped;
                policy.GroupKey = null;
                policy.Slicer = Slicer.Ranked;
                Check.Equal("4,2,0,3,1", Rows(policy, items, new SelectionRequest(45)));
                policy.Placer = Placer.BatchOrder;
                policy.KeepDuplicates = false;
                Check.Equal("0,1,2,4", Rows(policy, items, new SelectionRequest(45)));
                policy.DuplicateKey = "cupel:group";
                Check.Equal("1,2,3,4", Rows(policy, items, new SelectionRequest(45)));
                policy.DuplicateKey = string.Empty;
                Check.Equal("0,1,2,3,4", Rows(policy, items, new SelectionRequest(45)));
                policy.Slicer = Slicer.Knapsack;
                policy.BucketSize = 10;
                Check.Equal("1,2,4", Rows(policy, items, new SelectionRequest(29)));
                policy.BucketSize = 1000;
                Check.Equal("4", Rows(policy, items, new SelectionRequest(29)));
            }
        }

        [Test]
        private static void Quotas()
        {
            ContextItem[] items =
            {
                Of(ContextKind.Document, 10, 0.1), Of(ContextKind.Memory, 10, 0.9), Of(ContextKind.Memory, 10, 0.8),
                Of(ContextKind.Document, 10, 0.2),
            };
            using (Scorer hint = Scorer.Reflexive())
            {
                var shares = new SelectionPolicy
                {
                    Scorer = hint,
                    Placer = Placer.BatchOrder,
                    Quotas = { new Quota(ContextKind.Document, 50), new Quota(ContextKind.Memory, maxPercent: 50) },
                };
                Check.Equal("0,1,3", Rows(shares, items, new SelectionRequest(40)));
                var counts = new SelectionPolicy
                {
                    Scorer = hint,
                    Placer = Placer.BatchOrder,
                    CountQuotas =
                    {
                        new CountQuota(new ContextKind("Ticket"), 2),
                        new CountQuota(new ContextKind("document"), 2),
                        new CountQuota(ContextKind.Memory, 0, 1),
                    },
                };
                using (var selector = new Selector(counts))
                {
                    Selection kept = selector.Select(items, new SelectionRequest(100));
                    Check.Equal("0,1,3", string.Join(",", kept.Rows));
                    Check.Equal(SelectionReason.CountCap, kept.Reasons[2]);
                    Check.Equal(1, kept.Shortfalls.Count);
                    Check.Equal(0, kept.Shortfalls[0].Entry);
                    Check.Equal(2L, kept.Shortfalls[0].Required);
                    Check.Equal(0L, kept.Shortfalls[0].Found);
                }

                counts.Scarcity = Scarcity.Fail;
                using (var selector = new Selector(counts))
                {
                    CupelException failure = Check.Throws<CupelException>(() => selector.Select(items, new SelectionRequest(100)));
                    Check.Equal(CupelStatus.Shortfall, failure.Status);
                    Check.True(failure.Message.StartsWith("policy.CountQuotas[0] requires 2 of kind \"Ticket\""), failure.Message);
                }

                counts.Scarcity = Scarcity.Degrade;
                counts.Overflow = Overflow.Truncate;
                Check.Equal("3", Rows(counts, items, new SelectionRequest(15)));
                counts.Overflow = Overflow.Fail;
                CupelException over = Check.Throws<CupelException>(() => Rows(counts, items, new SelectionRequest(15)));
                Check.Equal(CupelStatus.OverBudget, over.Status);
                counts.Overflow = Overflow.Proceed;
                Check.Equal("0,3", Rows(counts, items, new SelectionRequest(25) { TargetTokens = 15 }));
            }

            Check.Rejects<ArgumentOutOfRangeException>("minCount", () => new CountQuota(ContextKind.Memory, -1));
            Check.Rejects<ArgumentOutOfRangeException>("maxCount", () => new CountQuota(ContextKind.Memory, 0, -1));
        }

        [Test]
        private static void EveryFieldOfARequestArrives()
        {
            List<ContextItem> items = Enumerable.Range(0, 10).Select(i => Turn("t" + i, 10, i / 10.0)).ToList();
            using (Scorer hint = Scorer.Reflexive())
            using (var selector = new Selector(new SelectionPolicy { Scorer = hint, Slicer = Slicer.Ranked, Placer = Placer.Ranked }))
            {
                Func<SelectionRequest, int> count = request => selector.Select(items, request).Rows.Count;
                Check.Equal(10, count(new SelectionRequest(100)));
                Check.Equal(6, count(new SelectionRequest(100) { TargetTokens = 60 }));
                Check.Equal(7, count(new SelectionRequest(100) { OutputReserve = 30 }));
                Check.Equal(8, count(new SelectionRequest(100) { ReservedTokens = 20 }));
                Check.Equal(9, count(new SelectionRequest(100) { SafetyMarginPercent = 10 }));
                Check.Equal(3, count(new SelectionRequest(100) { MaxRows = 3 }));
                Check.Equal(0, count(default(SelectionRequest)));
                var scores = new double[10];
                scores[4] = 2;
                Check.Equal(4, selector.Select(items, new SelectionRequest(10) { Scores = scores }).Rows[0]);
                Check.Equal(0, selector.Select(new ContextItem[0], new SelectionRequest(1) { Scores = new double[0] }).Rows.Count);
            }
        }

        [Test]
        private static void AStableFront()
        {
            using (Scorer recency = Scorer.Recency())
            using (var batch = new Batch())
            using (var chat = new Selector(new SelectionPolicy { Scorer = recency, Slicer = Slicer.Prefix, Placer = Placer.BatchOrder }))
            {
                var request = new SelectionRequest(100) { TargetTokens = 40 };
                Selection kept = null;
                var fronts = new List<string>();
                for (int turn = 0; turn < 12; turn++)
                {
                    batch.Append(new ContextItemBuilder("turn " + turn, 10) { TimestampNanoseconds = turn }.Build());
                    request.Previous = kept;
                    kept = chat.Select(batch, request);
                    fronts.Add(string.Join(" ", kept.Rows) + (kept.IsStable ? " stable" : string.Empty));
                }

                Check.Equal("0", fronts[0]);
                Check.Equal("0 1 2 3 4 5 6 7 8 9 stable", fronts[9]);
                Check.Equal("7 8 9 10", fronts[10]);
                Check.Equal("7 8 9 10 11 stable", fronts[11]);
                Check.Equal("turn 7", kept.Items[0].Content);
                kept.Dispose();
                kept.Dispose();
                Check.Equal(5, kept.Rows.Count);
                Check.Throws<ObjectDisposedException>(() => chat.Select(batch, request = new SelectionRequest(100) { Previous = kept }));
                batch.Clear();
                Check.Throws<InvalidOperationException>(() => kept.Items[0].ToString(), "removed");
            }
        }

        [Test]
        private static void NeededTokens()
        {
            ContextItem[] items = { Turn("a", 30, 0.5), Turn("b", 40, 0.9), new ContextItemBuilder("p", 1) { Pinned = true }.Build() };
            using (Scorer hint = Scorer.Reflexive())
            using (var batch = new Batch())
            using (var ranked = new Selector(new SelectionPolicy { Scorer = hint, Slicer = Slicer.Ranked }))
            using (var knapsack = new Selector(new SelectionPolicy { Scorer = hint, Slicer = Slicer.Knapsack }))
            {
                batch.Append(items);
                Selection kept = ranked.Select(batch, new SelectionRequest(50));
                Check.Equal("70,40,0", string.Join(",", ranked.Needed(batch, kept)));
                Check.Throws<ArgumentException>(() => knapsack.Needed(batch, kept));
                batch.Append(items[0]);
                Check.Throws<ArgumentException>(() => ranked.Needed(batch, kept));
                Check.Rejects<ArgumentNullException>("batch", () => ranked.Needed(null, kept));
                Check.Rejects<ArgumentNullException>("selection", () => ranked.Needed(batch, null));
            }
        }

        [Test]
        private static void TheBestInOneLine()
        {
            List<ContextItem> items = ScorerTests.Sample(100);
            using (Scorer trust = Scorer.MetadataTrust())
            {
                double[] scores = trust.Score(items);
                string[] expected = Enumerable.Range(0, 100).OrderByDescending(row => scores[row]).Take(7)
                    .Select(row => items[row].Content).ToArray();
                IReadOnlyList<ContextItem> best = trust.Top(items, 7);
                Check.Equal(string.Join(",", expected), string.Join(",", best.Select(item => item.Content)));
                Check.True(items.Contains(best[0]), "the items themselves");
                Check.Equal(100, trust.Top(items, 1000).Count);
                Check.Equal(0, trust.Top(items, 0).Count);
                Check.Rejects<ArgumentOutOfRangeException>("count", () => trust.Top(items, -1));
                Check.Rejects<ArgumentNullException>("items", () => trust.Top(null, 1));
            }
        }

        [Test]
        private static void ChildrenExplainAScore()
        {
            List<ContextItem> items = ScorerTests.Sample(30);
            using (Clock clock = Clock.CustomNanoseconds(() => 0))
            using (Scorer tree = Scorer.Composite(
                (Scorer.Recency(), 1.0),
                (Scorer.Custom((batch, scores) => { scores[0] = batch.ItemAt(0).Content.Length; }), 2.0),
                (Scorer.Scaled(Scorer.ExponentialDecayNanoseconds(10, clock)), 5.0)))
            {
                Check.Equal("composite", tree.Type);
                KeyValuePair<Scorer, double>[] children = tree.GetChildren();
                Check.Equal("recency,custom,scaled", string.Join(",", children.Select(child => child.Key.Type)));
                Check.Same(new[] { 1 / 8.0, 2 / 8.0, 5 / 8.0 }, children.Select(child => child.Value).ToArray());
                var sum = new double[items.Count];
                foreach (KeyValuePair<Scorer, double> child in children)
                {
                    double[] scores = child.Key.Score(items);
                    for (int row = 0; row < sum.Length; row++)
                    {
                        sum[row] += scores[row] * child.Value;
                    }
                }

                Check.Same(tree.Score(items), sum);
                KeyValuePair<Scorer, double> inner = children[2].Key.GetChildren().Single();
                Check.Equal("decay", inner.Key.Type);
                Check.Same(1.0, inner.Value);
                Check.Equal(0, children[0].Key.GetChildren().Length);
                tree.Dispose();
                LifetimeTests.Collect();
                Check.Same(6.0, children[1].Key.Score(items)[0]);
                using (Scorer again = Scorer.Composite(children))
                {
                    Check.Same(sum, again.Score(items));
                }

                Check.Throws<ObjectDisposedException>(() => tree.GetChildren());
                Check.Throws<ObjectDisposedException>(() => tree.Type.ToString());
            }
        }

        [Test]
        private static void APolicyOfTheManagedLibrary()
        {
            const string Policy = @"{
                ""$schema"": ""https://example.org/policy.json"",
                ""name"": ""chat"",
                ""scorers"": [{ ""type"": ""recency"", ""weight"": 3 }, { ""type"": ""kind"", ""weight"": 1 }],
                ""slicerType"": ""knapsack"", ""knapsackBucketSize"": 10, ""placerType"": ""uShaped"",
                ""deduplicationEnabled"": false, ""overflowStrategy"": ""truncate"",
                ""quotas"": [{ ""kind"": ""Memory"", ""minPercent"": 10, ""maxPercent"": 60 }]
            }";
            List<ContextItem> items = ScorerTests.Sample(60);
            var request = new SelectionRequest(8000) { OutputReserve = 500 };
            using (Scorer scorer = Scorer.Composite((Scorer.Recency(), 3.0), (Scorer.Kind(), 1.0)))
            using (Selector read = Selector.FromJson(Policy))
            using (Selector again = Selector.FromJson(read.ToJson()))
            using (var made = new Selector(new SelectionPolicy
            {
                Scorer = scorer,
                Slicer = Slicer.Knapsack,
                BucketSize = 10,
                Placer = Placer.UShaped,
                KeepDuplicates = true,
                Overflow = Overflow.Truncate,
                Quotas = { new Quota(ContextKind.Memory, 10, 60) },
            }))
            {
                string expected = string.Join(",", made.Select(items, request).Rows);
                Check.True(expected.Length > 10, expected);
                Check.Equal(expected, string.Join(",", read.Select(items, request).Rows));
                Check.Equal(expected, string.Join(",", again.Select(items, request).Rows));
                Check.Equal(read.ToJson(), made.ToJson());
            }
        }

        [Test]
        private static void SelectorsAsJson()
        {
            using (Clock clock = Clock.CustomNanoseconds(() => 100))
            using (Selector selector = Selector.FromJson(
                "{\"scorer\": {\"type\": \"decay\", \"curve\": {\"window\": {\"maxAge\": \"50ns\"}}}, \"slicerType\": \"prefix\","
                + "\"placerType\": \"batchOrder\", \"groupKey\": \"cupel:group\"}",
                clock))
            {
                clock.Dispose();
                LifetimeTests.Collect();
                ContextItem[] items =
                {
                    new ContextItemBuilder("old", 10) { TimestampNanoseconds = 10 }.Build(),
                    new ContextItemBuilder("new", 10) { TimestampNanoseconds = 90 }.Build(),
                };
                Check.Equal("new", selector.Select(items, new SelectionRequest(15)).Items.Single().Content);
            }

            CupelException wrong = Check.Throws<CupelException>(() => Selector.FromJson("{\"scorers\":[],\"slicerType\":\"best\"}"), "$");
            Check.Equal(CupelStatus.InvalidJson, wrong.Status);
            Check.Rejects<ArgumentNullException>("json", () => Selector.FromJson(null));
            using (Scorer custom = Scorer.Custom((batch, scores) => { }))
            using (var selector = new Selector(new SelectionPolicy { Scorer = custom }))
            {
                Check.Throws<ArgumentException>(() => selector.ToJson());
            }
        }

        [Test]
        private static void RequestsThatBreakARuleNameTheirField()
        {
            ContextItem[] items = { Turn("a", 30, 0.5) };
            using (var selector = new Selector(new SelectionPolicy { Slicer = Slicer.Knapsack }))
            {
                Action<string, SelectionRequest> wrong = (field, request) =>
                {
                    ArgumentException refused = null;
                    try
                    {
                        request.Scores = request.Scores ?? new double[1];
                        selector.Select(items, request);
                    }
                    catch (ArgumentException exception)
                    {
                        refused = exception;
                    }

                    Check.True(refused != null, "accepted: " + field);
                    Check.True(refused.Message.Contains(field) && refused.Message.IndexOf('_') < 0, refused.Message);
                };
                wrong("request.MaxTokens", new SelectionRequest(-1));
                wrong("request.TargetTokens", new SelectionRequest(10) { TargetTokens = 11 });
                wrong("request.OutputReserve", new SelectionRequest(10) { OutputReserve = 11 });
                wrong("request.ReservedTokens", new SelectionRequest(10) { ReservedTokens = -1 });
                wrong("request.SafetyMarginPercent", new SelectionRequest(10) { SafetyMarginPercent = double.NaN });
                wrong("request.MaxRows", new SelectionRequest(10) { MaxRows = 2 });
                wrong("request.MaxRows", new SelectionRequest(10) { MaxRows = -2 });
                wrong("request.Scores", new SelectionRequest(10) { Scores = new double[2] });
                Check.Throws<ArgumentException>(() => selector.Select(items, new SelectionRequest(10)), "the request must bring scores");
                Check.Rejects<ArgumentNullException>("items", () => selector.Select((ContextItem[])null, new SelectionRequest(10)));
                Check.Rejects<ArgumentNullException>("batch", () => selector.Select((Batch)null, new SelectionRequest(10)));
                Check.Rejects<ArgumentException>("items", () => selector.Select(new ContextItem[1], new SelectionRequest(10)), "items[0]");
                ContextItem pinned = new ContextItemBuilder("p", 11) { Pinned = true }.Build();
                CupelException over = Check.Throws<CupelException>(
                    () => selector.Select(new[] { pinned }, new SelectionRequest(10) { Scores = new double[1] }), "11");
                Check.Equal(CupelStatus.OverBudget, over.Status);
            }
        }

        [Test]
        private static void PoliciesThatBreakARuleNameTheirField()
        {
            Action<string, SelectionPolicy> wrong = (field, policy) =>
            {
                ArgumentException refused = null;
                try
                {
                    new Selector(policy).Dispose();
                }
                catch (ArgumentException exception)
                {
                    refused = exception;
                }

                Check.True(refused != null, "accepted: " + field);
                Check.True(refused.Message.Contains(field) && refused.Message.IndexOf('_') < 0, refused.Message);
            };
            wrong("policy.Quotas[1].MaxPercent", new SelectionPolicy { Quotas = { new Quota(ContextKind.Memory), new Quota(ContextKind.Document, 0, 120) } });
            wrong("policy.Quotas[0].MinPercent", new SelectionPolicy { Quotas = { new Quota(ContextKind.Memory, double.NaN) } });
            wrong("policy.Quotas[1].Kind", new SelectionPolicy { Quotas = { new Quota(ContextKind.Memory), new Quota(new ContextKind("MEMORY")) } });
            wrong("policy.CountQuotas[0].MinCount", new SelectionPolicy { CountQuotas = { new CountQuota(ContextKind.Memory, 2, 1) } });
            wrong("policy.BucketSize", new SelectionPolicy { BucketSize = -1 });
            wrong("policy.Slicer", new SelectionPolicy { Slicer = (Slicer)9 });
            wrong("policy.Placer", new SelectionPolicy { Placer = (Placer)(-1) });
            wrong("policy.Overflow", new SelectionPolicy { Overflow = (Overflow)3 });
            wrong("policy.Scarcity", new SelectionPolicy { Scarcity = (Scarcity)2 });
            wrong("policy.GroupKey", new SelectionPolicy { GroupKey = "\ud83e" });
            Check.Rejects<ArgumentNullException>("policy", () => new Selector((SelectionPolicy)null));
            Scorer disposed = Scorer.Kind();
            disposed.Dispose();
            Check.Throws<ObjectDisposedException>(() => new Selector(new SelectionPolicy { Scorer = disposed }));
            var selector = new Selector(new SelectionPolicy());
            selector.Dispose();
            selector.Dispose();
            Check.Throws<ObjectDisposedException>(() => selector.Select(new ContextItem[0], new SelectionRequest(1)));
        }

        [Test]
        private static void ScorersOfYourOwnInASelector()
        {
            List<ContextItem> items = ScorerTests.Sample(20);
            var thrown = new FormatException("mine");
            bool fail = false;
            Selector selector;
            using (Scorer custom = Scorer.Custom((batch, scores) =>
            {
                if (fail)
                {
                    throw thrown;
                }

                for (int row = 0; row < scores.Length; row++)
                {
                    scores[row] = row;
                }
            }))
            {
                selector = new Selector(new SelectionPolicy { Scorer = custom, Slicer = Slicer.Ranked, Placer = Placer.Ranked });
            }

            using (selector)
            {
                LifetimeTests.Collect();
                Check.Equal("19,18,17", string.Join(",", selector.Select(items, new SelectionRequest(long.MaxValue) { MaxRows = 3 }).Rows));
                fail = true;
                Check.True(
                    ReferenceEquals(thrown, Check.Throws<FormatException>(() => selector.Select(items, new SelectionRequest(1)))),
                    "another exception");
            }
        }

        [Test]
        private static void ManyThreadsSelectFromOneBatch()
        {
            List<ContextItem> items = ScorerTests.Sample(300);
            using (Scorer frequency = Scorer.Frequency())
            using (var batch = new Batch())
            using (var selector = new Selector(new SelectionPolicy { Scorer = frequency }))
            {
                batch.Append(items);
                var request = new SelectionRequest(40000) { Previous = selector.Select(batch, new SelectionRequest(30000)) };
                string expected = string.Join(",", selector.Select(batch, request).Rows);
                string failure = null;
                var threads = new List<Thread>();
                for (int i = 0; i < 4; i++)
                {
                    var thread = new Thread(() =>
                    {
                        for (int round = 0; round < 30; round++)
                        {
                            string rows = string.Join(",", selector.Select(batch, request).Rows);
                            failure = rows == expected ? failure : rows;
                        }
                    });
                    thread.Start();
                    threads.Add(thread);
                }

                threads.ForEach(thread => thread.Join());
                Check.True(failure == null, "another selection: " + failure);
            }
        }

        private static string Rows(SelectionPolicy policy, ContextItem[] items, SelectionRequest request)
        {
            using (var selector = new Selector(policy))
            {
                return string.Join(",", selector.Select(items, request).Rows);
            }
        }

        private static ContextItem Turn(string content, long tokens, double? hint)
        {
            return new ContextItemBuilder(content, tokens) { FutureRelevanceHint = hint, TimestampNanoseconds = 10 }.Build();
        }

        private static ContextItem Grouped(string content, long tokens, double hint, string group)
        {
            return new ContextItemBuilder(content, tokens)
            {
                FutureRelevanceHint = hint,
                Metadata = { ["cupel:group"] = group },
            }.Build();
        }

        private static ContextItem Of(ContextKind kind, long tokens, double hint)
        {
            return new ContextItemBuilder(kind.Value + hint, tokens) { Kind = kind, FutureRelevanceHint = hint }.Build();
        }
    }
}
