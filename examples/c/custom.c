/*
 * A scorer of your own, as one part of a composite: short items first, then recency.
 *
 *     cc -std=c11 -Iinclude examples/c/custom.c -Ltarget/release -lcupel -o custom
 */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupel.h"

typedef struct brevity {
  double half_score_tokens; /* an item of so many tokens scores 0.5 */
} brevity;

/* Called once per scoring call, for all rows; the library does not change what it
   writes. A status that is not CUPEL_STATUS_OK fails the scoring call. */
static cupel_status score_brevity(void *user_data, const cupel_batch *batch, double *out_scores, size_t out_scores_len) {
  const brevity *self = user_data;
  int64_t tokens[256];
  const size_t most = sizeof tokens / sizeof tokens[0];
  /* A column is read in blocks, so that any number of rows takes no memory. */
  for (size_t first = 0; first < out_scores_len; first += most) {
    const size_t rows = out_scores_len - first < most ? out_scores_len - first : most;
    const cupel_status status = cupel_batch_read_tokens(batch, first, rows, tokens, NULL);
    if (status != CUPEL_STATUS_OK) {
      return status;
    }
    for (size_t row = 0; row < rows; row++) {
      out_scores[first + row] = self->half_score_tokens / (self->half_score_tokens + (double)tokens[row]);
    }
  }
  return CUPEL_STATUS_OK;
}

static void check(cupel_status status, cupel_error **error) {
  if (status != CUPEL_STATUS_OK) {
    fprintf(stderr, "%s: %s\n", cupel_status_name(status), cupel_error_message(*error));
    cupel_error_free(*error);
    exit(EXIT_FAILURE);
  }
}

int main(void) {
  static const char ITEMS[] =
      "{\"content\": \"a long log\",  \"tokens\": 300, \"timestamp\": \"2026-01-01T00:00:00Z\"}\n"
      "{\"content\": \"a question\",  \"tokens\": 20,  \"timestamp\": \"2026-01-01T00:00:01.5Z\"}\n"
      "{\"content\": \"a long file\", \"tokens\": 900, \"timestamp\": \"2026-01-01T00:00:02Z\"}\n";
  cupel_error *error = NULL;
  cupel_batch *batch = NULL;
  cupel_scorer *brief = NULL, *recent = NULL, *scorer = NULL;
  double scores[3];

  check(cupel_batch_new(3, &batch, &error), &error);
  check(cupel_batch_append_json(batch, ITEMS, strlen(ITEMS), &error), &error);

  /* From here on the scorer owns `options` and frees it with its last share. */
  brevity *options = malloc(sizeof *options);
  if (options == NULL) {
    return EXIT_FAILURE;
  }
  options->half_score_tokens = 100.0;
  check(cupel_scorer_custom_new(score_brevity, options, free, &brief, &error), &error);

  check(cupel_scorer_recency_new(&recent, &error), &error);
  const cupel_scorer *children[] = {brief, recent};
  const double weights[] = {1.0, 1.0};
  check(cupel_scorer_composite_new(children, weights, 2, &scorer, &error), &error);
  cupel_scorer_free(brief);
  cupel_scorer_free(recent);

  check(cupel_scorer_score_batch(scorer, batch, scores, 3, &error), &error);
  for (size_t row = 0; row < 3; row++) {
    printf("row %zu: %.4f\n", row, scores[row]);
  }

  cupel_scorer_free(scorer);
  cupel_batch_free(batch);
  return 0;
}
