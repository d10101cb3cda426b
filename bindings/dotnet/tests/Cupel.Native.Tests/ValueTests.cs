using System;
using System.Collections.Generic;
using System.Globalization;
using System.Numerics;

namespace Cupel.Native.Tests
{
    /// <summary>The cases that every language runs: which value and which text a value of the host has.</summary>
    internal static class ValueTests
    {
        [Test]
        private static void SharedCases()
        {
            var failures = new List<string>();
            int ran = 0;
            var file = (Table)VectorReader.Read(Environment.GetEnvironmentVariable("CUPEL_VALUES"));
            foreach (Table entry in file.Tables("cases"))
            {
                try
                {
                    if (entry.Has("json"))
                    {
                        CheckJson(entry);
                        ran++;
                    }

                    if (entry.Has("host"))
                    {
                        foreach (object value in Hosted(entry.Child("host")))
                        {
                            CheckValue(entry, value);
                            ran++;
                        }
                    }
                }
                catch (Exception exception)
                {
                    failures.Add(entry.Text("name") + ": " + exception.Message);
                }
            }

            Check.True(failures.Count == 0, string.Join("\n", failures));
            Check.True(ran > 80, "only " + ran + " values were tried");
        }

        /// <summary>The value as every type that has it.</summary>
        private static IEnumerable<object> Hosted(Table host)
        {
            CultureInfo invariant = CultureInfo.InvariantCulture;
            string text = host.Text("value");
            switch (host.Text("type"))
            {
                case "null":
                    yield return null;
                    yield return DBNull.Value;
                    break;
                case "bool":
                    yield return text == "true";
                    break;
                case "string":
                    yield return text;
                    break;
                case "int":
                    foreach (object integer in Integers(BigInteger.Parse(text, invariant)))
                    {
                        yield return integer;
                    }

                    break;
                case "double":
                    yield return Double(text);
                    break;
                case "decimal":
                    yield return decimal.Parse(text, invariant);
                    break;
                case "datetime":
                    DateTimeOffset instant = DateTimeOffset.Parse(text, invariant, DateTimeStyles.RoundtripKind);
                    yield return instant;
                    if (instant.Offset == TimeSpan.Zero)
                    {
                        yield return instant.UtcDateTime;
                    }

                    break;
                case "localDatetime":
                    yield return DateTime.SpecifyKind(DateTime.Parse(text, invariant), DateTimeKind.Unspecified);
                    break;
                case "date":
#if NET6_0_OR_GREATER
                    yield return DateOnly.Parse(text, invariant);
#endif
                    break;
                case "array":
                    if (text == "[]")
                    {
                        yield return new object[0];
                        yield return new List<int>();
                    }
                    else
                    {
                        Check.Equal("[1,\"<é>\",true,null]", text, "an array that this test knows");
                        yield return new object[] { 1, "<é>", true, null };
                    }

                    break;
                case "object":
                    if (text == "{}")
                    {
                        yield return new Dictionary<string, object>();
                    }
                    else
                    {
                        Check.Equal("{\"a\":{\"b\":[0.5]}}", text, "an object that this test knows");
                        var inner = new Dictionary<string, double[]> { ["b"] = new[] { 0.5 } };
                        yield return new Dictionary<string, object> { ["a"] = inner };
                    }

                    break;
                default:
                    throw new FormatException("no such type: " + host.Text("type"));
            }
        }

        private static IEnumerable<object> Integers(BigInteger integer)
        {
            yield return integer;
            if (int.MinValue <= integer && integer <= int.MaxValue)
            {
                yield return (int)integer;
            }

            if (long.MinValue <= integer && integer <= long.MaxValue)
            {
                yield return (long)integer;
            }

            if (ulong.MinValue <= integer && integer <= ulong.MaxValue)
            {
                yield return (ulong)integer;
            }

            if (BigInteger.Abs(integer) <= new BigInteger(decimal.MaxValue))
            {
                yield return (decimal)integer;
            }
        }

        private static double Double(string text)
        {
            switch (text)
            {
                case "inf":
                    return double.PositiveInfinity;
                case "-inf":
                    return double.NegativeInfinity;
                case "nan":
                    return double.NaN;
                case "-0.0":
                    return Check.NegativeZero;
                default:
                    return double.Parse(text, CultureInfo.InvariantCulture);
            }
        }

        private static void CheckJson(Table expected)
        {
            using (var batch = new Batch())
            {
                batch.AppendJson("{\"content\":\"x\",\"tokens\":1,\"metadata\":{\"k\":" + expected.Text("json") + "}}");
                CheckRow(expected, batch, 0, "JSON");
            }
        }

        private static void CheckValue(Table expected, object value)
        {
            using (var batch = new Batch())
            {
                ContextItem item = new ContextItemBuilder("x", 1) { Metadata = { ["k"] = value } }.Build();
                batch.Append(new[] { item });
                batch.Append(item);
                string what = value == null ? "null" : value.GetType().Name;
                CheckRow(expected, batch, 0, what);
                CheckRow(expected, batch, 1, what + " by field");
            }
        }

        private static void CheckRow(Table expected, Batch batch, int row, string what)
        {
            object value = batch.ItemAt(row).Metadata["k"];
            string text = expected.Text("text");
            switch (expected.Text("type"))
            {
                case "string":
                    Check.Equal<object>(text, value, what);
                    break;
                case "other":
                    Check.Equal<object>(new OpaqueValue(text), value, what);
                    break;
                default:
                    string bits = BitConverter.DoubleToInt64Bits((double)value).ToString("x16", CultureInfo.InvariantCulture);
                    Check.True(double.IsNaN((double)value) || expected.Text("bits") == "0x" + bits, what + " has the bits " + bits);
                    break;
            }

            using (Scorer key = Scorer.MetadataKey("k", text, 2.0))
            {
                Check.Same(2.0, key.ScoreRow(batch, row), what + " by its text");
            }
        }
    }
}
