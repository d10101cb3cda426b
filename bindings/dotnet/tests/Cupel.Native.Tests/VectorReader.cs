using System;
using System.Collections.Generic;
using System.Globalization;
using System.IO;
using System.Text;

namespace Cupel.Native.Tests
{
    /// <summary>Reads what <c>flatten_vectors.py</c> writes.</summary>
    internal sealed class VectorReader
    {
        private readonly string[] _tokens;
        private int _next;

        private VectorReader(string[] tokens)
        {
            _tokens = tokens;
        }

        internal static object Read(string file)
        {
            return new VectorReader(File.ReadAllLines(file)).Value();
        }

        private static string Text(string token)
        {
            return Encoding.UTF8.GetString(Convert.FromBase64String(token.Substring(2)));
        }

        private object Value()
        {
            string token = _tokens[_next++];
            switch (token[0])
            {
                case '{':
                    var table = new Table();
                    while (_tokens[_next] != "}")
                    {
                        string key = Text(_tokens[_next++]);
                        table.Add(key, Value());
                    }

                    _next++;
                    return table;
                case '[':
                    var list = new List<object>();
                    while (_tokens[_next] != "]")
                    {
                        list.Add(Value());
                    }

                    _next++;
                    return list;
                case 's':
                    return Text(token);
                case 'i':
                    return long.Parse(token.Substring(2), CultureInfo.InvariantCulture);
                case 'f':
                    ulong bits = ulong.Parse(token.Substring(2), NumberStyles.HexNumber, CultureInfo.InvariantCulture);
                    return BitConverter.Int64BitsToDouble(unchecked((long)bits));
                case 'b':
                    return token == "b 1";
                default:
                    throw new FormatException("no such token: " + token);
            }
        }
    }

    /// <summary>A table of a vector. Reading a field that is not there gives null, or the default that is named.</summary>
    internal sealed class Table
    {
        private readonly Dictionary<string, object> _fields = new Dictionary<string, object>();
        private readonly List<string> _keys = new List<string>();

        internal IEnumerable<string> Keys
        {
            get { return _keys; }
        }

        internal object this[string key]
        {
            get
            {
                object value;
                return _fields.TryGetValue(key, out value) ? value : null;
            }
        }

        internal void Add(string key, object value)
        {
            _fields.Add(key, value);
            _keys.Add(key);
        }

        internal bool Has(string key)
        {
            return _fields.ContainsKey(key);
        }

        internal string Text(string key)
        {
            return (string)this[key];
        }

        internal long Integer(string key, long otherwise = 0)
        {
            return (long)(this[key] ?? otherwise);
        }

        internal double Number(string key, double otherwise = 0.0)
        {
            return ToNumber(this[key] ?? otherwise);
        }

        internal bool Flag(string key)
        {
            return (bool)(this[key] ?? false);
        }

        internal Table Child(string key)
        {
            return (Table)this[key];
        }

        internal List<Table> Tables(string key)
        {
            var tables = new List<Table>();
            foreach (object value in List(key))
            {
                tables.Add((Table)value);
            }

            return tables;
        }

        internal List<object> List(string key)
        {
            return (List<object>)this[key] ?? new List<object>();
        }

        internal static double ToNumber(object value)
        {
            return value is long ? (long)value : (double)value;
        }
    }
}
