// Keeps the rows of a conversation that are worth most, in 40 tokens.
using System;
using System.Globalization;
using Cupel.Native;

static class Keep
{
    static ContextItem Item(string content, int tokens, ContextKind kind, long second, bool pinned = false)
    {
        DateTimeOffset time = DateTimeOffset.FromUnixTimeSeconds(second);
        return new ContextItemBuilder(content, tokens) { Kind = kind, Timestamp = time, Pinned = pinned }.Build();
    }

    static void Main()
    {
        var items = new[]
        {
            Item("You are a careful engineer.", 8, ContextKind.SystemPrompt, 0, pinned: true),
            Item("Why does the build fail?", 7, ContextKind.Message, 60),
            Item("cc app.c -lcupel and 900 tokens more", 900, ContextKind.ToolOutput, 120),
            Item("The linker needs -L and the library's folder.", 12, ContextKind.Message, 180),
            Item("And at run time?", 6, ContextKind.Message, 240),
        };
        using (Scorer scorer = Scorer.Composite((Scorer.Recency(), 3), (Scorer.Kind(), 1)))
        using (var selector = new Selector(new SelectionPolicy { Scorer = scorer }))
        using (Selection kept = selector.Select(items, new SelectionRequest(40)))
        {
            foreach (int row in kept.Rows)
            {
                string score = kept.Scores[row].ToString("F3", CultureInfo.InvariantCulture);
                Console.WriteLine(score + "  " + items[row].Content);
            }
            Console.WriteLine(kept.KeptTokens + " of 40 tokens");
        }
    }
}
