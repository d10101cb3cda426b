#ifndef CUPEL_GO_SHIM_H
#define CUPEL_GO_SHIM_H

#include <cupel.h>

/* cupel_columns as flat arguments. cgo pins what an argument points to during the
   call, but refuses a struct in Go memory that points to more Go memory. So the
   struct is built here, on the C stack. */
static inline cupel_status cupel_go_batch_append_columns(
    cupel_batch *batch, size_t rows,
    const char *content, size_t content_len, const int64_t *content_offsets, size_t content_texts, const uint32_t *content_codes,
    const int64_t *tokens,
    const char *kind, size_t kind_len, const int64_t *kind_offsets, size_t kind_texts, const uint32_t *kind_codes, const uint8_t *kind_validity,
    const char *source, size_t source_len, const int64_t *source_offsets, size_t source_texts, const uint32_t *source_codes, const uint8_t *source_validity,
    const int64_t *priority, const uint8_t *priority_validity,
    const int64_t *timestamp, const uint8_t *timestamp_validity,
    const double *hint, const uint8_t *hint_validity,
    const uint8_t *pinned,
    const int64_t *original_tokens, const uint8_t *original_tokens_validity,
    const int64_t *tag_lists, size_t tags_slots,
    const char *tags, size_t tags_len, const int64_t *tags_offsets, size_t tags_texts, const uint32_t *tags_codes,
    const int64_t *metadata_lists, size_t metadata_slots,
    const char *keys, size_t keys_len, const int64_t *keys_offsets, size_t keys_texts, const uint32_t *keys_codes,
    const uint8_t *metadata_types,
    const char *values, size_t values_len, const int64_t *values_offsets, size_t values_texts, const uint32_t *values_codes,
    const double *metadata_numbers,
    cupel_error **out_error) {
  const cupel_columns columns = {
      .struct_size = sizeof(cupel_columns),
      .rows = rows,
      .content = {content, content_len, content_offsets, content_texts, content_codes},
      .tokens = tokens,
      .kind = {kind, kind_len, kind_offsets, kind_texts, kind_codes},
      .kind_validity = kind_validity,
      .source = {source, source_len, source_offsets, source_texts, source_codes},
      .source_validity = source_validity,
      .priority = priority,
      .priority_validity = priority_validity,
      .timestamp = timestamp,
      .timestamp_validity = timestamp_validity,
      .future_relevance_hint = hint,
      .future_relevance_hint_validity = hint_validity,
      .pinned = pinned,
      .original_tokens = original_tokens,
      .original_tokens_validity = original_tokens_validity,
      .tag_lists = tag_lists,
      .tags_len = tags_slots,
      .tags = {tags, tags_len, tags_offsets, tags_texts, tags_codes},
      .metadata_lists = metadata_lists,
      .metadata_len = metadata_slots,
      .metadata_keys = {keys, keys_len, keys_offsets, keys_texts, keys_codes},
      .metadata_types = metadata_types,
      .metadata_texts = {values, values_len, values_offsets, values_texts, values_codes},
      .metadata_numbers = metadata_numbers,
  };
  return cupel_batch_append_columns(batch, &columns, out_error);
}

/* Every field of an item but its lists, read in one call. */
typedef struct cupel_go_item {
  const char *content;
  size_t content_len;
  const char *kind;
  size_t kind_len;
  const char *source;
  size_t source_len;
  int64_t tokens;
  int64_t priority;
  int64_t original_tokens;
  int64_t timestamp;
  double hint;
  size_t tags_len;
  size_t metadata_len;
  bool has_priority;
  bool has_original_tokens;
  bool has_timestamp;
  bool has_hint;
  bool pinned;
} cupel_go_item;

static inline cupel_status cupel_go_item_read(const cupel_item *item, cupel_go_item *out, cupel_error **out_error) {
  cupel_status status = cupel_item_content(item, &out->content, &out->content_len, out_error);
  if (!status) status = cupel_item_kind(item, &out->kind, &out->kind_len, out_error);
  if (!status) status = cupel_item_source(item, &out->source, &out->source_len, out_error);
  if (!status) status = cupel_item_tokens(item, &out->tokens, out_error);
  if (!status) status = cupel_item_priority(item, &out->priority, &out->has_priority, out_error);
  if (!status) status = cupel_item_original_tokens(item, &out->original_tokens, &out->has_original_tokens, out_error);
  if (!status) status = cupel_item_timestamp(item, &out->timestamp, &out->has_timestamp, out_error);
  if (!status) status = cupel_item_future_relevance_hint(item, &out->hint, &out->has_hint, out_error);
  if (!status) status = cupel_item_pinned(item, &out->pinned, out_error);
  if (!status) status = cupel_item_tags_len(item, &out->tags_len, out_error);
  if (!status) status = cupel_item_metadata_len(item, &out->metadata_len, out_error);
  return status;
}

/* cupel_arrow_options as flat arguments, for the same reason. */
static inline cupel_arrow_options cupel_go_arrow_options(uint64_t flags, const char *group, size_t group_len) {
  return (cupel_arrow_options){.struct_size = sizeof(cupel_arrow_options), .flags = flags, .group = group, .group_len = group_len};
}

static inline cupel_status cupel_go_batch_append_arrow(cupel_batch *batch, const struct ArrowSchema *schema, const struct ArrowArray *array, uint64_t flags, cupel_error **out_error) {
  const cupel_arrow_options options = cupel_go_arrow_options(flags, NULL, 0);
  return cupel_batch_append_arrow(batch, schema, array, &options, out_error);
}

static inline cupel_status cupel_go_batch_append_arrow_stream(cupel_batch *batch, struct ArrowArrayStream *stream, uint64_t flags, cupel_error **out_error) {
  const cupel_arrow_options options = cupel_go_arrow_options(flags, NULL, 0);
  return cupel_batch_append_arrow_stream(batch, stream, &options, out_error);
}

/* callback.c: functions that may call back into Go. call and function are cgo
   handles. */
cupel_status cupel_go_scorer_custom_new(uintptr_t function, cupel_scorer **out_scorer, cupel_error **out_error);
cupel_status cupel_go_clock_custom_new(uintptr_t function, cupel_clock **out_clock, cupel_error **out_error);
cupel_status cupel_go_scorer_score_batch(uintptr_t call, const cupel_scorer *scorer, const cupel_batch *batch, double *out_scores, size_t out_scores_len, cupel_error **out_error);
cupel_status cupel_go_scorer_score_groups(uintptr_t call, const cupel_scorer *scorer, const cupel_batch *batch, const int64_t *groups, size_t groups_len, double *out_scores, size_t out_scores_len, cupel_error **out_error);
cupel_status cupel_go_scorer_score_row(uintptr_t call, const cupel_scorer *scorer, const cupel_batch *batch, size_t row, double *out_score, cupel_error **out_error);
cupel_status cupel_go_selector_select(uintptr_t call, const cupel_selector *selector, const cupel_batch *batch, const cupel_request *request, cupel_selection *selection, cupel_error **out_error);
cupel_status cupel_go_selector_select_groups(uintptr_t call, const cupel_selector *selector, const cupel_batch *batch, const int64_t *groups, size_t groups_len, const cupel_request *request, cupel_selection *selection, cupel_error **out_error);
cupel_status cupel_go_scorer_score_arrow(uintptr_t call, const cupel_scorer *scorer, const struct ArrowSchema *schema, const struct ArrowArray *array, uint64_t flags, const char *group, size_t group_len, double *out_scores, size_t out_scores_len, cupel_error **out_error);

#endif
