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

    /// <summary><c>cupel_arrow_options</c>.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeArrowOptions
    {
        /// <summary><c>CUPEL_ARROW_NAIVE_IS_UTC</c>.</summary>
        internal const ulong NaiveIsUtc = 1;

        public UIntPtr struct_size;
        public ulong flags;
        public byte* group;
        public UIntPtr group_len;

        internal static NativeArrowOptions Of(bool naiveIsUtc)
        {
            return new NativeArrowOptions
            {
                struct_size = (UIntPtr)(uint)sizeof(NativeArrowOptions),
                flags = naiveIsUtc ? NaiveIsUtc : 0,
            };
        }
    }

    /// <summary><c>cupel_quota</c>.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeQuota
    {
        public byte* kind;
        public UIntPtr kind_len;
        public double min_percent;
        public double max_percent;
    }

    /// <summary><c>cupel_count_quota</c>.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeCountQuota
    {
        public byte* kind;
        public UIntPtr kind_len;
        public UIntPtr min_count;
        public UIntPtr max_count;
    }

    /// <summary><c>cupel_shortfall</c>.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal struct NativeShortfall
    {
        public UIntPtr entry;
        public UIntPtr required;
        public UIntPtr found;
    }

    /// <summary><c>cupel_policy</c>.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativePolicy
    {
        public UIntPtr struct_size;
        public IntPtr scorer;
        public NativeQuota* quotas;
        public UIntPtr quotas_len;
        public NativeCountQuota* count_quotas;
        public UIntPtr count_quotas_len;
        public byte* group_key;
        public UIntPtr group_key_len;
        public byte* duplicate_key;
        public UIntPtr duplicate_key_len;
        public long bucket_size;
        public int slicer;
        public int placer;
        public int overflow;
        public int scarcity;
        public int keep_duplicates;
        public int pinned_first;
    }

    /// <summary><c>cupel_request</c>.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeRequest
    {
        public UIntPtr struct_size;
        public long max_tokens;
        public long target_tokens;
        public long output_reserve;
        public long reserved_tokens;
        public double safety_margin_percent;
        public UIntPtr max_rows;
        public double* scores;
        public UIntPtr scores_len;
        public IntPtr previous;
    }

    /// <summary><c>cupel_selection_view</c>.</summary>
    [StructLayout(LayoutKind.Sequential)]
    internal unsafe struct NativeSelectionView
    {
        public UIntPtr struct_size;
        public uint* rows;
        public UIntPtr rows_len;
        public double* scores;
        public byte* reasons;
        public uint* causes;
        public UIntPtr batch_len;
        public NativeShortfall* shortfalls;
        public UIntPtr shortfalls_len;
        public long kept_tokens;
        public long pinned_tokens;
        public long considered_tokens;
        public long effective_target;
        public long available_tokens;
        public long overflow_tokens;
        public long stable;
        public long* offsets;
        public long* shortfall_offsets;
        public UIntPtr offsets_len;
    }
}
