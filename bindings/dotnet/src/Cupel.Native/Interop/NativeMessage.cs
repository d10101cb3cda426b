using System.Collections.Generic;
using System.Text;
using System.Text.RegularExpressions;

namespace Cupel.Native.Interop
{
    /// <summary>
    /// Native messages begin with the argument of the C function, or the part of it, that was refused. Here they begin
    /// with the parameter of the .NET method.
    /// </summary>
    internal static class NativeMessage
    {
        // Parameters whose columns a message names as the table does.
        private static readonly string[] Tables = { "array", "stream" };

        // Parameters whose properties are what a message is about.
        private static readonly string[] Objects = { "columns", "policy", "request" };

        private static readonly Regex Subject = new Regex(
            @"^(the length of )?([A-Za-z_]+(?:\[[0-9]+\])?(?:\.[A-Za-z_]+(?:\[[0-9]+\])?)*)(?= is | requires )", RegexOptions.CultureInvariant);

        // A quoted text, which stays as it is, or a name of C.
        private static readonly Regex Names = new Regex(
            @"""(?:[^""\\]|\\.)*""|\b[a-z]+(?:_[a-z]+)+\b|\bNULL\b", RegexOptions.CultureInvariant);

        // Which group of rows a message is about.
        private static readonly Regex Group = new Regex(
            @"^group [0-9]+, rows [0-9]+ to before [0-9]+: ", RegexOptions.CultureInvariant);

        private static readonly Regex Index = new Regex(@"\[[0-9]+\]", RegexOptions.CultureInvariant);

        // By the .NET parameter and the native path without its index, which takes the place of {0}.
        private static readonly Dictionary<string, string> Paths = new Dictionary<string, string>
        {
            ["weights:weights.name"] = "weights{0}.Key",
            ["weights:weights.weight"] = "weights{0}.Value",
            ["children:weights"] = "children{0}.Weight",
            ["children:children_len"] = "children.Count",
            ["steps:steps_len"] = "steps.Count",
            ["steps:steps.max_age_nanoseconds"] = "steps{0}.MaxAge",
            ["steps:steps.score"] = "steps{0}.Score",
            ["destination:out_scores_len"] = "destination.Length",
            ["offsets:groups"] = "offsets{0}",
            ["keep:keep_len"] = "keep.Length",
            ["halfLife:half_life_nanoseconds"] = "halfLife",
            ["maxAge:max_age_nanoseconds"] = "maxAge",
            ["request:scores_len"] = "request.Scores.Length",
            ["request:count_quotas"] = "policy.CountQuotas{0}",
        };

        private static readonly Dictionary<string, string> Terms = new Dictionary<string, string>
        {
            ["NULL"] = "null",
            ["cupel_metadata_type"] = "metadata type",
            ["texts_len"] = "the number of texts",
        };

        /// <summary>The parameter that a message is about, of a call that may fail for more than one.</summary>
        internal static string Parameter(string message, string parameter)
        {
            if (message.StartsWith("out_scores_len is ", System.StringComparison.Ordinal))
            {
                return "destination";
            }

            // A column of a table may have any name.
            if (message.StartsWith("groups[", System.StringComparison.Ordinal) && !IsTable(parameter))
            {
                return "offsets";
            }

            return message.StartsWith("a custom scorer cannot ", System.StringComparison.Ordinal) ? null : parameter;
        }

        internal static string Translate(string message, string parameter)
        {
            if (IsTable(parameter))
            {
                return message;
            }

            Match group = Group.Match(message);
            if (group.Success)
            {
                return group.Value + Translate(message.Substring(group.Length), parameter);
            }

            Match subject = Subject.Match(message);
            if (!subject.Success)
            {
                return Words(message, parameter);
            }

            return subject.Groups[1].Value + Path(subject.Groups[2].Value, parameter)
                + Words(message.Substring(subject.Length), parameter);
        }

        private static string Path(string path, string parameter)
        {
            Match index = Index.Match(path);
            string known;
            if (Paths.TryGetValue(parameter + ":" + Index.Replace(path, string.Empty, 1), out known))
            {
                return string.Format(System.Globalization.CultureInfo.InvariantCulture, known, index.Value);
            }

            if (IsObject(parameter))
            {
                string property = path.StartsWith(parameter + ".", System.StringComparison.Ordinal)
                    ? path.Substring(parameter.Length + 1)
                    : path;
                return property == parameter ? property : parameter + "." + Capitalized(property, true);
            }

            return Capitalized(path, false);
        }

        private static bool IsTable(string parameter)
        {
            return System.Array.IndexOf(Tables, parameter) >= 0;
        }

        private static bool IsObject(string parameter)
        {
            return System.Array.IndexOf(Objects, parameter) >= 0;
        }

        private static string Words(string text, string parameter)
        {
            return Names.Replace(
                text,
                match =>
                {
                    string term;
                    return match.Value[0] == '"' ? match.Value
                        : Terms.TryGetValue(match.Value, out term) ? term
                        : Capitalized(match.Value, IsObject(parameter));
                });
        }

        /// <summary><c>tag_lists</c> as <c>TagLists</c>, or as <c>tagLists</c>.</summary>
        private static string Capitalized(string path, bool first)
        {
            var result = new StringBuilder(path.Length);
            bool capital = first;
            foreach (char character in path)
            {
                if (character == '_')
                {
                    capital = true;
                    continue;
                }

                result.Append(capital ? char.ToUpperInvariant(character) : character);
                capital = character == '.';
            }

            return result.ToString();
        }
    }
}
