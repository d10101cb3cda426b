using System;
using System.Collections.Generic;
using System.Diagnostics;
using System.Globalization;
using System.Runtime.InteropServices;
using Cupel.Native;

/// <summary>
/// What the boundary costs: building a batch by item, by list and by columns, scoring it, and reading it back, in nanoseconds
/// per item: the fastest of several runs, because what else the machine does only adds. With <c>report</c> it writes the lines
/// that the report of all benchmarks takes: name, median and fastest, with tabs between them.
/// </summary>
internal static class Program
{
    private const int Small = 20;
    private const int Medium = 10000;

    private static readonly string[] Headings = { "20", "1,000", "10,000", "100,000" };

    private static void Main(string[] arguments)
    {
        using (Clock clock = Clock.Fixed(Data.Now))
        using (Scorer kind = Scorer.Kind())
        using (Scorer priority = Scorer.Priority())
        using (Scorer composite = Scorer.Composite(
            (Scorer.Recency(), 0.4), (kind, 0.3), (Scorer.Frequency(), 0.2), (Scorer.MetadataTrust(), 0.1)))
        using (Scorer decay = Scorer.ExponentialDecay(TimeSpan.FromDays(1), clock))
        using (Scorer numbering = Scorer.Custom(NumberRows))
        using (Scorer byColumn = Scorer.Custom(PriorityByColumn))
        using (Scorer byItem = Scorer.Custom(PriorityByItem))
        {
            if (arguments.Length == 1 && arguments[0] == "report")
            {
                string runtime = Type.GetType("Mono.Runtime") != null ? "Mono" : ".NET";
                var small = Data.Make(Small);
                var medium = Data.Make(Medium);
                ReportLine(
                    runtime + ", 20 rows: make by columns, score by the composite, dispose; ns a batch",
                    small,
                    Small,
                    data => BuildAndScore(composite, data));
                ReportLine(
                    runtime + ", custom scorer that reads a field item by item, 10k; ns a row",
                    medium,
                    1,
                    data => Score(byItem, data));
                ReportLine(
                    runtime + ", custom scorer that reads a field by column, 10k; ns a row",
                    medium,
                    1,
                    data => Score(byColumn, data));
                ReportLine(runtime + ", priority, 10k; ns a row", medium, 1, data => Score(priority, data));
                return;
            }

            Console.WriteLine(RuntimeInformation.FrameworkDescription + ", cupel " + CupelLibrary.Version + ", ns per item");
            Console.Write("{0,-56}", string.Empty);
            foreach (string heading in Headings)
            {
                Console.Write("{0,10}", heading);
            }

            Console.WriteLine();
            var sizes = new[] { Data.Make(Small), Data.Make(1000), Data.Make(Medium), Data.Make(100000) };
            Report("build by item, one native call per field", sizes, data => Build(batch => data.Items.ForEach(batch.Append)));
            Report("build by list, one native call", sizes, data => Build(batch => batch.Append(data.Items)));
            Report("build by columns that the host has", sizes, data => Build(batch => batch.Append(data.Columns)));
            Report("build by columns, score by the composite, dispose", sizes, data => BuildAndScore(composite, data));
            Report("score by kind", sizes, data => Score(kind, data));
            Report("score by exponential decay", sizes, data => Score(decay, data));
            Report("score by recency, kind, frequency and trust", sizes, data => Score(composite, data));
            Report("the same in groups of 20", sizes, data => composite.ScoreGroups(data.Batch, data.Groups, data.Scores));
            Report("score by a delegate that numbers the rows", sizes, data => Score(numbering, data));
            Report("score by priority", sizes, data => Score(priority, data));
            Report("score by a delegate that reads priorities by column", sizes, data => Score(byColumn, data));
            Report("score by a delegate that reads priorities by item", sizes, data => Score(byItem, data));
            Report("list in, scores of the composite out", sizes, data => composite.Score(data.Items));
            Report("read the items back", sizes, Read);
            Report("read all columns back", sizes, data => data.Batch.ReadColumns((BatchColumns)2047));
            Report("write JSON Lines", sizes, data => data.Batch.ToUtf8Json());
        }
    }

    private static void NumberRows(Batch batch, double[] scores)
    {
        for (int row = 0; row < scores.Length; row++)
        {
            scores[row] = row;
        }
    }

    private static void PriorityByColumn(Batch batch, double[] scores)
    {
        var priorities = new long[1024];
        for (int first = 0; first < scores.Length; first += priorities.Length)
        {
            int rows = Math.Min(priorities.Length, scores.Length - first);
            batch.ReadPriority(first, rows, priorities);
            for (int i = 0; i < rows; i++)
            {
                scores[first + i] = 0.1 * priorities[i];
            }
        }
    }

    private static void PriorityByItem(Batch batch, double[] scores)
    {
        for (int row = 0; row < scores.Length; row++)
        {
            scores[row] = 0.1 * (batch.ItemAt(row).Priority ?? 0);
        }
    }

    private static void BuildAndScore(Scorer scorer, Data data)
    {
        using (var batch = new Batch())
        {
            batch.Append(data.Columns);
            scorer.Score(batch, data.Scores);
        }
    }

    private static void Report(string name, Data[] sizes, Action<Data> action)
    {
        Console.Write("{0,-56}", name);
        foreach (Data data in sizes)
        {
            Console.Write("{0,10}", Samples(data, action)[0].ToString("N1", CultureInfo.InvariantCulture));
        }

        Console.WriteLine();
    }

    private static void ReportLine(string name, Data data, int rows, Action<Data> action)
    {
        double[] samples = Samples(data, action);
        Console.WriteLine(string.Join(
            "\t",
            name,
            (samples[samples.Length / 2] * rows).ToString("R", CultureInfo.InvariantCulture),
            (samples[0] * rows).ToString("R", CultureInfo.InvariantCulture)));
    }

    /// <summary>Nanoseconds per item, the fastest first.</summary>
    private static double[] Samples(Data data, Action<Data> action)
    {
        // Long enough for the JIT to have settled on its best code.
        var total = Stopwatch.StartNew();
        while (total.ElapsedMilliseconds < 300)
        {
            action(data);
        }

        int repetitions = Math.Max(1, 2000 / data.Items.Count);
        var samples = new List<double>();
        total.Restart();
        for (int run = 0; run < 5 || (run < 50 && total.ElapsedMilliseconds < 700); run++)
        {
            var watch = Stopwatch.StartNew();
            for (int i = 0; i < repetitions; i++)
            {
                action(data);
            }

            double elapsed = watch.ElapsedTicks * 1e9 / Stopwatch.Frequency;
            samples.Add(elapsed / repetitions / data.Items.Count);
        }

        samples.Sort();
        return samples.ToArray();
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

        /// <summary>Offsets of groups of 20 rows.</summary>
        internal long[] Groups { get; private set; }

        internal static Data Make(int count)
        {
            var data = new Data { Scores = new double[count], Groups = new long[(count / Small) + 1] };
            for (int group = 0; group < data.Groups.Length; group++)
            {
                data.Groups[group] = group * (long)Small;
            }

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
