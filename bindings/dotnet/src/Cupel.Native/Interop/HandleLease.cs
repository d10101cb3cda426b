using System;
using System.Runtime.InteropServices;

namespace Cupel.Native.Interop
{
    /// <summary>
    /// Keeps a handle from being freed while native code works on it, and gives its pointer. What the marshaller
    /// would do for a <see cref="SafeHandle"/> parameter, in plain sight.
    /// </summary>
    internal struct HandleLease : IDisposable
    {
        private readonly SafeHandle _handle;
        private bool _held;

        /// <exception cref="ObjectDisposedException">The handle is closed; the exception names the owner.</exception>
        internal HandleLease(SafeHandle handle, string owner)
        {
            _handle = handle;
            _held = false;
            Pointer = IntPtr.Zero;
            if (handle.IsClosed)
            {
                throw new ObjectDisposedException(owner);
            }

            // Closing may still win the race; then this throws the same exception.
            handle.DangerousAddRef(ref _held);
            Pointer = handle.DangerousGetHandle();
        }

        internal IntPtr Pointer { get; }

        public void Dispose()
        {
            if (_held)
            {
                _held = false;
                _handle.DangerousRelease();
            }
        }
    }
}
