using System;
using System.Collections.Generic;

namespace Cupel.Native.Interop
{
    /// <summary>Dictionary-encodes texts of which few are distinct: kinds, sources and metadata keys.</summary>
    internal sealed class TextDictionary
    {
        // So many texts are first looked for by reference: hosts repeat the same few string objects.
        private const int Recognized = 8;

        private readonly Dictionary<string, uint> _codeOf = new Dictionary<string, uint>(StringComparer.Ordinal);
        private readonly string[] _recognized = new string[Recognized];
        private readonly TextBuffer _texts = new TextBuffer();
        private uint[] _codes = new uint[16];
        private int _count;

        internal void Clear(int slots)
        {
            _codeOf.Clear();
            Array.Clear(_recognized, 0, Recognized);
            _texts.Clear();
            _count = 0;
            if (_codes.Length < slots)
            {
                _codes = new uint[slots];
            }
        }

        internal void Add(string text)
        {
            if (_count == _codes.Length)
            {
                TextBuffer.Grow(ref _codes, _count, _count + 1L);
            }

            _codes[_count] = CodeOf(text);
            _count++;
        }

        internal TextColumn ToColumn()
        {
            return _texts.ToColumn(_codes, _count);
        }

        private uint CodeOf(string text)
        {
            for (int i = 0; i < Recognized && _recognized[i] != null; i++)
            {
                if (ReferenceEquals(_recognized[i], text))
                {
                    return (uint)i;
                }
            }

            uint code;
            if (!_codeOf.TryGetValue(text, out code))
            {
                code = (uint)_texts.Count;
                _texts.Add(text);
                _codeOf.Add(text, code);
                if (code < Recognized)
                {
                    _recognized[code] = text;
                }
            }

            return code;
        }
    }
}
