using System;
using System.Runtime.InteropServices;

namespace Cupel.Native.Interop
{
    /// <summary>
    /// Owns one native handle. It is made before the call that fills it, so that nothing can fail between the moment
    /// the native object exists and the moment it has an owner.
    /// </summary>
    internal abstract class NativeHandle : SafeHandle
    {
        protected NativeHandle()
            : base(IntPtr.Zero, true)
        {
        }

        public override bool IsInvalid
        {
            get { return handle == IntPtr.Zero; }
        }

        internal void Own(IntPtr native)
        {
            SetHandle(native);
        }
    }

    internal sealed class ErrorHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            NativeMethods.cupel_error_free(handle);
            return true;
        }
    }

    internal sealed class TextHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            NativeMethods.cupel_text_free(handle);
            return true;
        }
    }

    internal sealed class ItemBuilderHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            NativeMethods.cupel_item_builder_free(handle);
            return true;
        }
    }

    internal sealed class ItemHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            NativeMethods.cupel_item_free(handle);
            return true;
        }
    }

    internal sealed class BatchHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            NativeMethods.cupel_batch_free(handle);
            return true;
        }
    }

    /// <summary>A batch that native code lends to a callback. It is not freed here.</summary>
    internal sealed class BorrowedBatchHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            return true;
        }
    }

    internal sealed class ScorerHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            NativeMethods.cupel_scorer_free(handle);
            return true;
        }
    }

    internal sealed class ClockHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            NativeMethods.cupel_clock_free(handle);
            return true;
        }
    }
}
