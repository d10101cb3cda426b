using System;

namespace Cupel.Native.Interop
{
    /// <summary>Turns a native status into the exception that a .NET user expects, with the native message.</summary>
    internal static class Failure
    {
        /// <param name="status">What the native call returned.</param>
        /// <param name="error">The error it wrote; freed here.</param>
        /// <param name="parameter">The public parameter that the caller would have to change.</param>
        /// <param name="rejected">The number that is out of its range, where that is what went wrong.</param>
        internal static void ThrowIfFailed(int status, IntPtr error, string parameter = null, object rejected = null)
        {
            if (status != (int)CupelStatus.Ok)
            {
                throw ToException((CupelStatus)status, TakeMessage(status, error), parameter, rejected);
            }
        }

        internal static Exception ToException(CupelStatus status, string message, string parameter, object rejected)
        {
            switch (status)
            {
                case CupelStatus.NullArgument:
                    return new ArgumentNullException(parameter, message);
                case CupelStatus.OutOfRange:
                    return new ArgumentOutOfRangeException(parameter, rejected, message);
                case CupelStatus.InvalidArgument:
                    return rejected != null
                        ? new ArgumentOutOfRangeException(parameter, rejected, message)
                        : new ArgumentException(message, parameter);
                case CupelStatus.InvalidUtf8:
                case CupelStatus.EmptyContent:
                case CupelStatus.EmptyKind:
                case CupelStatus.EmptySource:
                case CupelStatus.LengthMismatch:
                    return new ArgumentException(message, parameter);
                case CupelStatus.OutOfMemory:
                    return new InsufficientMemoryException(message);
                case CupelStatus.Busy:
                    return new InvalidOperationException(message);
                default:
                    return new CupelException(status, message);
            }
        }

        private static unsafe string TakeMessage(int status, IntPtr error)
        {
            if (error == IntPtr.Zero)
            {
                return Utf8.DecodeNulTerminated(NativeMethods.cupel_status_name(status));
            }

            using (var owner = new ErrorHandle())
            {
                owner.Own(error);
                return Utf8.DecodeNulTerminated(NativeMethods.cupel_error_message(error));
            }
        }
    }
}
