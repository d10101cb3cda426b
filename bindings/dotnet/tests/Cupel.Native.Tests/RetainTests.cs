using System;
using System.Collections.Generic;
using System.Linq;

namespace Cupel.Native.Tests
{
    internal static class RetainTests
    {
        [Test]
        private static void WhatRemainsIsABatchOfItsOwn()
        {
            using (Clock clock = Clock.FixedNanoseconds(1740787200000000000))
            using (Scorer scorer = ScorerTests.Everything(clock))
            using (Batch all = ReadingTests.Rows(200))
            {
                var keep = new bool[200];
                var rows = new List<int>();
                for (int row = 0; row < 200; row++)
                {
                    keep[row] = row % 3 == 1 || row > 180;
                    if (keep[row])
                    {
                        rows.Add(row);
                    }
                }

                Removes(all, scorer, rows, batch => batch.Retain(keep));
                Removes(all, scorer, rows, batch => batch.RetainRows(rows));
                Removes(all, scorer, rows, batch => batch.RetainRows(rows.ToArray()));
                Removes(all, scorer, Enumerable.Range(193, 7), batch => batch.KeepLast(7));
                Removes(all, scorer, Enumerable.Range(0, 200), batch => batch.KeepLast(int.MaxValue));
                Removes(all, scorer, Enumerable.Empty<int>(), batch => batch.KeepLast(0));
                Removes(all, scorer, Enumerable.Empty<int>(), batch => batch.RetainRows(new int[0]));
                Removes(all, scorer, Enumerable.Empty<int>(), batch => batch.Retain(new bool[200]));
#if NETCOREAPP
                Removes(all, scorer, rows, batch => batch.Retain(new ReadOnlySpan<bool>(keep)));
#endif
            }
        }

        [Test]
        private static void AWindowSlides()
        {
            using (Batch window = ReadingTests.Rows(5))
            {
                for (int turn = 0; turn < 500; turn++)
                {
                    window.Append(new ContextItemBuilder("turn " + turn, turn) { Tags = { "t" + turn } }.Build());
                    window.KeepLast(5);
                }

                Check.Equal(5, window.Count);
                for (int i = 0; i < 5; i++)
                {
                    ContextItem item = window.ItemAt(i);
                    Check.Equal("turn " + (495 + i), item.Content);
                    Check.Equal("t" + (495 + i), string.Join("|", item.Tags));
                }
            }
        }

        [Test]
        private static void WrongRowsChangeNothing()
        {
            using (Batch batch = ReadingTests.Rows(6))
            {
                string before = batch.ToJson();
                Check.Rejects<ArgumentNullException>("keep", () => batch.Retain(null));
                Check.Rejects<ArgumentException>(
                    "keep", () => batch.Retain(new bool[5]), "keep.Length is 5: it must be 6, the length of the batch");
                Check.Rejects<ArgumentNullException>("rows", () => batch.RetainRows(null));
                Check.Rejects<ArgumentException>("rows", () => batch.RetainRows(new[] { 1, 3, 3 }), "rows[2] is 3");
                Check.Rejects<ArgumentException>("rows", () => batch.RetainRows(new[] { 4, 3 }), "rows[1] is 3");
                Check.Rejects<ArgumentOutOfRangeException>("rows", () => batch.RetainRows(new[] { 0, 6 }), "rows[1] is 6");
                Check.Rejects<ArgumentOutOfRangeException>("rows", () => batch.RetainRows(new[] { 0, -1 }), "rows[1] is negative");
                Check.Rejects<ArgumentOutOfRangeException>("rows", () => batch.KeepLast(-1));
                Check.Equal(before, batch.ToJson());
                batch.Clear();
                batch.Retain(new bool[0]);
                Check.Equal(0, batch.Count);
                batch.Dispose();
                Check.Throws<ObjectDisposedException>(() => batch.KeepLast(1));
                Check.Throws<ObjectDisposedException>(() => batch.Retain(new bool[6]));
                Check.Throws<ObjectDisposedException>(() => batch.RetainRows(new int[0]));
            }
        }

        [Test]
        private static void SelectionsDoNotGiveOtherRows()
        {
            using (Batch batch = ReadingTests.Rows(6))
            using (Scorer scorer = Scorer.Priority())
            using (var selector = new Selector(new SelectionPolicy { Scorer = scorer }))
            using (Selection selection = selector.Select(batch, new SelectionRequest(1000)))
            {
                string content = batch.ItemAt(selection.Rows[0]).Content;
                batch.KeepLast(6);
                batch.Retain(new[] { true, true, true, true, true, true });
                Check.Equal(content, selection.Items[0].Content, "nothing was removed");
                batch.KeepLast(5);
                Check.Throws<InvalidOperationException>(() => selection.Items[0].ToString(), "Rows were removed");
            }
        }

        private static void Removes(Batch all, Scorer scorer, IEnumerable<int> rows, Action<Batch> remove)
        {
            using (var batch = new Batch())
            using (var expected = new Batch())
            {
                batch.Append(all.ReadColumns((BatchColumns)2047));
                scorer.Score(batch);
                remove(batch);
                foreach (int row in rows)
                {
                    expected.Append(all.ItemAt(row));
                }

                Check.Equal(expected.ToJson(), batch.ToJson());
                Check.Same(scorer.Score(expected), scorer.Score(batch));
                batch.Append(all.ItemAt(3));
                expected.Append(all.ItemAt(3));
                Check.Equal(expected.ToJson(), batch.ToJson());
            }
        }
    }
}
