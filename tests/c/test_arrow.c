/* Arrow tables and streams made by hand, and scores of groups. */
#include <math.h>

#include "rows.h"

/* Counts what is released: structs of the host by the host, and what a stream hands out by the library. */
static int schemas_released, arrays_released;

static void release_schema(struct ArrowSchema *schema) {
  schemas_released++;
  schema->release = NULL;
}

static void release_array(struct ArrowArray *array) {
  arrays_released++;
  array->release = NULL;
}

/* Five rows in two conversations, on the heap and exactly as long as they need to be, so that a read beyond them is found. */
typedef struct table {
  struct ArrowSchema fields[4], tag_field, schema;
  struct ArrowArray columns[4], tag_array, array;
  struct ArrowSchema *field_pointers[4], *tag_field_pointer;
  struct ArrowArray *column_pointers[4], *tag_pointer;
  const void *buffers[6][3];
  void *memory[8];
  size_t used;
} table;

static const void *copy(table *table, const void *bytes, size_t len) {
  void *memory = malloc(len);
  if (memory == NULL) {
    exit(EXIT_FAILURE);
  }
  memcpy(memory, bytes, len);
  table->memory[table->used++] = memory;
  return memory;
}

static void field(struct ArrowSchema *schema, struct ArrowArray *array, const char *name, const char *format, int64_t length,
                  const void **buffers, int64_t buffers_len) {
  *schema = (struct ArrowSchema){.format = format, .name = name, .flags = ARROW_FLAG_NULLABLE, .release = release_schema};
  *array = (struct ArrowArray){.length = length, .null_count = -1, .n_buffers = buffers_len, .buffers = buffers, .release = release_array};
}

static table *make_table(void) {
  table *made = calloc(1, sizeof *made);
  if (made == NULL) {
    exit(EXIT_FAILURE);
  }
  const int32_t conversation_ends[] = {0, 1, 2, 3, 4, 5}, tag_ends[] = {0, 1, 2, 2, 3, 4}, text_ends[] = {0, 1, 2, 3, 4};
  const int64_t priorities[] = {1, 2, 5, 4, 3};
  const double hints[] = {0.5, 0.25, 1.0, -1.0, NAN};
  const unsigned char validity[] = {0x1E};
  made->buffers[0][1] = copy(made, conversation_ends, sizeof conversation_ends);
  made->buffers[0][2] = copy(made, "aabbb", 5);
  made->buffers[1][0] = copy(made, validity, sizeof validity);
  made->buffers[1][1] = copy(made, priorities, sizeof priorities);
  made->buffers[2][1] = copy(made, hints, sizeof hints);
  made->buffers[3][1] = copy(made, tag_ends, sizeof tag_ends);
  made->buffers[4][1] = copy(made, text_ends, sizeof text_ends);
  made->buffers[4][2] = copy(made, "xxyy", 4);
  field(&made->fields[0], &made->columns[0], "conversation", "u", 5, made->buffers[0], 3);
  field(&made->fields[1], &made->columns[1], "priority", "l", 5, made->buffers[1], 2);
  field(&made->fields[2], &made->columns[2], "futureRelevanceHint", "g", 5, made->buffers[2], 2);
  field(&made->fields[3], &made->columns[3], "tags", "+l", 5, made->buffers[3], 2);
  field(&made->tag_field, &made->tag_array, "item", "u", 4, made->buffers[4], 3);
  made->tag_field_pointer = &made->tag_field;
  made->tag_pointer = &made->tag_array;
  made->fields[3].n_children = made->columns[3].n_children = 1;
  made->fields[3].children = &made->tag_field_pointer;
  made->columns[3].children = &made->tag_pointer;
  field(&made->schema, &made->array, "", "+s", 5, made->buffers[5], 1);
  for (size_t i = 0; i < 4; i++) {
    made->field_pointers[i] = &made->fields[i];
    made->column_pointers[i] = &made->columns[i];
  }
  made->schema.n_children = made->array.n_children = 4;
  made->schema.children = made->field_pointers;
  made->array.children = made->column_pointers;
  return made;
}

static void free_table(table *made) {
  for (size_t i = 0; i < made->used; i++) {
    free(made->memory[i]);
  }
  free(made);
}

static void check_five(const double *actual, const double *expected) {
  for (size_t i = 0; i < 5; i++) {
    CHECK_BITS(actual[i], expected[i]);
  }
}

static void test_tables_are_read(void) {
  table *made = make_table();
  cupel_batch *batch = NULL;
  MUST(cupel_batch_new(0, &batch, NULL));
  MUST(cupel_batch_append_arrow(batch, &made->schema, &made->array, NULL, NULL));
  CHECK(cupel_batch_len(batch) == 5);
  CHECK(made->schema.release != NULL && made->array.release != NULL);
  cupel_scorer *reflexive = NULL, *priority = NULL, *frequency = NULL;
  MUST(cupel_scorer_reflexive_new(&reflexive, NULL));
  MUST(cupel_scorer_priority_new(&priority, NULL));
  MUST(cupel_scorer_frequency_new(&frequency, NULL));
  CHECK_SCORES(reflexive, batch, ((double[]){0.5, 0.25, 1.0, 0.0, 0.0}));
  CHECK_SCORES(priority, batch, ((double[]){0.0, 0.0, 1.0, 2.0 / 3.0, 1.0 / 3.0}));

  /* The rows of each conversation among themselves, in one call over the batch and in one over the table. */
  const int64_t groups[] = {0, 2, 5};
  const double by_priority[] = {0.0, 1.0, 1.0, 0.5, 0.0}, by_frequency[] = {1.0, 1.0, 0.0, 0.5, 0.5};
  double scores[5];
  cupel_arrow_options options = {.struct_size = sizeof options, .group = "conversation", .group_len = 12};
  MUST(cupel_scorer_score_groups(priority, batch, groups, 2, scores, 5, NULL));
  check_five(scores, by_priority);
  MUST(cupel_scorer_score_arrow(priority, &made->schema, &made->array, &options, scores, 5, NULL));
  check_five(scores, by_priority);
  MUST(cupel_scorer_score_groups(frequency, batch, groups, 2, scores, 5, NULL));
  check_five(scores, by_frequency);
  MUST(cupel_scorer_score_arrow(frequency, &made->schema, &made->array, &options, scores, 5, NULL));
  check_five(scores, by_frequency);

  uint32_t columns = 0;
  MUST(cupel_scorer_columns(frequency, &columns, NULL));
  CHECK(columns == CUPEL_COLUMN_TAGS);

  /* A slice: the last three rows. */
  made->array.offset = 2;
  made->array.length = 3;
  MUST(cupel_scorer_score_arrow(priority, &made->schema, &made->array, &options, scores, 3, NULL));
  CHECK_BITS(scores[0], 1.0);
  CHECK_BITS(scores[2], 0.0);

  /* Refusals leave batch and scores as they were. */
  cupel_error *error = NULL;
  scores[0] = 7.0;
  made->array.length = 4;
  CHECK_STATUS(cupel_batch_append_arrow(batch, &made->schema, &made->array, NULL, &error), CUPEL_STATUS_LENGTH_MISMATCH);
  CHECK_MESSAGE(error, CUPEL_STATUS_LENGTH_MISMATCH, "5");
  CHECK_STATUS(cupel_scorer_score_arrow(priority, &made->schema, &made->array, &options, scores, 4, &error), CUPEL_STATUS_LENGTH_MISMATCH);
  cupel_error_free(error);
  made->array.offset = 0;
  made->array.length = 5;
  CHECK_STATUS(cupel_scorer_score_arrow(priority, &made->schema, &made->array, &options, scores, 4, &error), CUPEL_STATUS_LENGTH_MISMATCH);
  CHECK_MESSAGE(error, CUPEL_STATUS_LENGTH_MISMATCH, "out_scores_len is 4");
  options.group = "tags";
  options.group_len = 4;
  CHECK_STATUS(cupel_scorer_score_arrow(priority, &made->schema, &made->array, &options, scores, 5, &error), CUPEL_STATUS_INVALID_ARGUMENT);
  CHECK_MESSAGE(error, CUPEL_STATUS_INVALID_ARGUMENT, "tags has the type \"+l\"");
  made->fields[1].format = "u";
  CHECK_STATUS(cupel_batch_append_arrow(batch, &made->schema, &made->array, NULL, &error), CUPEL_STATUS_INVALID_ARGUMENT);
  CHECK_MESSAGE(error, CUPEL_STATUS_INVALID_ARGUMENT, "priority has the type \"u\"");
  made->array.release = NULL;
  CHECK_STATUS(cupel_batch_append_arrow(batch, &made->schema, &made->array, NULL, &error), CUPEL_STATUS_INVALID_ARGUMENT);
  CHECK_MESSAGE(error, CUPEL_STATUS_INVALID_ARGUMENT, "released");
  CHECK(cupel_batch_len(batch) == 5);
  CHECK_BITS(scores[0], 7.0);
  CHECK(schemas_released == 0 && arrays_released == 0);

  cupel_scorer_free(frequency);
  cupel_scorer_free(priority);
  cupel_scorer_free(reflexive);
  cupel_batch_free(batch);
  free_table(made);
}

static void test_groups_are_selected(void) {
  table *made = make_table();
  cupel_batch *batch = NULL;
  cupel_scorer *priority = NULL;
  cupel_selector *selector = NULL;
  cupel_selection *selection = NULL;
  MUST(cupel_batch_new(0, &batch, NULL));
  MUST(cupel_batch_append_arrow(batch, &made->schema, &made->array, NULL, NULL));
  MUST(cupel_scorer_priority_new(&priority, NULL));
  cupel_policy policy = {.struct_size = sizeof policy, .scorer = priority, .slicer = CUPEL_SLICER_RANKED};
  MUST(cupel_selector_new(&policy, &selector, NULL));
  MUST(cupel_selection_new(&selection, NULL));
  cupel_selection_view view = {.struct_size = sizeof view};
  MUST(cupel_selection_read(selection, &view, NULL));
  CHECK(view.offsets_len == 0 && view.offsets == NULL && view.shortfall_offsets == NULL);

  /* The row with the greatest priority of each conversation, and an empty one between them. */
  const int64_t groups[] = {0, 2, 2, 5};
  cupel_request request = {.struct_size = sizeof request, .max_tokens = 10, .max_rows = 1};
  MUST(cupel_selector_select_groups(selector, batch, groups, 3, &request, selection, NULL));
  MUST(cupel_selection_read(selection, &view, NULL));
  CHECK(view.rows_len == 2 && view.rows[0] == 1 && view.rows[1] == 2);
  CHECK(view.offsets_len == 4 && view.offsets[0] == 0 && view.offsets[1] == 1 && view.offsets[2] == 1 && view.offsets[3] == 2);
  CHECK(view.shortfall_offsets[3] == 0);
  CHECK(view.batch_len == 5 && view.reasons[0] == CUPEL_REASON_ROW_LIMIT && view.effective_target == 30);

  cupel_error *error = NULL;
  request.previous = selection;
  CHECK_STATUS(cupel_selector_select_groups(selector, batch, groups, 3, &request, selection, &error), CUPEL_STATUS_INVALID_ARGUMENT);
  CHECK_MESSAGE(error, CUPEL_STATUS_INVALID_ARGUMENT, "earlier selection");
  request.previous = NULL;
  CHECK_STATUS(cupel_selector_select_groups(selector, batch, groups, 2, &request, selection, &error), CUPEL_STATUS_INVALID_ARGUMENT);
  CHECK_MESSAGE(error, CUPEL_STATUS_INVALID_ARGUMENT, "groups[2] is 2");
  MUST(cupel_selector_select(selector, batch, &request, selection, NULL));
  MUST(cupel_selection_read(selection, &view, NULL));
  CHECK(view.offsets_len == 2 && view.offsets[0] == 0 && view.offsets[1] == 1 && view.rows[0] == 2);

  cupel_selection_free(selection);
  cupel_selector_free(selector);
  cupel_scorer_free(priority);
  cupel_batch_free(batch);
  free_table(made);
}

/* A stream that hands out a table a few times, and then ends or fails. */
typedef struct source {
  table *table;
  int left;
  int failure;
} source;

static int get_schema(struct ArrowArrayStream *stream, struct ArrowSchema *out) {
  *out = ((source *)stream->private_data)->table->schema;
  return 0;
}

static int get_next(struct ArrowArrayStream *stream, struct ArrowArray *out) {
  source *from = stream->private_data;
  if (from->left == 0) {
    out->release = NULL;
    return from->failure;
  }
  from->left--;
  *out = from->table->array;
  return 0;
}

static const char *get_last_error(struct ArrowArrayStream *stream) {
  (void)stream;
  return "the disk is gone";
}

static void release_stream(struct ArrowArrayStream *stream) {
  stream->release = NULL;
}

static void test_streams_are_read(void) {
  table *made = make_table();
  cupel_batch *batch = NULL;
  MUST(cupel_batch_new(0, &batch, NULL));
  source from = {.table = made, .left = 3};
  struct ArrowArrayStream stream = {get_schema, get_next, get_last_error, release_stream, &from};
  schemas_released = arrays_released = 0;
  MUST(cupel_batch_append_arrow_stream(batch, &stream, NULL, NULL));
  CHECK(cupel_batch_len(batch) == 15);
  CHECK(schemas_released == 1 && arrays_released == 3);
  from.left = 2;
  from.failure = 5;
  cupel_error *error = NULL;
  CHECK_STATUS(cupel_batch_append_arrow_stream(batch, &stream, NULL, &error), CUPEL_STATUS_CALLBACK_FAILED);
  CHECK_MESSAGE(error, CUPEL_STATUS_CALLBACK_FAILED, "the disk is gone");
  CHECK(cupel_batch_len(batch) == 15);
  CHECK(schemas_released == 2 && arrays_released == 5);
  CHECK(stream.release != NULL);
  cupel_batch_free(batch);
  free_table(made);
}

int main(void) {
  test_tables_are_read();
  test_groups_are_selected();
  test_streams_are_read();
  return check_report("test_arrow");
}
