using System;
using System.Runtime.ExceptionServices;
using System.Runtime.InteropServices;
using System.Text;

namespace Cupel.Native.Interop
{
    /// <summary>
    /// The native side of delegates. The user data of native code is a weak <see cref="GCHandle"/> to the delegate; the
    /// managed objects that can call it keep it alive (<see cref="NativeHandle.Roots"/>), so that a delegate that refers
    /// back to its own scorer is collected with it. An exception never crosses native frames: it travels as the payload
    /// of the native error and is thrown again when the scoring call has returned.
    /// </summary>
    internal static unsafe class Callbacks
    {
        /// <summary>
        /// Marks an <see cref="ExceptionDispatchInfo"/> as the payload of an error. Random, so that the payload of another
        /// host in the same process is never taken for one.
        /// </summary>
        internal static readonly ulong PayloadType = BitConverter.ToUInt64(Guid.NewGuid().ToByteArray(), 0);

        // Never collected, because native code keeps the pointers made of them.
        private static readonly NativeScore ScoreDelegate = OnScore;
        private static readonly NativeNow NowDelegate = OnNow;
        private static readonly NativeDestroy DestroyDelegate = OnDestroy;

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int NativeScore(
            IntPtr userData, IntPtr batch, double* outScores, UIntPtr outScoresLen, IntPtr* outError);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate int NativeNow(IntPtr userData, long* outUnixNanoseconds, IntPtr* outError);

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void NativeDestroy(IntPtr userData);

        internal static IntPtr Score { get; } = Marshal.GetFunctionPointerForDelegate(ScoreDelegate);

        internal static IntPtr Now { get; } = Marshal.GetFunctionPointerForDelegate(NowDelegate);

        internal static IntPtr Destroy { get; } = Marshal.GetFunctionPointerForDelegate(DestroyDelegate);

        /// <summary>
        /// The user data for a delegate. It tracks resurrection, so that the delegate is there as long as a handle that
        /// waits for its finalizer.
        /// </summary>
        internal static GCHandle UserData(Delegate callback)
        {
            return GCHandle.Alloc(callback, GCHandleType.WeakTrackResurrection);
        }

        /// <summary>What a delegate threw, if that is why the call failed.</summary>
        internal static ExceptionDispatchInfo Thrown(IntPtr error)
        {
            IntPtr payload = NativeMethods.cupel_error_payload(error, PayloadType);
            return payload == IntPtr.Zero ? null : (ExceptionDispatchInfo)GCHandle.FromIntPtr(payload).Target;
        }

        private static int OnScore(
            IntPtr userData, IntPtr batch, double* outScores, UIntPtr outScoresLen, IntPtr* outError)
        {
            try
            {
                var callback = (ScoreCallback)GCHandle.FromIntPtr(userData).Target;
                var scores = new double[checked((int)outScoresLen.ToUInt64())];
                var loan = new BorrowedBatchHandle(batch);
                try
                {
                    callback(new Batch(loan), scores);
                }
                finally
                {
                    loan.EndLoan();
                }

                Marshal.Copy(scores, 0, (IntPtr)outScores, scores.Length);
                return (int)CupelStatus.Ok;
            }
            catch (Exception exception)
            {
                return Fail(exception, outError);
            }
        }

        private static int OnNow(IntPtr userData, long* outUnixNanoseconds, IntPtr* outError)
        {
            try
            {
                var now = (Func<long>)GCHandle.FromIntPtr(userData).Target;
                *outUnixNanoseconds = now();
                return (int)CupelStatus.Ok;
            }
            catch (Exception exception)
            {
                return Fail(exception, outError);
            }
        }

        private static void OnDestroy(IntPtr userData)
        {
            GCHandle.FromIntPtr(userData).Free();
        }

        private static int Fail(Exception exception, IntPtr* outError)
        {
            // A lone surrogate becomes U+FFFD here: this text is for hosts that cannot see the exception itself.
            byte[] message = Encoding.UTF8.GetBytes(Describe(exception));
            GCHandle thrown = GCHandle.Alloc(ExceptionDispatchInfo.Capture(exception));
            fixed (byte* text = message)
            {
                *outError = NativeMethods.cupel_error_with_payload_new(
                    (int)CupelStatus.CallbackFailed,
                    text,
                    (UIntPtr)(uint)message.Length,
                    PayloadType,
                    GCHandle.ToIntPtr(thrown),
                    Destroy);
            }

            return (int)CupelStatus.CallbackFailed;
        }

        private static string Describe(Exception exception)
        {
            string type = exception.GetType().ToString();
            try
            {
                return type + ": " + exception.Message;
            }
            catch (Exception)
            {
                // Message is virtual, and nothing may be thrown from here.
                return type;
            }
        }
    }
}
