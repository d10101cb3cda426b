using System;
using System.Collections.Generic;
using System.Runtime.InteropServices;
using System.Text;

namespace Cupel.Native.Tests
{
    /// <summary>A table in the structs of Arrow's C data interface, put together by hand.</summary>
    internal sealed class ArrowTable : IDisposable
    {
        internal const int SchemaSize = 72;
        internal const int ArraySize = 80;

        private const int SchemaRelease = 56;
        private const int ArrayRelease = 64;

        private static readonly Release ReleaseSchemaDelegate = ReleaseSchema;
        private static readonly Release ReleaseArrayDelegate = ReleaseArray;

        private readonly List<IntPtr> _memory = new List<IntPtr>();
        private readonly List<IntPtr> _schemas = new List<IntPtr>();
        private readonly List<IntPtr> _arrays = new List<IntPtr>();
        private readonly int _rows;

        internal ArrowTable(int rows)
        {
            _rows = rows;
        }

        [UnmanagedFunctionPointer(CallingConvention.Cdecl)]
        private delegate void Release(IntPtr self);

        internal IntPtr Schema { get; private set; }

        internal IntPtr Array { get; private set; }

        /// <summary>Whether both structs are still to be released.</summary>
        internal bool IsLive
        {
            get
            {
                return Marshal.ReadIntPtr(Schema, SchemaRelease) != IntPtr.Zero
                    && Marshal.ReadIntPtr(Array, ArrayRelease) != IntPtr.Zero;
            }
        }

        public void Dispose()
        {
            foreach (IntPtr block in _memory)
            {
                Marshal.FreeHGlobal(block);
            }

            _memory.Clear();
        }

        /// <summary>What a producer does when its struct is released.</summary>
        internal static void ReleaseSchema(IntPtr schema)
        {
            Marshal.WriteIntPtr(schema, SchemaRelease, IntPtr.Zero);
        }

        internal static void ReleaseArray(IntPtr array)
        {
            Marshal.WriteIntPtr(array, ArrayRelease, IntPtr.Zero);
        }

        internal ArrowTable Texts(string name, params string[] texts)
        {
            IntPtr schema;
            IntPtr array = TextArray(name, texts, out schema);
            _schemas.Add(schema);
            _arrays.Add(array);
            return this;
        }

        internal ArrowTable Integers(string name, string format, params long?[] values)
        {
            var numbers = new long[values.Length];
            for (int i = 0; i < values.Length; i++)
            {
                numbers[i] = values[i] ?? -1;
            }

            _schemas.Add(NewSchema(format, name));
            _arrays.Add(NewArray(values.Length, 0, new[] { Validity(values), Copy(numbers) }));
            return this;
        }

        /// <summary>A list of texts for each row.</summary>
        internal ArrowTable TextLists(string name, params string[][] lists)
        {
            var offsets = new int[lists.Length + 1];
            var texts = new List<string>();
            for (int i = 0; i < lists.Length; i++)
            {
                texts.AddRange(lists[i]);
                offsets[i + 1] = texts.Count;
            }

            IntPtr itemSchema;
            IntPtr items = TextArray("item", texts.ToArray(), out itemSchema);
            _schemas.Add(NewSchema("+l", name, itemSchema));
            _arrays.Add(NewArray(lists.Length, 0, new[] { IntPtr.Zero, Copy(offsets) }, items));
            return this;
        }

        /// <summary>The columns as a struct, from a row on.</summary>
        internal ArrowTable Finish(int offset = 0)
        {
            Schema = NewSchema("+s", string.Empty, _schemas.ToArray());
            Array = NewArray(_rows - offset, offset, new[] { IntPtr.Zero }, _arrays.ToArray());
            return this;
        }

        /// <summary>The columns as a list of structs.</summary>
        internal ArrowTable FinishAsLists(params int[] offsets)
        {
            Finish();
            Schema = NewSchema("+l", string.Empty, Schema);
            Array = NewArray(offsets.Length - 1, 0, new[] { IntPtr.Zero, Copy(offsets) }, Array);
            return this;
        }

        private IntPtr TextArray(string name, string[] texts, out IntPtr schema)
        {
            var offsets = new int[texts.Length + 1];
            var data = new List<byte>();
            for (int i = 0; i < texts.Length; i++)
            {
                data.AddRange(Encoding.UTF8.GetBytes(texts[i] ?? "not read"));
                offsets[i + 1] = data.Count;
            }

            schema = NewSchema("u", name);
            return NewArray(texts.Length, 0, new[] { Validity(texts), Copy(offsets), Copy(data.ToArray()) });
        }

        private IntPtr Validity<T>(T[] values)
        {
            var bits = new byte[(values.Length + 7) / 8];
            for (int i = 0; i < values.Length; i++)
            {
                if (values[i] != null)
                {
                    bits[i / 8] |= (byte)(1 << (i % 8));
                }
            }

            return Copy(bits);
        }

        private IntPtr NewSchema(string format, string name, params IntPtr[] children)
        {
            IntPtr schema = Zeroed(SchemaSize);
            Marshal.WriteIntPtr(schema, 0, Copy(Encoding.UTF8.GetBytes(format + "\0")));
            Marshal.WriteIntPtr(schema, 8, Copy(Encoding.UTF8.GetBytes(name + "\0")));
            Marshal.WriteInt64(schema, 24, 2);
            Marshal.WriteInt64(schema, 32, children.Length);
            Marshal.WriteIntPtr(schema, 40, Copy(children));
            Marshal.WriteIntPtr(schema, SchemaRelease, Marshal.GetFunctionPointerForDelegate(ReleaseSchemaDelegate));
            return schema;
        }

        private IntPtr NewArray(int length, int offset, IntPtr[] buffers, params IntPtr[] children)
        {
            IntPtr array = Zeroed(ArraySize);
            Marshal.WriteInt64(array, 0, length);
            Marshal.WriteInt64(array, 8, -1);
            Marshal.WriteInt64(array, 16, offset);
            Marshal.WriteInt64(array, 24, buffers.Length);
            Marshal.WriteInt64(array, 32, children.Length);
            Marshal.WriteIntPtr(array, 40, Copy(buffers));
            Marshal.WriteIntPtr(array, 48, Copy(children));
            Marshal.WriteIntPtr(array, ArrayRelease, Marshal.GetFunctionPointerForDelegate(ReleaseArrayDelegate));
            return array;
        }

        private IntPtr Copy(Array values)
        {
            int bytes = Buffer.ByteLength(values);
            IntPtr block = Zeroed(bytes + 8);
            var copy = new byte[bytes];
            Buffer.BlockCopy(values, 0, copy, 0, bytes);
            Marshal.Copy(copy, 0, block, bytes);
            return block;
        }

        private IntPtr Copy(IntPtr[] values)
        {
            IntPtr block = Zeroed((values.Length + 1) * IntPtr.Size);
            Marshal.Copy(values, 0, block, values.Length);
            return block;
        }

        private IntPtr Zeroed(int bytes)
        {
            IntPtr block = Marshal.AllocHGlobal(bytes);
            _memory.Add(block);
            Marshal.Copy(new byte[bytes], 0, block, bytes);
            return block;
        }
    }
}
