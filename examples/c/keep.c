/* Keeps the rows of a conversation that are worth most, in 40 tokens. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupel.h"

static cupel_error *error;

static void check(cupel_status status) {
  if (status == CUPEL_STATUS_OK) return;
  fprintf(stderr, "%s\n", cupel_error_message(error));
  exit(EXIT_FAILURE);
}

static const char *const contents[] = {
    "You are a careful engineer.",
    "Why does the build fail?",
    "cc app.c -lcupel and 900 tokens more",
    "The linker needs -L and the library's folder.",
    "And at run time?",
};

static void push(cupel_batch *batch, const char *content, int64_t tokens, const char *kind, int64_t second,
                 int pinned) {
  cupel_item_builder *builder;
  cupel_item *item;
  check(cupel_item_builder_new(content, strlen(content), tokens, &builder, &error));
  check(cupel_item_builder_set_kind(builder, kind, strlen(kind), &error));
  check(cupel_item_builder_set_timestamp(builder, second * 1000000000, &error));
  check(cupel_item_builder_set_pinned(builder, pinned, &error));
  check(cupel_item_builder_build(builder, &item, &error));
  check(cupel_batch_push(batch, item, &error));
  cupel_item_free(item);
  cupel_item_builder_free(builder);
}

int main(void) {
  cupel_batch *batch;
  check(cupel_batch_new(0, &batch, &error));
  push(batch, contents[0], 8, "SystemPrompt", 0, 1);
  push(batch, contents[1], 7, "Message", 60, 0);
  push(batch, contents[2], 900, "ToolOutput", 120, 0);
  push(batch, contents[3], 12, "Message", 180, 0);
  push(batch, contents[4], 6, "Message", 240, 0);

  cupel_scorer *recency, *kind, *scorer;
  check(cupel_scorer_recency_new(&recency, &error));
  check(cupel_scorer_kind_default_new(&kind, &error));
  check(cupel_scorer_composite_new((const cupel_scorer *[]){recency, kind}, (double[]){3, 1}, 2, &scorer, &error));

  cupel_selector *selector;
  cupel_selection *selection;
  cupel_policy policy = {.struct_size = sizeof policy, .scorer = scorer};
  cupel_request request = {.struct_size = sizeof request, .max_tokens = 40};
  cupel_selection_view kept = {.struct_size = sizeof kept};
  check(cupel_selector_new(&policy, &selector, &error));
  check(cupel_selection_new(&selection, &error));
  check(cupel_selector_select(selector, batch, &request, selection, &error));
  check(cupel_selection_read(selection, &kept, &error));

  for (size_t i = 0; i < kept.rows_len; i++) {
    printf("%.3f  %s\n", kept.scores[kept.rows[i]], contents[kept.rows[i]]);
  }
  printf("%lld of 40 tokens\n", (long long)kept.kept_tokens);

  cupel_selection_free(selection);
  cupel_selector_free(selector);
  cupel_scorer_free(scorer);
  cupel_scorer_free(kind);
  cupel_scorer_free(recency);
  cupel_batch_free(batch);
}
