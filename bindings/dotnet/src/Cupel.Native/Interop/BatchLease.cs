using System;
using System.Runtime.InteropServices;

namespace Cupel.Native.Interop
{
    /// <summary>A batch for the length of one call: its handle kept from being freed, its gate passed.</summary>
    internal struct BatchLease : IDisposable
    {
        private readonly BatchGate _gate;
        private readonly bool _change;
        private HandleLease _handle;

        /// <exception cref="ObjectDisposedException">The batch is disposed.</exception>
        /// <exception cref="InvalidOperationException">It is not the time for this.</exception>
        internal BatchLease(SafeHandle handle, BatchGate gate, bool change)
        {
            _handle = new HandleLease(handle, nameof(Batch));
            _gate = gate;
            _change = change;
            try
            {
                if (change)
                {
                    gate.EnterChange();
                }
                else
                {
                    gate.EnterRead();
                }
            }
            catch (InvalidOperationException)
            {
                _handle.Dispose();
                throw;
            }
        }

        internal IntPtr Pointer
        {
            get { return _handle.Pointer; }
        }

        internal int Length
        {
            get { return checked((int)NativeMethods.cupel_batch_len(_handle.Pointer).ToUInt64()); }
        }

        public void Dispose()
        {
            if (_change)
            {
                _gate.ExitChange();
            }
            else
            {
                _gate.ExitRead();
            }

            _handle.Dispose();
        }
    }
}
