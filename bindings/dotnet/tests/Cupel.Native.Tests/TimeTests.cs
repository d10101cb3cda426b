using System;
using System.Collections.Generic;

namespace Cupel.Native.Tests
{
    internal static class TimeTests
    {
        private static readonly DateTimeOffset Epoch = new DateTimeOffset(1970, 1, 1, 0, 0, 0, TimeSpan.Zero);

        [Test]
        private static void InstantsAreExact()
        {
            Nanoseconds(0, Epoch);
            Nanoseconds(100, Epoch.AddTicks(1));
            Nanoseconds(-100, Epoch.AddTicks(-1));
            Nanoseconds(1740787199123456700, new DateTimeOffset(2025, 2, 28, 23, 59, 59, TimeSpan.Zero).AddTicks(1234567));
            Nanoseconds(0, new DateTimeOffset(1970, 1, 1, 5, 45, 0, new TimeSpan(5, 45, 0)));
        }

        [Test]
        private static void InstantsOutsideTheRangeSaturate()
        {
            Nanoseconds(long.MaxValue, DateTimeOffset.MaxValue);
            Nanoseconds(long.MinValue, DateTimeOffset.MinValue);
            Nanoseconds(9223372036854775800, Epoch.AddTicks(92233720368547758));
            Nanoseconds(long.MaxValue, Epoch.AddTicks(92233720368547759));
            Nanoseconds(-9223372036854775800, Epoch.AddTicks(-92233720368547758));
            Nanoseconds(long.MinValue, Epoch.AddTicks(-92233720368547759));
        }

        [Test]
        private static void NanosecondsRoundDownToTicks()
        {
            foreach (long nanoseconds in new[] { 0, 1, 99, 100, -1, -100, -101, long.MaxValue, long.MinValue })
            {
                ContextItem item = new ContextItemBuilder("x", 0) { TimestampNanoseconds = nanoseconds }.Build();
                long ticks = (item.Timestamp.Value - Epoch).Ticks;
                Check.Equal((long)Math.Floor((decimal)nanoseconds / 100m), ticks);
                using (var batch = new Batch())
                {
                    batch.Append(item);
                    batch.Append(new[] { item });
                    Check.Equal(nanoseconds, batch.ItemAt(0).TimestampNanoseconds);
                    Check.Equal(nanoseconds, batch.ItemAt(1).TimestampNanoseconds);
                    Check.Equal(item.Timestamp, batch.ItemAt(1).Timestamp);
                }
            }

            var builder = new ContextItemBuilder("x", 0) { TimestampNanoseconds = 5, Timestamp = Epoch.AddTicks(3) };
            Check.Equal(300L, builder.TimestampNanoseconds);
            builder.Timestamp = null;
            Check.Equal(null, builder.TimestampNanoseconds);
            builder.TimestampNanoseconds = null;
            Check.Equal(null, builder.Timestamp);
        }

        [Test]
        private static void DecayFromEveryClock()
        {
            DateTimeOffset now = new DateTimeOffset(2030, 1, 1, 0, 0, 0, TimeSpan.Zero);
            var items = new List<ContextItem>
            {
                At(now), At(now.AddHours(-1)), At(now.AddHours(-2)), At(now.AddHours(1)), ItemTests.Plain(),
                At(DateTimeOffset.MaxValue), At(DateTimeOffset.MinValue),
            };
            foreach (Clock clock in new[] { Clock.Fixed(now), Clock.Custom(() => now), Clock.FixedNanoseconds(1893456000000000000) })
            {
                using (Scorer decay = Scorer.ExponentialDecay(TimeSpan.FromHours(1), clock, 0.125))
                {
                    clock.Dispose();
                    double[] scores = decay.Score(items);
                    Check.Same(new[] { 1.0, 0.5, 0.25, 1.0, 0.125, 1.0, 0.0 }, scores);
                }
            }

            using (Scorer decay = Scorer.WindowDecay(TimeSpan.FromHours(2), Clock.Fixed(now)))
            {
                Check.Same(new[] { 1.0, 1.0, 0.0, 1.0, 0.5, 1.0, 0.0 }, decay.Score(items));
            }

            var steps = new[] { new DecayStep(TimeSpan.FromHours(1), 0.9), new DecayStep(TimeSpan.FromTicks(72000000001), 0.3) };
            using (Scorer decay = Scorer.StepDecay(steps, Clock.Fixed(now), 1.0))
            {
                Check.Same(new[] { 0.9, 0.3, 0.3, 0.9, 1.0, 0.9, 0.3 }, decay.Score(items));
            }
        }

        [Test]
        private static void TheSystemClockIsTheDefault()
        {
            var items = new List<ContextItem> { At(DateTimeOffset.UtcNow), At(DateTimeOffset.UtcNow.AddDays(-2)) };
            using (Clock system = Clock.System())
            {
                foreach (Scorer scorer in new[]
                {
                    Scorer.WindowDecay(TimeSpan.FromDays(1)),
                    Scorer.WindowDecay(TimeSpan.FromDays(1), system),
                    Scorer.FromJson("{\"type\":\"decay\",\"curve\":{\"window\":{\"maxAge\":\"24h\"}}}"),
                })
                {
                    Check.Same(new[] { 1.0, 0.0 }, scorer.Score(items));
                    scorer.Dispose();
                }
            }
        }

        [Test]
        private static void AClockIsReadOncePerCall()
        {
            int reads = 0;
            using (Clock clock = Clock.Custom(() => Epoch.AddSeconds(++reads)))
            using (Scorer one = Scorer.WindowDecay(TimeSpan.FromSeconds(2), clock))
            using (Scorer two = Scorer.ExponentialDecay(TimeSpan.FromSeconds(1), clock))
            using (Scorer both = Scorer.Composite((one, 1.0), (two, 1.0)))
            {
                both.Score(new[] { At(Epoch), At(Epoch), At(Epoch) });
                Check.Equal(1, reads);
                both.Score(new[] { At(Epoch) });
                Check.Equal(2, reads);
            }
        }

        private static ContextItem At(DateTimeOffset timestamp)
        {
            return new ContextItemBuilder("x", 0) { Timestamp = timestamp }.Build();
        }

        private static void Nanoseconds(long expected, DateTimeOffset timestamp)
        {
            ContextItem item = At(timestamp);
            Check.Equal(expected, item.TimestampNanoseconds);
            Check.Equal(timestamp, item.Timestamp);
            using (var batch = new Batch())
            {
                batch.Append(item);
                batch.Append(new[] { item });
                Check.Equal(expected, batch.ItemAt(0).TimestampNanoseconds);
                Check.Equal(expected, batch.ItemAt(1).TimestampNanoseconds);
            }
        }
    }
}
