using System;
using System.Runtime.CompilerServices;
using System.Runtime.ExceptionServices;

namespace Cupel.Native.Interop
{
    /// <summary>Turns a native status into the exception that a .NET user expects, with the native message.</summary>
    internal static class Failure
    {
        /// <param name="status">What the native call returned.</param>
        /// <param name="error">The error it wrote; freed here.</param>
        /// <param name="parameter">The public parameter that the caller would have to change.</param>
        /// <param name="rejected">The number that is out of its range, where that is what went wrong.</param>
        /// <param name="operation">What was called.</param>
        internal static void ThrowIfFailed(
            int status,
            IntPtr error,
            string parameter = null,
            object rejected = null,
            [CallerMemberName] string operation = null)
        {
            if (status != (int)CupelStatus.Ok)
            {
                Throw((CupelStatus)status, error, parameter, rejected, operation);
            }
        }

        internal static Exception ToException(
            CupelStatus status, string message, string parameter, object rejected, string operation)
        {
            switch (status)
            {
                case CupelStatus.NullArgument:
                    return new ArgumentNullException(parameter, NativeMessage.Translate(message, parameter));
                case CupelStatus.OutOfRange:
                    return new ArgumentOutOfRangeException(
                        parameter, rejected, NativeMessage.Translate(message, parameter));
                case CupelStatus.InvalidArgument:
                    message = NativeMessage.Translate(message, parameter);
                    return rejected != null
                        ? new ArgumentOutOfRangeException(parameter, rejected, message)
                        : new ArgumentException(message, parameter);
                case CupelStatus.InvalidUtf8:
                case CupelStatus.EmptyContent:
                case CupelStatus.EmptyKind:
                case CupelStatus.EmptySource:
                case CupelStatus.LengthMismatch:
                    return new ArgumentException(NativeMessage.Translate(message, parameter), parameter);
                case CupelStatus.OutOfMemory:
                    return new InsufficientMemoryException(
                        operation + (rejected == null ? string.Empty : " with " + parameter + " = " + rejected)
                        + " ran out of native memory: " + message.Split(':')[0]);
                case CupelStatus.Busy:
                    return new InvalidOperationException(message);
                case CupelStatus.OverBudget:
                case CupelStatus.Shortfall:
                case CupelStatus.TooLarge:
                    return new CupelException(status, NativeMessage.Translate(message, parameter));
                default:
                    return new CupelException(status, message);
            }
        }

        private static unsafe void Throw(
            CupelStatus status, IntPtr error, string parameter, object rejected, string operation)
        {
            if (error == IntPtr.Zero)
            {
                string name = Utf8.DecodeNulTerminated(NativeMethods.cupel_status_name((int)status));
                throw ToException(status, name, parameter, rejected, operation);
            }

            using (var owner = new ErrorHandle())
            {
                owner.Own(error);
                ExceptionDispatchInfo thrown = Callbacks.Thrown(error);
                if (thrown != null)
                {
                    thrown.Throw();
                }

                string message = Utf8.DecodeNulTerminated(NativeMethods.cupel_error_message(error));
                parameter = NativeMessage.Parameter(message, parameter);
                throw ToException(status, message, parameter, rejected, operation);
            }
        }
    }
}
