using System;
using System.Runtime.InteropServices;

namespace Cupel.Native.Interop
{
    /// <summary><c>cupel_weight</c>.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeWeight
    {
        public byte* name;
        public UIntPtr name_len;
        public double weight;
    }

    /// <summary><c>cupel_decay_step</c>.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeDecayStep
    {
        public long max_age_nanoseconds;
        public double score;
    }

    /// <summary><c>cupel_text_column</c>.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeTextColumn
    {
        public byte* data;
        public UIntPtr data_len;
        public long* offsets;
        public UIntPtr texts_len;
        public uint* codes;
    }

    /// <summary><c>cupel_columns</c>.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeColumns
    {
        public UIntPtr struct_size;
        public UIntPtr rows;
        public NativeTextColumn content;
        public long* tokens;
        public NativeTextColumn kind;
        public byte* kind_validity;
        public NativeTextColumn source;
        public byte* source_validity;
        public long* priority;
        public byte* priority_validity;
        public long* timestamp;
        public byte* timestamp_validity;
        public double* future_relevance_hint;
        public byte* future_relevance_hint_validity;
        public byte* pinned;
        public long* original_tokens;
        public byte* original_tokens_validity;
        public long* tag_lists;
        public UIntPtr tags_len;
        public NativeTextColumn tags;
        public long* metadata_lists;
        public UIntPtr metadata_len;
        public NativeTextColumn metadata_keys;
        public byte* metadata_types;
        public NativeTextColumn metadata_texts;
        public double* metadata_numbers;
    }
}
