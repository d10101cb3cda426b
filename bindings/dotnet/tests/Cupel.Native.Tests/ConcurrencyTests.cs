using System;
using System.Collections.Generic;
using System.Threading;

namespace Cupel.Native.Tests
{
    internal static class ConcurrencyTests
    {
        private const int Threads = 4;

        [Test]
        private static void ManyThreadsScoreOneBatch()
        {
            List<ContextItem> items = ScorerTests.Sample(400);
            using (Clock clock = Clock.Fixed(new DateTimeOffset(2025, 2, 1, 0, 0, 0, TimeSpan.Zero)))
            using (Scorer scorer = ScorerTests.Everything(clock))
            using (var batch = new Batch())
            {
                batch.Append(items);
                double[] expected = scorer.Score(batch);
                OnThreads(() =>
                {
                    for (int i = 0; i < 40; i++)
                    {
                        Check.Same(expected, scorer.Score(batch));
                        Check.Equal(items[i].Content, batch.ItemAt(i).Content);
                    }
                });
            }
        }

        [Test]
        private static void ManyThreadsCallOneDelegate()
        {
            int calls = 0;
            using (Scorer scorer = Scorer.Custom((batch, scores) =>
            {
                Interlocked.Increment(ref calls);
                Thread.Yield();
                if (batch.Count == 3)
                {
                    throw new FormatException();
                }

                scores[0] = batch.Count;
            }))
            {
                OnThreads(() =>
                {
                    for (int i = 1; i <= 50; i++)
                    {
                        List<ContextItem> items = ScorerTests.Sample(i);
                        if (i == 3)
                        {
                            Check.Throws<FormatException>(() => scorer.Score(items));
                        }
                        else
                        {
                            Check.Same(i, scorer.Score(items)[0]);
                        }
                    }
                });
            }

            Check.Equal(Threads * 50, calls);
        }

        [Test]
        private static void DisposingWhileOthersScoreIsSafe()
        {
            List<ContextItem> items = ScorerTests.Sample(200);
            for (int round = 0; round < 20; round++)
            {
                var batch = new Batch();
                batch.Append(items);
                Scorer scorer = Scorer.Frequency();
                double[] expected = scorer.Score(batch);
                int started = 0;
                OnThreads(() =>
                {
                    if (Interlocked.Increment(ref started) == Threads)
                    {
                        Thread.Sleep(1);
                        batch.Dispose();
                        scorer.Dispose();
                        return;
                    }

                    try
                    {
                        while (true)
                        {
                            Check.Same(expected, scorer.Score(batch));
                        }
                    }
                    catch (ObjectDisposedException)
                    {
                        // The one way out.
                    }
                });
            }
        }

        [Test]
        private static void ChangingWhileOthersScoreIsAnException()
        {
            List<ContextItem> items = ScorerTests.Sample(100);
            int refused = 0;
            using (Scorer scorer = Scorer.Frequency())
            using (var batch = new Batch())
            {
                double[] expected = scorer.Score(items);
                int threads = 0;
                OnThreads(() =>
                {
                    bool changes = Interlocked.Increment(ref threads) % 2 == 0;
                    for (int i = 0; i < 400; i++)
                    {
                        try
                        {
                            if (!changes && i % 2 == 0)
                            {
                                TextColumn content = batch.ReadColumns(BatchColumns.Content | BatchColumns.Tags).Content;
                                Check.True(content.Count % items.Count == 0, "half of an append was read");
                                if (content.Count > 0)
                                {
                                    Check.Equal(items[items.Count - 1].Content, content[content.Count - 1]);
                                }
                            }
                            else if (!changes)
                            {
                                double[] scores = scorer.Score(batch);
                                Check.True(scores.Length % items.Count == 0, "half of an append was seen");
                                if (scores.Length == items.Count)
                                {
                                    Check.Same(expected, scores);
                                }
                            }
                            else if (i % 3 == 0)
                            {
                                batch.Clear();
                            }
                            else if (i % 5 == 0)
                            {
                                batch.KeepLast(items.Count);
                            }
                            else
                            {
                                batch.Append(items);
                            }
                        }
                        catch (InvalidOperationException)
                        {
                            Interlocked.Increment(ref refused);
                        }
                    }
                });
                batch.Clear();
                batch.Append(items);
                Check.Same(expected, scorer.Score(batch));
            }

            Check.True(refused < Threads * 400, "nobody came through");
        }

        [Test]
        private static void EachThreadItsOwnBatch()
        {
            List<ContextItem> items = ScorerTests.Sample(100);
            using (Scorer scorer = Scorer.Scaled(Scorer.Frequency()))
            {
                double[] expected = scorer.Score(items);
                OnThreads(() =>
                {
                    for (int i = 0; i < 20; i++)
                    {
                        using (var batch = new Batch())
                        {
                            if (i % 2 == 0)
                            {
                                batch.Append(items);
                            }
                            else
                            {
                                items.ForEach(batch.Append);
                            }

                            Check.Same(expected, scorer.Score(batch));
                            Check.Same(expected, scorer.Score(items));
                        }
                    }
                });
            }
        }

        [Test]
        private static void ALentBatchEndsWithItsCallbackOnEveryThread()
        {
            List<ContextItem> items = ScorerTests.Sample(60);
            for (int round = 0; round < 40; round++)
            {
                var readers = new List<Thread>();
                Exception failure = null;
                int uses = 0;
                int round1 = round;
                using (Scorer frequency = Scorer.Frequency())
                using (Scorer leaking = Scorer.Custom((lent, scores) =>
                {
                    double[] expected = frequency.Score(lent);
                    for (int i = 0; i < Threads; i++)
                    {
                        bool scores1 = i % 2 == 0;
                        var reader = new Thread(() =>
                        {
                            try
                            {
                                while (true)
                                {
                                    if (scores1)
                                    {
                                        Check.Same(expected, frequency.Score(lent));
                                    }
                                    else
                                    {
                                        Check.Equal("item 7", lent.ItemAt(7).Content);
                                        Check.Equal("item 8", lent.ReadContent(7, 2)[1]);
                                        Check.Equal(60, lent.Count);
                                    }

                                    Interlocked.Increment(ref uses);
                                }
                            }
                            catch (ObjectDisposedException)
                            {
                                // The one way out.
                            }
                            catch (Exception exception)
                            {
                                failure = exception;
                            }
                        });
                        reader.Start();
                        readers.Add(reader);
                    }

                    SpinWait.SpinUntil(() => Volatile.Read(ref uses) > 3 * round1);
                }))
                {
                    leaking.Score(items);
                    readers.ForEach(reader => reader.Join());
                    Check.True(failure == null, "a reader failed: " + failure);
                }
            }
        }

        [Test]
        private static void ACallbackReturnsAfterTheUsesOfItsBatch()
        {
            using (var inside = new ManualResetEvent(false))
            {
                bool ended = false;
                Thread user = null;
                using (Scorer slow = Scorer.Custom((batch, scores) =>
                {
                    inside.Set();
                    Thread.Sleep(50);
                    Check.Equal(2, batch.Count);
                    Volatile.Write(ref ended, true);
                }))
                using (Scorer leaking = Scorer.Custom((lent, scores) =>
                {
                    user = new Thread(() => slow.Score(lent));
                    user.Start();
                    inside.WaitOne();
                }))
                {
                    leaking.Score(ScorerTests.Sample(2));
                    Check.True(Volatile.Read(ref ended), "the batch was taken back while it was being scored");
                    user.Join();
                }
            }
        }

        [Test]
        private static void ACallbackMayDisposeItsBatchInsideAUseOfIt()
        {
            using (Scorer inner = Scorer.Recency())
            {
                Batch outer = null;
                using (Scorer disposing = Scorer.Custom((batch, scores) =>
                {
                    outer.Dispose();
                    inner.Score(batch, scores);
                }))
                using (Scorer nesting = Scorer.Custom((batch, scores) =>
                {
                    outer = batch;
                    disposing.Score(batch, scores);
                    Check.Throws<ObjectDisposedException>(() => inner.Score(batch));
                }))
                {
                    List<ContextItem> items = ScorerTests.Sample(9);
                    Check.Same(inner.Score(items), nesting.Score(items));
                }
            }
        }

        private static void OnThreads(Action action)
        {
            Exception failure = null;
            var threads = new Thread[Threads];
            for (int i = 0; i < Threads; i++)
            {
                threads[i] = new Thread(() =>
                {
                    try
                    {
                        action();
                    }
                    catch (Exception exception)
                    {
                        failure = exception;
                    }
                });
            }

            foreach (Thread thread in threads)
            {
                thread.Start();
            }

            foreach (Thread thread in threads)
            {
                thread.Join();
            }

            Check.True(failure == null, "a thread failed: " + failure);
        }
    }
}
