using System;
using System.Globalization;
using System.Numerics;
#if NET7_0_OR_GREATER
using System.Runtime.InteropServices;
#endif

namespace Cupel.Native.Interop
{
    /// <summary>What native code sees of a metadata value: <c>cupel_metadata_type</c>, with its text or its number.</summary>
    internal struct MetadataValue
    {
        internal const byte String = 0;
        internal const byte Double = 1;
        internal const byte Other = 2;

        internal byte Type;
        internal string Text;
        internal double Number;

        internal static MetadataValue Of(object value)
        {
            if (value is string text)
            {
                return OfText(String, text);
            }

            if (value is double number)
            {
                return OfNumber(number);
            }

            if (value is char character)
            {
                return OfText(String, character.ToString());
            }

            return IsNumber(value, out number)
                ? OfNumber(number)
                : OfText(Other, Convert.ToString(value, CultureInfo.InvariantCulture) ?? string.Empty);
        }

        /// <summary>
        /// Types are compared exactly: an enumeration has the type code of a number, and is none.
        /// </summary>
        private static bool IsNumber(object value, out double number)
        {
            if (value is int int32)
            {
                number = int32;
            }
            else if (value is long int64)
            {
                number = int64;
            }
            else if (value is float single)
            {
                number = single;
            }
            else if (value is decimal exact)
            {
                number = NearestDouble.Of(exact);
            }
            else if (value is uint uint32)
            {
                number = uint32;
            }
            else if (value is ulong uint64)
            {
                number = NearestDouble.Of(uint64);
            }
            else if (value is short int16)
            {
                number = int16;
            }
            else if (value is ushort uint16)
            {
                number = uint16;
            }
            else if (value is byte uint8)
            {
                number = uint8;
            }
            else if (value is sbyte int8)
            {
                number = int8;
            }
            else if (value is BigInteger integer)
            {
                number = NearestDouble.Of(integer);
            }
            else if (value is IntPtr native)
            {
                number = native.ToInt64();
            }
            else if (value is UIntPtr nativeUnsigned)
            {
                number = NearestDouble.Of(nativeUnsigned.ToUInt64());
            }
#if NET5_0_OR_GREATER
            else if (value is Half half)
            {
                number = (double)half;
            }
#endif
#if NET7_0_OR_GREATER
            else if (value is Int128 int128)
            {
                number = NearestDouble.Of((BigInteger)int128);
            }
            else if (value is UInt128 uint128)
            {
                number = NearestDouble.Of((BigInteger)uint128);
            }
            else if (value is NFloat nativeFloat)
            {
                number = nativeFloat.Value;
            }
#endif
            else
            {
                number = 0.0;
                return false;
            }

            return true;
        }

        private static MetadataValue OfText(byte type, string text)
        {
            return new MetadataValue { Type = type, Text = text };
        }

        private static MetadataValue OfNumber(double number)
        {
            return new MetadataValue { Type = Double, Number = number };
        }
    }
}
