using System;
using System.Collections.Generic;

namespace Cupel.Native.Interop
{
    /// <summary>A list of named weights in the form that native code reads, and what may be wrong with a number.</summary>
    internal sealed class Weights
    {
        private readonly byte[][] _names;
        private readonly double[] _weights;

        private Weights(byte[][] names, double[] weights)
        {
            _names = names;
            _weights = weights;
        }

        internal int Count
        {
            get { return _weights.Length; }
        }

        /// <summary>The first weight that no list may have, or null.</summary>
        internal object Rejected
        {
            get { return FirstRejected(_weights, false); }
        }

        internal static Weights Of<T>(
            IEnumerable<KeyValuePair<T, double>> weights, Func<T, string> name, string parameter)
        {
            if (weights == null)
            {
                throw new ArgumentNullException(parameter);
            }

            var names = new List<byte[]>();
            var values = new List<double>();
            foreach (KeyValuePair<T, double> entry in weights)
            {
                string text = name(entry.Key);
                if (text == null)
                {
                    throw new ArgumentException(parameter + "[" + names.Count + "] has a null name.", parameter);
                }

                names.Add(Utf8.Encode(text, parameter));
                values.Add(entry.Value);
            }

            return new Weights(names.ToArray(), values.ToArray());
        }

        internal static object FirstRejected(double[] weights, bool zeroIsRejected)
        {
            foreach (double weight in weights)
            {
                bool legal = zeroIsRejected ? weight > 0.0 : weight >= 0.0;
                if (!legal || double.IsInfinity(weight))
                {
                    return weight;
                }
            }

            return null;
        }

        /// <summary>All names, one after the other.</summary>
        internal byte[] Blob()
        {
            int length = 0;
            foreach (byte[] name in _names)
            {
                length = checked(length + name.Length);
            }

            var blob = new byte[Math.Max(length, 1)];
            int start = 0;
            foreach (byte[] name in _names)
            {
                Buffer.BlockCopy(name, 0, blob, start, name.Length);
                start += name.Length;
            }

            return blob;
        }

        /// <summary>The entries, with names that point into the pinned <paramref name="blob"/>.</summary>
        internal unsafe NativeWeight[] Entries(byte* blob)
        {
            var entries = new NativeWeight[_weights.Length];
            for (int i = 0; i < entries.Length; i++)
            {
                entries[i].name = blob;
                entries[i].name_len = (UIntPtr)(uint)_names[i].Length;
                entries[i].weight = _weights[i];
                blob += _names[i].Length;
            }

            return entries;
        }
    }
}
