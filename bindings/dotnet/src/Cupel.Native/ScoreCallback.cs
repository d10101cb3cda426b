namespace Cupel.Native
{
    /// <summary>
    /// Scores all rows of a batch. It may be called by several threads at once. An exception fails the scoring call and
    /// reaches its caller.
    /// </summary>
    /// <param name="batch">
    /// The rows. It can be read, and scored by other scorers, until the callback returns; it cannot be changed.
    /// </param>
    /// <param name="scores">To be filled: one score per row, 0.0 at first.</param>
    public delegate void ScoreCallback(Batch batch, double[] scores);
}
