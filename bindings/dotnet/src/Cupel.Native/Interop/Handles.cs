using System;
using System.Runtime.InteropServices;
using System.Threading;

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

        /// <summary>
        /// The delegates that native code may call through this handle: one, or arrays of them, nested as the scorers are.
        /// </summary>
        internal object Roots { get; set; }

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
        /// <summary>The text, for who is about to dispose it.</summary>
        internal unsafe string Text
        {
            get { return Utf8.Decode(NativeMethods.cupel_text_data(handle), NativeMethods.cupel_text_len(handle)); }
        }

        /// <summary>The text in UTF-8, for who is about to dispose it.</summary>
        internal unsafe byte[] Bytes
        {
            get
            {
                var bytes = new byte[checked((int)NativeMethods.cupel_text_len(handle).ToUInt64())];
                Marshal.Copy((IntPtr)NativeMethods.cupel_text_data(handle), bytes, 0, bytes.Length);
                return bytes;
            }
        }

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
        // The collector is told in steps: a row at a time would cost more than the row.
        private const long PressureStep = 1 << 16;

        private static readonly long MaxPressure = IntPtr.Size == 4 ? int.MaxValue : long.MaxValue;

        private long _pressure;

        /// <summary>Tells the collector how much native memory hangs on this handle. For who may change the batch.</summary>
        internal void Account(long bytes)
        {
            long pressure = Math.Min(bytes, MaxPressure) / PressureStep * PressureStep;
            if (pressure > _pressure)
            {
                GC.AddMemoryPressure(pressure - _pressure);
            }
            else if (pressure < _pressure)
            {
                GC.RemoveMemoryPressure(_pressure - pressure);
            }

            _pressure = pressure;
        }

        protected override bool ReleaseHandle()
        {
            NativeMethods.cupel_batch_free(handle);
            Account(0);
            return true;
        }
    }

    /// <summary>
    /// A batch that native code lends to a callback. It is not freed here.
    /// </summary>
    internal sealed class BorrowedBatchHandle : NativeHandle
    {
        private readonly object _monitor = new object();
        private bool _released;

        internal BorrowedBatchHandle(IntPtr batch)
        {
            Own(batch);
        }

        /// <summary>
        /// Closes the handle and waits for uses that are under way on other threads: native code takes the batch back when
        /// the callback returns. Not for a thread that is inside such a use itself.
        /// </summary>
        internal void EndLoan()
        {
            Dispose();
            lock (_monitor)
            {
                while (!_released)
                {
                    Monitor.Wait(_monitor);
                }
            }
        }

        protected override bool ReleaseHandle()
        {
            lock (_monitor)
            {
                _released = true;
                Monitor.PulseAll(_monitor);
            }

            return true;
        }
    }

    internal sealed class ScorerHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            NativeMethods.cupel_scorer_free(handle);
            Roots = null;
            return true;
        }
    }

    internal sealed class ClockHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            NativeMethods.cupel_clock_free(handle);
            Roots = null;
            return true;
        }
    }

    internal sealed class SelectorHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            NativeMethods.cupel_selector_free(handle);
            Roots = null;
            return true;
        }
    }

    internal sealed class SelectionHandle : NativeHandle
    {
        protected override bool ReleaseHandle()
        {
            NativeMethods.cupel_selection_free(handle);
            return true;
        }
    }
}
