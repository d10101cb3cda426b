using System.Threading.Tasks;
using Cupel.Native;

/// <summary>
/// Each line that ends in a comment must not compile. Roslyn and mcs must both refuse it with CS0619, the rest must compile.
/// </summary>
internal static class AsyncCallback
{
    private static void Main()
    {
        Scorer.Custom((batch, scores) => { throw new System.NotSupportedException(); });
        Scorer.Custom((batch, scores) => { scores[0] = 1.0; });
        Scorer.Custom(Fill);
        Scorer.Custom(async (batch, scores) => { await Task.Delay(1); }); // refused
        Scorer.Custom(async (batch, scores) => await Task.Delay(1)); // refused
        Scorer.Custom((batch, scores) => Task.Delay(1)); // refused
        Scorer.Custom(FillLater); // refused
    }

    private static void Fill(Batch batch, double[] scores)
    {
    }

    private static Task FillLater(Batch batch, double[] scores)
    {
        return Task.Delay(1);
    }
}
