using System;
using System.Collections;
using System.Globalization;
using System.Text;

namespace Cupel.Native.Interop
{
    /// <summary>
    /// The text of a metadata value that is neither text nor a number. It is the same in every language that the library
    /// is used from: docs/json.md has the table.
    /// </summary>
    internal static class InvariantText
    {
        // As deep as the JSON that the library reads.
        private const int MaxDepth = 64;

        private const string DateAndTime = "yyyy-MM-dd'T'HH:mm:ss.FFFFFFF";

        internal static string Of(object value)
        {
            if (value == null || value is DBNull)
            {
                return "null";
            }

            if (value is bool boolean)
            {
                return boolean ? "true" : "false";
            }

            if (value is DateTimeOffset instant)
            {
                return Of(instant);
            }

            if (value is DateTime time)
            {
                return time.Kind == DateTimeKind.Unspecified
                    ? time.ToString(DateAndTime, CultureInfo.InvariantCulture)
                    : Of(new DateTimeOffset(time));
            }
#if NET6_0_OR_GREATER
            if (value is DateOnly date)
            {
                return date.ToString("yyyy-MM-dd", CultureInfo.InvariantCulture);
            }
#endif
#if NETCOREAPP
            if (value is System.Text.Json.JsonElement json)
            {
                return json.ValueKind == System.Text.Json.JsonValueKind.Undefined ? "null" : json.GetRawText();
            }
#endif
            if (value is IDictionary || value is IList)
            {
                var text = new StringBuilder();
                AppendJson(text, value, 0);
                return text.ToString();
            }

            return Convert.ToString(value, CultureInfo.InvariantCulture) ?? string.Empty;
        }

        /// <summary>RFC 3339: <c>Z</c> for UTC, no more digits of the second than it takes.</summary>
        private static string Of(DateTimeOffset instant)
        {
            string offset = instant.Offset == TimeSpan.Zero ? "'Z'" : "zzz";
            return instant.ToString(DateAndTime + offset, CultureInfo.InvariantCulture);
        }

        private static void AppendJson(StringBuilder text, object value, int depth)
        {
            if (depth > MaxDepth)
            {
                throw new ArgumentException("A metadata value is nested deeper than " + MaxDepth + " levels.");
            }

            if (value is IDictionary members)
            {
                text.Append('{');
                string separator = string.Empty;
                foreach (DictionaryEntry member in members)
                {
                    text.Append(separator);
                    AppendString(text, member.Key as string ?? Of(member.Key));
                    text.Append(':');
                    AppendJson(text, member.Value, depth + 1);
                    separator = ",";
                }

                text.Append('}');
            }
            else if (value is IList elements)
            {
                text.Append('[');
                for (int i = 0; i < elements.Count; i++)
                {
                    text.Append(i == 0 ? string.Empty : ",");
                    AppendJson(text, elements[i], depth + 1);
                }

                text.Append(']');
            }
            else
            {
                AppendScalar(text, value);
            }
        }

        private static void AppendScalar(StringBuilder text, object value)
        {
            MetadataValue number;
#if NETCOREAPP
            if (value is System.Text.Json.JsonElement)
            {
                text.Append(Of(value));
                return;
            }
#endif
            if (value == null || value is DBNull || value is bool)
            {
                text.Append(Of(value));
            }
            else if (!MetadataValue.TryNumber(value, out number))
            {
                AppendString(text, MetadataValue.Of(value).Text);
            }
            else if (double.IsNaN(number.Number) || double.IsInfinity(number.Number))
            {
                // JSON has no such number.
                text.Append("null");
            }
            else if (value is double || value is float)
            {
                text.Append(number.Number.ToString("R", CultureInfo.InvariantCulture));
            }
            else
            {
                text.Append(Convert.ToString(value, CultureInfo.InvariantCulture));
            }
        }

        private static void AppendString(StringBuilder text, string value)
        {
            text.Append('"');
            foreach (char character in value)
            {
                if (character == '"' || character == '\\')
                {
                    text.Append('\\').Append(character);
                }
                else if (character < ' ')
                {
                    text.Append("\\u").Append(((int)character).ToString("x4", CultureInfo.InvariantCulture));
                }
                else
                {
                    text.Append(character);
                }
            }

            text.Append('"');
        }
    }
}
