using System;
using System.Collections.Generic;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading;

namespace Cupel.Native.Tests
{
    internal static class LifetimeTests
    {
        private static long _alive;

        [Test]
        private static void ChildrenMayGoFirst()
        {
            List<ContextItem> items = ScorerTests.Sample(10);
            Scorer recency = Scorer.Recency();
            Scorer scaled = Scorer.Scaled(recency);
            Scorer tree = Scorer.Composite((scaled, 1.0), (recency, 1.0), (recency, 2.0));
            double[] before = tree.Score(items);
            recency.Dispose();
            scaled.Dispose();
            Collect();
            Check.Same(before, tree.Score(items));
            tree.Dispose();
        }

        [Test]
        private static void DelegatesLiveAsLongAsTheScorersMadeOfThem()
        {
            const int Trees = 40;
            var trees = new Scorer[Trees];
            var delegates = new List<WeakReference>();
            for (int i = 0; i < Trees; i++)
            {
                trees[i] = Tree(delegates);
            }

            for (int round = 0; round < 3; round++)
            {
                Collect();
                foreach (Scorer tree in trees)
                {
                    ContextItem item = new ContextItemBuilder("x", 0) { TimestampNanoseconds = 0 }.Build();
                    Check.Same(0.25, tree.Score(new[] { item })[0]);
                }

                Check.True(delegates.TrueForAll(one => one.IsAlive), "a delegate was collected that native code may call");
            }

            Array.ForEach(trees, tree => tree.Dispose());

            // Not quite all: Mono scans stacks conservatively, and may take a leftover for a reference.
            WaitFor(
                () => delegates.FindAll(one => one.IsAlive).Count <= delegates.Count / 10,
                "delegates are kept that nobody may call");
        }

        [Test]
        private static void ForgottenScorersFreeTheirDelegates()
        {
            _alive = 0;
            for (int i = 0; i < 500; i++)
            {
                Forget();
            }

            WaitFor(() => Interlocked.Read(ref _alive) < 25, "delegates of forgotten scorers are kept");
        }

        [Test]
        private static void OwnersOfScorersOfTheirOwnMethodsAreCollected()
        {
            _alive = 0;
            for (int i = 0; i < 500; i++)
            {
                new Owner().Use();
            }

            WaitFor(() => Interlocked.Read(ref _alive) < 25, "owners are kept by the scorers that they hold");
        }

        [Test]
        private static void AFinalizerMayStillScore()
        {
            Owner.Finalized = 0;
            Owner.Failure = null;
            for (int i = 0; i < 100; i++)
            {
                new Owner { ScoresAtTheEnd = true }.Use();
            }

            WaitFor(() => Volatile.Read(ref Owner.Finalized) > 80, "owners are kept");
            Check.True(Owner.Failure == null, "a finalizer could not score: " + Owner.Failure);
        }

        [Test]
        private static void TheCollectorHearsOfNativeMemory()
        {
            // A batch weighs a few hundred bytes on the managed heap and 4 MB in all: without the hint, 400 of them are far
            // from the size of a nursery.
            var text = new byte[1 << 22];
            for (int i = 0; i < text.Length; i++)
            {
                text[i] = (byte)'x';
            }

            var columns = new ContextColumns(1) { Content = new TextColumn(text, new long[] { 0, text.Length }) };
            int before = GC.CollectionCount(0);
            for (int i = 0; i < 400 && GC.CollectionCount(0) == before; i++)
            {
                ForgetBatch(columns);
            }

            Check.True(GC.CollectionCount(0) > before, "1.6 GB of forgotten batches called for no collection");
        }

        [Test]
        private static void CollectionsDuringCallbacks()
        {
            List<ContextItem> items = ScorerTests.Sample(40);
            for (int i = 0; i < 20; i++)
            {
                using (Scorer scorer = Scorer.Composite(
                    (Scorer.Custom((batch, scores) =>
                    {
                        for (int row = 0; row < batch.Count; row++)
                        {
                            if (row % 10 == 0)
                            {
                                GC.Collect();
                            }

                            scores[row] = batch.ItemAt(row).Tokens;
                        }

                        GC.Collect();
                        GC.WaitForPendingFinalizers();
                    }), 1.0),
                    (Scorer.WindowDecay(TimeSpan.FromDays(1), Clock.CustomNanoseconds(() =>
                    {
                        GC.Collect();
                        return 5;
                    })), 1.0)))
                {
                    double[] scores = scorer.Score(items);
                    for (int row = 0; row < scores.Length; row++)
                    {
                        double decay = items[row].Timestamp.HasValue ? 1.0 : 0.5;
                        Check.Same((items[row].Tokens * 0.5) + (decay * 0.5), scores[row]);
                    }
                }
            }
        }

        [Test]
        private static void FailuresLeakNothing()
        {
            if (!HasMallocInfo())
            {
                Console.WriteLine("no mallinfo2 here: native memory is not counted");
                return;
            }

            const int Rounds = 500;
            ContextItem good = ItemTests.Full();
            ContextItem bad = new ContextItemBuilder("x", 0) { Metadata = { ["k"] = '\ud83e' } }.Build();
            var weights = new List<KeyValuePair<ContextKind, double>>(ErrorTests.Weights(ContextKind.Memory, 1));
            weights.AddRange(ErrorTests.Weights(new ContextKind("memory"), 1));
            var wrongColumns = new ContextColumns(2)
            {
                Kind = TextColumn.FromStrings(new[] { "a", " " }),
                Tags = TextColumn.FromStrings(new[] { "some tag", "other tag" }),
                TagLists = new long[] { 0, 1, 2 },
            };
            using (var batch = new Batch())
            using (Scorer kind = Scorer.Kind())
            using (Scorer throwing = Scorer.Custom((rows, scores) => { throw new FormatException(); }))
            using (Clock clock = Clock.FixedNanoseconds(0))
            {
                batch.Append(new[] { good });
                Action[] failures =
                {
                    () => Scorer.Kind(weights),
                    () => Scorer.Composite((throwing, 1.0), (kind, -1.0)),
                    () => Scorer.Composite((kind, 1.0), (kind, double.PositiveInfinity)),
                    () => Scorer.MetadataTrust(2),
                    () => Scorer.ExponentialDecay(TimeSpan.Zero, clock),
                    () => Scorer.StepDecay(new DecayStep[0], clock),
                    () => Scorer.FromJson("{\"type\":\"composite\",\"scorers\":[{\"type\":\"recency\",\"weight\":1},{\"type\":\"kind\",\"weight\":-1}]}"),
                    () => batch.AppendJson("[{\"content\":\"x\",\"tokens\":1,\"tags\":[\"a\"]},{\"content\":\"\",\"tokens\":1}]"),
                    () => batch.Append(wrongColumns),
                    () => batch.Append(bad),
                    () => batch.Append(new[] { good, bad }),
                    () => batch.ItemAt(7),
                    () => throwing.Score(batch),
                    () => throwing.ToJson(),
                    () => kind.Score(batch, new double[9]),
                };
                for (int i = 0; i < failures.Length; i++)
                {
                    Action failure = () =>
                    {
                        try
                        {
                            failures[i]();
                        }
                        catch (Exception)
                        {
                            return;
                        }

                        throw new InvalidOperationException("failure " + i + " did not fail");
                    };
                    long growth = Growth(failure, Rounds);
                    Check.True(growth < Rounds, "failure " + i + " leaks: " + growth + " bytes in " + Rounds + " rounds");
                }
            }

            // The measure itself: what is kept shows.
            var kept = new List<Scorer>();
            long held = Growth(() => kept.Add(Scorer.Scaled(Scorer.MetadataTrust())), Rounds);
            Check.True(held > Rounds * 16, "a leak would not show: " + held + " bytes");
            kept.ForEach(scorer => scorer.Dispose());
        }

        [Test]
        private static void SuccessesLeakNothing()
        {
            if (!HasMallocInfo())
            {
                return;
            }

            List<ContextItem> items = ScorerTests.Sample(20);
            long growth = Growth(
                () =>
                {
                    using (Clock clock = Clock.FixedNanoseconds(0))
                    using (Scorer custom = Scorer.Custom((rows, scores) => { }))
                    using (Scorer decay = Scorer.WindowDecayNanoseconds(5, clock))
                    using (Scorer scorer = Scorer.Composite((custom, 1.0), (decay, 1.0)))
                    using (var batch = new Batch())
                    {
                        batch.Append(items);
                        batch.Append(items[0]);
                        batch.ItemAt(20);
                        scorer.Score(batch);
                        scorer.Score(items);
                    }
                },
                400);
            Check.True(growth < 400, "success leaks: " + growth + " bytes");
        }

        internal static void Collect()
        {
            for (int i = 0; i < 2; i++)
            {
                GC.Collect();
                GC.WaitForPendingFinalizers();
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static Scorer Tree(List<WeakReference> delegates)
        {
            // The closures make delegates of their own, which nothing else refers to.
            var box = new long[] { 0 };
            ScoreCallback score = (batch, scores) => scores[0] = box[0];
            Func<long> now = () => box[0] + 10;
            delegates.Add(new WeakReference(score));
            delegates.Add(new WeakReference(now));
            using (Scorer custom = Scorer.Custom(score))
            using (Clock clock = Clock.CustomNanoseconds(now))
            using (Scorer decay = Scorer.ExponentialDecayNanoseconds(10, clock))
            {
                return Scorer.Composite((custom, 1.0), (decay, 1.0));
            }
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void Forget()
        {
            var counted = new Counted();
            Scorer.Scaled(Scorer.Custom((batch, scores) => { counted.ToString(); }));
        }

        [MethodImpl(MethodImplOptions.NoInlining)]
        private static void ForgetBatch(ContextColumns columns)
        {
            new Batch().Append(columns);
        }

        private static void WaitFor(Func<bool> condition, string otherwise)
        {
            for (int i = 0; i < 50 && !condition(); i++)
            {
                Collect();
                Thread.Sleep(2);
            }

            Check.True(condition(), otherwise);
        }

        /// <summary>
        /// How many bytes more are allocated after some rounds than before: the least of several measurements, because the
        /// runtime allocates too, but not every time. The actions dispose what they can, because finalizers take their time.
        /// </summary>
        private static long Growth(Action action, int rounds)
        {
            for (int i = 0; i < 100; i++)
            {
                action();
            }

            long least = long.MaxValue;
            for (int measurement = 0; measurement < 12 && least >= rounds; measurement++)
            {
                Collect();
                long before = Allocated();
                for (int i = 0; i < rounds; i++)
                {
                    action();
                }

                Collect();
                least = Math.Min(least, Allocated() - before);
            }

            return least;
        }

        private static bool HasMallocInfo()
        {
            try
            {
                return Allocated() > 0;
            }
            catch (EntryPointNotFoundException)
            {
                return false;
            }
            catch (DllNotFoundException)
            {
                return false;
            }
        }

        private static long Allocated()
        {
            MallocInfo info = mallinfo2();
            return (long)info.InUse.ToUInt64() + (long)info.Mapped.ToUInt64();
        }

        [DllImport("libc.so.6", ExactSpelling = true)]
        private static extern MallocInfo mallinfo2();

#pragma warning disable 649 // filled by native code
        private struct MallocInfo
        {
            internal UIntPtr Arena;
            internal UIntPtr FreeChunks;
            internal UIntPtr FastChunks;
            internal UIntPtr MappedRegions;
            internal UIntPtr Mapped;
            internal UIntPtr Unused;
            internal UIntPtr FastFree;
            internal UIntPtr InUse;
            internal UIntPtr Free;
            internal UIntPtr Top;
        }
#pragma warning restore 649

        /// <summary>Holds scorers that call its own methods, directly and at the bottom of a tree.</summary>
        private sealed class Owner
        {
            internal static int Finalized;
            internal static Exception Failure;

            private static readonly ContextItem[] One = { new ContextItemBuilder("x", 0) { TimestampNanoseconds = 0 }.Build() };

            private readonly Counted _counted = new Counted();
            private readonly Scorer _tree;

            internal Owner()
            {
                _tree = Scorer.Composite(
                    (Scorer.Scaled(Scorer.Custom(Fill)), 1.0),
                    (Scorer.Composite((Scorer.Custom(Fill), 1.0), (Scorer.Recency(), 1.0)), 1.0),
                    (Scorer.ExponentialDecayNanoseconds(10, Clock.CustomNanoseconds(Now)), 2.0));
            }

            ~Owner()
            {
                if (ScoresAtTheEnd)
                {
                    try
                    {
                        Use();
                    }
                    catch (ObjectDisposedException)
                    {
                        // A finalizer may find what it refers to finalized before.
                    }
                    catch (Exception exception)
                    {
                        Failure = exception;
                    }
                }

                Interlocked.Increment(ref Finalized);
            }

            internal bool ScoresAtTheEnd { get; set; }

            internal void Use()
            {
                Check.Same((0.5 * 0.25) + (0.75 * 0.25) + (0.5 * 0.5), _tree.Score(One)[0]);
                GC.KeepAlive(_counted);
            }

            private void Fill(Batch batch, double[] scores)
            {
                scores[0] = 0.5;
            }

            private long Now()
            {
                return 10;
            }
        }

        private sealed class Counted
        {
            internal Counted()
            {
                Interlocked.Increment(ref _alive);
            }

            ~Counted()
            {
                Interlocked.Decrement(ref _alive);
            }
        }
    }
}
