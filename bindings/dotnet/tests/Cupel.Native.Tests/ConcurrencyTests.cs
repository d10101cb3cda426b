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
                            if (!changes)
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
