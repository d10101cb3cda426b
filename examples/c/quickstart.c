/*
 * Four pieces of context, scored by recency and kind.
 *
 *     cc -std=c11 -Iinclude examples/c/quickstart.c -Ltarget/release -lcupel -o quickstart
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupel.h"

static void check(cupel_status status, cupel_error **error) {
  if (status != CUPEL_STATUS_OK) {
    fprintf(stderr, "%s: %s\n", cupel_status_name(status), cupel_error_message(*error));
    cupel_error_free(*error);
    exit(EXIT_FAILURE);
  }
}

static void push(cupel_batch *batch, const char *kind, int64_t unix_seconds, const char *content) {
  cupel_error *error = NULL;
  cupel_item_builder *builder = NULL;
  cupel_item *item = NULL;
  int64_t tokens = (int64_t)strlen(content) / 4; /* your tokenizer's count */

  check(cupel_item_builder_new(content, strlen(content), tokens, &builder, &error), &error);
  check(cupel_item_builder_set_kind(builder, kind, strlen(kind), &error), &error);
  check(cupel_item_builder_set_timestamp(builder, unix_seconds * 1000000000, &error), &error);
  check(cupel_item_builder_build(builder, &item, &error), &error);
  check(cupel_batch_push(batch, item, &error), &error);
  cupel_item_free(item);
  cupel_item_builder_free(builder);
}

int main(void) {
  cupel_error *error = NULL;
  cupel_batch *batch = NULL;
  cupel_scorer *recency = NULL, *kind = NULL, *scorer = NULL;
  double scores[4];

  check(cupel_batch_new(4, &batch, &error), &error);
  push(batch, "SystemPrompt", 1767225600, "You are a careful engineer.");
  push(batch, "Message", 1767225660, "Why does the build fail?");
  push(batch, "ToolOutput", 1767225720, "error: cannot find -lcupel");
  push(batch, "Message", 1767225780, "The linker needs -L and the library's folder.");

  check(cupel_scorer_recency_new(&recency, &error), &error);
  check(cupel_scorer_kind_default_new(&kind, &error), &error);
  const cupel_scorer *children[] = {recency, kind};
  const double weights[] = {3.0, 1.0};
  check(cupel_scorer_composite_new(children, weights, 2, &scorer, &error), &error);
  check(cupel_scorer_score_batch(scorer, batch, scores, 4, &error), &error);

  for (size_t row = 0; row < 4; row++) {
    printf("row %zu: %.4f\n", row, scores[row]);
  }

  cupel_scorer_free(scorer);
  cupel_scorer_free(kind);
  cupel_scorer_free(recency);
  cupel_batch_free(batch);
  return 0;
}
