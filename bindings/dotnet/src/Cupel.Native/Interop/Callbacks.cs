using System;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;

namespace Cupel.Native.Interop
{
    /// <summary>
    /// The native side of delegates. Native code holds a <see cref="GCHandle"/> to the delegate as its user data, which
    /// keeps it alive until native code says that its last share is gone. An exception never crosses native frames: it is
    /// kept for the thread, which is still inside the scoring call, and thrown when that call has returned.
    /// </summary>
    internal static unsafe class Callbacks
    {
        // Held for good, because the pointers made of them are.
        private static readonly NativeScore ScoreDelegate = OnScore;
        private static readonly NativeNow NowDelegate = OnNow;
        private static readonly NativeDestroy DestroyDelegate = OnDestroy;

        [ThreadStatic]
        private static ExceptionDispatchInfo _thrown;

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int NativeScore(IntPtr userData, IntPtr batch, double* outScores, UIntPtr outScoresLen);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int NativeNow(IntPtr userData, long* outUnixNanoseconds);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void NativeDestroy(IntPtr userData);

        internal static IntPtr Score { get; } = Marshal.GetFunctionPointerForDelegate(ScoreDelegate);

        internal static IntPtr Now { get; } = Marshal.GetFunctionPointerForDelegate(NowDelegate);

        internal static IntPtr Destroy { get; } = Marshal.GetFunctionPointerForDelegate(DestroyDelegate);

        /// <summary>What a delegate threw on this thread since the last call of this, if anything.</summary>
        internal static ExceptionDispatchInfo TakeThrown()
        {
            ExceptionDispatchInfo thrown = _thrown;
            _thrown = null;
            return thrown;
        }

        private static int OnScore(IntPtr userData, IntPtr batch, double* outScores, UIntPtr outScoresLen)
        {
            try
            {
                var callback = (ScoreCallback)GCHandle.FromIntPtr(userData).Target;
                var scores = new double[checked((int)outScoresLen.ToUInt64())];
                using (var lent = new Batch(batch))
                {
                    callback(lent, scores);
                }

                Marshal.Copy(scores, 0, (IntPtr)outScores, scores.Length);
                return (int)CupelStatus.Ok;
            }
            catch (Exception exception)
            {
                return Keep(exception);
            }
        }

        private static int OnNow(IntPtr userData, long* outUnixNanoseconds)
        {
            try
            {
                var now = (Func<long>)GCHandle.FromIntPtr(userData).Target;
                *outUnixNanoseconds = now();
                return (int)CupelStatus.Ok;
            }
            catch (Exception exception)
            {
                return Keep(exception);
            }
        }

        private static void OnDestroy(IntPtr userData)
        {
            GCHandle.FromIntPtr(userData).Free();
        }

        private static int Keep(Exception exception)
        {
            _thrown = ExceptionDispatchInfo.Capture(exception);
            return (int)CupelStatus.CallbackFailed;
        }
    }
}
