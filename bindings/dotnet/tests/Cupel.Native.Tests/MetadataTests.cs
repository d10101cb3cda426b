using System;
using System.Collections.Generic;
using System.Globalization;
using System.Numerics;
using System.Threading;

namespace Cupel.Native.Tests
{
    internal static class MetadataTests
    {
        private enum Level : byte
        {
            High = 1,
        }

        [Test]
        private static void EveryNumericTypeIsADouble()
        {
            Number(1.0, (sbyte)1);
            Number(-128.0, sbyte.MinValue);
            Number(255.0, byte.MaxValue);
            Number(-32768.0, short.MinValue);
            Number(65535.0, ushort.MaxValue);
            Number(-2147483648.0, int.MinValue);
            Number(4294967295.0, uint.MaxValue);
            Number(-9.2233720368547758e18, long.MinValue);
            Number(0.85, 0.85);
            Number(0.25f, 0.25f);
            Number(0.10000000149011612, 0.1f);
            Number(0.85, 0.85m);
            Number(-1.0, new IntPtr(-1));
            Number(7.0, new UIntPtr(7));
            Number(double.NaN, double.NaN);
            Number(double.NegativeInfinity, float.NegativeInfinity);
            Number(Check.NegativeZero, Check.NegativeZero);
        }

        [Test]
        private static void IntegersThatNoDoubleHoldsKeepTheirDigits()
        {
            Number(9007199254740992.0, 9007199254740992L);
            Other("9007199254740993", 9007199254740993L);
            Other("-9007199254740993", -9007199254740993L);
            Number(9007199254740994.0, 9007199254740994L);
            Other("9223372036854775807", long.MaxValue);
            Other("18446744073709551615", ulong.MaxValue);
            Number(9223372036854777856.0, 9223372036854777856UL);
            Other("9223372036854776833", 9223372036854776833UL);
            Other("9223372036854775807", new IntPtr(long.MaxValue));
            Other("9007199254740993", new UIntPtr(9007199254740993UL));
            Other("9007199254740993", 9007199254740993m);
            Other("9007199254740993", 9007199254740993.000m);
            Other("-79228162514264337593543950335", decimal.MinValue);
            Number(79228162514264337593543950336.0, BigInteger.Pow(2, 96));
            Other("79228162514264337593543950337", BigInteger.Pow(2, 96) + 1);
            Other("1" + new string('0', 400), BigInteger.Pow(10, 400));
        }

        [Test]
        private static void DecimalsGiveTheNearestDouble()
        {
            Number(1e-28, 0.0000000000000000000000000001m);
            Number(0.0, 0m);
            Number(0.1, 0.1m);
            Number(0.1, 0.1000000000000000055511151231m);
            Number(1.0 / 3.0, 0.3333333333333333333333333333m);
            Number(9007199254740993.5, 9007199254740993.49999999999m);
            Number(9007199254740994.0, 9007199254740993.00000000001m);

            // Against the text, which this runtime reads exactly.
            if (!Check.IsMono)
            {
                var random = new Random(1);
                for (int i = 0; i < 300; i++)
                {
                    var value = new decimal(random.Next(), random.Next(), random.Next(), i % 2 == 0, (byte)(3 + random.Next(26)));
                    Number(double.Parse(value.ToString(CultureInfo.InvariantCulture), CultureInfo.InvariantCulture), value);
                }
            }
        }

        [Test]
        private static void BigIntegersThatADoubleHolds()
        {
            Number(0.0, BigInteger.Zero);
            Number(-1.0, BigInteger.MinusOne);
            Number(Math.Pow(2, 200) + Math.Pow(2, 148), BigInteger.Pow(2, 200) + BigInteger.Pow(2, 148));
            Other((BigInteger.Pow(2, 200) + BigInteger.Pow(2, 147)).ToString(), BigInteger.Pow(2, 200) + BigInteger.Pow(2, 147));
            Number(double.MaxValue, new BigInteger(double.MaxValue));
            Number(double.MinValue, new BigInteger(double.MinValue));
            Other(BigInteger.Pow(2, 1024).ToString(), BigInteger.Pow(2, 1024));
        }

        [Test]
        private static void TextIsText()
        {
            Back("", "");
            Back("0.85", "0.85");
            Back("x", 'x');
            ContextItem lone = new ContextItemBuilder("x", 0) { Metadata = { ["k"] = '\ud83e' } }.Build();
            using (var batch = new Batch())
            {
                Check.Rejects<ArgumentException>("items", () => batch.Append(new[] { lone }), "surrogate");
            }
        }

        [Test]
        private static void EverythingElseIsOtherWithInvariantText()
        {
            CultureInfo culture = Thread.CurrentThread.CurrentCulture;
            try
            {
                var german = (CultureInfo)CultureInfo.InvariantCulture.Clone();
                german.NumberFormat.NumberDecimalSeparator = ",";
                german.DateTimeFormat.DateSeparator = "!";
                Thread.CurrentThread.CurrentCulture = german;
                Other("true", true);
                Other("false", false);
                Other("null", null);
                Other("null", DBNull.Value);
                Other("High", Level.High);
                Other("2025-03-01T12:30:00", new DateTime(2025, 3, 1, 12, 30, 0));
                Other("2025-03-01T12:30:00.0000001Z", new DateTime(2025, 3, 1, 12, 30, 0, DateTimeKind.Utc).AddTicks(1));
                Other("2025-03-01T12:30:00.5+02:00", new DateTimeOffset(2025, 3, 1, 12, 30, 0, 500, TimeSpan.FromHours(2)));
                Other("0001-01-01T00:00:00Z", DateTimeOffset.MinValue);
                var local = new DateTime(2025, 3, 1, 12, 30, 0, DateTimeKind.Local);
                Check.Equal(RoundTrip(new DateTimeOffset(local)), RoundTrip(local));
                Other("01:00:00", TimeSpan.FromHours(1));
                Other("00000000-0000-0000-0000-000000000000", Guid.Empty);
                Other("a b", new System.Text.StringBuilder("a b"));
                Other("<1.5, 2>", new Formattable());
                Other(string.Empty, new ItemTests.Strange(null));
                Number(0.5, 0.5m);
            }
            finally
            {
                Thread.CurrentThread.CurrentCulture = culture;
            }
        }

        [Test]
        private static void ListsAndDictionariesAreJson()
        {
            Other("[]", new int[0]);
            Other("[1,-2.5,\"a\\\"\\\\\\u000a\u00e9\",true,null,[\"2025-03-01T00:00:00Z\"]]", new object[]
            {
                (byte)1, -2.5, "a\"\\\n\u00e9", true, null, new List<DateTimeOffset> { new DateTimeOffset(2025, 3, 1, 0, 0, 0, TimeSpan.Zero) },
            });
            Other("{\"k\":{\"id\":9007199254740993,\"none\":null},\"1\":0.1}", new Dictionary<object, object>
            {
                ["k"] = new Dictionary<string, object> { ["id"] = 9007199254740993L, ["none"] = double.NaN },
                [1] = 0.1m,
            });
            var cycle = new List<object>();
            cycle.Add(cycle);
            ContextItem endless = new ContextItemBuilder("x", 0) { Metadata = { ["k"] = cycle } }.Build();
            using (var batch = new Batch())
            {
                Check.Throws<ArgumentException>(() => batch.Append(new[] { endless }), "64 levels");
            }
        }

#if NETCOREAPP
        [Test]
        private static void JsonElementsAreWhatJsonIs()
        {
            using (var document = System.Text.Json.JsonDocument.Parse(
                "[\"t\", 0.85, 9007199254740993, 1e2, true, null, [1,  2], {\"a\":1}, 9007199254740992]"))
            {
                System.Text.Json.JsonElement root = document.RootElement;
                Back("t", root[0]);
                Back(0.85, root[1]);
                Other("9007199254740993", root[2]);
                Back(100.0, root[3]);
                Other("true", root[4]);
                Other("null", root[5]);
                Other("[1,  2]", root[6]);
                Other("{\"a\":1}", root[7]);
                Back(9007199254740992.0, root[8]);
                Other("[{\"a\":1}]", new object[] { root[7] });
            }
        }
#endif

        [Test]
        private static void ScorersSeeTheTypes()
        {
            using (Scorer trust = Scorer.MetadataTrust(0.125))
            {
                object[] values = { 1, 0.5m, "0.25", "0.5 ", true, null, Level.High, '1', new Uri("http://x/"), 3f, BigInteger.One };
                var expected = new[] { 1.0, 0.5, 0.25, 0.125, 0.125, 0.125, 0.125, 1.0, 0.125, 1.0, 1.0 };
                Check.Same(expected, trust.Score(With("cupel:trust", values)));
            }

            using (Scorer key = Scorer.MetadataKey("k", "1", 3.0))
            {
                object[] values = { 1, 1.0, 1m, "1", '1', true, "1.0", 1UL };
                Check.Same(new[] { 3.0, 3.0, 3.0, 3.0, 3.0, 1.0, 1.0, 3.0 }, key.Score(With("k", values)));
            }

            using (Scorer key = Scorer.MetadataKey("k", "true", 3.0))
            {
                Check.Same(new[] { 3.0, 1.0 }, key.Score(With("k", new object[] { true, false })));
            }
        }

        [Test]
        private static void ValuesThatThrowFailTheCallAndChangeNothing()
        {
            using (var batch = new Batch())
            {
                ContextItem item = new ContextItemBuilder("x", 0) { Metadata = { ["k"] = new Throwing() } }.Build();
                Check.Throws<NotSupportedException>(() => batch.Append(new[] { ItemTests.Plain(), item }));
                Check.Throws<NotSupportedException>(() => batch.Append(item));
                Check.Equal(0, batch.Count);
                batch.Append(new[] { ItemTests.Plain() });
                batch.Append(ItemTests.Full());
                Check.Equal(2, batch.Count);
                Check.Equal(0, batch.ItemAt(0).Metadata.Count);
            }
        }

        private static List<ContextItem> With(string key, object[] values)
        {
            var items = new List<ContextItem>();
            foreach (object value in values)
            {
                items.Add(new ContextItemBuilder("x", 0) { Metadata = { [key] = value } }.Build());
            }

            return items;
        }

        private static void Number(double expected, object value)
        {
            object actual = RoundTrip(value);
            Check.True(actual is double, value.GetType().Name + " " + value + " is no double: " + actual);
            Check.Same(expected, (double)actual, value.GetType().Name + " " + value);
        }

        private static void Other(string text, object value)
        {
            Back(new OpaqueValue(text), value);
        }

        private static void Back(object expected, object value)
        {
            Check.Equal(expected, RoundTrip(value));
        }

        /// <summary>Through the list and through the builder, which must agree.</summary>
        private static object RoundTrip(object value)
        {
            using (var batch = new Batch())
            {
                ContextItem item = new ContextItemBuilder("x", 0) { Metadata = { ["k"] = value } }.Build();
                batch.Append(new[] { item });
                batch.Append(item);
                object first = batch.ItemAt(0).Metadata["k"];
                Check.Equal(first, batch.ItemAt(1).Metadata["k"]);
                return first;
            }
        }

        private sealed class Formattable : IFormattable
        {
            public string ToString(string format, IFormatProvider provider)
            {
                return string.Format(provider, "<{0}, {1}>", 1.5, 2);
            }
        }

        private sealed class Throwing
        {
            public override string ToString()
            {
                throw new NotSupportedException();
            }
        }
    }
}
