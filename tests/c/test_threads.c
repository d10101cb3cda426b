/* Handles that are const in a call may be used by any number of threads at once: eight
   threads score one batch with shared scorers, build and free shares of their own, and
   see the same bits as one thread alone. */
#include <pthread.h>

#include "rows.h"

#define THREADS 8
#define ROUNDS 40
#define ROWS 300
#define SCORERS 5

typedef struct shared {
  const cupel_batch *batch;
  const cupel_scorer *scorers[SCORERS];
  double expected[SCORERS][ROWS];
} shared;

typedef struct worker {
  const shared *shared;
  size_t number;
  size_t wrong; /* counted here, as the checks of check.h belong to the main thread */
} worker;

static bool scores_are_expected(const shared *shared, const cupel_scorer *scorer, size_t index) {
  double scores[ROWS];
  return cupel_scorer_score_batch(scorer, shared->batch, scores, ROWS, NULL) == CUPEL_STATUS_OK
         && memcmp(scores, shared->expected[index], sizeof scores) == 0;
}

static bool own_parent_scores(const shared *shared, size_t index) {
  cupel_scorer *parent = NULL;
  const double weight = 3.0;
  bool ok = cupel_scorer_composite_new(&shared->scorers[index], &weight, 1, &parent, NULL) == CUPEL_STATUS_OK
            && scores_are_expected(shared, parent, index);
  cupel_scorer_free(parent);
  return ok;
}

static bool row_is_readable(const shared *shared, size_t row) {
  cupel_item *item = NULL;
  const char *data = NULL;
  size_t len = 0;
  bool ok = cupel_batch_item(shared->batch, row, &item, NULL) == CUPEL_STATUS_OK
            && cupel_item_content(item, &data, &len, NULL) == CUPEL_STATUS_OK && len == 7;
  cupel_item_free(item);
  return ok;
}

static bool error_is_own(const shared *shared, size_t number) {
  cupel_error *error = NULL;
  char wanted[24];
  double score = 0;
  snprintf(wanted, sizeof wanted, "%zu", ROWS + number);
  bool ok = cupel_scorer_score_row(shared->scorers[0], shared->batch, ROWS + number, &score, &error) == CUPEL_STATUS_OUT_OF_RANGE
            && strstr(cupel_error_message(error), wanted) != NULL;
  cupel_error_free(error);
  return ok;
}

static void *work(void *argument) {
  worker *self = argument;
  for (size_t round = 0; round < ROUNDS; round++) {
    size_t index = (round + self->number) % SCORERS;
    self->wrong += !scores_are_expected(self->shared, self->shared->scorers[index], index);
    self->wrong += !own_parent_scores(self->shared, index);
    self->wrong += !row_is_readable(self->shared, (round * 7 + self->number) % ROWS);
    self->wrong += !error_is_own(self->shared, self->number);
  }
  return NULL;
}

static cupel_batch *make_batch(void) {
  static const char *const KINDS[] = {"Message", "Memory", "Document", "Plan"};
  static const char *const TAGS[] = {"a", "b", "a,c", "d", "B,e,f"};
  cupel_batch *batch = NULL;
  MUST(cupel_batch_new(ROWS, &batch, NULL));
  for (size_t i = 0; i < ROWS; i++) {
    const int64_t timestamp = (int64_t)(i * 7919 % 1009);
    const int64_t priority = (int64_t)(i * 31 % 10);
    const row one = {.kind = KINDS[i % LENGTH(KINDS)],
                     .tags = i % 6 == 5 ? NULL : TAGS[i % LENGTH(TAGS)],
                     .timestamp = i % 11 == 3 ? NULL : &timestamp,
                     .priority = &priority};
    cupel_item *item = item_of(&one);
    MUST(cupel_batch_push(batch, item, NULL));
    cupel_item_free(item);
  }
  return batch;
}

int main(void) {
  shared shared;
  cupel_scorer *scorers[SCORERS];
  cupel_clock *clock = NULL;
  cupel_batch *batch = make_batch();
  MUST(cupel_clock_fixed_new(2000, &clock, NULL));
  MUST(cupel_scorer_recency_new(&scorers[0], NULL));
  MUST(cupel_scorer_frequency_new(&scorers[1], NULL));
  MUST(cupel_scorer_decay_exponential_new(clock, 100, 0.5, &scorers[2], NULL));
  MUST(cupel_scorer_scaled_new(scorers[1], &scorers[3], NULL));
  MUST(cupel_scorer_composite_new((const cupel_scorer *const *)scorers, (double[]){1.0, 2.0, 3.0, 4.0}, 4, &scorers[4], NULL));
  cupel_clock_free(clock);

  shared.batch = batch;
  for (size_t i = 0; i < SCORERS; i++) {
    shared.scorers[i] = scorers[i];
    MUST(cupel_scorer_score_batch(scorers[i], batch, shared.expected[i], ROWS, NULL));
  }

  pthread_t threads[THREADS];
  worker workers[THREADS];
  for (size_t i = 0; i < THREADS; i++) {
    workers[i] = (worker){&shared, i, 0};
    if (!CHECK(pthread_create(&threads[i], NULL, work, &workers[i]) == 0)) {
      return EXIT_FAILURE;
    }
  }
  for (size_t i = 0; i < THREADS; i++) {
    CHECK(pthread_join(threads[i], NULL) == 0);
    CHECK(workers[i].wrong == 0);
  }

  for (size_t i = 0; i < SCORERS; i++) {
    cupel_scorer_free(scorers[i]);
  }
  cupel_batch_free(batch);
  return check_report("test_threads");
}
