using System;
using System.Threading;

namespace Cupel.Native.Interop
{
    /// <summary>
    /// Lets in any number of readers, or one that changes. Native code leaves this to its caller; in .NET a data race
    /// must be an exception, never a wild pointer. It does not wait: who comes at the wrong time has a defect to hear of.
    /// </summary>
    internal sealed class BatchGate
    {
        private const int Changing = -1;

        // How many readers are inside.
        private int _state;

        internal void EnterRead()
        {
            int readers = Volatile.Read(ref _state);
            while (true)
            {
                if (readers == Changing)
                {
                    throw new InvalidOperationException(
                        "The batch is being changed by another thread: it cannot be read until that call returns.");
                }

                int seen = Interlocked.CompareExchange(ref _state, readers + 1, readers);
                if (seen == readers)
                {
                    return;
                }

                readers = seen;
            }
        }

        internal void ExitRead()
        {
            Interlocked.Decrement(ref _state);
        }

        internal void EnterChange()
        {
            int state = Interlocked.CompareExchange(ref _state, Changing, 0);
            if (state != 0)
            {
                throw new InvalidOperationException(
                    state == Changing
                        ? "The batch is being changed by another call: it cannot be changed until that one returns."
                        : "The batch is being scored or read: it cannot be changed until that call returns.");
            }
        }

        internal void ExitChange()
        {
            Volatile.Write(ref _state, 0);
        }
    }
}
