using System;

namespace Cupel.Native.Tests
{
    internal static class GroupTests
    {
        [Test]
        private static void ScoresAreThoseOfABatchOfTheGroup()
        {
            using (Clock clock = Clock.FixedNanoseconds(1740787200000000000))
            using (Scorer everything = ScorerTests.Everything(clock))
            using (Scorer frequency = Scorer.Scaled(Scorer.Frequency()))
            using (Batch batch = ReadingTests.Rows(300))
            {
                long[] offsets = { 0, 0, 1, 65, 65, 193, 300, 300 };
                foreach (Scorer scorer in new[] { everything, frequency })
                {
                    double[] scores = scorer.ScoreGroups(batch, offsets);
                    Check.Equal(300, scores.Length);
                    for (int group = 0; group + 1 < offsets.Length; group++)
                    {
                        int first = (int)offsets[group];
                        int rows = (int)offsets[group + 1] - first;
                        using (var part = new Batch())
                        {
                            part.Append(batch.ReadColumns(first, rows, (BatchColumns)2047));
                            var actual = new double[rows];
                            Array.Copy(scores, first, actual, 0, rows);
                            Check.Same(scorer.Score(part), actual);
                        }
                    }

                    var into = new double[300];
                    scorer.ScoreGroups(batch, offsets, into);
                    Check.Same(scores, into);
                    Check.Same(scorer.Score(batch), scorer.ScoreGroups(batch, new long[] { 0, 300 }));
#if NETCOREAPP
                    Span<double> span = stackalloc double[300];
                    scorer.ScoreGroups(batch, new ReadOnlySpan<long>(offsets), span);
                    Check.Same(scores, span.ToArray());
#endif
                }
            }

            using (var empty = new Batch())
            using (Scorer scorer = Scorer.Recency())
            {
                Check.Equal(0, scorer.ScoreGroups(empty, new long[] { 0 }).Length);
                Check.Equal(0, scorer.ScoreGroups(empty, new long[] { 0, 0 }).Length);
            }
        }

        [Test]
        private static void WrongGroupsWriteNothing()
        {
            using (Scorer scorer = Scorer.Priority())
            using (Scorer custom = Scorer.Scaled(Scorer.Custom((rows, all) => { })))
            using (Batch batch = ReadingTests.Rows(4))
            {
                var scores = new[] { 5.0, 5.0, 5.0, 5.0 };
                Check.Rejects<ArgumentNullException>("batch", () => scorer.ScoreGroups(null, new long[] { 0, 4 }));
                Check.Rejects<ArgumentNullException>("offsets", () => scorer.ScoreGroups(batch, null));
                Check.Rejects<ArgumentNullException>("offsets", () => scorer.ScoreGroups(batch, null, scores));
                Check.Rejects<ArgumentNullException>("destination", () => scorer.ScoreGroups(batch, new long[] { 0, 4 }, null));
                Check.Rejects<ArgumentException>("offsets", () => scorer.ScoreGroups(batch, new long[0], scores), "offsets is empty");
                Check.Rejects<ArgumentException>("offsets", () => scorer.ScoreGroups(batch, new long[] { 0 }, scores), "offsets[0]");
                Check.Rejects<ArgumentException>("offsets", () => scorer.ScoreGroups(batch, new long[] { 1, 4 }, scores), "offsets[0] is 1");
                Check.Rejects<ArgumentException>("offsets", () => scorer.ScoreGroups(batch, new long[] { 0, 3, 2, 4 }, scores), "offsets[2] is 2");
                Check.Rejects<ArgumentException>("offsets", () => scorer.ScoreGroups(batch, new long[] { 0, 3 }, scores), "offsets[1] is 3");
                Check.Rejects<ArgumentException>("offsets", () => scorer.ScoreGroups(batch, new long[] { 0, 5 }, scores), "offsets[1] is 5");
                Check.Rejects<ArgumentException>("offsets", () => scorer.ScoreGroups(batch, new long[] { -1, 4 }), "offsets[0] is -1");
                Check.Rejects<ArgumentException>(
                    "destination",
                    () => scorer.ScoreGroups(batch, new long[] { 0, 4 }, new double[3]),
                    "destination.Length is 3: it must be 4");
                Check.Rejects<ArgumentException>(
                    null, () => custom.ScoreGroups(batch, new long[] { 0, 4 }, scores), "a custom scorer cannot score groups");
                Check.Same(new[] { 5.0, 5.0, 5.0, 5.0 }, scores);

                int calls = 0;
                Func<long> stopped = () =>
                {
                    calls++;
                    throw new TimeZoneNotFoundException("stopped");
                };
                using (Clock clock = Clock.CustomNanoseconds(stopped))
                using (Scorer decay = Scorer.WindowDecay(TimeSpan.FromDays(1), clock))
                {
                    Check.Throws<TimeZoneNotFoundException>(() => decay.ScoreGroups(batch, new long[] { 0, 2, 4 }, scores));
                    Check.Equal(1, calls, "a clock is read once");
                    Check.Same(new[] { 5.0, 5.0, 5.0, 5.0 }, scores);
                }

                batch.Dispose();
                Check.Throws<ObjectDisposedException>(() => scorer.ScoreGroups(batch, new long[] { 0, 4 }));
                scorer.Dispose();
                Check.Throws<ObjectDisposedException>(() => scorer.Columns.ToString());
            }
        }

        [Test]
        private static void ColumnsAreWhatAScorerReads()
        {
            using (Scorer composite = Scorer.Composite((Scorer.Recency(), 1.0), (Scorer.Tag(new[]
            {
                new System.Collections.Generic.KeyValuePair<string, double>("a", 1.0),
            }), 1.0)))
            using (Scorer custom = Scorer.Custom((batch, scores) => { }))
            using (Scorer kind = Scorer.Kind())
            {
                Check.Equal(BatchColumns.Timestamp | BatchColumns.Tags, composite.Columns);
                Check.Equal(BatchColumns.Kind, kind.Columns);
                Check.Equal((BatchColumns)2047, custom.Columns);
            }
        }
    }
}
