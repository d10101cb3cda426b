using System;
using System.Collections.Generic;
using System.ComponentModel;
using System.Diagnostics.CodeAnalysis;
using System.Runtime.CompilerServices;
using System.Runtime.InteropServices;
using System.Threading.Tasks;
using Cupel.Native.Interop;

namespace Cupel.Native
{
    /// <content>How scorers are made.</content>
    public sealed partial class Scorer
    {
        internal static readonly Lazy<Clock> SystemClock = new Lazy<Clock>(Clock.System);

        /// <summary>Ranks rows by their timestamps: the newest scores 1, the oldest and those without one score 0.</summary>
        /// <returns>A new scorer.</returns>
        public static unsafe Scorer Recency()
        {
            var scorer = new Scorer(false);
            IntPtr handle;
            IntPtr error;
            int status = NativeMethods.cupel_scorer_recency_new(&handle, &error);
            return scorer.Own(handle, status, error);
        }

        /// <summary>Ranks rows by their priorities: the highest scores 1, the lowest and those without one score 0.</summary>
        /// <returns>A new scorer.</returns>
        public static unsafe Scorer Priority()
        {
            var scorer = new Scorer(false);
            IntPtr handle;
            IntPtr error;
            int status = NativeMethods.cupel_scorer_priority_new(&handle, &error);
            return scorer.Own(handle, status, error);
        }

        /// <summary>Scores a row by the share of the other rows with which it has a tag in common.</summary>
        /// <returns>A new scorer.</returns>
        public static unsafe Scorer Frequency()
        {
            var scorer = new Scorer(false);
            IntPtr handle;
            IntPtr error;
            int status = NativeMethods.cupel_scorer_frequency_new(&handle, &error);
            return scorer.Own(handle, status, error);
        }

        /// <summary>Scores a row by its own hint, clamped to 0 to 1; 0 without one.</summary>
        /// <returns>A new scorer.</returns>
        public static unsafe Scorer Reflexive()
        {
            var scorer = new Scorer(false);
            IntPtr handle;
            IntPtr error;
            int status = NativeMethods.cupel_scorer_reflexive_new(&handle, &error);
            return scorer.Own(handle, status, error);
        }

        /// <summary>
        /// Scores a row by its kind: SystemPrompt 1.0, Memory 0.8, ToolOutput 0.6, Document 0.4, Message 0.2, others 0.
        /// </summary>
        /// <returns>A new scorer.</returns>
        public static unsafe Scorer Kind()
        {
            var scorer = new Scorer(false);
            IntPtr handle;
            IntPtr error;
            int status = NativeMethods.cupel_scorer_kind_default_new(&handle, &error);
            return scorer.Own(handle, status, error);
        }

        /// <summary>Scores a row by the weight of its kind; 0 for a kind that is not in the list.</summary>
        /// <param name="weights">Kinds and their weights, finite and not negative. May be empty.</param>
        /// <returns>A new scorer.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="weights"/> is null.</exception>
        /// <exception cref="ArgumentOutOfRangeException">A weight is negative, infinite or not a number.</exception>
        /// <exception cref="ArgumentException">A kind is in the list twice.</exception>
        public static unsafe Scorer Kind(IEnumerable<KeyValuePair<ContextKind, double>> weights)
        {
            Weights list = Weights.Of(weights, kind => kind.Value, nameof(weights));
            var scorer = new Scorer(false);
            IntPtr handle;
            IntPtr error;
            int status;
            fixed (byte* blob = list.Blob())
            fixed (NativeWeight* entries = list.Entries(blob))
            {
                status = NativeMethods.cupel_scorer_kind_new(entries, (UIntPtr)(uint)list.Count, &handle, &error);
            }

            return scorer.Own(handle, status, error, nameof(weights), list.Rejected);
        }

        /// <summary>Scores a row by the weights of its tags, as a share of the total weight and at most 1.</summary>
        /// <param name="weights">Tags and their weights, finite and not negative. May be empty.</param>
        /// <param name="match">How tags are compared.</param>
        /// <returns>A new scorer.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="weights"/> is null.</exception>
        /// <exception cref="ArgumentOutOfRangeException">A weight is negative, infinite or not a number, or
        /// <paramref name="match"/> is none of its values.</exception>
        /// <exception cref="ArgumentException">A tag is in the list twice, is null or has an unpaired surrogate, or the
        /// weights add up to infinity.</exception>
        public static unsafe Scorer Tag(
            IEnumerable<KeyValuePair<string, double>> weights, TextMatch match = TextMatch.Exact)
        {
            if (match != TextMatch.Exact && match != TextMatch.AsciiCaseInsensitive)
            {
                throw new ArgumentOutOfRangeException(nameof(match), match, "No such comparison.");
            }

            Weights list = Weights.Of(weights, tag => tag, nameof(weights));
            var scorer = new Scorer(false);
            IntPtr handle;
            IntPtr error;
            int status;
            fixed (byte* blob = list.Blob())
            fixed (NativeWeight* entries = list.Entries(blob))
            {
                status = NativeMethods.cupel_scorer_tag_new(
                    entries, (UIntPtr)(uint)list.Count, (int)match, &handle, &error);
            }

            return scorer.Own(handle, status, error, nameof(weights), list.Rejected);
        }

        /// <summary>
        /// Scores a row by the number at <c>cupel:trust</c> in its metadata, clamped to 0 to 1. Text is parsed.
        /// </summary>
        /// <param name="defaultScore">The score, from 0 to 1, of a row that has no such number.</param>
        /// <returns>A new scorer.</returns>
        /// <exception cref="ArgumentOutOfRangeException"><paramref name="defaultScore"/> is not from 0 to 1.</exception>
        public static unsafe Scorer MetadataTrust(double defaultScore = 0.5)
        {
            var scorer = new Scorer(false);
            IntPtr handle;
            IntPtr error;
            int status = NativeMethods.cupel_scorer_metadata_trust_new(defaultScore, &handle, &error);
            return scorer.Own(handle, status, error, nameof(defaultScore), defaultScore);
        }

        /// <summary>Scores a row with <paramref name="boost"/> when its metadata has an entry, else with 1.</summary>
        /// <param name="key">The key of the entry; may be empty.</param>
        /// <param name="value">The text of its value, compared byte for byte; may be empty. The text of a number is the
        /// shortest decimal that reads back the same, such as <c>1</c> or <c>0.85</c>.</param>
        /// <param name="boost">The score of a row that has the entry; finite and over 0.</param>
        /// <returns>A new scorer.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="key"/> or <paramref name="value"/> is null.</exception>
        /// <exception cref="ArgumentOutOfRangeException"><paramref name="boost"/> is not finite and over 0.</exception>
        /// <exception cref="ArgumentException">A text has an unpaired surrogate.</exception>
        public static unsafe Scorer MetadataKey(string key, string value, double boost)
        {
            byte[] keyBytes = Utf8.Encode(key, nameof(key));
            byte[] valueBytes = Utf8.Encode(value, nameof(value));
            var scorer = new Scorer(false);
            IntPtr handle;
            IntPtr error;
            int status;
            fixed (byte* keyText = keyBytes, valueText = valueBytes)
            {
                status = NativeMethods.cupel_scorer_metadata_key_new(
                    keyText,
                    (UIntPtr)(uint)keyBytes.Length,
                    valueText,
                    (UIntPtr)(uint)valueBytes.Length,
                    boost,
                    &handle,
                    &error);
            }

            return scorer.Own(handle, status, error, nameof(boost), boost);
        }

        /// <summary>Scores a row by its age: 1 when new, half after each half-life.</summary>
        /// <param name="halfLife">The half-life, over 0.</param>
        /// <param name="clock">Where the time is from; null for the system's clock.</param>
        /// <param name="nullTimestampScore">The score, from 0 to 1, of a row without a timestamp.</param>
        /// <returns>A new scorer.</returns>
        /// <exception cref="ArgumentOutOfRangeException">A number is outside its range.</exception>
        /// <exception cref="ObjectDisposedException">The clock is disposed.</exception>
        public static Scorer ExponentialDecay(
            TimeSpan halfLife, [AllowNull] Clock clock = null, double nullTimestampScore = 0.5)
        {
            return ExponentialDecay(UnixTime.ToNanoseconds(halfLife), halfLife, clock, nullTimestampScore);
        }

        /// <summary>Scores a row by its age: 1 when new, half after each half-life.</summary>
        /// <param name="halfLife">The half-life in nanoseconds, over 0.</param>
        /// <param name="clock">Where the time is from; null for the system's clock.</param>
        /// <param name="nullTimestampScore">The score, from 0 to 1, of a row without a timestamp.</param>
        /// <returns>A new scorer.</returns>
        /// <exception cref="ArgumentOutOfRangeException">A number is outside its range.</exception>
        /// <exception cref="ObjectDisposedException">The clock is disposed.</exception>
        public static Scorer ExponentialDecayNanoseconds(
            long halfLife, [AllowNull] Clock clock = null, double nullTimestampScore = 0.5)
        {
            return ExponentialDecay(halfLife, halfLife, clock, nullTimestampScore);
        }

        /// <summary>Scores a row 1 while it is younger than an age, then 0.</summary>
        /// <param name="maxAge">The age, over 0.</param>
        /// <param name="clock">Where the time is from; null for the system's clock.</param>
        /// <param name="nullTimestampScore">The score, from 0 to 1, of a row without a timestamp.</param>
        /// <returns>A new scorer.</returns>
        /// <exception cref="ArgumentOutOfRangeException">A number is outside its range.</exception>
        /// <exception cref="ObjectDisposedException">The clock is disposed.</exception>
        public static Scorer WindowDecay(
            TimeSpan maxAge, [AllowNull] Clock clock = null, double nullTimestampScore = 0.5)
        {
            return WindowDecay(UnixTime.ToNanoseconds(maxAge), maxAge, clock, nullTimestampScore);
        }

        /// <summary>Scores a row 1 while it is younger than an age, then 0.</summary>
        /// <param name="maxAge">The age in nanoseconds, over 0.</param>
        /// <param name="clock">Where the time is from; null for the system's clock.</param>
        /// <param name="nullTimestampScore">The score, from 0 to 1, of a row without a timestamp.</param>
        /// <returns>A new scorer.</returns>
        /// <exception cref="ArgumentOutOfRangeException">A number is outside its range.</exception>
        /// <exception cref="ObjectDisposedException">The clock is disposed.</exception>
        public static Scorer WindowDecayNanoseconds(
            long maxAge, [AllowNull] Clock clock = null, double nullTimestampScore = 0.5)
        {
            return WindowDecay(maxAge, maxAge, clock, nullTimestampScore);
        }

        /// <summary>
        /// Scores a row by the first step whose age is over the row's; past the last one, by the last one.
        /// </summary>
        /// <param name="steps">At least one, youngest first: ages over 0 and rising, scores finite.</param>
        /// <param name="clock">Where the time is from; null for the system's clock.</param>
        /// <param name="nullTimestampScore">The score, from 0 to 1, of a row without a timestamp.</param>
        /// <returns>A new scorer.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="steps"/> is null.</exception>
        /// <exception cref="ArgumentOutOfRangeException">A number is outside its range.</exception>
        /// <exception cref="ArgumentException">There is no step, or they are out of order.</exception>
        /// <exception cref="ObjectDisposedException">The clock is disposed.</exception>
        public static unsafe Scorer StepDecay(
            IEnumerable<DecayStep> steps, [AllowNull] Clock clock = null, double nullTimestampScore = 0.5)
        {
            if (steps == null)
            {
                throw new ArgumentNullException(nameof(steps));
            }

            bool inOrder = true;
            object rejected = null;
            var list = new List<NativeDecayStep>();
            foreach (DecayStep step in steps)
            {
                long maxAge = step.MaxAgeNanoseconds;
                if (rejected == null && maxAge <= 0)
                {
                    rejected = maxAge;
                }
                else if (rejected == null && (double.IsNaN(step.Score) || double.IsInfinity(step.Score)))
                {
                    rejected = step.Score;
                }

                inOrder &= list.Count == 0 || list[list.Count - 1].max_age_nanoseconds < maxAge;
                list.Add(new NativeDecayStep { max_age_nanoseconds = maxAge, score = step.Score });
            }

            var scorer = new Scorer(false);
            clock = clock ?? SystemClock.Value;
            using (HandleLease time = clock.Lease())
            {
                scorer._handle.Roots = clock.Roots;
                IntPtr handle;
                IntPtr error;
                int status;
                fixed (NativeDecayStep* entries = list.ToArray())
                {
                    status = NativeMethods.cupel_scorer_decay_step_new(
                        time.Pointer, entries, (UIntPtr)(uint)list.Count, nullTimestampScore, &handle, &error);
                }

                return rejected != null || !inOrder || list.Count == 0
                    ? scorer.Own(handle, status, error, nameof(steps), rejected)
                    : scorer.Own(handle, status, error, nameof(nullTimestampScore), nullTimestampScore);
            }
        }

        /// <summary>Scores a row by the weighted mean of other scorers.</summary>
        /// <param name="children">At least one scorer, each with a weight that is finite and over 0. They can be disposed
        /// before the composite.</param>
        /// <returns>A new scorer.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="children"/> is null.</exception>
        /// <exception cref="ArgumentOutOfRangeException">A weight is not finite and over 0.</exception>
        /// <exception cref="ArgumentException">There is no child, a scorer is null, or the weights add up to
        /// infinity.</exception>
        /// <exception cref="ObjectDisposedException">A child is disposed.</exception>
        public static Scorer Composite(params (Scorer Scorer, double Weight)[] children)
        {
            if (children == null)
            {
                throw new ArgumentNullException(nameof(children));
            }

            var scorers = new Scorer[children.Length];
            var weights = new double[children.Length];
            for (int i = 0; i < children.Length; i++)
            {
                scorers[i] = children[i].Scorer;
                weights[i] = children[i].Weight;
            }

            return Composite(scorers, weights);
        }

        /// <summary>Scores a row by the weighted mean of other scorers.</summary>
        /// <param name="children">At least one scorer, each with a weight that is finite and over 0. They can be disposed
        /// before the composite.</param>
        /// <returns>A new scorer.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="children"/> is null.</exception>
        /// <exception cref="ArgumentOutOfRangeException">A weight is not finite and over 0.</exception>
        /// <exception cref="ArgumentException">There is no child, a scorer is null, or the weights add up to
        /// infinity.</exception>
        /// <exception cref="ObjectDisposedException">A child is disposed.</exception>
        public static Scorer Composite(IEnumerable<KeyValuePair<Scorer, double>> children)
        {
            if (children == null)
            {
                throw new ArgumentNullException(nameof(children));
            }

            var scorers = new List<Scorer>();
            var weights = new List<double>();
            foreach (KeyValuePair<Scorer, double> child in children)
            {
                scorers.Add(child.Key);
                weights.Add(child.Value);
            }

            return Composite(scorers.ToArray(), weights.ToArray());
        }

        /// <summary>Stretches the scores of another scorer over 0 to 1, from the least to the greatest in the batch.</summary>
        /// <param name="inner">The other scorer. It can be disposed before this one.</param>
        /// <returns>A new scorer.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="inner"/> is null.</exception>
        /// <exception cref="ObjectDisposedException"><paramref name="inner"/> is disposed.</exception>
        public static unsafe Scorer Scaled(Scorer inner)
        {
            if (inner == null)
            {
                throw new ArgumentNullException(nameof(inner));
            }

            using (HandleLease lease = inner.Lease())
            {
                var scorer = new Scorer(inner._readsWholeItems);
                scorer._handle.Roots = inner._handle.Roots;
                IntPtr handle;
                IntPtr error;
                int status = NativeMethods.cupel_scorer_scaled_new(lease.Pointer, &handle, &error);
                return scorer.Own(handle, status, error, nameof(inner));
            }
        }

        /// <summary>A scorer of your own.</summary>
        /// <param name="callback">Fills the scores before it returns. It is kept alive as long as the scorer or one made of
        /// it, and may refer to its own scorer: the two are collected together.</param>
        /// <returns>A new scorer.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="callback"/> is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="callback"/> is an <c>async void</c> method.</exception>
        public static unsafe Scorer Custom(ScoreCallback callback)
        {
            if (callback == null)
            {
                throw new ArgumentNullException(nameof(callback));
            }

            RequireSynchronous(callback);
            var scorer = new Scorer(true);
            GCHandle target = Callbacks.UserData(callback);
            scorer._handle.Roots = callback;
            IntPtr handle;
            IntPtr error;
            int status = NativeMethods.cupel_scorer_custom_fallible_new(
                Callbacks.Score, GCHandle.ToIntPtr(target), Callbacks.Destroy, &handle, &error);
            if (status != 0)
            {
                target.Free();
            }

            return scorer.Own(handle, status, error, nameof(callback));
        }

        /// <summary>Not for use: it keeps <c>async</c> lambdas from compiling.</summary>
        /// <typeparam name="TTask">What the callback returns.</typeparam>
        /// <param name="callback">A callback that would return before its scores are there.</param>
        /// <returns>Nothing.</returns>
        /// <exception cref="NotSupportedException">Always.</exception>
        [EditorBrowsable(EditorBrowsableState.Never)]
        [Obsolete("A scoring callback must fill the scores before it returns: it cannot be async or return a task.", true)]
        public static Scorer Custom<TTask>(Func<Batch, double[], TTask> callback)
            where TTask : Task
        {
            throw new NotSupportedException("A scoring callback cannot be async.");
        }

        /// <summary>Makes a scorer, and the whole tree under it, from JSON.</summary>
        /// <param name="json">A scorer object, or a policy with <c>scorers</c>.</param>
        /// <param name="clock">Where decay scorers have the time from; null for the system's clock.</param>
        /// <returns>A new scorer.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="json"/> is null.</exception>
        /// <exception cref="ArgumentException"><paramref name="json"/> has an unpaired surrogate.</exception>
        /// <exception cref="CupelException">The text is not JSON, or not that of a scorer. The message gives path, line and
        /// column.</exception>
        /// <exception cref="ObjectDisposedException">The clock is disposed.</exception>
        public static unsafe Scorer FromJson(string json, [AllowNull] Clock clock = null)
        {
            byte[] bytes = Utf8.Encode(json, nameof(json));
            var scorer = new Scorer(false);
            clock = clock ?? SystemClock.Value;
            using (HandleLease time = clock.Lease())
            {
                scorer._handle.Roots = clock.Roots;
                IntPtr handle;
                IntPtr error;
                int status;
                fixed (byte* text = bytes)
                {
                    status = NativeMethods.cupel_scorer_from_json(
                        text, (UIntPtr)(uint)bytes.Length, time.Pointer, &handle, &error);
                }

                return scorer.Own(handle, status, error, nameof(json));
            }
        }

        private static unsafe Scorer ExponentialDecay(
            long halfLife, object given, Clock clock, double nullTimestampScore)
        {
            var scorer = new Scorer(false);
            clock = clock ?? SystemClock.Value;
            using (HandleLease time = clock.Lease())
            {
                scorer._handle.Roots = clock.Roots;
                IntPtr handle;
                IntPtr error;
                int status = NativeMethods.cupel_scorer_decay_exponential_new(
                    time.Pointer, halfLife, nullTimestampScore, &handle, &error);
                return halfLife <= 0
                    ? scorer.Own(handle, status, error, nameof(halfLife), given)
                    : scorer.Own(handle, status, error, nameof(nullTimestampScore), nullTimestampScore);
            }
        }

        private static unsafe Scorer WindowDecay(
            long maxAge, object given, Clock clock, double nullTimestampScore)
        {
            var scorer = new Scorer(false);
            clock = clock ?? SystemClock.Value;
            using (HandleLease time = clock.Lease())
            {
                scorer._handle.Roots = clock.Roots;
                IntPtr handle;
                IntPtr error;
                int status = NativeMethods.cupel_scorer_decay_window_new(
                    time.Pointer, maxAge, nullTimestampScore, &handle, &error);
                return maxAge <= 0
                    ? scorer.Own(handle, status, error, nameof(maxAge), given)
                    : scorer.Own(handle, status, error, nameof(nullTimestampScore), nullTimestampScore);
            }
        }

        private static unsafe Scorer Composite(Scorer[] children, double[] weights)
        {
            var leases = new HandleLease[children.Length];
            try
            {
                var handles = new IntPtr[children.Length];
                var roots = new List<object>();
                bool readsWholeItems = false;
                for (int i = 0; i < children.Length; i++)
                {
                    if (children[i] == null)
                    {
                        throw new ArgumentException(
                            nameof(children) + "[" + i + "] has no scorer.", nameof(children));
                    }

                    leases[i] = children[i].Lease();
                    handles[i] = leases[i].Pointer;
                    readsWholeItems |= children[i]._readsWholeItems;
                    if (children[i]._handle.Roots != null)
                    {
                        roots.Add(children[i]._handle.Roots);
                    }
                }

                var scorer = new Scorer(readsWholeItems);
                scorer._handle.Roots = roots.Count == 0 ? null : roots.ToArray();
                IntPtr handle;
                IntPtr error;
                int status;
                fixed (IntPtr* childHandles = handles)
                fixed (double* childWeights = weights)
                {
                    status = NativeMethods.cupel_scorer_composite_new(
                        childHandles, childWeights, (UIntPtr)(uint)handles.Length, &handle, &error);
                }

                return scorer.Own(handle, status, error, nameof(children), Weights.FirstRejected(weights, true));
            }
            finally
            {
                foreach (HandleLease lease in leases)
                {
                    lease.Dispose();
                }
            }
        }

        /// <summary>
        /// Lambdas that are <c>async</c> are refused by the compiler; a method that is <c>async void</c> passes for one that
        /// returns when it is done.
        /// </summary>
        private static void RequireSynchronous(ScoreCallback callback)
        {
            foreach (Delegate method in callback.GetInvocationList())
            {
                if (method.Method.IsDefined(typeof(AsyncStateMachineAttribute), false))
                {
                    throw new ArgumentException(
                        "The callback " + method.Method.Name + " is async: it would return before its scores are there.",
                        nameof(callback));
                }
            }
        }

        private Scorer Own(
            IntPtr handle,
            int status,
            IntPtr error,
            string parameter = null,
            object rejected = null,
            [CallerMemberName] string operation = null)
        {
            Failure.ThrowIfFailed(status, error, parameter, rejected, operation);
            _handle.Own(handle);
            return this;
        }
    }
}
