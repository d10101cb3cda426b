using System;
using System.Runtime.InteropServices;

namespace Cupel.Native.Tests
{
    /// <summary>What tests say.</summary>
    internal static class Check
    {
        /// <summary>Not a literal, for which mcs writes 0.0 into an array.</summary>
        internal static readonly double NegativeZero = BitConverter.Int64BitsToDouble(long.MinValue);

        internal static string Runtime
        {
            get { return RuntimeInformation.FrameworkDescription; }
        }

        internal static bool IsMono
        {
            get { return Type.GetType("Mono.Runtime") != null; }
        }

        internal static void True(bool condition, string what)
        {
            if (!condition)
            {
                throw new Exception(what);
            }
        }

        internal static void Equal<T>(T expected, T actual, string what = "value")
        {
            if (!object.Equals(expected, actual))
            {
                throw new Exception(what + ": expected <" + expected + ">, got <" + actual + ">");
            }
        }

        /// <summary>Same bits; any NaN for NaN.</summary>
        internal static void Same(double expected, double actual, string what = "score")
        {
            bool same = double.IsNaN(expected)
                ? double.IsNaN(actual)
                : BitConverter.DoubleToInt64Bits(expected) == BitConverter.DoubleToInt64Bits(actual);
            True(same, what + ": expected " + expected.ToString("R") + ", got " + actual.ToString("R"));
        }

        internal static void Same(double[] expected, double[] actual)
        {
            Equal(expected.Length, actual.Length, "number of scores");
            for (int i = 0; i < expected.Length; i++)
            {
                Same(expected[i], actual[i], "score of row " + i);
            }
        }

        /// <summary>Exactly this type, not one derived from it.</summary>
        internal static T Throws<T>(Action action, string contains = null)
            where T : Exception
        {
            try
            {
                action();
            }
            catch (Exception exception)
            {
                if (exception.GetType() != typeof(T))
                {
                    throw new Exception("expected " + typeof(T).Name + ", got " + exception, exception);
                }

                True(
                    contains == null || exception.Message.Contains(contains),
                    "the message lacks \"" + contains + "\": " + exception.Message);
                return (T)exception;
            }

            throw new Exception("expected " + typeof(T).Name + ", got no exception");
        }

        internal static void Rejects<T>(string parameter, Action action, string contains = null)
            where T : ArgumentException
        {
            Equal(parameter, Throws<T>(action, contains).ParamName, "parameter name");
        }
    }
}
