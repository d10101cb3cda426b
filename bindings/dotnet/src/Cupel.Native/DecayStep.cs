using System;
using Cupel.Native.Interop;

namespace Cupel.Native
{
    /// <summary>One entry of a step curve: the score of what is younger than an age.</summary>
    public readonly struct DecayStep
    {
        /// <summary>Makes an entry.</summary>
        /// <param name="maxAge">The age, over 0, at which the entry ends.</param>
        /// <param name="score">The score before that age.</param>
        public DecayStep(TimeSpan maxAge, double score)
            : this(UnixTime.ToNanoseconds(maxAge), score)
        {
        }

        private DecayStep(long maxAgeNanoseconds, double score)
        {
            MaxAgeNanoseconds = maxAgeNanoseconds;
            Score = score;
        }

        /// <summary>The age, in nanoseconds, at which the entry ends.</summary>
        public long MaxAgeNanoseconds { get; }

        /// <summary>The score before that age.</summary>
        public double Score { get; }

        /// <summary>Makes an entry of an age that is no whole number of 100 ns.</summary>
        /// <param name="maxAge">The age in nanoseconds, over 0, at which the entry ends.</param>
        /// <param name="score">The score before that age.</param>
        /// <returns>The entry.</returns>
        public static DecayStep FromNanoseconds(long maxAge, double score)
        {
            return new DecayStep(maxAge, score);
        }
    }
}
