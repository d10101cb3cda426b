using System;
using System.Collections.Generic;
using Cupel.Native;

/// <summary>
/// A chat that outgrows its window. Every turn adds a question and an answer, every third one a tool call with its results,
/// which go together or not at all. The prompt of each turn is selected twice: afresh, and with the previous selection, so
/// that the front of the prompt stays as it was and a prompt cache is of use. The table compares how many tokens at the
/// front of the prompt are those of the turn before.
/// </summary>
internal static class Program
{
    private const int Turns = 24;

    private static void Main()
    {
        var request = new SelectionRequest(2000) { TargetTokens = 1200, OutputReserve = 200 };
        using (Scorer recency = Scorer.Recency())
        using (var chat = new Selector(new SelectionPolicy
        {
            Scorer = recency,
            Slicer = Slicer.Prefix,         // the unbroken end of the chat
            Placer = Placer.BatchOrder,
            GroupKey = "cupel:group",       // a tool call and its results
            KeepDuplicates = true,          // "yes" twice is not a duplicate
            PinnedFirst = true,             // the instructions
        }))
        using (var batch = new Batch())
        {
            batch.Append(new ContextItemBuilder("You are a patient build engineer.", 100)
            {
                Kind = ContextKind.SystemPrompt,
                Pinned = true,
            }.Build());

            Selection stable = null;
            var stablePrompt = new List<int>();
            var freshPrompt = new List<int>();
            long stableTotal = 0;
            long freshTotal = 0;
            long selectedTotal = 0;
            Console.WriteLine("turn  rows  tokens  same front: previous  afresh  of the window");
            for (int turn = 1; turn <= Turns; turn++)
            {
                AddTurn(batch, turn);
                Selection fresh = chat.Select(batch, request);
                request.Previous = stable;
                stable = chat.Select(batch, request);
                request.Previous = null;

                long stableFront = SameFront(batch, stablePrompt, stable.Rows);
                long freshFront = SameFront(batch, freshPrompt, fresh.Rows);
                stablePrompt = new List<int>(stable.Rows);
                freshPrompt = new List<int>(fresh.Rows);
                stableTotal += stableFront;
                freshTotal += freshFront;
                selectedTotal += stable.KeptTokens;
                Console.WriteLine(
                    "{0,4}  {1,4}  {2,6}  {3,20}  {4,6}  {5}",
                    turn,
                    stable.Rows.Count,
                    stable.KeptTokens,
                    stableFront,
                    freshFront,
                    Bar(stable.KeptTokens, request.MaxTokens - request.OutputReserve));
            }

            Console.WriteLine();
            Console.WriteLine(
                "Of {0} tokens sent in {1} turns, {2} were a front that a cache already had; selecting afresh, {3} would have been.",
                selectedTotal,
                Turns,
                stableTotal,
                freshTotal);
            Console.WriteLine();
            Console.WriteLine("Dropped in the last turn, best first:");
            for (int i = 0; i < Math.Min(5, stable.Dropped.Count); i++)
            {
                DroppedItem dropped = stable.Dropped[i];
                Console.WriteLine("  {0,-44}  {1}", dropped.Item.Content, dropped.Reason);
            }
        }
    }

    private static void AddTurn(Batch batch, int turn)
    {
        DateTimeOffset time = new DateTimeOffset(2026, 1, 1, 9, 0, 0, TimeSpan.Zero).AddMinutes(turn);
        Add(batch, "question " + turn, 40, time, ContextKind.Message, null);
        if (turn % 3 == 0)
        {
            string group = "call-" + turn;
            Add(batch, "call " + turn + ": grep and list", 20, time.AddSeconds(1), ContextKind.Message, group);
            Add(batch, "result " + turn + " of grep", 160, time.AddSeconds(2), ContextKind.ToolOutput, group);
            Add(batch, "result " + turn + " of list", 80, time.AddSeconds(3), ContextKind.ToolOutput, group);
        }

        Add(batch, "answer " + turn, 60, time.AddSeconds(4), ContextKind.Message, null);
    }

    private static void Add(Batch batch, string content, long tokens, DateTimeOffset time, ContextKind kind, string group)
    {
        var builder = new ContextItemBuilder(content, tokens) { Kind = kind, Timestamp = time };
        if (group != null)
        {
            builder.Metadata["cupel:group"] = group;
        }

        batch.Append(builder.Build());
    }

    /// <summary>The tokens of the rows with which both prompts begin.</summary>
    private static long SameFront(Batch batch, IReadOnlyList<int> before, IReadOnlyList<int> now)
    {
        long tokens = 0;
        for (int i = 0; i < Math.Min(before.Count, now.Count) && before[i] == now[i]; i++)
        {
            tokens += batch.ItemAt(now[i]).Tokens;
        }

        return tokens;
    }

    private static string Bar(long part, long whole)
    {
        int filled = (int)(part * 30 / whole);
        return "[" + new string('#', filled) + new string('.', 30 - filled) + "]";
    }
}
