using System;
using System.Collections.Generic;
using System.Globalization;
using System.Text.RegularExpressions;

namespace Cupel.Native.Tests
{
    /// <summary>
    /// Runs the vectors that every language runs. Each goes through every way in: items one by one, items as a list, columns,
    /// and a list that is scored without a batch.
    /// </summary>
    internal static class Conformance
    {
        private delegate void Fill(Batch batch, Table vector);

        internal static int Run(string file, Action<string, Action> run)
        {
            if (string.IsNullOrEmpty(file))
            {
                run("Conformance", () => throw new Exception("CUPEL_VECTORS names no file of vectors"));
                return 0;
            }

            int count = 0;
            foreach (object entry in (List<object>)VectorReader.Read(file))
            {
                string path = ((Table)entry).Text("path");
                Table vector = ((Table)entry).Child("vector");
                string stage = vector.Child("test") == null ? null : vector.Child("test").Text("stage");
                if (stage == "scoring")
                {
                    run(path, () => Run(vector));
                }
                else if (VectorSelection.Runs(stage))
                {
                    run(path, () => VectorSelection.Run(vector));
                }
                else
                {
                    Console.WriteLine("not a vector that is known here, skipped: " + path);
                    continue;
                }

                count++;
            }

            if (count == 0)
            {
                run("Conformance", () => throw new Exception("no vector ran"));
            }

            return count;
        }

        private static void Run(Table vector)
        {
            Table test = vector.Child("test");
            if (test.Flag("expect_construction_error"))
            {
                Refused(vector, () => VectorScorer.Make(vector));
            }
            else if (test.Flag("expect_item_error"))
            {
                Refused(vector, () => VectorItems.Items(vector));
                RefusedAsColumns(vector);
            }
            else
            {
                foreach (Fill fill in Ways())
                {
                    using (Scorer scorer = VectorScorer.Make(vector))
                    using (var batch = new Batch())
                    {
                        fill(batch, vector);
                        Score(vector, scorer, batch);
                    }
                }

                ScoreWithoutBatch(vector);
            }
        }

        private static IEnumerable<Fill> Ways()
        {
            yield return (batch, vector) => batch.Append(VectorItems.Items(vector));
            yield return (batch, vector) => batch.Append(VectorItems.Columns(vector));
            yield return (batch, vector) =>
            {
                foreach (ContextItem item in VectorItems.Items(vector))
                {
                    batch.Append(item);
                }
            };
        }

        private static void Score(Table vector, Scorer scorer, Batch batch)
        {
            if (vector.Child("test").Flag("expect_scoring_error"))
            {
                Refused(vector, () => scorer.Score(batch));
                return;
            }

            double[] scores = scorer.Score(batch);
            int[] rows = CheckScores(vector, scores);
            List<Table> expected = vector.Tables("expected");
            for (int i = 0; i < rows.Length; i++)
            {
                VectorItems.CheckFields(expected[i], batch.ItemAt(rows[i]));
            }

            if (VectorScorer.StandsStill(vector))
            {
                var again = new double[scores.Length];
                scorer.Score(batch, again);
                Check.Same(scores, again);
                for (int row = 0; row < scores.Length; row++)
                {
                    Check.Same(scores[row], scorer.ScoreRow(batch, row), "row " + row + " on its own");
                }
            }
        }

        private static void ScoreWithoutBatch(Table vector)
        {
            using (Scorer scorer = VectorScorer.Make(vector))
            {
                if (vector.Child("test").Flag("expect_scoring_error"))
                {
                    Refused(vector, () => scorer.Score(VectorItems.Items(vector)));
                }
                else
                {
                    CheckScores(vector, scorer.Score(VectorItems.Items(vector)));
                }
            }
        }

        /// <summary>Compares, and gives for each expectation the row that it means.</summary>
        private static int[] CheckScores(Table vector, double[] scores)
        {
            List<Table> items = vector.Tables("items");
            List<Table> expected = vector.Tables("expected");
            Check.Equal(items.Count, scores.Length, "number of scores");
            Check.Equal(items.Count, expected.Count, "number of expectations");
            var rows = new int[expected.Count];
            var taken = new bool[items.Count];
            for (int i = 0; i < rows.Length; i++)
            {
                string content = expected[i].Text("content");
                int row = 0;
                while (row < items.Count && (taken[row] || items[row].Text("content") != content))
                {
                    row++;
                }

                Check.True(row < items.Count, "no row has the content " + content);
                taken[row] = true;
                rows[i] = row;
                CheckScore(vector.Child("tolerance") ?? new Table(), expected[i], scores[row]);
            }

            return rows;
        }

        private static void CheckScore(Table tolerance, Table expected, double score)
        {
            string content = expected.Text("content");
            Check.True(expected.Has("score_bits") || expected.Has("score_approx"), "no expected score: " + content);
            if (expected.Has("score_bits"))
            {
                string bits = BitConverter.DoubleToInt64Bits(score).ToString("x16", CultureInfo.InvariantCulture);
                Check.Equal(expected.Text("score_bits").ToLowerInvariant(), "0x" + bits, content);
            }

            if (!expected.Has("score_approx"))
            {
                return;
            }

            double wanted = expected.Number("score_approx");
            if (tolerance.Flag("exact"))
            {
                Check.Same(wanted, score, content);
            }
            else if (tolerance.Has("score_ulps"))
            {
                long distance = Math.Abs(Order(wanted) - Order(score));
                Check.True(distance <= tolerance.Integer("score_ulps"), content + ": " + distance + " doubles away");
            }
            else
            {
                double epsilon = tolerance.Number("score_epsilon", tolerance.Number("epsilon", 1e-9));
                Check.True(
                    wanted.Equals(score) || Math.Abs(wanted - score) < epsilon,
                    content + ": expected " + wanted.ToString("R") + ", got " + score.ToString("R"));
            }
        }

        /// <summary>The doubles in ascending order, as integers.</summary>
        private static long Order(double value)
        {
            long bits = BitConverter.DoubleToInt64Bits(value);
            return bits < 0 ? long.MinValue - bits : bits;
        }

        private static void Refused(Table vector, Action action)
        {
            Exception thrown = null;
            try
            {
                action();
            }
            catch (Exception exception)
            {
                thrown = exception;
            }

            Check.True(thrown != null, "nothing was refused");
            Table error = vector.Child("error") ?? new Table();
            string status = error.Text("status");
            if (status == "CALLBACK_FAILED")
            {
                // What the callback threw arrives itself, in place of a message about it.
                Check.Equal(typeof(CallbackFailure), thrown.GetType(), "type of the exception");
            }
            else if (status == null)
            {
                Check.True(thrown is ArgumentException, "unexpected: " + thrown);
            }
            else
            {
                Check.True(Array.IndexOf(ExpectedTypes(status), thrown.GetType()) >= 0, status + " came as " + thrown);
            }

            CheckMessage(error, thrown.Message, status, vector.Child("test").Text("scorer") == "composite");
        }

        private static void RefusedAsColumns(Table vector)
        {
            using (var batch = new Batch())
            {
                ContextColumns columns = VectorItems.Columns(vector);
                Check.Throws<ArgumentException>(() => batch.Append(columns));
                Check.Equal(0, batch.Count, "rows after a failure");
            }
        }

        private static Type[] ExpectedTypes(string status)
        {
            switch (status)
            {
                case "INVALID_ARGUMENT":
                    return new[] { typeof(ArgumentException), typeof(ArgumentOutOfRangeException) };
                case "EMPTY_CONTENT":
                case "EMPTY_KIND":
                case "EMPTY_SOURCE":
                case "INVALID_UTF8":
                case "LENGTH_MISMATCH":
                    return new[] { typeof(ArgumentException) };
                case "OUT_OF_RANGE":
                    return new[] { typeof(ArgumentOutOfRangeException) };
                case "BUSY":
                    return new[] { typeof(InvalidOperationException) };
                default:
                    return new[] { typeof(CupelException) };
            }
        }

        /// <summary>The .NET name of an argument of the C functions, which the vectors name.</summary>
        private static string Parameter(string argument, bool ofComposite)
        {
            switch (argument)
            {
                case "default_score":
                    return "defaultScore";
                case "null_timestamp_score":
                    return "nullTimestampScore";
                case "half_life_nanoseconds":
                    return "halfLife";
                case "max_age_nanoseconds":
                    return "maxAge";
                case "steps_len":
                    return "steps";
                case "children_len":
                    return "children";
                case "weights":
                    return ofComposite ? "children" : argument;
                default:
                    return argument;
            }
        }

        private static void CheckMessage(Table error, string message, string status, bool ofComposite)
        {
            string argument = Parameter(error.Text("argument"), ofComposite);
            if (argument != null)
            {
                // A blank kind or source is refused before it can stand in a list of weights.
                bool early = status == "EMPTY_KIND";
                Check.True(
                    HasWord(message, argument) || (early && HasWord(message, "kind")),
                    "the message names no " + argument + ": " + message);
                if (error.Has("position") && !early)
                {
                    string position = error.Integer("position").ToString(CultureInfo.InvariantCulture);
                    Check.True(HasWord(message, position), "the message gives no position " + position + ": " + message);
                }
            }

            object value = error["value"];
            if (value is string)
            {
                Check.True(message.Contains((string)value), "the message lacks " + value + ": " + message);
            }
            else if (value != null && status != "CALLBACK_FAILED")
            {
                Check.True(HasNumber(message, Table.ToNumber(value)), "the message gives no " + value + ": " + message);
            }

            foreach (object text in error.List("message_contains"))
            {
                Check.True(message.Contains((string)text), "the message lacks " + text + ": " + message);
            }
        }

        private static bool HasWord(string message, string word)
        {
            return Regex.IsMatch(message, @"(?<![A-Za-z0-9_])" + Regex.Escape(word) + @"(?![A-Za-z0-9_])");
        }

        private static bool HasNumber(string message, double number)
        {
            foreach (Match match in Regex.Matches(message, @"[-+]?(?:NaN|inf\w*|\d+(?:\.\d+)?(?:[eE][-+]?\d+)?)"))
            {
                string word = match.Value;
                double read;
                if (word == "NaN")
                {
                    read = double.NaN;
                }
                else if (word.Contains("inf"))
                {
                    read = word[0] == '-' ? double.NegativeInfinity : double.PositiveInfinity;
                }
                else
                {
                    read = double.Parse(word, NumberStyles.Float, CultureInfo.InvariantCulture);
                }

                if (read.Equals(number))
                {
                    return true;
                }
            }

            return false;
        }
    }
}
