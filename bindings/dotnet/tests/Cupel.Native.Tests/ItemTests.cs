using System;
using System.Collections.Generic;

namespace Cupel.Native.Tests
{
    internal static class ItemTests
    {
        internal static ContextItem Full()
        {
            return new ContextItemBuilder("The build is red: caf\u00e9, \u65e5\u672c, \ud83e\udd80\0.", -5)
            {
                Kind = new ContextKind("toolOUTPUT"),
                Source = ContextSource.Rag,
                Priority = long.MinValue,
                Tags = { "ci", "CI", "ci", string.Empty, "\u20ac" },
                Metadata = { ["cupel:trust"] = 0.85, ["run"] = "\u2116 42", ["passed"] = false, [string.Empty] = null },
                Timestamp = new DateTimeOffset(2025, 3, 1, 0, 59, 59, TimeSpan.FromHours(1)).AddTicks(1234567),
                FutureRelevanceHint = Check.NegativeZero,
                Pinned = true,
                OriginalTokens = long.MaxValue,
            }.Build();
        }

        internal static ContextItem Plain(string content = "x")
        {
            return new ContextItemBuilder(content, 0).Build();
        }

        [Test]
        private static void EveryFieldComesBack()
        {
            ContextItem item = Full();
            using (var batch = new Batch())
            {
                batch.Append(new[] { item });
                batch.Append(item);
                batch.Append(new[] { Plain(), item });
                foreach (int row in new[] { 0, 1, 3 })
                {
                    ContextItem back = batch.ItemAt(row);
                    Check.Equal(item.Content, back.Content);
                    Check.Equal(-5L, back.Tokens);
                    Check.Equal("toolOUTPUT", back.Kind.Value);
                    Check.Equal(ContextKind.ToolOutput, back.Kind);
                    Check.Equal("Rag", back.Source.Value);
                    Check.Equal(long.MinValue, back.Priority);
                    Check.Equal("ci|CI|ci||\u20ac", string.Join("|", back.Tags));
                    Check.Equal(4, back.Metadata.Count);
                    Check.Equal<object>(0.85, back.Metadata["cupel:trust"]);
                    Check.Equal<object>("\u2116 42", back.Metadata["run"]);
                    Check.Equal<object>(new OpaqueValue("false"), back.Metadata["passed"]);
                    Check.Equal<object>(new OpaqueValue("null"), back.Metadata[string.Empty]);
                    Check.Equal(item.Timestamp.Value.UtcTicks, back.Timestamp.Value.UtcTicks);
                    Check.Equal(1740787199123456700L, back.TimestampNanoseconds);
                    Check.Same(Check.NegativeZero, back.FutureRelevanceHint.Value);
                    Check.Equal(true, back.Pinned);
                    Check.Equal(long.MaxValue, back.OriginalTokens);
                }
            }
        }

        [Test]
        private static void WhatIsNotSetIsAbsent()
        {
            using (var batch = new Batch())
            {
                batch.Append(new[] { Plain() });
                batch.Append(Plain());
                batch.Append(new[] { Full(), Plain() });
                foreach (int row in new[] { 0, 1, 3 })
                {
                    ContextItem back = batch.ItemAt(row);
                    Check.Equal("Message", back.Kind.Value);
                    Check.Equal("Chat", back.Source.Value);
                    Check.Equal(null, back.Priority);
                    Check.Equal(0, back.Tags.Count);
                    Check.Equal(0, back.Metadata.Count);
                    Check.Equal(null, back.Timestamp);
                    Check.Equal(null, back.TimestampNanoseconds);
                    Check.Equal(null, back.FutureRelevanceHint);
                    Check.Equal(false, back.Pinned);
                    Check.Equal(null, back.OriginalTokens);
                }
            }
        }

        [Test]
        private static void ItemsThatCameBackCanBeAppendedAgain()
        {
            using (var first = new Batch())
            using (var second = new Batch())
            using (Scorer trust = Scorer.MetadataTrust(0.25))
            {
                first.Append(new[] { new ContextItemBuilder("x", 0) { Metadata = { ["cupel:trust"] = new Version(1, 0) } }.Build() });
                second.Append(first.ItemAt(0).ToBuilder().Build());
                second.Append(new[] { first.ItemAt(0) });
                Check.Same(new[] { 0.25, 0.25 }, trust.Score(second));
                Check.Equal<object>(new OpaqueValue("1.0"), second.ItemAt(1).Metadata["cupel:trust"]);
            }
        }

        [Test]
        private static void BuildersCopy()
        {
            var tags = new List<string> { "a" };
            var metadata = new Dictionary<string, object> { ["k"] = "v" };
            var builder = new ContextItemBuilder("x", 1) { Tags = tags, Metadata = metadata };
            tags.Add("b");
            metadata["k"] = "w";
            ContextItem item = builder.Build();
            builder.Tags.Add("c");
            builder.Metadata.Clear();
            builder.Content = "y";
            Check.Equal("a", string.Join("|", item.Tags));
            Check.Equal<object>("v", item.Metadata["k"]);
            Check.Equal("x", item.Content);
            ContextItemBuilder again = item.ToBuilder();
            again.Tags.Add("d");
            Check.Equal(1, item.Tags.Count);
            Check.Throws<NotSupportedException>(() => ((IList<string>)item.Tags)[0] = "z");
            Check.Throws<NotSupportedException>(() => ((IDictionary<string, object>)item.Metadata)["k"] = "z");
        }

        [Test]
        private static void ToBuilderKeepsEveryField()
        {
            ContextItem item = Full();
            ContextItem copy = item.ToBuilder().Build();
            Check.Equal(item.Content, copy.Content);
            Check.Equal(item.Tokens, copy.Tokens);
            Check.Equal(item.Kind.Value, copy.Kind.Value);
            Check.Equal(item.Source.Value, copy.Source.Value);
            Check.Equal(item.Priority, copy.Priority);
            Check.Equal(string.Join("|", item.Tags), string.Join("|", copy.Tags));
            Check.Equal(string.Join("|", item.Metadata), string.Join("|", copy.Metadata));
            Check.Equal(item.Timestamp, copy.Timestamp);
            Check.Equal(item.Timestamp.Value.Offset, copy.Timestamp.Value.Offset);
            Check.Equal(item.TimestampNanoseconds, copy.TimestampNanoseconds);
            Check.Same(item.FutureRelevanceHint.Value, copy.FutureRelevanceHint.Value);
            Check.Equal(item.Pinned, copy.Pinned);
            Check.Equal(item.OriginalTokens, copy.OriginalTokens);
        }

        [Test]
        private static void WrongItemsAreRefusedWhenMade()
        {
            Check.Rejects<ArgumentNullException>("content", () => new ContextItemBuilder(null, 0));
            Check.Rejects<ArgumentException>("content", () => new ContextItemBuilder(string.Empty, 0));
            Check.Rejects<ArgumentNullException>("value", () => new ContextItemBuilder("x", 0) { Content = null });
            Check.Rejects<ArgumentNullException>("value", () => new ContextItemBuilder("x", 0) { Tags = null });
            Check.Rejects<ArgumentNullException>("value", () => new ContextItemBuilder("x", 0) { Metadata = null });
            Check.Rejects<ArgumentException>("Tags", () => new ContextItemBuilder("x", 0) { Tags = { null } }.Build(), "Tags[0]");
            Check.Rejects<ArgumentNullException>("value", () => new ContextKind(null));
            Check.Rejects<ArgumentException>("value", () => new ContextKind(string.Empty));
            Check.Rejects<ArgumentException>("value", () => new ContextKind(" \t\u00a0\u2003\u3000\r\n"));
            Check.Rejects<ArgumentNullException>("value", () => new ContextSource(null));
            Check.Rejects<ArgumentException>("value", () => new ContextSource(" "));
        }

        [Test]
        private static void BlankIsWhatTheNativeLibraryCallsBlank()
        {
            for (int c = 1; c < 0xD800; c++)
            {
                string text = ((char)c).ToString();
                bool managed;
                try
                {
                    managed = new ContextKind(text).Value == text;
                }
                catch (ArgumentException)
                {
                    managed = false;
                }

                if (managed && c < 0x3100 && !char.IsLetterOrDigit((char)c))
                {
                    // Native code agrees that it is a kind.
                    using (var batch = new Batch())
                    {
                        batch.Append(new ContextColumns(1) { Kind = TextColumn.FromStrings(new[] { text }) });
                    }
                }
                else if (!managed)
                {
                    using (var batch = new Batch())
                    {
                        var columns = new ContextColumns(1) { Kind = TextColumn.FromStrings(new[] { text }) };
                        Check.Throws<ArgumentException>(() => batch.Append(columns));
                    }
                }
            }
        }

        [Test]
        private static void LoneSurrogatesAreErrors()
        {
            foreach (string text in new[] { "\ud83e", "\udd80", "a\ud83eb", "\udd80\ud83e" })
            {
                Check.Rejects<ArgumentException>("content", () => new ContextItemBuilder(text, 0), "surrogate");
                Check.Rejects<ArgumentException>("value", () => new ContextItemBuilder("x", 0) { Content = text }, "surrogate");
                Check.Rejects<ArgumentException>("value", () => new ContextKind(text), "surrogate");
                Check.Rejects<ArgumentException>("value", () => new ContextSource(text), "surrogate");
                Check.Throws<ArgumentException>(() => new ContextItemBuilder("x", 0) { Tags = { "a", text } }.Build(), "Tags[1]");
                Check.Throws<ArgumentException>(() => With(text, 1), "key");
                Check.Throws<ArgumentException>(() => With("k", text), "Metadata[\"k\"]");
                Check.Throws<ArgumentException>(() => new OpaqueValue(text), "surrogate");
                Check.Rejects<ArgumentException>("key", () => Scorer.MetadataKey(text, "v", 1));
                Check.Rejects<ArgumentException>("value", () => Scorer.MetadataKey("k", text, 1));
                Check.Rejects<ArgumentException>("weights", () => Scorer.Tag(ErrorTests.Weights(text, 1)));
                Check.Rejects<ArgumentException>("json", () => Scorer.FromJson(text));
                Check.Throws<ArgumentException>(() => TextColumn.FromStrings(new[] { "a", text }), "texts[1]");
                using (var batch = new Batch())
                {
                    Check.Rejects<ArgumentException>("json", () => batch.AppendJson(text));
                    ContextItem item = With("k", new Strange(text));
                    Check.Throws<ArgumentException>(() => batch.Append(item));
                    Check.Rejects<ArgumentException>("items", () => batch.Append(new[] { Plain(), item }), "items[1]");
                    Check.Equal(0, batch.Count);
                }
            }
        }

        [Test]
        private static void KindsAndSourcesFoldAsciiOnly()
        {
            Check.True(new ContextKind("memORY") == ContextKind.Memory, "ASCII folds");
            Check.Equal(ContextKind.Memory.GetHashCode(), new ContextKind("memORY").GetHashCode());
            Check.Equal("memORY", new ContextKind("memORY").ToString());
            Check.True(new ContextKind("\u212a") != new ContextKind("k"), "the Kelvin sign is no k");
            Check.True(new ContextKind("\u00e9") != new ContextKind("\u00c9"), "accents do not fold");
            Check.True(new ContextKind("[") != new ContextKind("{"), "only letters fold");
            Check.True(default(ContextKind) == ContextKind.Message, "the default kind is Message");
            Check.Equal("Message", default(ContextKind).Value);
            Check.True(default(ContextSource) == new ContextSource("CHAT"), "the default source is Chat");
            Check.True(!ContextKind.Message.Equals("Message"), "a kind is no string");
            Check.Equal("Document", ContextKind.Document.Value);
            Check.Equal("ToolOutput", ContextKind.ToolOutput.Value);
            Check.Equal("SystemPrompt", ContextKind.SystemPrompt.Value);
            Check.Equal("Tool", ContextSource.Tool.Value);
            Check.Equal("Rag", ContextSource.Rag.Value);
        }

        private static ContextItem With(string key, object value)
        {
            var builder = new ContextItemBuilder("x", 0);
            builder.Metadata[key] = value;
            return builder.Build();
        }

        internal sealed class Strange
        {
            private readonly string _text;

            internal Strange(string text)
            {
                _text = text;
            }

            public override string ToString()
            {
                return _text;
            }
        }
    }
}
