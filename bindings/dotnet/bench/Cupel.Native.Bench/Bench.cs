using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using Cupel.Native;

/// <summary>
/// What the boundary costs: building a batch by item, by list and by columns, and scoring it, for 1,000 and 100,000 items.
/// The fastest of several runs, in nanoseconds per item: what else the machine does only adds.
/// </summary>
internal static class Program
{
    private static void Main()
    {
        Console.WriteLine(RuntimeInformation.FrameworkDescription + ", cupel " + CupelLibrary.Version + ", ns per item");
        Console.WriteLine("{0,-52}{1,10}{2,10}", string.Empty, "1,000", "100,000");
        var sizes = new[] { Data.Make(1000), Data.Make(100000) };
        Report("build by item, one native call per field", sizes, data => Build(batch => data.Items.ForEach(batch.Append)));
        Report("build by list, one native call", sizes, data => Build(batch => batch.Append(data.Items)));
        Report("build by columns that the host has", sizes, data => Build(batch => batch.Append(data.Columns)));
        using (Clock clock = Clock.Fixed(Data.Now))
        using (Scorer kind = Scorer.Kind())
        using (Scorer composite = Scorer.Composite(
            (Scorer.Recency(), 0.4), (kind, 0.3), (Scorer.Frequency(), 0.2), (Scorer.MetadataTrust(), 0.1)))
        using (Scorer decay = Scorer.ExponentialDecay(TimeSpan.FromDays(1), clock))
        using (Scorer custom = Scorer.Custom((batch, scores) =>
        {
            for (int row = 0; row < scores.Length; row++)
            {
                scores[row] = row;
            }
        }))
        {
            Report("score by kind", sizes, data => Score(kind, data));
            Report("score by exponential decay", sizes, data => Score(decay, data));
            Report("score by recency, kind, frequency and trust", sizes, data => Score(composite, data));
            Report("score by a delegate that numbers the rows", sizes, data => Score(custom, data));
            Report("list in, scores of the composite out", sizes, data => composite.Score(data.Items));
            Report("read the items back", sizes, Read);
        }
    }

    private static void Report(string name, Data[] sizes, Action<Data> action)
    {
        Console.Write("{0,-52}", name);
        foreach (Data data in sizes)
        {
            Console.Write("{0,10}", Fastest(data, action).ToString("N1", CultureInfo.InvariantCulture));
        }

        Console.WriteLine();
    }

    private static double Fastest(Data data, Action<Data> action)
    {
        // Long enough for the JIT to have settled on its best code.
        var total = Stopwatch.StartNew();
        while (total.ElapsedMilliseconds < 300)
        {
            action(data);
        }

        int repetitions = Math.Max(1, 2000 / data.Items.Count);
        double fastest = double.PositiveInfinity;
        total.Restart();
        for (int run = 0; run < 5 || (run < 50 && total.ElapsedMilliseconds < 700); run++)
        {
            var watch = Stopwatch.StartNew();
            for (int i = 0; i < repetitions; i++)
            {
                action(data);
            }

            double elapsed = watch.ElapsedTicks * 1e9 / Stopwatch.Frequency;
            fastest = Math.Min(fastest, elapsed / repetitions / data.Items.Count);
        }

        return fastest;
    }

    private static void Build(Action<Batch> fill)
    {
        using (var batch = new Batch())
        {
            fill(batch);
        }
    }

    private static void Score(Scorer scorer, Data data)
    {
        scorer.Score(data.Batch, data.Scores);
    }

    private static void Read(Data data)
    {
        for (int row = 0; row < data.Scores.Length; row++)
        {
            data.Batch.ItemAt(row);
        }
    }

    /// <summary>
    /// Typical rows: 5 kinds, 0 to 3 of 50 tags, priorities 0 to 9, timestamps over a month, trust and one more metadata
    /// entry, no missing values.
    /// </summary>
    private sealed class Data
    {
        internal static readonly DateTimeOffset Now = new DateTimeOffset(2025, 2, 1, 0, 0, 0, TimeSpan.Zero);

        private Data()
        {
        }

        internal List<ContextItem> Items { get; } = new List<ContextItem>();

        internal ContextColumns Columns { get; private set; }

        internal Batch Batch { get; } = new Batch();

        internal double[] Scores { get; private set; }

        internal static Data Make(int count)
        {
            var data = new Data { Scores = new double[count] };
            var random = new Random(1);
            ContextKind[] kinds =
            {
                ContextKind.Message, ContextKind.Document, ContextKind.ToolOutput, ContextKind.Memory, ContextKind.SystemPrompt,
            };
            var kindNames = new List<string>();
            foreach (ContextKind kind in kinds)
            {
                kindNames.Add(kind.Value);
            }

            var tagNames = new List<string>();
            for (int i = 0; i < 50; i++)
            {
                tagNames.Add("tag-" + i);
            }

            var contents = new List<string>();
            var kindCodes = new uint[count];
            var tagCodes = new List<uint>();
            var keyCodes = new uint[count * 2];
            var teams = new List<string> { "not read", "team-0", "team-1", "team-2", "team-3" };
            var teamCodes = new uint[count * 2];
            var columns = new ContextColumns(count)
            {
                Tokens = new long[count],
                Priority = new long[count],
                Timestamp = new long[count],
                FutureRelevanceHint = new double[count],
                TagLists = new long[count + 1],
                MetadataLists = new long[count + 1],
                MetadataTypes = new byte[count * 2],
                MetadataNumbers = new double[count * 2],
            };
            for (int i = 0; i < count; i++)
            {
                int kind = random.Next(kinds.Length);
                int team = random.Next(4) + 1;
                var builder = new ContextItemBuilder("content of item " + i, random.Next(4000))
                {
                    Kind = kinds[kind],
                    Priority = random.Next(10),
                    Timestamp = Now.AddMilliseconds(-random.NextDouble() * 30 * 86400000),
                    FutureRelevanceHint = random.NextDouble(),
                    Metadata = { ["cupel:trust"] = random.NextDouble(), ["team"] = teams[team] },
                };
                for (int tag = random.Next(4); tag > 0; tag--)
                {
                    uint code = (uint)random.Next(50);
                    builder.Tags.Add(tagNames[(int)code]);
                    tagCodes.Add(code);
                }

                ContextItem item = builder.Build();
                data.Items.Add(item);
                contents.Add(item.Content);
                columns.Tokens[i] = item.Tokens;
                kindCodes[i] = (uint)kind;
                columns.Priority[i] = item.Priority.Value;
                columns.Timestamp[i] = item.TimestampNanoseconds.Value;
                columns.FutureRelevanceHint[i] = item.FutureRelevanceHint.Value;
                columns.TagLists[i + 1] = tagCodes.Count;
                columns.MetadataLists[i + 1] = (i + 1) * 2;
                columns.MetadataTypes[i * 2] = 1;
                columns.MetadataNumbers[i * 2] = (double)item.Metadata["cupel:trust"];
                keyCodes[(i * 2) + 1] = 1;
                teamCodes[(i * 2) + 1] = (uint)team;
            }

            columns.Content = TextColumn.FromStrings(contents);
            columns.Kind = TextColumn.FromStrings(kindNames, kindCodes);
            columns.Tags = TextColumn.FromStrings(tagNames, tagCodes.ToArray());
            columns.MetadataKeys = TextColumn.FromStrings(new[] { "cupel:trust", "team" }, keyCodes);
            columns.MetadataTexts = TextColumn.FromStrings(teams, teamCodes);
            data.Columns = columns;
            data.Batch.Append(columns);
            return data;
        }
    }
}
