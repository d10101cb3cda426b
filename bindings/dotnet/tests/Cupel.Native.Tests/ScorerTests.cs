using System;
using System.Collections.Generic;

namespace Cupel.Native.Tests
{
    internal static class ScorerTests
    {
        internal static List<ContextItem> Sample(int count)
        {
            var random = new Random(7);
            ContextKind[] kinds =
            {
                ContextKind.Message, ContextKind.Document, ContextKind.ToolOutput, ContextKind.Memory, ContextKind.SystemPrompt,
            };
            var items = new List<ContextItem>(count);
            for (int i = 0; i < count; i++)
            {
                var builder = new ContextItemBuilder("item " + i, random.Next(1000))
                {
                    Kind = kinds[random.Next(kinds.Length)],
                    Source = random.Next(2) == 0 ? ContextSource.Rag : ContextSource.Tool,
                    Priority = random.Next(10) == 0 ? (long?)null : random.Next(10),
                    Timestamp = random.Next(10) == 0
                        ? (DateTimeOffset?)null
                        : new DateTimeOffset(2025, 1, 1, 0, 0, 0, TimeSpan.Zero).AddMilliseconds(random.Next()),
                    FutureRelevanceHint = random.Next(10) == 0 ? (double?)null : random.NextDouble(),
                    Metadata = { ["cupel:trust"] = random.NextDouble(), ["team"] = "t" + random.Next(4) },
                };
                for (int tag = random.Next(4); tag > 0; tag--)
                {
                    builder.Tags.Add("tag " + random.Next(50));
                }

                items.Add(builder.Build());
            }

            return items;
        }

        internal static Scorer Everything(Clock clock)
        {
            return Scorer.Composite(
                (Scorer.Recency(), 1.0),
                (Scorer.Priority(), 2.0),
                (Scorer.Frequency(), 3.0),
                (Scorer.Reflexive(), 4.0),
                (Scorer.Kind(), 5.0),
                (Scorer.Kind(new Dictionary<ContextKind, double> { [ContextKind.Memory] = 2.5 }), 6.0),
                (Scorer.Tag(new Dictionary<string, double> { ["TAG 1"] = 2, ["tag 2"] = 1 }, TextMatch.AsciiCaseInsensitive), 7.0),
                (Scorer.MetadataTrust(), 8.0),
                (Scorer.MetadataKey("team", "t1", 1.5), 9.0),
                (Scorer.ExponentialDecay(TimeSpan.FromHours(5), clock), 10.0),
                (Scorer.WindowDecay(TimeSpan.FromDays(5), clock), 11.0),
                (Scorer.StepDecay(new[] { new DecayStep(TimeSpan.FromDays(1), 0.7) }, clock), 12.0),
                (Scorer.Scaled(Scorer.Recency()), 13.0));
        }

        [Test]
        private static void TheFiveLines()
        {
            var items = new[]
            {
                new ContextItemBuilder("Deploys run on Fridays.", 6) { Kind = ContextKind.Memory, Priority = 7 }.Build(),
                new ContextItemBuilder("What time is it?", 5).Build(),
            };
            using (Scorer scorer = Scorer.Composite((Scorer.Kind(), 0.5), (Scorer.Priority(), 0.5)))
            {
                Check.Same(new[] { (0.8 * 0.5) + (1.0 * 0.5), 0.2 * 0.5 }, scorer.Score(items));
            }
        }

        [Test]
        private static void EveryWayOfScoringGivesTheSame()
        {
            List<ContextItem> items = Sample(300);
            using (Clock clock = Clock.Fixed(new DateTimeOffset(2025, 2, 1, 0, 0, 0, TimeSpan.Zero)))
            using (Scorer scorer = Everything(clock))
            using (var byItem = new Batch(items.Count))
            using (var byList = new Batch())
            {
                byList.Append(items);
                items.ForEach(byItem.Append);
                Check.Equal(300, byList.Count);
                double[] scores = scorer.Score(byList);
                Check.Same(scores, scorer.Score(byItem));
                Check.Same(scores, scorer.Score(items));
                var into = new double[302];
                into[0] = into[301] = -7;
                scorer.Score(byList, into, 1, 300);
                Check.Same(-7, into[0]);
                Check.Same(-7, into[301]);
                Check.Same(scores, new List<double>(into).GetRange(1, 300).ToArray());
                var exact = new double[300];
                scorer.Score(byList, exact);
                Check.Same(scores, exact);
#if NETCOREAPP
                Array.Clear(into, 0, into.Length);
                scorer.Score(byList, into.AsSpan(2));
                Check.Same(scores, into.AsSpan(2).ToArray());
                Check.Same(0, into[1]);
                Check.Throws<ArgumentException>(() => scorer.Score(byList, new Span<double>(new double[299])));
                Check.Throws<ArgumentException>(() => scorer.Score(byList, Span<double>.Empty));
#endif
                for (int row = 0; row < items.Count; row++)
                {
                    Check.Same(scores[row], scorer.ScoreRow(byList, row));
                }
            }
        }

        [Test]
        private static void AnEmptyBatchHasNoScores()
        {
            using (var batch = new Batch())
            using (Scorer scorer = Scorer.Scaled(Scorer.Recency()))
            {
                batch.Append(new ContextItem[0]);
                Check.Equal(0, scorer.Score(batch).Length);
                Check.Equal(0, scorer.Score(new List<ContextItem>()).Length);
                scorer.Score(batch, new double[0]);
                scorer.Score(batch, new double[3], 3, 0);
#if NETCOREAPP
                scorer.Score(batch, Span<double>.Empty);
#endif
            }
        }

        [Test]
        private static void ClearAndReserveAndShrink()
        {
            List<ContextItem> items = Sample(50);
            using (var batch = new Batch(10))
            using (Scorer scorer = Scorer.Frequency())
            {
                batch.Reserve(1000);
                batch.Append(items);
                double[] scores = scorer.Score(batch);
                batch.Clear();
                Check.Equal(0, batch.Count);
                batch.Append(items);
                Check.Same(scores, scorer.Score(batch));
                batch.Shrink();
                Check.Same(scores, scorer.Score(batch));
            }
        }

        [Test]
        private static void ACustomScorerReadsTheWholeItems()
        {
            ContextItem full = ItemTests.Full();
            using (Scorer custom = Scorer.Custom((batch, scores) =>
            {
                for (int row = 0; row < batch.Count; row++)
                {
                    ContextItem item = batch.ItemAt(row);
                    scores[row] = item.Content.Length + (item.Pinned ? 0.5 : 0.0) + item.Tokens;
                    Check.Equal(row == 0 ? "Rag" : "Chat", item.Source.Value);
                }
            }))
            using (Scorer tree = Scorer.Scaled(Scorer.Composite((Scorer.Scaled(Scorer.Reflexive()), 1.0), (custom, 1.0))))
            {
                double first = full.Content.Length + 0.5 - 5;
                Check.Same(new[] { first, 3.0 }, custom.Score(new[] { full, ItemTests.Plain("abc") }));
                Check.Same(new[] { 1.0, 0.0 }, tree.Score(new[] { full, ItemTests.Plain("abc") }));
            }
        }

        [Test]
        private static void WhatACustomScorerWritesPassesUntouched()
        {
            double[] values = { double.NaN, double.NegativeInfinity, Check.NegativeZero, double.Epsilon, 1e300 };
            using (Scorer custom = Scorer.Custom((batch, scores) => Array.Copy(values, scores, scores.Length)))
            {
                Check.Same(values, custom.Score(Sample(values.Length)));
            }
        }

        [Test]
        private static void ACustomScorerMayScoreTheBatchItIsGiven()
        {
            List<ContextItem> items = Sample(20);
            using (Scorer inner = Scorer.Recency())
            using (Scorer custom = Scorer.Custom((batch, scores) => inner.Score(batch, scores)))
            using (Scorer twice = Scorer.Custom((batch, scores) => custom.Score(batch, scores)))
            {
                Check.Same(inner.Score(items), custom.Score(items));
                Check.Same(inner.Score(items), twice.Score(items));
            }
        }

        [Test]
        private static void ExceptionsOfCallbacksReachTheCaller()
        {
            var thrown = new InvalidTimeZoneException("mine");
            List<ContextItem> items = Sample(3);
            bool fail = true;
            using (Scorer custom = Scorer.Custom((batch, scores) =>
            {
                if (fail)
                {
                    throw thrown;
                }
            }))
            using (Scorer tree = Scorer.Composite((Scorer.Kind(), 1.0), (Scorer.Scaled(custom), 1.0)))
            using (var batch = new Batch())
            {
                batch.Append(items);
                foreach (Scorer scorer in new[] { custom, tree })
                {
                    fail = true;
                    Exception caught = Check.Throws<InvalidTimeZoneException>(() => scorer.Score(batch));
                    Check.True(ReferenceEquals(thrown, caught), "another exception");
                    Check.True(caught.StackTrace.Contains(nameof(ExceptionsOfCallbacksReachTheCaller)), caught.StackTrace);
                    var untouched = new[] { 1.0, 2.0, 3.0 };
                    Check.Throws<InvalidTimeZoneException>(() => scorer.Score(batch, untouched));
                    Check.Same(new[] { 1.0, 2.0, 3.0 }, untouched);
                    Check.Throws<InvalidTimeZoneException>(() => scorer.ScoreRow(batch, 0));
                    Check.Throws<InvalidTimeZoneException>(() => scorer.Score(items));
                    fail = false;
                    scorer.Score(batch);
                }
            }

            using (Clock clock = Clock.Custom(() => { throw thrown; }))
            using (Scorer decay = Scorer.WindowDecay(TimeSpan.FromDays(1), clock))
            {
                Check.Throws<InvalidTimeZoneException>(() => decay.Score(items));
            }
        }

        [Test]
        private static void NestedFailuresKeepTheirException()
        {
            var thrown = new FormatException("innermost");
            using (Scorer first = Scorer.Custom((batch, scores) => { throw thrown; }))
            using (Scorer second = Scorer.Custom((batch, scores) => Scorer.Scaled(first).Score(batch, scores)))
            using (Scorer third = Scorer.Composite((Scorer.Kind(), 1.0), (Scorer.Custom((batch, scores) => { second.ScoreRow(batch, 0); }), 1.0)))
            {
                Check.True(ReferenceEquals(thrown, Check.Throws<FormatException>(() => third.Score(Sample(3)))), "another exception");
            }
        }

        [Test]
        private static void OddExceptionsReachTheCaller()
        {
            foreach (Exception odd in new Exception[] { new Mute(), new FormatException("lone \ud83e"), new FormatException("nul \0") })
            {
                using (Scorer custom = Scorer.Custom((batch, scores) => { throw odd; }))
                {
                    try
                    {
                        custom.Score(Sample(1));
                    }
                    catch (Exception caught)
                    {
                        Check.True(ReferenceEquals(odd, caught), "another exception");
                        continue;
                    }

                    throw new Exception("no exception");
                }
            }
        }

        [Test]
        private static void AsyncVoidMethodsAreRefused()
        {
            Check.Rejects<ArgumentException>("callback", () => Scorer.Custom(FillLater), "FillLater is async");
            ScoreCallback both = (batch, scores) => { };
            both += FillLater;
            Check.Rejects<ArgumentException>("callback", () => Scorer.Custom(both), "FillLater is async");
        }

        [Test]
        private static void AnExceptionThatACallbackHandlesIsForgotten()
        {
            using (Scorer failing = Scorer.Custom((batch, scores) => { throw new FormatException("inner"); }))
            using (Scorer outer = Scorer.Custom((batch, scores) =>
            {
                Check.Throws<FormatException>(() => failing.Score(batch));
                Check.Throws<ArgumentException>(() => failing.Score(batch, new double[99]));
                scores[0] = 4;
            }))
            using (Scorer rethrowing = Scorer.Custom((batch, scores) =>
            {
                try
                {
                    failing.Score(batch);
                }
                catch (FormatException exception)
                {
                    throw new TimeoutException("outer", exception);
                }
            }))
            {
                Check.Same(4, outer.Score(Sample(1))[0]);
                Check.Throws<TimeoutException>(() => rethrowing.Score(Sample(1)), "outer");
            }
        }

        [Test]
        private static void ALentBatchCannotBeChangedOrKept()
        {
            Batch kept = null;
            using (var own = new Batch())
            using (Scorer custom = Scorer.Custom((batch, scores) =>
            {
                kept = batch;
                Check.Equal(1, batch.Count);
                Check.Throws<InvalidOperationException>(() => batch.Clear());
                Check.Throws<InvalidOperationException>(() => batch.Reserve(1));
                Check.Throws<InvalidOperationException>(() => batch.Append(ItemTests.Plain()));
                Check.Throws<InvalidOperationException>(() => batch.Append(new[] { ItemTests.Plain() }));
                Check.Throws<InvalidOperationException>(() => batch.AppendJson("{}"));
                Check.Throws<InvalidOperationException>(() => own.Append(new[] { ItemTests.Plain() }));
                Check.Throws<InvalidOperationException>(() => own.Append(ItemTests.Plain()));
                Check.Throws<InvalidOperationException>(() => own.Clear());
                Check.Throws<InvalidOperationException>(() => own.AppendJson("{\"content\":\"x\",\"tokens\":1}"));
                Check.Throws<InvalidOperationException>(() => own.Reserve(1));
            }))
            {
                own.Append(ItemTests.Plain());
                custom.Score(own);
                Check.Equal(1, own.Count);
                own.Append(ItemTests.Plain());
                Check.Throws<ObjectDisposedException>(() => Check.Equal(0, kept.Count));
            }
        }

        [Test]
        private static void DisposingDuringACallback()
        {
            var batch = new Batch();
            batch.Append(Sample(5));
            Scorer custom = null;
            custom = Scorer.Custom((lent, scores) =>
            {
                batch.Dispose();
                custom.Dispose();
                Check.Equal(5, lent.Count);
                scores[4] = 1;
            });
            Check.Same(new[] { 0.0, 0.0, 0.0, 0.0, 1.0 }, custom.Score(batch));
            Check.Throws<ObjectDisposedException>(() => custom.Score(batch));
        }

        private static async void FillLater(Batch batch, double[] scores)
        {
            await System.Threading.Tasks.Task.Delay(1);
            scores[0] = 1;
        }

        private sealed class Mute : Exception
        {
            public override string Message
            {
                get { throw new NotSupportedException(); }
            }
        }
    }
}
