/* Batches from rows that are written down as initializers. */
#ifndef CUPEL_TESTS_ROWS_H
#define CUPEL_TESTS_ROWS_H

#include "check.h"

#define INT(value) (&(const int64_t){value})
#define NUMBER(value) (&(const double){value})
#define LENGTH(array) (sizeof(array) / sizeof *(array))

/* A field that is NULL is not set. Tags are separated by commas. */
typedef struct row {
  const char *kind;
  const char *tags;
  const int64_t *timestamp;
  const int64_t *priority;
  const double *hint;
  const char *key;     /* one metadata entry ... */
  const char *text;    /* ... that is a string, */
  const double *value; /* or a double, */
  const char *other;   /* or neither */
} row;

static inline cupel_item *item_of(const row *row) {
  cupel_item_builder *builder = NULL;
  cupel_item *item = NULL;
  MUST(cupel_item_builder_new("content", 7, 1, &builder, NULL));
  if (row->kind != NULL) {
    MUST(cupel_item_builder_set_kind(builder, row->kind, strlen(row->kind), NULL));
  }
  for (const char *tag = row->tags; tag != NULL; tag = *tag == ',' ? tag + 1 : NULL) {
    size_t len = strcspn(tag, ",");
    MUST(cupel_item_builder_add_tag(builder, tag, len, NULL));
    tag += len;
  }
  if (row->timestamp != NULL) {
    MUST(cupel_item_builder_set_timestamp(builder, *row->timestamp, NULL));
  }
  if (row->priority != NULL) {
    MUST(cupel_item_builder_set_priority(builder, *row->priority, NULL));
  }
  if (row->hint != NULL) {
    MUST(cupel_item_builder_set_future_relevance_hint(builder, *row->hint, NULL));
  }
  if (row->text != NULL) {
    MUST(cupel_item_builder_set_metadata_string(builder, row->key, strlen(row->key), row->text, strlen(row->text), NULL));
  }
  if (row->value != NULL) {
    MUST(cupel_item_builder_set_metadata_double(builder, row->key, strlen(row->key), *row->value, NULL));
  }
  if (row->other != NULL) {
    MUST(cupel_item_builder_set_metadata_other(builder, row->key, strlen(row->key), row->other, strlen(row->other), NULL));
  }
  MUST(cupel_item_builder_build(builder, &item, NULL));
  cupel_item_builder_free(builder);
  return item;
}

static inline cupel_batch *batch_of(const row *rows, size_t len) {
  cupel_batch *batch = NULL;
  MUST(cupel_batch_new(len, &batch, NULL));
  for (size_t i = 0; i < len; i++) {
    cupel_item *item = item_of(&rows[i]);
    MUST(cupel_batch_push(batch, item, NULL));
    cupel_item_free(item);
  }
  CHECK(cupel_batch_len(batch) == len);
  return batch;
}

/* Scores the batch, and each row by itself, and compares both with what is expected. */
static inline void check_scores(const cupel_scorer *scorer, const cupel_batch *batch, const double *expected, size_t len,
                                const char *file, int line) {
  double scores[64];
  double score;
  if (len > LENGTH(scores)) {
    abort();
  }
  for (size_t i = 0; i < len; i++) {
    scores[i] = -99;
  }
  if (!check_status(cupel_scorer_score_batch(scorer, batch, scores, len, NULL), CUPEL_STATUS_OK, "score_batch", file, line)) {
    return;
  }
  for (size_t i = 0; i < len; i++) {
    char what[48];
    snprintf(what, sizeof what, "row %zu of the batch", i);
    check_bits(scores[i], expected[i], what, file, line);
    snprintf(what, sizeof what, "row %zu by itself", i);
    score = -99;
    check_status(cupel_scorer_score_row(scorer, batch, i, &score, NULL), CUPEL_STATUS_OK, what, file, line);
    check_bits(score, expected[i], what, file, line);
  }
}

#define CHECK_SCORES(scorer, batch, expected) \
  check_scores((scorer), (batch), (expected), LENGTH(expected), __FILE__, __LINE__)

#endif
