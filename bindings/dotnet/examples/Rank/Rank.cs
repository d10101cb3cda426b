using System;
using System.Globalization;
using System.IO;
using System.Linq;
using System.Text;
using Cupel.Native;

/// <summary>
/// Scores the items of a JSON file and prints the best of them, or those to keep under a token budget. The whole job is in
/// <see cref="Rank"/>: read a scorer, read the items into a batch, score or select in one call, print. Everything else is
/// options, files and columns.
/// </summary>
internal static class Program
{
    private const int KindWidth = 12;
    private const int ContentWidth = 72;
    private const int ReasonWidth = 16;
    private const int ContentWidthBesideReason = 56;
    private const int BarWidth = 40;

    private const string Help =
        "usage: rank [-k N] [--budget N] [--json] [--now TIME] SCORER [ITEMS]\n"
        + "\n"
        + "Scores every item of ITEMS with SCORER and prints the best of them, or those to\n"
        + "keep under a budget. Pinned items are always among them.\n"
        + "\n"
        + "  SCORER      a JSON file that describes the scorer; - is standard input\n"
        + "  ITEMS       a JSON array of items, or JSON Lines; - (the default) is standard\n"
        + "              input\n"
        + "\n"
        + "  -k N        how many items the table shows, best first (default 10); with a\n"
        + "              budget, how many of those that were dropped\n"
        + "  --budget N  show which items to keep in N tokens, in input order, and why the\n"
        + "              others were dropped\n"
        + "  --json      print every item's row and score, and with a budget the reason why it\n"
        + "              was kept or dropped, as JSON Lines in input order\n"
        + "  --now TIME  the instant that ages are measured from, as RFC 3339 or in Unix\n"
        + "              nanoseconds (default: the system's clock)\n"
        + "  -h, --help  print this text\n";

    private static int Main(string[] arguments)
    {
        using (var output = new StreamWriter(Console.OpenStandardOutput(), new UTF8Encoding(false)))
        {
            try
            {
                Options options = Options.Parse(arguments);
                if (options == null)
                {
                    output.Write(Help);
                }
                else
                {
                    Rank(options, output);
                }

                return 0;
            }
            catch (Exception exception) when (exception is CupelException || exception is ArgumentException || exception is IOException)
            {
                output.Flush();
                Console.Error.WriteLine("rank: " + exception.Message);
                return 1;
            }
        }
    }

    private static void Rank(Options options, TextWriter output)
    {
        // One instant for the decay scorers and for the column of ages.
        using (Clock clock = Clock.FixedNanoseconds(options.Now))
        using (Scorer scorer = Scorer.FromJson(Encoding.UTF8.GetString(Read(options.ScorerPath)), clock))
        using (var batch = new Batch())
        {
            batch.AppendJson(Read(options.ItemsPath));
            if (options.Budget > 0)
            {
                Selection kept = Choose(batch, scorer, options.Budget);
                if (options.Json)
                {
                    PrintJson(kept, output);
                }
                else
                {
                    PrintChoice(batch, kept, options, output);
                }
            }
            else if (options.Json)
            {
                PrintJson(scorer.Score(batch), output);
            }
            else
            {
                PrintBest(batch, scorer, options, output);
            }
        }
    }

    /// <summary>Keeps the best rows that fit, a tool call with its results, in the order of the batch.</summary>
    private static Selection Choose(Batch batch, Scorer scorer, long budget)
    {
        var policy = new SelectionPolicy
        {
            Scorer = scorer,
            Slicer = Slicer.Ranked,
            Placer = Placer.BatchOrder,
            PinnedFirst = true,
            GroupKey = "cupel:group",
        };
        using (var selector = new Selector(policy))
        {
            return selector.Select(batch, new SelectionRequest(budget));
        }
    }

    private static byte[] Read(string path)
    {
        if (path != "-")
        {
            return File.ReadAllBytes(path);
        }

        using (Stream input = Console.OpenStandardInput())
        using (var bytes = new MemoryStream())
        {
            input.CopyTo(bytes);
            return bytes.ToArray();
        }
    }

    private static void PrintJson(double[] scores, TextWriter output)
    {
        for (int row = 0; row < scores.Length; row++)
        {
            output.Write("{\"row\":" + row + ",\"score\":" + Json(scores[row]) + "}\n");
        }
    }

    private static void PrintJson(Selection kept, TextWriter output)
    {
        for (int row = 0; row < kept.Scores.Count; row++)
        {
            output.Write(
                "{\"row\":" + row + ",\"score\":" + Json(kept.Scores[row]) + ",\"kept\":" + (kept.IsKept(row) ? "true" : "false")
                + ",\"reason\":\"" + Words(kept.Reasons[row]) + "\"}\n");
        }
    }

    private static string Json(double score)
    {
        // JSON has no infinity.
        bool finite = !double.IsNaN(score) && !double.IsInfinity(score);
        return finite ? score.ToString("R", CultureInfo.InvariantCulture) : "null";
    }

    private static void PrintBest(Batch batch, Scorer scorer, Options options, TextWriter output)
    {
        var policy = new SelectionPolicy
        {
            Scorer = scorer,
            Slicer = Slicer.Ranked,
            Placer = Placer.Ranked,
            KeepDuplicates = true,
        };
        using (var selector = new Selector(policy))
        {
            Selection best = selector.Select(batch, new SelectionRequest(long.MaxValue) { MaxRows = options.Best });
            output.Write("rank     score   tokens  " + "kind".PadRight(KindWidth) + "    age  content\n");
            for (int i = 0; i < best.Rows.Count; i++)
            {
                PrintRow(best.Items[i], i + 1, best.Scores[best.Rows[i]], null, options, output);
            }

            output.Write(best.Rows.Count + " of " + batch.Count + " items\n");
        }
    }

    private static void PrintChoice(Batch batch, Selection kept, Options options, TextWriter output)
    {
        output.Write("kept, in the order of the prompt\n");
        output.Write(" row     score   tokens  " + "kind".PadRight(KindWidth) + "    age  " + "why".PadRight(ReasonWidth) + "  content\n");
        for (int i = 0; i < kept.Rows.Count; i++)
        {
            int row = kept.Rows[i];
            PrintRow(kept.Items[i], row, kept.Scores[row], Words(kept.Reasons[row]), options, output);
        }

        if (kept.Dropped.Count > 0)
        {
            output.Write("\ndropped, best first\n");
        }

        foreach (DroppedItem dropped in kept.Dropped.Take(options.Best))
        {
            bool duplicate = dropped.Reason == SelectionReason.Duplicate;
            string reason = duplicate ? "same as " + dropped.Cause : Words(dropped.Reason);
            PrintRow(dropped.Item, dropped.Row, dropped.Score, reason, options, output);
        }

        if (kept.Dropped.Count > options.Best)
        {
            output.Write("and " + (kept.Dropped.Count - options.Best) + " more\n");
        }

        string bar = new string('=', Cells(kept.PinnedTokens, options.Budget))
            + new string('#', Cells(kept.KeptTokens - kept.PinnedTokens, options.Budget));
        output.Write(
            "\n[" + bar.PadRight(BarWidth, '.').Substring(0, BarWidth) + "]  " + kept.KeptTokens + " of " + options.Budget
            + " tokens, " + kept.PinnedTokens + " of them pinned (=)\n");
        output.Write(kept.Rows.Count + " of " + batch.Count + " items\n");
    }

    private static int Cells(long tokens, long budget)
    {
        double part = (double)tokens / budget * BarWidth;
        return tokens == 0 ? 0 : part < 1 ? 1 : (int)part;
    }

    /// <summary>The name of a reason as words: "budget", "negative tokens".</summary>
    private static string Words(SelectionReason reason)
    {
        var words = new StringBuilder();
        foreach (char letter in reason.ToString())
        {
            words.Append(char.IsUpper(letter) && words.Length > 0 ? " " : string.Empty).Append(char.ToLowerInvariant(letter));
        }

        return words.ToString();
    }

    private static void PrintRow(
        ContextItem item, int number, double score, string reason, Options options, TextWriter output)
    {
        output.Write(string.Format(
            CultureInfo.InvariantCulture,
            "{0,4}  {1,8:F6}  {2,7}  {3}  {4,5}  {5}{6}\n",
            number,
            score,
            item.Tokens,
            OneLine(item.Kind.Value, KindWidth).PadRight(KindWidth),
            Age(options.Now, item.TimestampNanoseconds),
            reason == null ? string.Empty : reason.PadRight(ReasonWidth) + "  ",
            OneLine(item.Content, reason == null ? ContentWidth : ContentWidthBesideReason)));
    }

    private static string Age(long now, long? timestamp)
    {
        if (!timestamp.HasValue)
        {
            return "-";
        }

        decimal seconds = decimal.Truncate(((decimal)now - timestamp.Value) / 1000000000m);
        string sign = seconds < 0 ? "-" : string.Empty;
        seconds = Math.Abs(seconds);
        decimal days = 86400m;
        string age = seconds < 60 ? seconds + "s"
            : seconds < 3600 ? decimal.Truncate(seconds / 60) + "m"
            : seconds < days ? decimal.Truncate(seconds / 3600) + "h"
            : seconds < 730 * days ? decimal.Truncate(seconds / days) + "d"
            : decimal.Truncate(seconds / (365 * days)) + "y";
        return sign + age;
    }

    /// <summary>Text on one line of at most <paramref name="width"/> characters, runs of spaces shown as one.</summary>
    private static string OneLine(string text, int width)
    {
        // A character that C# holds in two halves counts as one.
        var line = new StringBuilder();
        int characters = 0;
        int beforeDots = 0;
        bool space = false;
        for (int at = 0; at < text.Length;)
        {
            int length = char.IsSurrogatePair(text, at) ? 2 : 1;
            if (length == 1 && ShowsAsSpace(text[at]))
            {
                space = characters > 0;
                at++;
                continue;
            }

            if (characters + (space ? 2 : 1) > width)
            {
                return line.ToString(0, beforeDots) + "...";
            }

            if (space)
            {
                line.Append(' ');
                characters++;
                space = false;
            }

            line.Append(text, at, length);
            at += length;
            characters++;
            beforeDots = characters + 3 <= width ? line.Length : beforeDots;
        }

        return line.ToString();
    }

    /// <summary>White space, and what would move the cursor, start an escape sequence or turn the line around.</summary>
    private static bool ShowsAsSpace(char c)
    {
        return c <= 0x20 || (c >= 0x7F && c <= 0xA0) || (c >= 0x2028 && c <= 0x202E) || (c >= 0x2066 && c <= 0x2069);
    }

    private sealed class Options
    {
        internal string ScorerPath { get; private set; }

        internal string ItemsPath { get; private set; }

        internal int Best { get; private set; } = 10;

        /// <summary>0 for none.</summary>
        internal long Budget { get; private set; }

        internal bool Json { get; private set; }

        internal long Now { get; private set; } = Nanoseconds(DateTimeOffset.UtcNow);

        /// <returns>The options, or null where help was asked for.</returns>
        internal static Options Parse(string[] arguments)
        {
            var options = new Options();
            for (int i = 0; i < arguments.Length; i++)
            {
                string argument = arguments[i];
                switch (argument)
                {
                    case "-h":
                    case "--help":
                        return null;
                    case "--json":
                        options.Json = true;
                        break;
                    case "-k":
                    case "--budget":
                    case "--now":
                        i++;
                        if (i == arguments.Length)
                        {
                            throw new ArgumentException(argument + " takes a value (see rank --help)");
                        }

                        options.Set(argument, arguments[i]);
                        break;
                    default:
                        options.AddPath(argument);
                        break;
                }
            }

            if (options.ScorerPath == null)
            {
                throw new ArgumentException("no scorer given (see rank --help)");
            }

            options.ItemsPath = options.ItemsPath ?? "-";
            if (options.ScorerPath == "-" && options.ItemsPath == "-")
            {
                throw new ArgumentException("the scorer and the items cannot both come from standard input");
            }

            return options;
        }

        private static long Nanoseconds(DateTimeOffset instant)
        {
            // An item has both forms of its timestamp.
            return new ContextItemBuilder("now", 0) { Timestamp = instant }.Build().TimestampNanoseconds.Value;
        }

        private void Set(string option, string value)
        {
            int best;
            long budget;
            long nanoseconds;
            DateTimeOffset instant;
            CultureInfo culture = CultureInfo.InvariantCulture;
            if (option == "-k")
            {
                if (!int.TryParse(value, NumberStyles.None, culture, out best) || best == 0)
                {
                    throw new ArgumentException("-k takes a whole number of 1 or more, not \"" + value + "\"");
                }

                Best = best;
            }
            else if (option == "--budget")
            {
                if (!long.TryParse(value, NumberStyles.None, culture, out budget) || budget == 0)
                {
                    throw new ArgumentException("--budget takes a whole number of 1 or more, not \"" + value + "\"");
                }

                Budget = budget;
            }
            else if (long.TryParse(value, NumberStyles.AllowLeadingSign, culture, out nanoseconds))
            {
                Now = nanoseconds;
            }
            else if (DateTimeOffset.TryParse(value, culture, DateTimeStyles.AssumeUniversal, out instant))
            {
                Now = Nanoseconds(instant);
            }
            else
            {
                throw new ArgumentException(
                    "--now takes an instant such as 2026-03-14T15:09:26Z, or Unix nanoseconds, not \"" + value + "\"");
            }
        }

        private void AddPath(string path)
        {
            if (path.StartsWith("-", StringComparison.Ordinal) && path != "-")
            {
                throw new ArgumentException("unknown option \"" + path + "\" (see rank --help)");
            }

            if (ScorerPath == null)
            {
                ScorerPath = path;
            }
            else if (ItemsPath == null)
            {
                ItemsPath = path;
            }
            else
            {
                throw new ArgumentException("unexpected argument \"" + path + "\" (see rank --help)");
            }
        }
    }
}
