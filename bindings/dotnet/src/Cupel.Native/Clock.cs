using System;
using System.Runtime.InteropServices;
using Cupel.Native.Interop;

namespace Cupel.Native
{
    /// <summary>
    /// Where decay scorers have the time from. It is read once per scoring call, and shared by the scorers made with it,
    /// which may outlive it. Immutable; any number of threads may use it.
    /// </summary>
    public sealed class Clock : IDisposable
    {
        private readonly ClockHandle _handle = new ClockHandle();

        private Clock()
        {
            CupelLibrary.RequireCompatible();
        }

        /// <summary>The clock of the system.</summary>
        /// <returns>A new clock.</returns>
        public static unsafe Clock System()
        {
            var clock = new Clock();
            IntPtr handle;
            IntPtr error;
            int status = NativeMethods.cupel_clock_system_new(&handle, &error);
            Failure.ThrowIfFailed(status, error);
            clock._handle.Own(handle);
            return clock;
        }

        /// <summary>A clock that stands still.</summary>
        /// <param name="now">The time it shows; exact to 100 ns, and the nearest instant of the years 1677 to 2262.</param>
        /// <returns>A new clock.</returns>
        public static Clock Fixed(DateTimeOffset now)
        {
            return FixedNanoseconds(UnixTime.ToNanoseconds(now));
        }

        /// <summary>A clock that stands still.</summary>
        /// <param name="now">The time it shows, in nanoseconds since the Unix epoch.</param>
        /// <returns>A new clock.</returns>
        public static unsafe Clock FixedNanoseconds(long now)
        {
            var clock = new Clock();
            IntPtr handle;
            IntPtr error;
            int status = NativeMethods.cupel_clock_fixed_new(now, &handle, &error);
            Failure.ThrowIfFailed(status, error, nameof(now));
            clock._handle.Own(handle);
            return clock;
        }

        /// <summary>A clock of your own.</summary>
        /// <param name="now">
        /// Gives the time. It may be called by several threads at once; an exception fails the scoring call and reaches its
        /// caller. It is kept alive as long as the clock or a scorer made with it.
        /// </param>
        /// <returns>A new clock.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="now"/> is null.</exception>
        public static Clock Custom(Func<DateTimeOffset> now)
        {
            if (now == null)
            {
                throw new ArgumentNullException(nameof(now));
            }

            return CustomNanoseconds(() => UnixTime.ToNanoseconds(now()));
        }

        /// <summary>A clock of your own.</summary>
        /// <param name="now">
        /// Gives the time in nanoseconds since the Unix epoch. It may be called by several threads at once; an exception fails
        /// the scoring call and reaches its caller. It is kept alive as long as the clock or a scorer made with it.
        /// </param>
        /// <returns>A new clock.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="now"/> is null.</exception>
        public static unsafe Clock CustomNanoseconds(Func<long> now)
        {
            if (now == null)
            {
                throw new ArgumentNullException(nameof(now));
            }

            var clock = new Clock();
            GCHandle callback = Callbacks.UserData(now);
            clock._handle.Roots = now;
            IntPtr handle;
            IntPtr error;
            int status = NativeMethods.cupel_clock_custom_fallible_new(
                Callbacks.Now, GCHandle.ToIntPtr(callback), Callbacks.Destroy, &handle, &error);
            if (status != 0)
            {
                callback.Free();
            }

            Failure.ThrowIfFailed(status, error, nameof(now));
            clock._handle.Own(handle);
            return clock;
        }

#if NET8_0_OR_GREATER
        /// <summary>The clock of a <see cref="TimeProvider"/>.</summary>
        /// <param name="provider">Gives the time; kept alive as long as the clock or a scorer made with it.</param>
        /// <returns>A new clock.</returns>
        /// <exception cref="ArgumentNullException"><paramref name="provider"/> is null.</exception>
        public static Clock Custom(TimeProvider provider)
        {
            if (provider == null)
            {
                throw new ArgumentNullException(nameof(provider));
            }

            return Custom(new Func<DateTimeOffset>(provider.GetUtcNow));
        }
#endif

        /// <summary>Frees the clock; scorers made with it keep their share. Doing it again does nothing.</summary>
        public void Dispose()
        {
            _handle.Dispose();
        }

        internal object Roots
        {
            get { return _handle.Roots; }
        }

        internal HandleLease Lease()
        {
            return new HandleLease(_handle, nameof(Clock));
        }
    }
}
