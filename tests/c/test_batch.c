/* Batches: rows pushed one by one, rows read back, and rows appended by columns. */
#include <math.h>

#include "rows.h"

static char sentinel;
#define UNTOUCHED(type) ((type *)(void *)&sentinel)

static void check_text(const char *data, size_t len, const char *expected) {
  CHECK(len == strlen(expected) && memcmp(data, expected, len) == 0);
}

static void test_rows(void) {
  const row one = {.kind = "Memory", .tags = "a,b", .timestamp = INT(-3), .priority = INT(4), .hint = NUMBER(0.5), .key = "k", .text = "v"};
  cupel_item *item = item_of(&one);
  cupel_batch *batch = NULL;
  MUST(cupel_batch_new(0, &batch, NULL));
  CHECK(cupel_batch_len(batch) == 0);
  MUST(cupel_batch_reserve(batch, 100, NULL));
  MUST(cupel_batch_push(batch, item, NULL));
  MUST(cupel_batch_push(batch, item, NULL)); /* two rows, each other's peers */
  cupel_item_free(item);
  CHECK(cupel_batch_len(batch) == 2);
  cupel_scorer *frequency = NULL;
  MUST(cupel_scorer_frequency_new(&frequency, NULL));
  CHECK_SCORES(frequency, batch, ((double[]){1.0, 1.0}));

  MUST(cupel_batch_shrink(batch, NULL));
  CHECK_SCORES(frequency, batch, ((double[]){1.0, 1.0}));

  const char *data = NULL;
  size_t len = 0;
  int64_t integer = 0;
  double number = 0;
  bool present = false;
  cupel_metadata_type type = -1;
  cupel_item *copy = NULL;
  MUST(cupel_batch_item(batch, 1, &copy, NULL));

  /* The item is its own: the batch may change and go. */
  MUST(cupel_batch_clear(batch, NULL));
  CHECK(cupel_batch_len(batch) == 0);
  cupel_item *none = UNTOUCHED(cupel_item);
  cupel_error *error = NULL;
  CHECK_STATUS(cupel_batch_item(batch, 0, &none, &error), CUPEL_STATUS_OUT_OF_RANGE);
  CHECK(none == UNTOUCHED(cupel_item));
  CHECK_MESSAGE(error, CUPEL_STATUS_OUT_OF_RANGE, "0");
  cupel_batch_free(batch);
  cupel_scorer_free(frequency);

  MUST(cupel_item_content(copy, &data, &len, NULL));
  check_text(data, len, "content");
  MUST(cupel_item_kind(copy, &data, &len, NULL));
  check_text(data, len, "Memory");
  MUST(cupel_item_source(copy, &data, &len, NULL));
  check_text(data, len, "Chat");
  MUST(cupel_item_tokens(copy, &integer, NULL));
  CHECK(integer == 1);
  MUST(cupel_item_timestamp(copy, &integer, &present, NULL));
  CHECK(present && integer == -3);
  MUST(cupel_item_priority(copy, &integer, &present, NULL));
  CHECK(present && integer == 4);
  MUST(cupel_item_future_relevance_hint(copy, &number, &present, NULL));
  CHECK(present && number == 0.5);
  MUST(cupel_item_tags_len(copy, &len, NULL));
  CHECK(len == 2);
  MUST(cupel_item_tag(copy, 1, &data, &len, NULL));
  check_text(data, len, "b");
  MUST(cupel_item_metadata_len(copy, &len, NULL));
  CHECK(len == 1);
  MUST(cupel_item_metadata_value(copy, 0, &type, &data, &len, &number, NULL));
  CHECK(type == CUPEL_METADATA_TYPE_STRING);
  check_text(data, len, "v");
  cupel_item_free(copy);
}

static void test_cleared_batch_forgets(void) {
  const row before[] = {{.kind = "Memory", .tags = "a", .timestamp = INT(1), .priority = INT(1)}, {.tags = "a", .timestamp = INT(2)}};
  const row after[] = {{.tags = "b", .timestamp = INT(9)}, {.tags = "a"}};
  cupel_batch *batch = batch_of(before, LENGTH(before));
  cupel_scorer *frequency = NULL, *recency = NULL, *kind = NULL;
  MUST(cupel_scorer_frequency_new(&frequency, NULL));
  MUST(cupel_scorer_recency_new(&recency, NULL));
  MUST(cupel_scorer_kind_default_new(&kind, NULL));
  CHECK_SCORES(frequency, batch, ((double[]){1.0, 1.0}));
  MUST(cupel_batch_clear(batch, NULL));
  for (size_t i = 0; i < LENGTH(after); i++) {
    cupel_item *item = item_of(&after[i]);
    MUST(cupel_batch_push(batch, item, NULL));
    cupel_item_free(item);
  }
  CHECK_SCORES(frequency, batch, ((double[]){0.0, 0.0}));
  CHECK_SCORES(recency, batch, ((double[]){1.0, 0.0}));
  CHECK_SCORES(kind, batch, ((double[]){0.2, 0.2}));
  cupel_scorer_free(frequency);
  cupel_scorer_free(recency);
  cupel_scorer_free(kind);
  cupel_batch_free(batch);
}

static void test_sizes_that_cannot_be_had(void) {
  cupel_batch *batch = UNTOUCHED(cupel_batch);
  cupel_error *error = NULL;
  CHECK_STATUS(cupel_batch_new(SIZE_MAX, &batch, &error), CUPEL_STATUS_OUT_OF_MEMORY);
  CHECK(batch == UNTOUCHED(cupel_batch));
  CHECK_MESSAGE(error, CUPEL_STATUS_OUT_OF_MEMORY, "memory");
  MUST(cupel_batch_new(0, &batch, NULL));
  CHECK_STATUS(cupel_batch_reserve(batch, SIZE_MAX, &error), CUPEL_STATUS_OUT_OF_MEMORY);
  CHECK_MESSAGE(error, CUPEL_STATUS_OUT_OF_MEMORY, "memory");
  CHECK_STATUS(cupel_batch_reserve(batch, SIZE_MAX / 64, NULL), CUPEL_STATUS_OUT_OF_MEMORY);
  CHECK(cupel_batch_len(batch) == 0);
  const row plain = {0};
  cupel_item *item = item_of(&plain);
  MUST(cupel_batch_push(batch, item, NULL));
  CHECK(cupel_batch_len(batch) == 1);
  cupel_item_free(item);
  cupel_batch_free(batch);
}

/* ---- columns -------------------------------------------------------------- */

#define ROWS 4

static const int64_t TIMESTAMPS[ROWS] = {30, 10, 20, 77};
static const uint8_t TIMESTAMP_VALIDITY[ROWS] = {1, 1, 1, 0};
static const int64_t PRIORITIES[ROWS] = {1, 2, 3, 4};
static const double HINTS[ROWS] = {0.25, 0.5, 2.0, -1.0};
static const int64_t KIND_OFFSETS[] = {0, 6, 14};
static const uint32_t KIND_CODES[ROWS] = {1, 0, 1, 0};
static const int64_t TAG_OFFSETS[] = {0, 1, 2, 3};
static const int64_t TAG_LISTS[ROWS + 1] = {0, 1, 3, 3, 3};
static const int64_t KEY_OFFSETS[] = {0, 11};
static const uint32_t KEY_CODES[] = {0, 0, 0};
static const int64_t METADATA_LISTS[ROWS + 1] = {0, 1, 2, 3, 3};
static const uint8_t METADATA_TYPES[] = {CUPEL_METADATA_TYPE_DOUBLE, CUPEL_METADATA_TYPE_STRING, CUPEL_METADATA_TYPE_OTHER};
static const int64_t METADATA_OFFSETS[] = {0, 0, 3, 6};
static const double METADATA_NUMBERS[] = {0.125, 0.0, 0.0};

static cupel_columns columns_of_test(void) {
  cupel_columns columns = {0};
  columns.struct_size = sizeof columns;
  columns.rows = ROWS;
  columns.kind = (cupel_text_column){"MemoryDocument", 14, KIND_OFFSETS, 2, KIND_CODES};
  columns.timestamp = TIMESTAMPS;
  columns.timestamp_validity = TIMESTAMP_VALIDITY;
  columns.priority = PRIORITIES;
  columns.future_relevance_hint = HINTS;
  columns.tag_lists = TAG_LISTS;
  columns.tags_len = 3;
  columns.tags = (cupel_text_column){"xXy", 3, TAG_OFFSETS, 3, NULL};
  columns.metadata_lists = METADATA_LISTS;
  columns.metadata_len = 3;
  columns.metadata_keys = (cupel_text_column){"cupel:trust", 11, KEY_OFFSETS, 1, KEY_CODES};
  columns.metadata_types = METADATA_TYPES;
  columns.metadata_texts = (cupel_text_column){"0.50.9", 6, METADATA_OFFSETS, 3, NULL};
  columns.metadata_numbers = METADATA_NUMBERS;
  return columns;
}

static const row ROWS_OF_TEST[ROWS] = {
    {.kind = "Document", .timestamp = &TIMESTAMPS[0], .priority = &PRIORITIES[0], .hint = &HINTS[0], .tags = "x", .key = "cupel:trust", .value = &METADATA_NUMBERS[0]},
    {.kind = "Memory", .timestamp = &TIMESTAMPS[1], .priority = &PRIORITIES[1], .hint = &HINTS[1], .tags = "X,y", .key = "cupel:trust", .text = "0.5"},
    {.kind = "Document", .timestamp = &TIMESTAMPS[2], .priority = &PRIORITIES[2], .hint = &HINTS[2], .key = "cupel:trust", .other = "0.9"},
    {.kind = "Memory", .priority = &PRIORITIES[3], .hint = &HINTS[3]},
};

static void check_same_scores(const cupel_batch *left, const cupel_batch *right) {
  cupel_clock *clock = NULL;
  cupel_scorer *scorers[7];
  const cupel_weight weights[] = {{"x", 1, 1.0}, {"y", 1, 3.0}};
  MUST(cupel_clock_fixed_new(50, &clock, NULL));
  MUST(cupel_scorer_recency_new(&scorers[0], NULL));
  MUST(cupel_scorer_priority_new(&scorers[1], NULL));
  MUST(cupel_scorer_frequency_new(&scorers[2], NULL));
  MUST(cupel_scorer_reflexive_new(&scorers[3], NULL));
  MUST(cupel_scorer_tag_new(weights, 2, CUPEL_TEXT_MATCH_EXACT, &scorers[4], NULL));
  MUST(cupel_scorer_metadata_trust_new(0.75, &scorers[5], NULL));
  MUST(cupel_scorer_decay_exponential_new(clock, 20, 0.5, &scorers[6], NULL));
  for (size_t i = 0; i < LENGTH(scorers); i++) {
    double left_scores[ROWS], right_scores[ROWS];
    MUST(cupel_scorer_score_batch(scorers[i], left, left_scores, ROWS, NULL));
    MUST(cupel_scorer_score_batch(scorers[i], right, right_scores, ROWS, NULL));
    for (size_t row = 0; row < ROWS; row++) {
      CHECK_BITS(right_scores[row], left_scores[row]);
    }
    cupel_scorer_free(scorers[i]);
  }
  cupel_clock_free(clock);
}

static void test_columns_are_items(void) {
  cupel_batch *by_item = batch_of(ROWS_OF_TEST, ROWS);
  cupel_batch *by_columns = NULL;
  cupel_columns columns = columns_of_test();
  MUST(cupel_batch_new(0, &by_columns, NULL));
  MUST(cupel_batch_append_columns(by_columns, &columns, NULL));
  CHECK(cupel_batch_len(by_columns) == ROWS);
  check_same_scores(by_item, by_columns);

  /* A row without content is score-only. */
  cupel_item *item = NULL;
  const char *data = NULL;
  size_t len = 99;
  MUST(cupel_batch_item(by_columns, 2, &item, NULL));
  MUST(cupel_item_content(item, &data, &len, NULL));
  CHECK(len == 0);
  MUST(cupel_item_kind(item, &data, &len, NULL));
  check_text(data, len, "Document");
  cupel_item_free(item);

  columns.rows = 0; /* nothing to read, so nothing to do */
  cupel_columns empty = {0};
  empty.struct_size = sizeof empty;
  MUST(cupel_batch_append_columns(by_columns, &empty, NULL));
  CHECK(cupel_batch_len(by_columns) == ROWS);
  cupel_batch_free(by_item);
  cupel_batch_free(by_columns);
}

static void test_larger_struct(void) {
  struct {
    cupel_columns columns;
    uint64_t newer[2];
  } larger;
  cupel_batch *batch = NULL;
  memset(&larger, 0, sizeof larger);
  larger.columns = columns_of_test();
  larger.columns.struct_size = sizeof larger;
  MUST(cupel_batch_new(0, &batch, NULL));
  MUST(cupel_batch_append_columns(batch, &larger.columns, NULL));
  larger.newer[1] = 1;
  CHECK_STATUS(cupel_batch_append_columns(batch, &larger.columns, NULL), CUPEL_STATUS_INVALID_ARGUMENT);
  CHECK(cupel_batch_len(batch) == ROWS);
  cupel_batch_free(batch);
}

/* Appends columns that are wrong: the status, the column that the message names, and
   a batch that is as it was. */
static void check_refused(const cupel_columns *columns, cupel_status status, const char *part) {
  cupel_batch *batch = batch_of(ROWS_OF_TEST, ROWS);
  cupel_batch *twin = batch_of(ROWS_OF_TEST, ROWS);
  cupel_error *error = NULL;
  CHECK_STATUS(cupel_batch_append_columns(batch, columns, &error), status);
  CHECK_MESSAGE(error, status, part);
  CHECK(cupel_batch_len(batch) == ROWS);
  check_same_scores(batch, twin);
  cupel_batch_free(batch);
  cupel_batch_free(twin);
}

static void test_refused_columns(void) {
  cupel_columns columns = columns_of_test();
  columns.struct_size = 8;
  check_refused(&columns, CUPEL_STATUS_INVALID_ARGUMENT, "struct_size");

  columns = columns_of_test();
  columns.kind.codes = (const uint32_t[ROWS]){0, 1, 2, 0};
  check_refused(&columns, CUPEL_STATUS_OUT_OF_RANGE, "kind");

  columns = columns_of_test();
  columns.kind.offsets = (const int64_t[]){0, 6, 15};
  check_refused(&columns, CUPEL_STATUS_OUT_OF_RANGE, "kind");

  columns = columns_of_test();
  columns.kind.offsets = (const int64_t[]){-1, 6, 14};
  check_refused(&columns, CUPEL_STATUS_OUT_OF_RANGE, "kind");

  columns = columns_of_test();
  columns.kind.offsets = (const int64_t[]){0, 7, 6};
  check_refused(&columns, CUPEL_STATUS_OUT_OF_RANGE, "kind");

  columns = columns_of_test();
  columns.kind.data = "Memory\xFF\xFF" "cument";
  check_refused(&columns, CUPEL_STATUS_INVALID_UTF8, "kind");

  columns = columns_of_test();
  columns.kind.data = "      Document";
  check_refused(&columns, CUPEL_STATUS_EMPTY_KIND, "kind");

  columns = columns_of_test();
  columns.source = columns.kind;
  columns.source.data = "      Document";
  check_refused(&columns, CUPEL_STATUS_EMPTY_SOURCE, "source");

  columns = columns_of_test();
  columns.content = (cupel_text_column){"abc", 3, (const int64_t[]){0, 1, 1, 2, 3}, 4, NULL};
  check_refused(&columns, CUPEL_STATUS_EMPTY_CONTENT, "content");

  columns = columns_of_test();
  columns.timestamp_validity = (const uint8_t[ROWS]){1, 0, 2, 1};
  check_refused(&columns, CUPEL_STATUS_OUT_OF_RANGE, "timestamp_validity[2]");

  columns = columns_of_test();
  columns.pinned = (const uint8_t[ROWS]){1, 0, 7, 1};
  check_refused(&columns, CUPEL_STATUS_OUT_OF_RANGE, "pinned[2]");

  columns = columns_of_test();
  columns.tag_lists = (const int64_t[ROWS + 1]){0, 1, 0, 3, 3};
  check_refused(&columns, CUPEL_STATUS_OUT_OF_RANGE, "tag_lists");

  columns = columns_of_test();
  columns.tags.texts_len = 2;
  check_refused(&columns, CUPEL_STATUS_LENGTH_MISMATCH, "tags");

  columns = columns_of_test();
  columns.metadata_types = (const uint8_t[]){1, 0, 3};
  check_refused(&columns, CUPEL_STATUS_OUT_OF_RANGE, "metadata_types");

  columns = columns_of_test();
  columns.metadata_numbers = NULL;
  check_refused(&columns, CUPEL_STATUS_NULL_ARGUMENT, "metadata_numbers");

  /* No array can be so long, and no batch has so many rows. */
  const cupel_columns none = {.struct_size = sizeof none, .rows = SIZE_MAX};
  check_refused(&none, CUPEL_STATUS_OUT_OF_RANGE, "");
  const cupel_columns many = {.struct_size = sizeof many, .rows = (size_t)1 << 31};
  check_refused(&many, CUPEL_STATUS_OUT_OF_RANGE, "rows");
  columns = columns_of_test();
  columns.rows = SIZE_MAX / sizeof(int64_t);
  check_refused(&columns, CUPEL_STATUS_OUT_OF_RANGE, "");
}

int main(void) {
  test_rows();
  test_cleared_batch_forgets();
  test_sizes_that_cannot_be_had();
  test_columns_are_items();
  test_larger_struct();
  test_refused_columns();
  return check_report("test_batch");
}
