using System;
using System.Runtime.InteropServices;

namespace Cupel.Native.Interop
{
    /// <summary>
    /// The functions of <c>cupel.h</c> that are called from here, in its order. Every parameter is a number or a pointer, so that nothing is
    /// marshalled: a handle is an <see cref="IntPtr"/>, a <c>size_t</c> a <see cref="UIntPtr"/>, a <c>bool</c> a byte.
    /// The import test holds each line against the header and the built library.
    /// </summary>
    internal static unsafe class NativeMethods
    {
        internal const uint AbiVersion = 1;

        private const string Library = "cupel";

        // library
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern byte* cupel_version();

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern uint cupel_abi_version();

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern byte* cupel_status_name(int status);

        // error
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern IntPtr cupel_error_with_payload_new(
            int status, byte* message, UIntPtr messageLen, ulong payloadType, IntPtr payload, IntPtr destroy);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_error_status(IntPtr error);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern byte* cupel_error_message(IntPtr error);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern IntPtr cupel_error_payload(IntPtr error, ulong payloadType);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern void cupel_error_free(IntPtr error);

        // text
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern byte* cupel_text_data(IntPtr text);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern UIntPtr cupel_text_len(IntPtr text);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern void cupel_text_free(IntPtr text);

        // item builder
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_builder_new(
            byte* content, UIntPtr contentLen, long tokens, IntPtr* outBuilder, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_builder_reset(
            IntPtr builder, byte* content, UIntPtr contentLen, long tokens, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_builder_set_kind(
            IntPtr builder, byte* kind, UIntPtr kindLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_builder_set_source(
            IntPtr builder, byte* source, UIntPtr sourceLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_builder_add_tag(
            IntPtr builder, byte* tag, UIntPtr tagLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_builder_set_priority(IntPtr builder, long priority, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_builder_set_original_tokens(
            IntPtr builder, long originalTokens, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_builder_set_timestamp(
            IntPtr builder, long unixNanoseconds, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_builder_set_future_relevance_hint(
            IntPtr builder, double hint, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_builder_set_pinned(IntPtr builder, byte pinned, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_builder_set_metadata_string(
            IntPtr builder, byte* key, UIntPtr keyLen, byte* value, UIntPtr valueLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_builder_set_metadata_double(
            IntPtr builder, byte* key, UIntPtr keyLen, double value, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_builder_set_metadata_other(
            IntPtr builder, byte* key, UIntPtr keyLen, byte* value, UIntPtr valueLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_builder_build(IntPtr builder, IntPtr* outItem, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern void cupel_item_builder_free(IntPtr builder);

        // item
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_content(IntPtr item, byte** outData, UIntPtr* outLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_tokens(IntPtr item, long* outTokens, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_kind(IntPtr item, byte** outData, UIntPtr* outLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_source(IntPtr item, byte** outData, UIntPtr* outLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_priority(
            IntPtr item, long* outPriority, byte* outPresent, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_original_tokens(
            IntPtr item, long* outOriginalTokens, byte* outPresent, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_timestamp(
            IntPtr item, long* outUnixNanoseconds, byte* outPresent, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_future_relevance_hint(
            IntPtr item, double* outHint, byte* outPresent, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_pinned(IntPtr item, byte* outPinned, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_tags_len(IntPtr item, UIntPtr* outLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_tag(
            IntPtr item, UIntPtr index, byte** outData, UIntPtr* outLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_metadata_len(IntPtr item, UIntPtr* outLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_metadata_key(
            IntPtr item, UIntPtr index, byte** outData, UIntPtr* outLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_metadata_value(
            IntPtr item, UIntPtr index, int* outType, byte** outData, UIntPtr* outLen, double* outNumber,
            IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_item_to_json(IntPtr item, IntPtr* outText, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern void cupel_item_free(IntPtr item);

        // batch
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_new(UIntPtr capacity, IntPtr* outBatch, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_push(IntPtr batch, IntPtr item, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_append_columns(IntPtr batch, NativeColumns* columns, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_append_json(IntPtr batch, byte* json, UIntPtr jsonLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_append_arrow(
            IntPtr batch, IntPtr schema, IntPtr array, NativeArrowOptions* options, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_append_arrow_stream(
            IntPtr batch, IntPtr stream, NativeArrowOptions* options, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern UIntPtr cupel_batch_len(IntPtr batch);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_item(IntPtr batch, UIntPtr row, IntPtr* outItem, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_read_tokens(
            IntPtr batch, UIntPtr firstRow, UIntPtr rows, long* outTokens, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_read_priority(
            IntPtr batch, UIntPtr firstRow, UIntPtr rows, long* outPriorities, byte* outValidity, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_read_timestamp(
            IntPtr batch, UIntPtr firstRow, UIntPtr rows, long* outUnixNanoseconds, byte* outValidity,
            IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_read_future_relevance_hint(
            IntPtr batch, UIntPtr firstRow, UIntPtr rows, double* outHints, byte* outValidity, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_read_original_tokens(
            IntPtr batch, UIntPtr firstRow, UIntPtr rows, long* outOriginalTokens, byte* outValidity,
            IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_read_pinned(
            IntPtr batch, UIntPtr firstRow, UIntPtr rows, byte* outPinned, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_read_content(
            IntPtr batch, UIntPtr firstRow, UIntPtr rows, long* outOffsets, byte* outData, UIntPtr outDataLen,
            IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_read_kind(
            IntPtr batch, UIntPtr firstRow, UIntPtr rows, long* outOffsets, byte* outData, UIntPtr outDataLen,
            IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_read_source(
            IntPtr batch, UIntPtr firstRow, UIntPtr rows, long* outOffsets, byte* outData, UIntPtr outDataLen,
            IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_read_kind_codes(
            IntPtr batch, UIntPtr firstRow, UIntPtr rows, uint* outCodes, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern UIntPtr cupel_batch_kinds_len(IntPtr batch);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_read_kind_texts(
            IntPtr batch, long* outOffsets, UIntPtr outOffsetsLen, byte* outData, UIntPtr outDataLen,
            IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_read_source_codes(
            IntPtr batch, UIntPtr firstRow, UIntPtr rows, uint* outCodes, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern UIntPtr cupel_batch_sources_len(IntPtr batch);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_read_source_texts(
            IntPtr batch, long* outOffsets, UIntPtr outOffsetsLen, byte* outData, UIntPtr outDataLen,
            IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_read_tags(
            IntPtr batch, UIntPtr firstRow, UIntPtr rows, long* outLists, long* outOffsets, UIntPtr outOffsetsLen,
            byte* outData, UIntPtr outDataLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_read_metadata(
            IntPtr batch, UIntPtr firstRow, UIntPtr rows, long* outLists, uint* outKeys, byte* outTypes,
            double* outNumbers, long* outOffsets, UIntPtr outEntriesLen, byte* outData, UIntPtr outDataLen,
            IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_read_metadata_key(
            IntPtr batch, byte* key, UIntPtr keyLen, UIntPtr firstRow, UIntPtr rows, byte* outTypes, byte* outValidity,
            double* outNumbers, long* outOffsets, byte* outData, UIntPtr outDataLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern UIntPtr cupel_batch_metadata_keys_len(IntPtr batch);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_read_metadata_keys(
            IntPtr batch, long* outOffsets, UIntPtr outOffsetsLen, byte* outData, UIntPtr outDataLen,
            IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_reserve(IntPtr batch, UIntPtr additionalRows, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_shrink(IntPtr batch, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_retain(IntPtr batch, byte* keep, UIntPtr keepLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_retain_rows(IntPtr batch, uint* rows, UIntPtr rowsLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_keep_last(IntPtr batch, UIntPtr rows, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_clear(IntPtr batch, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_batch_to_json(
            IntPtr batch, UIntPtr firstRow, UIntPtr rows, IntPtr* outText, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern void cupel_batch_free(IntPtr batch);

        // scorers
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_recency_new(IntPtr* outScorer, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_priority_new(IntPtr* outScorer, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_frequency_new(IntPtr* outScorer, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_reflexive_new(IntPtr* outScorer, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_kind_default_new(IntPtr* outScorer, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_kind_new(
            NativeWeight* weights, UIntPtr weightsLen, IntPtr* outScorer, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_tag_new(
            NativeWeight* weights, UIntPtr weightsLen, int match, IntPtr* outScorer, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_metadata_trust_new(
            double defaultScore, IntPtr* outScorer, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_metadata_key_new(
            byte* key, UIntPtr keyLen, byte* value, UIntPtr valueLen, double boost, IntPtr* outScorer,
            IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_decay_exponential_new(
            IntPtr clock, long halfLifeNanoseconds, double nullTimestampScore, IntPtr* outScorer, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_decay_window_new(
            IntPtr clock, long maxAgeNanoseconds, double nullTimestampScore, IntPtr* outScorer, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_decay_step_new(
            IntPtr clock, NativeDecayStep* steps, UIntPtr stepsLen, double nullTimestampScore, IntPtr* outScorer,
            IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_composite_new(
            IntPtr* children, double* weights, UIntPtr childrenLen, IntPtr* outScorer, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_scaled_new(IntPtr inner, IntPtr* outScorer, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_custom_fallible_new(
            IntPtr callback, IntPtr userData, IntPtr destroy, IntPtr* outScorer, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_from_json(
            byte* json, UIntPtr jsonLen, IntPtr clock, IntPtr* outScorer, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_to_json(IntPtr scorer, IntPtr* outText, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_score_batch(
            IntPtr scorer, IntPtr batch, double* outScores, UIntPtr outScoresLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_score_groups(
            IntPtr scorer, IntPtr batch, long* groups, UIntPtr groupsLen, double* outScores, UIntPtr outScoresLen,
            IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_score_arrow(
            IntPtr scorer, IntPtr schema, IntPtr array, NativeArrowOptions* options, double* outScores,
            UIntPtr outScoresLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_columns(IntPtr scorer, uint* outColumns, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_score_row(
            IntPtr scorer, IntPtr batch, UIntPtr row, double* outScore, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern void cupel_scorer_free(IntPtr scorer);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern byte* cupel_scorer_type(IntPtr scorer);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern UIntPtr cupel_scorer_children_len(IntPtr scorer);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_scorer_child(
            IntPtr scorer, UIntPtr index, IntPtr* outChild, double* outWeight, IntPtr* outError);

        // clocks
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_clock_system_new(IntPtr* outClock, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_clock_fixed_new(long unixNanoseconds, IntPtr* outClock, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_clock_custom_fallible_new(
            IntPtr callback, IntPtr userData, IntPtr destroy, IntPtr* outClock, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern void cupel_clock_free(IntPtr clock);

        // selectors
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_selector_new(NativePolicy* policy, IntPtr* outSelector, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_selector_from_json(
            byte* json, UIntPtr jsonLen, IntPtr clock, IntPtr* outSelector, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_selector_to_json(IntPtr selector, IntPtr* outText, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_selector_select(
            IntPtr selector, IntPtr batch, NativeRequest* request, IntPtr selection, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_selector_select_groups(
            IntPtr selector, IntPtr batch, long* groups, UIntPtr groupsLen, NativeRequest* request, IntPtr selection,
            IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_selector_needed(
            IntPtr selector, IntPtr batch, IntPtr selection, long* outTokens, UIntPtr outTokensLen, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern void cupel_selector_free(IntPtr selector);

        // selections
        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_selection_new(IntPtr* outSelection, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern int cupel_selection_read(
            IntPtr selection, NativeSelectionView* outView, IntPtr* outError);

        [DllImport(Library, CallingConvention = CallingConvention.Cdecl, ExactSpelling = true)]
        internal static extern void cupel_selection_free(IntPtr selection);
    }
}
