using System;
using System.Numerics;

namespace Cupel.Native.Interop
{
    /// <summary>
    /// The double nearest to an exact number, ties to even. The conversions of the platforms are not to be trusted
    /// with this: some round twice on the way from <see cref="ulong"/>, <see cref="decimal"/> or
    /// <see cref="BigInteger"/>.
    /// </summary>
    internal static class NearestDouble
    {
        private const int SignificantBits = 64;
        private const long ExactIntegers = 1L << 53;

        private static readonly double[] ExactPowersOfTen =
        {
            1e0, 1e1, 1e2, 1e3, 1e4, 1e5, 1e6, 1e7, 1e8, 1e9, 1e10, 1e11,
            1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22,
        };

        internal static double Of(ulong value)
        {
            if (value <= long.MaxValue)
            {
                return (long)value;
            }

            // Half the value with the lost bit kept as a sticky one rounds the same way, and converts as a long.
            return 2.0 * (long)((value >> 1) | (value & 1));
        }

        internal static double Of(BigInteger value)
        {
            return Quotient(value, BigInteger.One);
        }

        internal static double Of(decimal value)
        {
            int[] bits = decimal.GetBits(value);
            int scale = (bits[3] >> 16) & 0xFF;
            BigInteger integer = unchecked((uint)bits[2]);
            integer = (integer << 32) | unchecked((uint)bits[1]);
            integer = (integer << 32) | unchecked((uint)bits[0]);

            // A quotient of two exact doubles is rounded once.
            double magnitude = integer <= ExactIntegers && scale < ExactPowersOfTen.Length
                ? (double)(long)integer / ExactPowersOfTen[scale]
                : Quotient(integer, BigInteger.Pow(10, scale));
            return bits[3] < 0 ? -magnitude : magnitude;
        }

        private static double Quotient(BigInteger numerator, BigInteger denominator)
        {
            if (numerator.IsZero)
            {
                return 0.0;
            }

            BigInteger magnitude = BigInteger.Abs(numerator);

            // Shift until the quotient has at least as many bits as are kept; then fold the rest into a sticky bit.
            int shift = SignificantBits + Bits(denominator) - Bits(magnitude);
            if (shift > 0)
            {
                magnitude <<= shift;
            }
            else
            {
                shift = 0;
            }

            BigInteger remainder;
            BigInteger quotient = BigInteger.DivRem(magnitude, denominator, out remainder);
            int excess = Math.Max(Bits(quotient) - SignificantBits, 0);
            BigInteger kept = quotient >> excess;
            bool sticky = !remainder.IsZero || (kept << excess) != quotient;
            double significand = Of((ulong)kept | (sticky ? 1UL : 0UL));
            double result = Scale(significand, excess - shift);
            return numerator.Sign < 0 ? -result : result;
        }

        /// <summary>Exact: no number that comes here is small enough to be subnormal, and too large is infinite.</summary>
        private static double Scale(double value, int exponent)
        {
            while (exponent > 1000)
            {
                if (double.IsInfinity(value))
                {
                    return value;
                }

                value *= BitConverter.Int64BitsToDouble((1000L + 1023) << 52);
                exponent -= 1000;
            }

            return value * BitConverter.Int64BitsToDouble((exponent + 1023L) << 52);
        }

        private static int Bits(BigInteger positive)
        {
            byte[] bytes = positive.ToByteArray();
            int last = bytes.Length - 1;
            int bits = last * 8;
            for (int top = bytes[last]; top != 0; top >>= 1)
            {
                bits++;
            }

            return bits;
        }
    }
}
