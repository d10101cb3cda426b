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
        private static void SelectionsAreThoseOfABatchOfTheGroup()
        {
            var policy = new SelectionPolicy
            {
                Scorer = Scorer.Priority(),
                CountQuotas = { new CountQuota(new ContextKind("Ticket"), 3) },
            };
            using (policy.Scorer)
            using (var selector = new Selector(policy))
            using (Batch batch = ReadingTests.Rows(120))
            {
                long[] offsets = { 0, 40, 40, 47, 120 };
                var request = new SelectionRequest(900) { TargetTokens = 300 };

                // The pinned rows would exceed the budget.
                ContextColumns columns = batch.ReadColumns((BatchColumns)(2047 & ~(int)BatchColumns.Pinned));
                batch.Clear();
                batch.Append(columns);
                using (Selection selection = selector.SelectGroups(batch, offsets, request))
                {
                    Check.Equal(4, selection.GroupCount);
                    Check.Equal(5, selection.Offsets.Count);
                    Check.Equal(selection.Rows.Count, selection.Offsets[4]);
                    Check.Equal(120, selection.Scores.Count);
                    int shortfalls = 0;
                    long kept = 0;
                    for (int group = 0; group < 4; group++)
                    {
                        int first = (int)offsets[group];
                        using (var part = new Batch())
                        {
                            part.Append(batch.ReadColumns(first, (int)offsets[group + 1] - first, (BatchColumns)2047));
                            using (Selection expected = selector.Select(part, request))
                            {
                                Check.Equal(1, expected.GroupCount);
                                Check.Equal(expected.Rows.Count, expected.RowsOf(0).Count);
                                Check.Equal(expected.Rows.Count, selection.RowsOf(group).Count);
                                Check.Equal(expected.Rows.Count, selection.Offsets[group + 1] - selection.Offsets[group]);
                                for (int i = 0; i < expected.Rows.Count; i++)
                                {
                                    Check.Equal(expected.Rows[i] + first, selection.RowsOf(group)[i]);
                                    Check.Equal(expected.Items[i].Content, selection.ItemsOf(group)[i].Content);
                                }

                                for (int row = 0; row < part.Count; row++)
                                {
                                    Check.Equal(expected.Reasons[row], selection.Reasons[first + row]);
                                    Check.Same(expected.Scores[row], selection.Scores[first + row]);
                                }

                                Check.Equal(expected.Shortfalls.Count, selection.ShortfallsOf(group).Count);
                                shortfalls += expected.Shortfalls.Count;
                                kept += expected.KeptTokens;
                            }
                        }
                    }

                    Check.True(shortfalls > 0, "a group is short of tickets");
                    Check.Equal(shortfalls, selection.Shortfalls.Count);
                    Check.Equal(kept, selection.KeptTokens);
                    Check.Rejects<ArgumentOutOfRangeException>("group", () => selection.RowsOf(4), "There are 4 groups");
                    Check.Rejects<ArgumentOutOfRangeException>("group", () => selection.ItemsOf(-1));
                    Check.Rejects<ArgumentOutOfRangeException>("group", () => selection.ShortfallsOf(4));

                    // A selection of groups is no front to keep, and has no one target.
                    Check.Rejects<ArgumentException>(
                        "request", () => selector.Select(batch, new SelectionRequest(900) { Previous = selection }), "of groups");
                    Check.Rejects<ArgumentException>("selection", () => selector.Needed(batch, selection));
                }
            }
        }

        [Test]
        private static void GroupsThatCannotBeSelected()
        {
            using (Scorer priority = Scorer.Priority())
            using (var selector = new Selector(new SelectionPolicy { Scorer = priority }))
            using (var counted = new Selector(new SelectionPolicy
            {
                Scorer = priority,
                Scarcity = Scarcity.Fail,
                CountQuotas = { new CountQuota(new ContextKind("Ticket"), 2) },
            }))
            using (var custom = new Selector(new SelectionPolicy { Scorer = Scorer.Custom((rows, all) => { }) }))
            using (Batch batch = ReadingTests.Rows(8))
            {
                long[] offsets = { 0, 4, 8 };
                var request = new SelectionRequest(1000);
                Check.Rejects<ArgumentNullException>("batch", () => selector.SelectGroups(null, offsets, request));
                Check.Rejects<ArgumentNullException>("offsets", () => selector.SelectGroups(batch, null, request));
                Check.Rejects<ArgumentException>("offsets", () => selector.SelectGroups(batch, new long[0], request));
                Check.Rejects<ArgumentException>(
                    "offsets", () => selector.SelectGroups(batch, new long[] { 0, 5, 4, 8 }, request), "offsets[2] is 4");
                Check.Rejects<ArgumentException>(
                    "request", () => selector.SelectGroups(batch, offsets, new SelectionRequest(-1)), "request.MaxTokens is -1");
                Check.Rejects<ArgumentException>(
                    "request",
                    () => selector.SelectGroups(batch, offsets, new SelectionRequest(9) { Scores = new double[7] }),
                    "request.Scores.Length is 7");
                using (Selection previous = selector.Select(batch, request))
                {
                    Check.Rejects<ArgumentException>(
                        "request",
                        () => selector.SelectGroups(batch, offsets, new SelectionRequest(9) { Previous = previous }),
                        "earlier selection");
                }

                Check.Throws<ArgumentException>(() => custom.SelectGroups(batch, offsets, request), "a custom scorer cannot");
                request.Scores = new double[8];
                custom.SelectGroups(batch, offsets, request).Dispose();
                request.Scores = null;

                // The second group has a pinned row.
                var over = Check.Throws<CupelException>(
                    () => selector.SelectGroups(batch, offsets, new SelectionRequest(1)), "group 1, rows 4 to before 8: ");
                Check.Equal(CupelStatus.OverBudget, over.Status);
                var scarce = Check.Throws<CupelException>(
                    () => counted.SelectGroups(batch, offsets, request),
                    "group 0, rows 0 to before 4: policy.CountQuotas[0] requires 2");
                Check.Equal(CupelStatus.Shortfall, scarce.Status);
                batch.Dispose();
                Check.Throws<ObjectDisposedException>(() => selector.SelectGroups(batch, offsets, request));
                selector.Dispose();
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
