using System;

namespace Cupel.Native.Interop
{
    /// <summary>A column whose rows may lack a value.</summary>
    internal sealed class OptionalColumn<T>
        where T : struct
    {
        private T[] _values = new T[16];
        private byte[] _validity = new byte[16];
        private int _rows;
        private int _present;

        /// <summary>The values; null when no row has one, which spares native code the column.</summary>
        internal T[] Values
        {
            get { return _present == 0 ? null : _values; }
        }

        /// <summary>Which rows have a value; null when all have one.</summary>
        internal byte[] Validity
        {
            get { return _present == 0 || _present == _rows ? null : _validity; }
        }

        internal void Clear(int rows)
        {
            _rows = rows;
            _present = 0;
            if (_values.Length < rows)
            {
                _values = new T[rows];
                _validity = new byte[rows];
            }
        }

        internal void Set(int row, T? value)
        {
            if (value.HasValue)
            {
                _values[row] = value.GetValueOrDefault();
                _validity[row] = 1;
                _present++;
            }
            else
            {
                _values[row] = default(T);
                _validity[row] = 0;
            }
        }
    }
}
