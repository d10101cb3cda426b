using System;

namespace Cupel.Native.Interop
{
    /// <summary>
    /// Instants and durations as 64-bit nanoseconds. A tick is 100 ns, so what fits is exact; what does not
    /// (before 1677 or after 2262) becomes the nearest value that does.
    /// </summary>
    internal static class UnixTime
    {
        private const long EpochTicks = 621355968000000000;
        private const long NanosecondsPerTick = 100;

        internal static long ToNanoseconds(DateTimeOffset instant)
        {
            return Saturate(instant.UtcTicks - EpochTicks);
        }

        internal static long ToNanoseconds(TimeSpan duration)
        {
            return Saturate(duration.Ticks);
        }

        /// <summary>The instant, rounded down to a whole tick: items from JSON may be finer.</summary>
        internal static DateTimeOffset FromNanoseconds(long nanoseconds)
        {
            long ticks = nanoseconds / NanosecondsPerTick;
            if (nanoseconds % NanosecondsPerTick < 0)
            {
                ticks--;
            }

            return new DateTimeOffset(EpochTicks + ticks, TimeSpan.Zero);
        }

        private static long Saturate(long ticks)
        {
            if (ticks > long.MaxValue / NanosecondsPerTick)
            {
                return long.MaxValue;
            }

            return ticks < long.MinValue / NanosecondsPerTick ? long.MinValue : ticks * NanosecondsPerTick;
        }
    }
}
