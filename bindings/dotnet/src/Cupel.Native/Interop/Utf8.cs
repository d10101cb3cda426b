using System;
using System.Text;

namespace Cupel.Native.Interop
{
    /// <summary>Text across the boundary. Unpaired surrogates are errors: they never turn into U+FFFD.</summary>
    internal static class Utf8
    {
        internal static readonly UTF8Encoding Strict = new UTF8Encoding(false, true);

        /// <summary>Throws when <paramref name="text"/> is null or has an unpaired surrogate.</summary>
        internal static string Checked(string text, string parameter)
        {
            if (text == null)
            {
                throw new ArgumentNullException(parameter);
            }

            if (!IsValid(text))
            {
                throw Unpaired(parameter, null);
            }

            return text;
        }

        /// <summary>Whether every surrogate in <paramref name="text"/> has its pair.</summary>
        internal static bool IsValid(string text)
        {
            try
            {
                Strict.GetByteCount(text);
                return true;
            }
            catch (EncoderFallbackException)
            {
                return false;
            }
        }

        /// <summary>The bytes of <paramref name="text"/>, which may be of any length, zero included.</summary>
        internal static byte[] Encode(string text, string parameter)
        {
            if (text == null)
            {
                throw new ArgumentNullException(parameter);
            }

            try
            {
                return Strict.GetBytes(text);
            }
            catch (EncoderFallbackException cause)
            {
                throw Unpaired(parameter, cause);
            }
        }

        internal static unsafe string Decode(byte* data, UIntPtr length)
        {
            int count = checked((int)length.ToUInt64());
            return count == 0 ? string.Empty : Strict.GetString(data, count);
        }

        internal static unsafe string DecodeNulTerminated(byte* text)
        {
            if (text == null)
            {
                return string.Empty;
            }

            int length = 0;
            while (text[length] != 0)
            {
                length++;
            }

            return Decode(text, (UIntPtr)(uint)length);
        }

        internal static ArgumentException Unpaired(string parameter, Exception cause)
        {
            return new ArgumentException(parameter + " is not valid UTF-16: it has an unpaired surrogate.", parameter, cause);
        }
    }
}
