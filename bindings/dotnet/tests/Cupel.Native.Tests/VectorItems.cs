using System;
using System.Collections.Generic;

namespace Cupel.Native.Tests
{
    /// <summary>Fills batches with the rows of a vector: as items, and as columns.</summary>
    internal static class VectorItems
    {
        internal static List<ContextItem> Items(Table vector)
        {
            var items = new List<ContextItem>();
            foreach (Table row in vector.Tables("items"))
            {
                items.Add(Item(row));
            }

            return items;
        }

        internal static ContextColumns Columns(Table vector)
        {
            List<Table> rows = vector.Tables("items");
            int count = rows.Count;
            var contents = new List<string>();
            var kinds = new List<string>();
            var sources = new List<string>();
            var tags = new List<string>();
            var keys = new List<string>();
            var texts = new List<string>();
            var types = new List<byte>();
            var numbers = new List<double>();
            var columns = new ContextColumns(count)
            {
                Tokens = new long[count],
                KindValidity = new byte[count],
                SourceValidity = new byte[count],
                Priority = new long[count],
                PriorityValidity = new byte[count],
                Timestamp = new long[count],
                TimestampValidity = new byte[count],
                FutureRelevanceHint = new double[count],
                FutureRelevanceHintValidity = new byte[count],
                Pinned = new byte[count],
                OriginalTokens = new long[count],
                OriginalTokensValidity = new byte[count],
                TagLists = new long[count + 1],
                MetadataLists = new long[count + 1],
            };
            for (int i = 0; i < count; i++)
            {
                Table row = rows[i];
                contents.Add(row.Text("content"));
                columns.Tokens[i] = row.Integer("tokens");
                kinds.Add(row.Text("kind") ?? "not read");
                columns.KindValidity[i] = Presence(row, "kind");
                sources.Add(row.Text("source") ?? "not read");
                columns.SourceValidity[i] = Presence(row, "source");
                columns.Priority[i] = row.Integer("priority");
                columns.PriorityValidity[i] = Presence(row, "priority");
                long? timestamp = Timestamp(row);
                columns.Timestamp[i] = timestamp ?? 0;
                columns.TimestampValidity[i] = timestamp.HasValue ? (byte)1 : (byte)0;
                columns.FutureRelevanceHint[i] = row.Number("futureRelevanceHint");
                columns.FutureRelevanceHintValidity[i] = Presence(row, "futureRelevanceHint");
                columns.Pinned[i] = row.Flag("pinned") ? (byte)1 : (byte)0;
                columns.OriginalTokens[i] = row.Integer("originalTokens");
                columns.OriginalTokensValidity[i] = Presence(row, "originalTokens");
                foreach (object tag in row.List("tags"))
                {
                    tags.Add((string)tag);
                }

                columns.TagLists[i + 1] = tags.Count;
                foreach (KeyValuePair<string, object> entry in Metadata(row))
                {
                    keys.Add(entry.Key);
                    types.Add(entry.Value is string ? (byte)0 : entry.Value is double ? (byte)1 : (byte)2);
                    texts.Add(entry.Value is double ? "not read" : entry.Value.ToString());
                    numbers.Add(entry.Value is double ? (double)entry.Value : double.NaN);
                }

                columns.MetadataLists[i + 1] = keys.Count;
            }

            columns.Content = TextColumn.FromStrings(contents);
            columns.Kind = TextColumn.FromStrings(kinds);
            columns.Source = TextColumn.FromStrings(sources);
            columns.Tags = TextColumn.FromStrings(tags);
            columns.MetadataKeys = TextColumn.FromStrings(keys);
            columns.MetadataTypes = types.ToArray();
            columns.MetadataTexts = TextColumn.FromStrings(texts);
            columns.MetadataNumbers = numbers.ToArray();
            return columns;
        }

        internal static void CheckFields(Table expected, ContextItem item)
        {
            Check.Equal(expected.Text("content"), item.Content, "content");
            foreach (string field in expected.Keys)
            {
                switch (field)
                {
                    case "content":
                    case "score_approx":
                    case "score_bits":
                        break;
                    case "absent":
                        CheckAbsent(expected.List("absent"), item);
                        break;
                    case "tokens":
                        Check.Equal(expected.Integer(field), item.Tokens, field);
                        break;
                    case "kind":
                        Check.Equal(expected.Text(field), item.Kind.Value, field);
                        break;
                    case "source":
                        Check.Equal(expected.Text(field), item.Source.Value, field);
                        break;
                    case "priority":
                        Check.Equal(expected.Integer(field), item.Priority, field);
                        break;
                    case "timestamp":
                    case "timestamp_ns":
                        Check.Equal(expected.Integer(field), item.TimestampNanoseconds, field);
                        break;
                    case "futureRelevanceHint":
                        Check.Same(expected.Number(field), item.FutureRelevanceHint.Value, field);
                        break;
                    case "pinned":
                        Check.Equal(expected.Flag(field), item.Pinned, field);
                        break;
                    case "originalTokens":
                        Check.Equal(expected.Integer(field), item.OriginalTokens, field);
                        break;
                    case "tags":
                        Check.Equal(
                            string.Join("\n", expected.List(field)), string.Join("\n", item.Tags), field);
                        Check.Equal(expected.List(field).Count, item.Tags.Count, "number of tags");
                        break;
                    case "metadata":
                        CheckMetadata(expected, item);
                        break;
                    default:
                        throw new Exception("no such field of an item: " + field);
                }
            }
        }

        private static ContextItem Item(Table row)
        {
            var builder = new ContextItemBuilder(row.Text("content"), row.Integer("tokens"))
            {
                TimestampNanoseconds = Timestamp(row),
                Pinned = row.Flag("pinned"),
                Priority = row.Has("priority") ? row.Integer("priority") : (long?)null,
                FutureRelevanceHint = row.Has("futureRelevanceHint") ? row.Number("futureRelevanceHint") : (double?)null,
                OriginalTokens = row.Has("originalTokens") ? row.Integer("originalTokens") : (long?)null,
            };
            if (row.Has("kind"))
            {
                builder.Kind = new ContextKind(row.Text("kind"));
            }

            if (row.Has("source"))
            {
                builder.Source = new ContextSource(row.Text("source"));
            }

            foreach (object tag in row.List("tags"))
            {
                builder.Tags.Add((string)tag);
            }

            foreach (KeyValuePair<string, object> entry in Metadata(row))
            {
                builder.Metadata[entry.Key] = entry.Value;
            }

            return builder.Build();
        }

        private static IEnumerable<KeyValuePair<string, object>> Metadata(Table row)
        {
            var table = row["metadata"] as Table;
            if (table != null)
            {
                foreach (string key in table.Keys)
                {
                    yield return new KeyValuePair<string, object>(key, Value(table[key]));
                }
            }
            else if (row.Has("metadata"))
            {
                foreach (Table entry in row.Tables("metadata"))
                {
                    yield return new KeyValuePair<string, object>(entry.Text("key"), Value(entry["value"]));
                }
            }
        }

        private static object Value(object value)
        {
            if (value is Table)
            {
                return new OpaqueValue(((Table)value).Text("other"));
            }

            return value is string ? value : Table.ToNumber(value);
        }

        private static void CheckMetadata(Table expected, ContextItem item)
        {
            int count = 0;
            foreach (KeyValuePair<string, object> entry in Metadata(expected))
            {
                object value;
                Check.True(item.Metadata.TryGetValue(entry.Key, out value), "metadata lacks " + entry.Key);
                if (entry.Value is double)
                {
                    Check.Same((double)entry.Value, (double)value, entry.Key);
                }
                else
                {
                    Check.Equal(entry.Value, value, entry.Key);
                }

                count++;
            }

            Check.Equal(count, item.Metadata.Count, "number of metadata entries");
        }

        private static void CheckAbsent(List<object> fields, ContextItem item)
        {
            foreach (string field in fields)
            {
                switch (field)
                {
                    case "priority":
                        Check.Equal(null, item.Priority, field);
                        break;
                    case "timestamp":
                        Check.Equal(null, item.Timestamp, field);
                        Check.Equal(null, item.TimestampNanoseconds, field);
                        break;
                    case "futureRelevanceHint":
                        Check.Equal(null, item.FutureRelevanceHint, field);
                        break;
                    case "originalTokens":
                        Check.Equal(null, item.OriginalTokens, field);
                        break;
                    default:
                        throw new Exception("no such optional field: " + field);
                }
            }
        }

        private static byte Presence(Table row, string field)
        {
            return row.Has(field) ? (byte)1 : (byte)0;
        }

        private static long? Timestamp(Table row)
        {
            return row.Has("timestamp_ns") ? row.Integer("timestamp_ns")
                : row.Has("timestamp") ? row.Integer("timestamp")
                : (long?)null;
        }
    }
}
