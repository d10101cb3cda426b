using System;
using System.Collections.Generic;

namespace Cupel.Native.Tests
{
    /// <summary>Makes the scorer of a vector, with its clock and its shared parts.</summary>
    internal sealed class VectorScorer
    {
        private readonly Table _vector;
        private readonly Dictionary<string, Scorer> _shared = new Dictionary<string, Scorer>();
        private Clock _clock;

        private VectorScorer(Table vector)
        {
            _vector = vector;
        }

        /// <summary>Whether scoring again must give the same.</summary>
        internal static bool StandsStill(Table vector)
        {
            Table clock = vector.Child("clock");
            return clock == null || (clock.Text("type") != "system" && clock.Integer("advance_ns") == 0);
        }

        internal static Scorer Make(Table vector)
        {
            return new VectorScorer(vector).Make();
        }

        /// <summary>The composite of the scorers of <c>config</c>, whatever the vector is a test of.</summary>
        internal static Scorer MakeComposite(Table vector)
        {
            return new VectorScorer(vector).Make("composite", vector.Child("config"));
        }

        private static long Nanoseconds(Table table, string name)
        {
            return table.Has(name + "_ns")
                ? table.Integer(name + "_ns")
                : checked((long)Math.Round(table.Number(name + "_secs") * 1e9));
        }

        private static long Instant(Table table)
        {
            return table.Integer(table.Has("reference_time_ns") ? "reference_time_ns" : "reference_time");
        }

        private static Scorer Custom(Table config)
        {
            return Scorer.Custom((batch, scores) =>
            {
                if (config.Has("fails_with"))
                {
                    throw new CallbackFailure(config.Integer("fails_with"));
                }

                List<object> values = config.List("scores");
                for (int i = 0; i < scores.Length; i++)
                {
                    scores[i] = Table.ToNumber(values[i]);
                }
            });
        }

        private Scorer Make()
        {
            Table shared = _vector.Child("shared");
            if (shared != null)
            {
                var names = new List<string>(shared.Keys);
                names.Sort(string.CompareOrdinal);
                foreach (string name in names)
                {
                    _shared.Add(name, Make(shared.Child(name).Text("type"), shared.Child(name)));
                }
            }

            return Make(_vector.Child("test").Text("scorer"), _vector.Child("config") ?? new Table());
        }

        private Scorer Make(string type, Table config)
        {
            switch (type)
            {
                case "recency":
                    return Scorer.Recency();
                case "priority":
                    return Scorer.Priority();
                case "frequency":
                    return Scorer.Frequency();
                case "reflexive":
                    return Scorer.Reflexive();
                case "kind":
                    return Kind(config);
                case "tag":
                    return Tag(config);
                case "metadata_trust":
                    return config.Has("default_score")
                        ? Scorer.MetadataTrust(config.Number("default_score"))
                        : Scorer.MetadataTrust();
                case "metadata_key":
                    return Scorer.MetadataKey(config.Text("key"), config.Text("value"), config.Number("boost"));
                case "decay":
                    return Decay(config);
                case "composite":
                    return Composite(config);
                case "scaled":
                    object inner = config["inner_scorer"];
                    return inner is string
                        ? Scorer.Scaled(Make((string)inner, config))
                        : Scorer.Scaled(Child((Table)inner));
                case "custom":
                    return Custom(config);
                default:
                    throw new Exception("no such scorer: " + type);
            }
        }

        private Scorer Child(Table config)
        {
            return config.Text("type") == "shared" ? _shared[config.Text("name")] : Make(config.Text("type"), config);
        }

        private Scorer Kind(Table config)
        {
            if (!config.Has("weights") || config.Flag("use_default_weights"))
            {
                return Scorer.Kind();
            }

            var weights = new List<KeyValuePair<ContextKind, double>>();
            foreach (Table entry in config.Tables("weights"))
            {
                weights.Add(new KeyValuePair<ContextKind, double>(
                    new ContextKind(entry.Text("kind")), entry.Number("weight")));
            }

            return Scorer.Kind(weights);
        }

        private Scorer Tag(Table config)
        {
            var weights = new List<KeyValuePair<string, double>>();
            foreach (Table entry in config.Tables("tag_weights"))
            {
                weights.Add(new KeyValuePair<string, double>(entry.Text("tag"), entry.Number("weight")));
            }

            switch (config.Text("match"))
            {
                case null:
                    return Scorer.Tag(weights);
                case "exact":
                    return Scorer.Tag(weights, TextMatch.Exact);
                case "ascii_case_insensitive":
                    return Scorer.Tag(weights, TextMatch.AsciiCaseInsensitive);
                default:
                    throw new Exception("no such match: " + config.Text("match"));
            }
        }

        private Scorer Composite(Table config)
        {
            var children = new List<KeyValuePair<Scorer, double>>();
            foreach (Table entry in config.Tables(config.Has("children") ? "children" : "scorers"))
            {
                children.Add(new KeyValuePair<Scorer, double>(Child(entry), entry.Number("weight")));
            }

            return Scorer.Composite(children);
        }

        private Scorer Decay(Table config)
        {
            bool hasTime = config.Has("reference_time") || config.Has("reference_time_ns");
            Clock clock = hasTime ? Clock.FixedNanoseconds(Instant(config)) : SharedClock();
            double nullScore = config.Number("null_timestamp_score", 0.5);
            Table curve = config.Child("curve");
            switch (curve.Text("type"))
            {
                case "exponential":
                    return Scorer.ExponentialDecayNanoseconds(Nanoseconds(curve, "half_life"), clock, nullScore);
                case "window":
                    return Scorer.WindowDecayNanoseconds(Nanoseconds(curve, "max_age"), clock, nullScore);
                case "step":
                    var steps = new List<DecayStep>();
                    foreach (Table entry in curve.Tables("windows"))
                    {
                        steps.Add(DecayStep.FromNanoseconds(Nanoseconds(entry, "max_age"), entry.Number("score")));
                    }

                    return Scorer.StepDecay(steps, clock, nullScore);
                default:
                    throw new Exception("no such curve: " + curve.Text("type"));
            }
        }

        private Clock SharedClock()
        {
            if (_clock == null)
            {
                _clock = MakeClock(_vector.Child("clock"));
            }

            return _clock;
        }

        private static Clock MakeClock(Table config)
        {
            if (config == null)
            {
                throw new Exception("the vector has no clock");
            }

            switch (config.Text("type"))
            {
                case "system":
                    return Clock.System();
                case "fixed":
                    return Clock.FixedNanoseconds(Instant(config));
                case "callback":
                    long now = Instant(config);
                    return Clock.CustomNanoseconds(() =>
                    {
                        if (config.Has("fails_with"))
                        {
                            throw new CallbackFailure(config.Integer("fails_with"));
                        }

                        long read = now;
                        now += config.Integer("advance_ns");
                        return read;
                    });
                default:
                    throw new Exception("no such clock: " + config.Text("type"));
            }
        }
    }

    /// <summary>What the callbacks of vectors throw.</summary>
    internal sealed class CallbackFailure : Exception
    {
        internal CallbackFailure(long status)
            : base("the callback failed with " + status)
        {
        }
    }
}
