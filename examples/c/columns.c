/*
 * The same rows twice, by item and by columns: the scores are the same bits.
 *
 * A host whose data already lies in flat arrays lends them to the library in one
 * call. Texts are one run of bytes plus offsets: text t is data[offsets[t]] up to
 * data[offsets[t + 1]]. Lists (here, the tags) are offsets into another column.
 *
 *     cc -std=c11 -Iinclude examples/c/columns.c -Ltarget/release -lcupel -o columns
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupel.h"

#define ROWS 4
#define NO_PRIORITY 0 /* what stands in the array where priority_validity says missing */

/* Kinds are dictionary-encoded: three texts, and for each row the number of its own. */
static const char KIND_DATA[] = "MessageToolOutputDocument";
static const int64_t KIND_OFFSETS[] = {0, 7, 17, 25};
static const uint32_t KIND_CODES[ROWS] = {0, 1, 0, 2};

static const int64_t TIMESTAMPS[ROWS] = {1767225600000000000, 1767225600250000000, 1767225601000000000, 0};
static const uint8_t TIMESTAMP_VALIDITY[ROWS] = {1, 1, 1, 0};
static const int64_t PRIORITIES[ROWS] = {5, NO_PRIORITY, 9, 1};
static const uint8_t PRIORITY_VALIDITY[ROWS] = {1, 0, 1, 1};

/* Five tag slots; row 0 has slots 0 and 1, row 1 has slot 2, row 2 none, row 3 has 3 and 4. */
static const char TAG_DATA[] = "buildlinkerLINKERdocsbuild";
static const int64_t TAG_OFFSETS[] = {0, 5, 11, 17, 21, 26};
static const int64_t TAG_LISTS[ROWS + 1] = {0, 2, 3, 3, 5};

static void check(cupel_status status, cupel_error **error) {
  if (status != CUPEL_STATUS_OK) {
    fprintf(stderr, "%s: %s\n", cupel_status_name(status), cupel_error_message(*error));
    cupel_error_free(*error);
    exit(EXIT_FAILURE);
  }
}

static void append_by_columns(cupel_batch *batch) {
  cupel_error *error = NULL;
  cupel_columns columns = {0}; /* every column absent; the ones set below are present */
  columns.struct_size = sizeof columns;
  columns.rows = ROWS;
  columns.kind.data = KIND_DATA;
  columns.kind.data_len = strlen(KIND_DATA);
  columns.kind.offsets = KIND_OFFSETS;
  columns.kind.texts_len = 3;
  columns.kind.codes = KIND_CODES;
  columns.timestamp = TIMESTAMPS;
  columns.timestamp_validity = TIMESTAMP_VALIDITY;
  columns.priority = PRIORITIES;
  columns.priority_validity = PRIORITY_VALIDITY;
  columns.tag_lists = TAG_LISTS;
  columns.tags_len = 5;
  columns.tags.data = TAG_DATA;
  columns.tags.data_len = strlen(TAG_DATA);
  columns.tags.offsets = TAG_OFFSETS;
  columns.tags.texts_len = 5;
  check(cupel_batch_append_columns(batch, &columns, &error), &error);
}

static void append_by_item(cupel_batch *batch) {
  cupel_error *error = NULL;
  cupel_item_builder *builder = NULL;
  /* Rows given by columns may lack content, as no scorer reads it; an item has some. */
  check(cupel_item_builder_new("content", 7, 0, &builder, &error), &error);
  for (size_t row = 0; row < ROWS; row++) {
    cupel_item *item = NULL;
    const int64_t *kind = &KIND_OFFSETS[KIND_CODES[row]];
    check(cupel_item_builder_reset(builder, "content", 7, 0, &error), &error);
    check(cupel_item_builder_set_kind(builder, KIND_DATA + kind[0], (size_t)(kind[1] - kind[0]), &error), &error);
    if (TIMESTAMP_VALIDITY[row] != 0) {
      check(cupel_item_builder_set_timestamp(builder, TIMESTAMPS[row], &error), &error);
    }
    if (PRIORITY_VALIDITY[row] != 0) {
      check(cupel_item_builder_set_priority(builder, PRIORITIES[row], &error), &error);
    }
    for (int64_t slot = TAG_LISTS[row]; slot < TAG_LISTS[row + 1]; slot++) {
      const int64_t *tag = &TAG_OFFSETS[slot];
      check(cupel_item_builder_add_tag(builder, TAG_DATA + tag[0], (size_t)(tag[1] - tag[0]), &error), &error);
    }
    check(cupel_item_builder_build(builder, &item, &error), &error);
    check(cupel_batch_push(batch, item, &error), &error);
    cupel_item_free(item);
  }
  cupel_item_builder_free(builder);
}

static cupel_scorer *make_scorer(void) {
  static const double WEIGHTS[] = {4.0, 3.0, 2.0, 1.0};
  cupel_error *error = NULL;
  cupel_scorer *children[4] = {NULL, NULL, NULL, NULL};
  cupel_scorer *scorer = NULL;
  check(cupel_scorer_recency_new(&children[0], &error), &error);
  check(cupel_scorer_priority_new(&children[1], &error), &error);
  check(cupel_scorer_frequency_new(&children[2], &error), &error);
  check(cupel_scorer_kind_default_new(&children[3], &error), &error);
  check(cupel_scorer_composite_new((const cupel_scorer *const *)children, WEIGHTS, 4, &scorer, &error), &error);
  /* The composite has its own share of its children. */
  for (size_t i = 0; i < 4; i++) {
    cupel_scorer_free(children[i]);
  }
  return scorer;
}

int main(void) {
  cupel_error *error = NULL;
  cupel_batch *by_item = NULL, *by_columns = NULL;
  double item_scores[ROWS], column_scores[ROWS];
  bool equal = true;

  check(cupel_batch_new(ROWS, &by_item, &error), &error);
  check(cupel_batch_new(ROWS, &by_columns, &error), &error);
  append_by_item(by_item);
  append_by_columns(by_columns);

  cupel_scorer *scorer = make_scorer();
  check(cupel_scorer_score_batch(scorer, by_item, item_scores, ROWS, &error), &error);
  check(cupel_scorer_score_batch(scorer, by_columns, column_scores, ROWS, &error), &error);

  for (size_t row = 0; row < ROWS; row++) {
    printf("row %zu: by item %.17g, by columns %.17g\n", row, item_scores[row], column_scores[row]);
    equal = equal && item_scores[row] == column_scores[row];
  }
  puts(equal ? "equal" : "DIFFERENT");

  cupel_scorer_free(scorer);
  cupel_batch_free(by_columns);
  cupel_batch_free(by_item);
  return equal ? EXIT_SUCCESS : EXIT_FAILURE;
}
