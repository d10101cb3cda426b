using System;
using System.Collections.Generic;
using System.Reflection;

namespace Cupel.Native.Tests
{
    internal static class ErrorTests
    {
        [Test]
        private static void NumbersOutOfRangeNameTheirParameter()
        {
            foreach (double wrong in new[] { double.NaN, double.PositiveInfinity, double.NegativeInfinity, -1.0 })
            {
                Check.Rejects<ArgumentOutOfRangeException>("weights", () => Scorer.Kind(Weights(ContextKind.Memory, wrong)), "weights[0].Value is ");
                Check.Rejects<ArgumentOutOfRangeException>("weights", () => Scorer.Tag(Weights("a", wrong)), "weights[0].Value is ");
                Check.Rejects<ArgumentOutOfRangeException>("defaultScore", () => Scorer.MetadataTrust(wrong), "defaultScore is ");
                Check.Rejects<ArgumentOutOfRangeException>("boost", () => Scorer.MetadataKey("k", "v", wrong), "boost");
                Check.Rejects<ArgumentOutOfRangeException>("children", () => Scorer.Composite((Scorer.Kind(), 1.0), (Scorer.Kind(), wrong)), "children[1].Weight is ");
                Check.Rejects<ArgumentOutOfRangeException>("nullTimestampScore", () => Scorer.ExponentialDecay(TimeSpan.FromDays(1), null, wrong), "nullTimestampScore is ");
                Check.Rejects<ArgumentOutOfRangeException>("nullTimestampScore", () => Scorer.WindowDecay(TimeSpan.FromDays(1), null, wrong), "nullTimestampScore is ");
                Check.Rejects<ArgumentOutOfRangeException>("nullTimestampScore", () => Scorer.StepDecay(Step(1, 1), null, wrong), "nullTimestampScore is ");
            }

            foreach (double wrong in new[] { 0.0, Check.NegativeZero })
            {
                Check.Rejects<ArgumentOutOfRangeException>("boost", () => Scorer.MetadataKey("k", "v", wrong));
                Check.Rejects<ArgumentOutOfRangeException>("children", () => Scorer.Composite((Scorer.Kind(), wrong)));
                Scorer.Kind(Weights(ContextKind.Memory, wrong)).Dispose();
                Scorer.Tag(Weights("a", wrong)).Dispose();
            }

            foreach (TimeSpan wrong in new[] { TimeSpan.Zero, TimeSpan.MinValue, TimeSpan.FromTicks(-1) })
            {
                Check.Rejects<ArgumentOutOfRangeException>("halfLife", () => Scorer.ExponentialDecay(wrong), "halfLife is ");
                Check.Rejects<ArgumentOutOfRangeException>("maxAge", () => Scorer.WindowDecay(wrong), "maxAge is ");
                Check.Rejects<ArgumentOutOfRangeException>("steps", () => Scorer.StepDecay(new[] { new DecayStep(wrong, 1) }), "steps[0].MaxAge is ");
            }

            Check.Rejects<ArgumentOutOfRangeException>("halfLife", () => Scorer.ExponentialDecayNanoseconds(0));
            Check.Rejects<ArgumentOutOfRangeException>("maxAge", () => Scorer.WindowDecayNanoseconds(-1));
            Check.Rejects<ArgumentOutOfRangeException>("steps", () => Scorer.StepDecay(Step(1, double.NaN)));
            Check.Rejects<ArgumentOutOfRangeException>("match", () => Scorer.Tag(Weights("a", 1), (TextMatch)2));
            Check.Rejects<ArgumentOutOfRangeException>("capacity", () => new Batch(-1));
            Check.Rejects<ArgumentOutOfRangeException>("value", () => new ContextColumns(-1));
            Check.Equal<object>(-1.0, Check.Throws<ArgumentOutOfRangeException>(() => Scorer.MetadataTrust(-1)).ActualValue);
        }

        [Test]
        private static void ListsThatBreakARuleAreArgumentErrors()
        {
            var kinds = new List<KeyValuePair<ContextKind, double>>();
            kinds.AddRange(Weights(ContextKind.Memory, 1));
            kinds.AddRange(Weights(new ContextKind("MEMORY"), 1));
            Check.Rejects<ArgumentException>("weights", () => Scorer.Kind(kinds), "weights[1].Key is ");
            var tags = new List<KeyValuePair<string, double>>();
            tags.AddRange(Weights("a", 1));
            tags.AddRange(Weights("A", 1));
            Scorer.Tag(tags).Dispose();
            Check.Rejects<ArgumentException>("weights", () => Scorer.Tag(tags, TextMatch.AsciiCaseInsensitive), "weights[1].Key is ");
            tags.AddRange(Weights("a", 1));
            Check.Rejects<ArgumentException>("weights", () => Scorer.Tag(tags));
            var huge = new List<KeyValuePair<string, double>>();
            huge.AddRange(Weights("a", double.MaxValue));
            huge.AddRange(Weights("b", double.MaxValue));
            Check.Rejects<ArgumentException>("weights", () => Scorer.Tag(huge));
            Check.Rejects<ArgumentException>("weights", () => Scorer.Tag(Weights<string>(null, 1)), "weights[0]");
            Check.Rejects<ArgumentException>("children", () => Scorer.Composite(), "children.Count is 0");
            Check.Rejects<ArgumentException>("children", () => Scorer.Composite(new List<KeyValuePair<Scorer, double>>()));
            Check.Rejects<ArgumentException>("children", () => Scorer.Composite((Scorer.Kind(), 1.0), (null, 1.0)), "children[1]");
            Check.Rejects<ArgumentException>("children", () => Scorer.Composite((Scorer.Kind(), double.MaxValue), (Scorer.Kind(), double.MaxValue)));
            Check.Rejects<ArgumentException>("steps", () => Scorer.StepDecay(new DecayStep[0]), "steps.Count is 0");
            var steps = new[] { new DecayStep(TimeSpan.FromDays(2), 1), new DecayStep(TimeSpan.FromDays(1), 0) };
            Check.Rejects<ArgumentException>("steps", () => Scorer.StepDecay(steps), "steps[1].MaxAge is ");
        }

        [Test]
        private static void NullsAreNamed()
        {
            using (var batch = new Batch())
            using (Scorer scorer = Scorer.Kind())
            {
                Check.Rejects<ArgumentNullException>("items", () => batch.Append((IReadOnlyList<ContextItem>)null));
                Check.Rejects<ArgumentNullException>("item", () => batch.Append((ContextItem)null));
                Check.Rejects<ArgumentNullException>("columns", () => batch.Append((ContextColumns)null));
                Check.Rejects<ArgumentNullException>("json", () => batch.AppendJson((string)null));
                Check.Rejects<ArgumentNullException>("json", () => batch.AppendJson((byte[])null));
                Check.Rejects<ArgumentException>("items", () => batch.Append(new[] { ItemTests.Plain(), null }), "items[1]");
                Check.Rejects<ArgumentNullException>("batch", () => scorer.Score((Batch)null));
                Check.Rejects<ArgumentNullException>("batch", () => scorer.Score(null, new double[0]));
                Check.Rejects<ArgumentNullException>("batch", () => scorer.ScoreRow(null, 0));
                Check.Rejects<ArgumentNullException>("items", () => scorer.Score((IReadOnlyList<ContextItem>)null));
                Check.Rejects<ArgumentException>("items", () => scorer.Score(new ContextItem[] { null }), "items[0]");
                Check.Rejects<ArgumentNullException>("destination", () => scorer.Score(batch, null));
                Check.Rejects<ArgumentNullException>("destination", () => scorer.Score(batch, null, 0, 0));
                Check.Equal(0, batch.Count);
            }

            Check.Rejects<ArgumentNullException>("weights", () => Scorer.Kind(null));
            Check.Rejects<ArgumentNullException>("weights", () => Scorer.Tag(null));
            Check.Rejects<ArgumentNullException>("key", () => Scorer.MetadataKey(null, "v", 1));
            Check.Rejects<ArgumentNullException>("value", () => Scorer.MetadataKey("k", null, 1));
            Check.Rejects<ArgumentNullException>("steps", () => Scorer.StepDecay(null));
            Check.Rejects<ArgumentNullException>("inner", () => Scorer.Scaled(null));
            Check.Rejects<ArgumentNullException>("callback", () => Scorer.Custom(null));
            Check.Rejects<ArgumentNullException>("now", () => Clock.Custom((Func<DateTimeOffset>)null));
            Check.Rejects<ArgumentNullException>("now", () => Clock.CustomNanoseconds(null));
            Check.Rejects<ArgumentNullException>("json", () => Scorer.FromJson(null));
            Check.Rejects<ArgumentNullException>("children", () => Scorer.Composite((IEnumerable<KeyValuePair<Scorer, double>>)null));
            Check.Rejects<ArgumentNullException>("texts", () => TextColumn.FromStrings(null));
            Check.Rejects<ArgumentNullException>("text", () => new OpaqueValue(null));
        }

        [Test]
        private static void LengthsAndRows()
        {
            using (var batch = new Batch())
            using (Scorer scorer = Scorer.Kind())
            {
                batch.Append(ScorerTests.Sample(3));
                var scores = new[] { 9.0, 9.0, 9.0, 9.0 };
                Check.Rejects<ArgumentException>("destination", () => scorer.Score(batch, scores), "destination.Length is 4");
                Check.Rejects<ArgumentException>("destination", () => scorer.Score(batch, new double[2]));
                Check.Rejects<ArgumentException>("destination", () => scorer.Score(batch, scores, 1, 2));
                Check.Rejects<ArgumentOutOfRangeException>("offset", () => scorer.Score(batch, scores, -1, 3));
                Check.Rejects<ArgumentOutOfRangeException>("offset", () => scorer.Score(batch, scores, 5, 0));
                Check.Rejects<ArgumentOutOfRangeException>("count", () => scorer.Score(batch, scores, 2, 3));
                Check.Rejects<ArgumentOutOfRangeException>("count", () => scorer.Score(batch, scores, 2, -1));
                Check.Rejects<ArgumentOutOfRangeException>("count", () => scorer.Score(batch, scores, 1, int.MaxValue));
                Check.Same(new[] { 9.0, 9.0, 9.0, 9.0 }, scores);
                foreach (int row in new[] { -1, 3, int.MaxValue, int.MinValue })
                {
                    Check.Rejects<ArgumentOutOfRangeException>("row", () => scorer.ScoreRow(batch, row));
                    Check.Rejects<ArgumentOutOfRangeException>("row", () => batch.ItemAt(row));
                }

                Check.Rejects<ArgumentOutOfRangeException>("additionalRows", () => batch.Reserve(-1));
            }
        }

        [Test]
        private static void AfterDisposeEverythingSaysSo()
        {
            var batch = new Batch();
            batch.Append(ItemTests.Plain());
            Scorer scorer = Scorer.Kind();
            Clock clock = Clock.System();
            using (Scorer open = Scorer.Kind())
            using (var rows = new Batch())
            {
                for (int i = 0; i < 3; i++)
                {
                    batch.Dispose();
                    scorer.Dispose();
                    clock.Dispose();
                }

                Disposed("Batch", () => Check.Equal(0, batch.Count));
                Disposed("Batch", () => batch.Append(ItemTests.Plain()));
                Disposed("Batch", () => batch.Append(new[] { ItemTests.Plain() }));
                Disposed("Batch", () => batch.Append(new ContextColumns(0)));
                Disposed("Batch", () => batch.AppendJson("[]"));
                Disposed("Batch", () => batch.ItemAt(0));
                Disposed("Batch", () => batch.Clear());
                Disposed("Batch", () => batch.Reserve(1));
                Disposed("Batch", () => batch.Shrink());
                Disposed("Batch", () => open.Score(batch));
                Disposed("Batch", () => open.Score(batch, new double[0]));
                Disposed("Batch", () => open.ScoreRow(batch, 0));
                Disposed("Scorer", () => scorer.Score(rows));
                Disposed("Scorer", () => scorer.Score(new[] { ItemTests.Plain() }));
                Disposed("Scorer", () => scorer.Score(rows, new double[0]));
                Disposed("Scorer", () => scorer.ScoreRow(rows, 0));
                Disposed("Scorer", () => scorer.ToJson());
                Disposed("Scorer", () => Scorer.Scaled(scorer));
                Disposed("Scorer", () => Scorer.Composite((open, 1.0), (scorer, 1.0)));
                Disposed("Clock", () => Scorer.ExponentialDecay(TimeSpan.FromDays(1), clock));
                Disposed("Clock", () => Scorer.WindowDecay(TimeSpan.FromDays(1), clock));
                Disposed("Clock", () => Scorer.StepDecay(Step(1, 1), clock));
                Disposed("Clock", () => Scorer.FromJson("{\"type\":\"recency\"}", clock));
#if NETCOREAPP
                Disposed("Batch", () => open.Score(batch, Span<double>.Empty));
                Disposed("Scorer", () => scorer.Score(rows, Span<double>.Empty));
#endif
            }
        }

        [Test]
        private static void OneTableOfStatuses()
        {
            MethodInfo table = typeof(Batch).Assembly.GetType("Cupel.Native.Interop.Failure", true)
                .GetMethod("ToException", BindingFlags.Static | BindingFlags.NonPublic);
            var expected = new Dictionary<CupelStatus, Type>
            {
                [CupelStatus.NullArgument] = typeof(ArgumentNullException),
                [CupelStatus.InvalidUtf8] = typeof(ArgumentException),
                [CupelStatus.InvalidArgument] = typeof(ArgumentException),
                [CupelStatus.EmptyContent] = typeof(ArgumentException),
                [CupelStatus.EmptyKind] = typeof(ArgumentException),
                [CupelStatus.EmptySource] = typeof(ArgumentException),
                [CupelStatus.OutOfRange] = typeof(ArgumentOutOfRangeException),
                [CupelStatus.LengthMismatch] = typeof(ArgumentException),
                [CupelStatus.CallbackFailed] = typeof(CupelException),
                [CupelStatus.OutOfMemory] = typeof(InsufficientMemoryException),
                [CupelStatus.Panic] = typeof(CupelException),
                [CupelStatus.InvalidJson] = typeof(CupelException),
                [CupelStatus.Busy] = typeof(InvalidOperationException),
                [CupelStatus.OverBudget] = typeof(CupelException),
                [CupelStatus.Shortfall] = typeof(CupelException),
                [CupelStatus.TooLarge] = typeof(CupelException),
                [(CupelStatus)999] = typeof(CupelException),
            };
            foreach (CupelStatus status in Enum.GetValues(typeof(CupelStatus)))
            {
                Check.True(status == CupelStatus.Ok || expected.ContainsKey(status), "no expectation for " + status);
            }

            foreach (KeyValuePair<CupelStatus, Type> entry in expected)
            {
                var exception = (Exception)table.Invoke(null, new object[] { entry.Key, "what failed", "parameter", null, "Operation" });
                Check.Equal(entry.Value, exception.GetType(), entry.Key.ToString());
                Check.True(exception.Message.Contains("what failed"), exception.Message);
                var argument = exception as ArgumentException;
                Check.Equal("parameter", argument == null ? "parameter" : argument.ParamName);
                var native = exception as CupelException;
                Check.True(native == null || native.Status == entry.Key, "status");
            }

            var ranged = (Exception)table.Invoke(null, new object[] { CupelStatus.InvalidArgument, "m", "p", 1.5, "Operation" });
            Check.Equal(typeof(ArgumentOutOfRangeException), ranged.GetType());
        }

        [Test]
        private static void TooMuchMemoryIsAnException()
        {
            using (var batch = new Batch())
            {
                for (int i = 0; i < 2; i++)
                {
                    try
                    {
                        batch.Reserve(int.MaxValue);
                        batch.Clear();
                        batch.Shrink();
                    }
                    catch (InsufficientMemoryException exception)
                    {
                        Check.True(
                            exception.Message.StartsWith("Reserve with additionalRows = 2147483647 ran out of native memory: "),
                            exception.Message);
                    }
                }

                batch.Append(ItemTests.Plain());
                Check.Equal(1, batch.Count);
            }
        }

        [Test]
        private static void TheLibrarySaysItsVersion()
        {
            Check.Equal(1L, CupelLibrary.AbiVersion);
            Check.Equal(3, CupelLibrary.Version.Split('.').Length);
        }

        internal static IEnumerable<KeyValuePair<T, double>> Weights<T>(T name, double weight)
        {
            return new[] { new KeyValuePair<T, double>(name, weight) };
        }

        private static DecayStep[] Step(double days, double score)
        {
            return new[] { new DecayStep(TimeSpan.FromDays(days), score) };
        }

        private static void Disposed(string name, Action action)
        {
            Check.Equal(name, Check.Throws<ObjectDisposedException>(action).ObjectName, "object name");
        }
    }
}
