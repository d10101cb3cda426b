using System;
using System.Globalization;
using System.Numerics;
#if NET7_0_OR_GREATER
using System.Runtime.InteropServices;
#endif
#if NETCOREAPP
using System.Text.Json;
#endif

namespace Cupel.Native.Interop
{
    /// <summary>What native code sees of a metadata value: <c>cupel_metadata_type</c>, with its text or its number.</summary>
    internal struct MetadataValue
    {
        internal const byte String = 0;
        internal const byte Double = 1;
        internal const byte Other = 2;

        private const long ExactIntegers = 1L << 53;

#if NETCOREAPP
        private static readonly char[] NotInteger = { '.', 'e', 'E' };
#endif

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

            MetadataValue result;
#if NETCOREAPP
            if (value is JsonElement json)
            {
                return Of(json);
            }
#endif
            return TryNumber(value, out result) ? result : OfText(Other, InvariantText.Of(value));
        }

        /// <summary>
        /// Numbers are doubles, except for integers that no double holds: they keep their digits as text. Types are
        /// compared exactly: an enumeration has the type code of a number, and is none.
        /// </summary>
        internal static bool TryNumber(object value, out MetadataValue number)
        {
            if (value is int int32)
            {
                number = OfNumber(int32);
            }
            else if (value is long int64)
            {
                number = -ExactIntegers <= int64 && int64 <= ExactIntegers ? OfNumber(int64) : OfInteger(int64);
            }
            else if (value is double real)
            {
                number = OfNumber(real);
            }
            else if (value is float single)
            {
                number = OfNumber(single);
            }
            else if (value is decimal exact)
            {
                number = Math.Abs(exact) > ExactIntegers && decimal.Truncate(exact) == exact
                    ? OfInteger(new BigInteger(exact))
                    : OfNumber(NearestDouble.Of(exact));
            }
            else if (value is uint uint32)
            {
                number = OfNumber(uint32);
            }
            else if (value is ulong uint64)
            {
                number = OfInteger(uint64);
            }
            else if (value is short int16)
            {
                number = OfNumber(int16);
            }
            else if (value is ushort uint16)
            {
                number = OfNumber(uint16);
            }
            else if (value is byte uint8)
            {
                number = OfNumber(uint8);
            }
            else if (value is sbyte int8)
            {
                number = OfNumber(int8);
            }
            else if (value is BigInteger integer)
            {
                number = OfInteger(integer);
            }
            else if (value is IntPtr native)
            {
                number = OfInteger(native.ToInt64());
            }
            else if (value is UIntPtr nativeUnsigned)
            {
                number = OfInteger(nativeUnsigned.ToUInt64());
            }
#if NET5_0_OR_GREATER
            else if (value is Half half)
            {
                number = OfNumber((double)half);
            }
#endif
#if NET7_0_OR_GREATER
            else if (value is Int128 int128)
            {
                number = OfInteger((BigInteger)int128);
            }
            else if (value is UInt128 uint128)
            {
                number = OfInteger((BigInteger)uint128);
            }
            else if (value is NFloat nativeFloat)
            {
                number = OfNumber(nativeFloat.Value);
            }
#endif
            else
            {
                number = default(MetadataValue);
                return false;
            }

            return true;
        }

#if NETCOREAPP
        private static MetadataValue Of(JsonElement json)
        {
            switch (json.ValueKind)
            {
                case JsonValueKind.String:
                    return OfText(String, json.GetString());
                case JsonValueKind.Number:
                    string digits = json.GetRawText();
                    return digits.IndexOfAny(NotInteger) < 0
                        ? OfInteger(BigInteger.Parse(digits, NumberStyles.AllowLeadingSign, CultureInfo.InvariantCulture))
                        : OfNumber(double.Parse(digits, NumberStyles.Float, CultureInfo.InvariantCulture));
                default:
                    return OfText(Other, InvariantText.Of(json));
            }
        }
#endif

        private static MetadataValue OfInteger(BigInteger integer)
        {
            double nearest = NearestDouble.Of(integer);
            return !double.IsInfinity(nearest) && new BigInteger(nearest) == integer
                ? OfNumber(nearest)
                : OfText(Other, integer.ToString(CultureInfo.InvariantCulture));
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
