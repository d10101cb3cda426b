using System;
using System.Collections.Generic;
using System.Linq;

namespace Cupel.Native.Tests
{
    /// <summary>Runs the vectors of the stages after scoring.</summary>
    internal static class VectorSelection
    {
        // The reasons of the managed library.
        private static readonly Dictionary<string, SelectionReason> Reasons = new Dictionary<string, SelectionReason>
        {
            ["Scored"] = SelectionReason.Scored,
            ["Pinned"] = SelectionReason.Pinned,
            ["ZeroToken"] = SelectionReason.ZeroTokens,
            ["BudgetExceeded"] = SelectionReason.Budget,
            ["Deduplicated"] = SelectionReason.Duplicate,
            ["NegativeTokens"] = SelectionReason.NegativeTokens,
            ["PinnedOverride"] = SelectionReason.PinnedOverride,
        };

        internal static bool Runs(string stage)
        {
            return stage == "slicing" || stage == "placing" || stage == "pipeline";
        }

        internal static void Run(Table vector)
        {
            switch (vector.Child("test").Text("stage"))
            {
                case "slicing":
                    Slicing(vector);
                    break;
                case "placing":
                    Placing(vector);
                    break;
                default:
                    Pipeline(vector);
                    break;
            }
        }

        private static void Slicing(Table vector)
        {
            string slicer = vector.Child("test").Text("slicer");
            SelectionPolicy policy = Policy(vector.Child("config") ?? new Table());
            if (slicer == "count_constrained_knapsack")
            {
                policy.Slicer = Slicer.Knapsack;
            }
            else if (slicer != "quota" && slicer != "count_quota")
            {
                policy.Slicer = Named<Slicer>(slicer);
            }

            policy.KeepDuplicates = true;
            policy.Overflow = Overflow.Proceed;
            long target = vector.Child("budget").Integer("target_tokens");
            Selection kept = Select(policy, vector.Tables("scored_items"), new SelectionRequest(long.MaxValue) { TargetTokens = target });
            Table expected = vector.Child("expected");
            Check.Equal(Sorted(expected.List("selected_contents")), Sorted(kept.Items.Select(item => item.Content)), "selected");
            Check.Equal(expected.Integer("shortfall_count", kept.Shortfalls.Count), kept.Shortfalls.Count, "shortfalls");
            long capped = kept.Reasons.Count(reason => reason == SelectionReason.CountCap);
            Check.Equal(expected.Integer("cap_excluded_count", capped), capped, "dropped by a cap");
        }

        private static void Placing(Table vector)
        {
            var policy = new SelectionPolicy
            {
                Slicer = Slicer.Ranked,
                Placer = Named<Placer>(vector.Child("test").Text("placer")),
                KeepDuplicates = true,
            };
            Selection kept = Select(policy, vector.Tables("items"), new SelectionRequest(long.MaxValue));
            Check.Equal(Joined(vector.Child("expected").List("ordered_contents")), Joined(Contents(kept)), "order");
        }

        private static Selection Select(SelectionPolicy policy, List<Table> rows, SelectionRequest request)
        {
            var items = new Table();
            items.Add("items", rows.ConvertAll(row => (object)row));
            request.Scores = rows.Select(row => row.Number("score")).ToArray();
            using (var selector = new Selector(policy))
            {
                return selector.Select(VectorItems.Items(items), request);
            }
        }

        private static void Pipeline(Table vector)
        {
            Table config = vector.Child("config") ?? new Table();
            Table budget = vector.Child("budget");
            List<ContextItem> items = VectorItems.Items(vector);
            var request = new SelectionRequest(budget.Integer("max_tokens"))
            {
                TargetTokens = budget.Integer("target_tokens"),
                OutputReserve = budget.Integer("output_reserve"),
                ReservedTokens = budget.Integer("reserved_tokens"),
                SafetyMarginPercent = budget.Number("safety_margin_percent"),
                MaxRows = (int)budget.Integer("max_rows"),
                Scores = vector.Has("scores") ? vector.List("scores").Select(Table.ToNumber).ToArray() : null,
            };
            Action<Action<Selection>> select = check =>
            {
                SelectionPolicy policy = Policy(config);
                using (Scorer scorer = config.Has("scorers") ? VectorScorer.MakeComposite(vector) : null)
                {
                    policy.Scorer = scorer;
                    using (var selector = new Selector(policy))
                    using (var batch = new Batch())
                    {
                        batch.Append(items);
                        check(selector.Select(items, request));
                        check(selector.Select(batch, request));
                    }
                }
            };
            if (vector.Child("error") != null)
            {
                Refused(vector.Child("error"), () => select(kept => { }));
            }
            else
            {
                select(kept => CheckSelection(vector, items, kept));
            }
        }

        private static void CheckSelection(Table vector, List<ContextItem> items, Selection kept)
        {
            Check.Equal(Joined(vector.Tables("expected_output").Select(row => row.Text("content"))), Joined(Contents(kept)), "output");
            Table expected = vector.Child("expected") ?? new Table();
            if (expected.Has("reasons"))
            {
                IEnumerable<string> names = expected.List("reasons").Select(name => Named<SelectionReason>((string)name).ToString());
                Check.Equal(Joined(names), Joined(kept.Reasons.Select(reason => reason.ToString())), "reasons");
            }

            foreach (KeyValuePair<string, long> sum in new Dictionary<string, long>
            {
                ["kept_tokens"] = kept.KeptTokens,
                ["pinned_tokens"] = kept.PinnedTokens,
                ["considered_tokens"] = kept.ConsideredTokens,
                ["effective_target"] = kept.EffectiveTarget,
                ["available_tokens"] = kept.AvailableTokens,
                ["overflow_tokens"] = kept.OverflowTokens,
                ["shortfall_count"] = kept.Shortfalls.Count,
            })
            {
                Check.Equal(expected.Integer(sum.Key, sum.Value), sum.Value, sum.Key);
            }

            List<object> causes = expected.List("causes");
            for (int row = 0; row < causes.Count; row++)
            {
                DroppedItem dropped = kept.Dropped.SingleOrDefault(one => one.Row == row);
                long cause = dropped == null ? -1 : dropped.Cause ?? -1;
                Check.Equal((long)causes[row], cause, "cause of row " + row);
            }

            Table report = expected.Child("diagnostics") ?? new Table();
            Table summary = report.Child("summary") ?? new Table();
            Check.Equal(summary.Integer("total_candidates", items.Count), kept.Reasons.Count, "candidates");
            Check.Equal(summary.Integer("total_tokens_considered", kept.ConsideredTokens), kept.ConsideredTokens, "considered");
            foreach (Table entry in report.Tables("included").Concat(report.Tables("excluded")))
            {
                CheckEntry(entry, items, kept);
            }
        }

        private static void CheckEntry(Table entry, List<ContextItem> items, Selection kept)
        {
            string content = entry.Text("content");
            SelectionReason reason = Reasons[entry.Text("inclusion_reason") ?? entry.Text("exclusion_reason")];
            int row = items.FindIndex(item => item.Content == content);
            while (row >= 0 && kept.Reasons[row] != reason)
            {
                row = items.FindIndex(row + 1, item => item.Content == content);
            }

            Check.True(row >= 0, "no row " + content + " has the reason " + reason);
            double score = kept.Scores[row];
            Check.True(Math.Abs(score - entry.Number("score_approx")) <= 1e-9, "the score of " + content + " is " + score);
            foreach (string field in new[] { "displaced_by", "deduplicated_against" })
            {
                if (entry.Has(field))
                {
                    int cause = kept.Dropped.Single(dropped => dropped.Row == row).Cause.Value;
                    Check.Equal(entry.Text(field), items[cause].Content, field);
                }
            }

            Check.Equal(entry.Integer("item_tokens", items[row].Tokens), items[row].Tokens, "tokens");
            Check.Equal(entry.Integer("available_tokens", kept.AvailableTokens), kept.AvailableTokens, "available");
        }

        private static void Refused(Table error, Action action)
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
            string status = error.Text("status");
            var native = thrown as CupelException;
            Check.True(
                native != null ? Same(native.Status.ToString(), status) : thrown is ArgumentException && status == "INVALID_ARGUMENT",
                status + " came as " + thrown);
            foreach (object text in error.List("message_contains"))
            {
                Check.True(thrown.Message.Contains(NetName((string)text)), "the message lacks " + text + ": " + thrown.Message);
            }
        }

        /// <summary>A message names fields of C, such as <c>count_quotas[0].max_count</c>, by their properties.</summary>
        private static string NetName(string text)
        {
            return text.IndexOf('_') < 0 && !text.StartsWith("quotas", StringComparison.Ordinal)
                ? text
                : string.Join(".", text.Split('.').Select(part => string.Concat(part.Split('_').Select(Capitalized))));
        }

        private static string Capitalized(string word)
        {
            return word.Length == 0 ? word : char.ToUpperInvariant(word[0]) + word.Substring(1);
        }

        private static SelectionPolicy Policy(Table config)
        {
            var policy = new SelectionPolicy
            {
                BucketSize = config.Integer("bucket_size"),
                KeepDuplicates = config.Has("deduplication") && !config.Flag("deduplication"),
                GroupKey = config.Text("group_key"),
                DuplicateKey = config.Text("duplicate_key"),
                PinnedFirst = config.Flag("pinned_first"),
                Slicer = Named<Slicer>(config.Text("slicer") ?? config.Text("inner_slicer") ?? "greedy"),
                Placer = Named<Placer>(config.Text("placer") ?? "chronological"),
                Overflow = Named<Overflow>(config.Text("overflow_strategy") ?? "fail"),
                Scarcity = Named<Scarcity>(config.Text("scarcity_behavior") ?? "degrade"),
            };
            foreach (Table quota in config.Tables("quotas"))
            {
                policy.Quotas.Add(new Quota(new ContextKind(quota.Text("kind")), quota.Number("require"), quota.Number("cap")));
            }

            foreach (Table entry in config.Tables("entries"))
            {
                int? cap = entry.Has("cap_count") ? (int)entry.Integer("cap_count") : (int?)null;
                policy.CountQuotas.Add(new CountQuota(new ContextKind(entry.Text("kind")), (int)entry.Integer("require_count"), cap));
            }

            return policy;
        }

        private static T Named<T>(string name)
        {
            string wanted = name == "throw" ? "fail" : name;
            foreach (object value in Enum.GetValues(typeof(T)))
            {
                if (Same(value.ToString(), wanted))
                {
                    return (T)value;
                }
            }

            throw new FormatException("no such " + typeof(T).Name + ": " + name);
        }

        private static bool Same(string name, string other)
        {
            return string.Equals(
                name, other.Replace("-", string.Empty).Replace("_", string.Empty), StringComparison.OrdinalIgnoreCase);
        }

        private static IEnumerable<string> Contents(Selection kept)
        {
            return kept.Items.Select(item => item.Content);
        }

        private static string Sorted(IEnumerable<object> contents)
        {
            return Joined(contents.OrderBy(content => (string)content, StringComparer.Ordinal));
        }

        private static string Joined(IEnumerable<object> contents)
        {
            return string.Join("|", contents);
        }
    }
}
