using System;
using Cupel.Native.Interop;

namespace Cupel.Native
{
    /// <summary>The native library that is loaded.</summary>
    public static class CupelLibrary
    {
        private static bool _compatible;

        /// <summary>The version of the native library, such as <c>0.1.0</c>.</summary>
        /// <exception cref="DllNotFoundException">The native library was not found.</exception>
        public static unsafe string Version
        {
            get { return Utf8.DecodeNulTerminated(NativeMethods.cupel_version()); }
        }

        /// <summary>The version of the binary interface that the native library has.</summary>
        /// <exception cref="DllNotFoundException">The native library was not found.</exception>
        public static long AbiVersion
        {
            get { return NativeMethods.cupel_abi_version(); }
        }

        /// <summary>Throws when the native library has another interface than this assembly calls.</summary>
        internal static void RequireCompatible()
        {
            if (_compatible)
            {
                return;
            }

            if (AbiVersion != NativeMethods.AbiVersion)
            {
                throw new CupelException(
                    "The native library cupel " + Version + " has interface " + AbiVersion + ", this assembly needs "
                    + NativeMethods.AbiVersion + ".");
            }

            _compatible = true;
        }
    }
}
