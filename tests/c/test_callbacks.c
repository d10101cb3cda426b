/* The host's own code inside the library: custom scorers and custom clocks. */
#include <math.h>

#include "rows.h"

static char sentinel;
#define UNTOUCHED(type) ((type *)(void *)&sentinel)

/* What a callback is to do, and what has happened to it. */
typedef struct script {
  cupel_status status;
  const double *scores;
  const cupel_scorer *inner; /* scored from within the callback */
  cupel_batch *batch;        /* changed from within the callback */
  cupel_status push_status;
  int64_t now;
  int calls;
  int destroyed;
} script;

static void count_destroy(void *user_data) { ((script *)user_data)->destroyed++; }

static cupel_status play_scores(void *user_data, const cupel_batch *batch, double *out_scores, size_t out_scores_len) {
  script *self = user_data;
  self->calls++;
  CHECK(cupel_batch_len(batch) == out_scores_len);
  if (self->batch != NULL) {
    const row plain = {0};
    cupel_item *item = item_of(&plain);
    self->push_status = cupel_batch_push(self->batch, item, NULL);
    cupel_item_free(item);
  }
  if (self->inner != NULL) {
    return cupel_scorer_score_batch(self->inner, batch, out_scores, out_scores_len, NULL);
  }
  for (size_t i = 0; self->status == CUPEL_STATUS_OK && i < out_scores_len; i++) {
    out_scores[i] = self->scores[i];
  }
  return self->status;
}

static cupel_status play_now(void *user_data, int64_t *out_unix_nanoseconds) {
  script *self = user_data;
  self->calls++;
  *out_unix_nanoseconds = self->now;
  return self->status;
}

static const row ROWS[] = {{.kind = "Memory", .timestamp = INT(10)}, {.timestamp = INT(20)}, {.kind = "Document"}};

static void test_custom_scores_pass_through(void) {
  const double scores[] = {-0.0, 1e308, (double)NAN};
  script script = {.scores = scores};
  cupel_batch *batch = batch_of(ROWS, LENGTH(ROWS));
  cupel_scorer *custom = NULL, *scaled = NULL;
  MUST(cupel_scorer_custom_new(play_scores, &script, count_destroy, &custom, NULL));
  double out[3];
  MUST(cupel_scorer_score_batch(custom, batch, out, 3, NULL));
  CHECK(script.calls == 1);
  CHECK_BITS(out[0], scores[0]);
  CHECK_BITS(out[1], scores[1]);
  CHECK(isnan(out[2]));

  /* Scaled looks at the finite scores and asks its inner scorer once. */
  MUST(cupel_scorer_scaled_new(custom, &scaled, NULL));
  MUST(cupel_scorer_score_batch(scaled, batch, out, 3, NULL));
  CHECK(script.calls == 2);
  CHECK_BITS(out[0], 0.0);
  CHECK_BITS(out[1], 1.0);
  CHECK_BITS(out[2], 0.5);

  /* Destroyed once, with the last share. */
  cupel_scorer_free(custom);
  CHECK(script.destroyed == 0);
  cupel_scorer_free(scaled);
  CHECK(script.destroyed == 1);
  cupel_batch_free(batch);
}

static void test_custom_failure(void) {
  script script = {.status = 4711};
  cupel_batch *batch = batch_of(ROWS, LENGTH(ROWS));
  cupel_scorer *custom = NULL, *composite = NULL;
  cupel_error *error = NULL;
  double out[3] = {-1, -2, -3};
  MUST(cupel_scorer_custom_new(play_scores, &script, count_destroy, &custom, NULL));
  const cupel_scorer *children[] = {custom};
  MUST(cupel_scorer_composite_new(children, (double[]){1.0}, 1, &composite, NULL));
  cupel_scorer_free(custom);
  CHECK_STATUS(cupel_scorer_score_batch(composite, batch, out, 3, &error), CUPEL_STATUS_CALLBACK_FAILED);
  CHECK_MESSAGE(error, CUPEL_STATUS_CALLBACK_FAILED, "4711");
  CHECK_STATUS(cupel_scorer_score_row(composite, batch, 0, out, &error), CUPEL_STATUS_CALLBACK_FAILED);
  CHECK_MESSAGE(error, CUPEL_STATUS_CALLBACK_FAILED, "4711");
  CHECK(out[0] == -1 && out[1] == -2 && out[2] == -3);
  script.status = -1;
  CHECK_STATUS(cupel_scorer_score_batch(composite, batch, out, 3, &error), CUPEL_STATUS_CALLBACK_FAILED);
  CHECK_MESSAGE(error, CUPEL_STATUS_CALLBACK_FAILED, "-1");
  cupel_scorer_free(composite);
  CHECK(script.destroyed == 1);
  cupel_batch_free(batch);
}

static void test_custom_may_score(void) {
  script script = {0};
  cupel_batch *batch = batch_of(ROWS, LENGTH(ROWS));
  cupel_scorer *kind = NULL, *custom = NULL;
  MUST(cupel_scorer_kind_default_new(&kind, NULL));
  script.inner = kind;
  MUST(cupel_scorer_custom_new(play_scores, &script, NULL, &custom, NULL));
  CHECK_SCORES(custom, batch, ((double[]){0.8, 0.2, 0.4}));
  cupel_scorer_free(custom);
  cupel_scorer_free(kind);
  cupel_batch_free(batch);
}

static void test_batch_is_busy_while_scored(void) {
  const double scores[] = {1.0, 2.0, 3.0};
  script script = {.scores = scores};
  cupel_batch *batch = batch_of(ROWS, LENGTH(ROWS));
  cupel_scorer *custom = NULL;
  script.batch = batch;
  MUST(cupel_scorer_custom_new(play_scores, &script, NULL, &custom, NULL));
  CHECK_SCORES(custom, batch, scores);
  CHECK_STATUS(script.push_status, CUPEL_STATUS_BUSY);
  CHECK(cupel_batch_len(batch) == 3);

  /* Afterwards it may change again. */
  const row plain = {0};
  cupel_item *item = item_of(&plain);
  MUST(cupel_batch_push(batch, item, NULL));
  cupel_item_free(item);
  CHECK(cupel_batch_len(batch) == 4);
  cupel_scorer_free(custom);
  cupel_batch_free(batch);
}

static void test_refused_callbacks_keep_user_data(void) {
  script script = {0};
  cupel_scorer *scorer = UNTOUCHED(cupel_scorer);
  cupel_clock *clock = UNTOUCHED(cupel_clock);
  cupel_error *error = NULL;
  CHECK_STATUS(cupel_scorer_custom_new(NULL, &script, count_destroy, &scorer, &error), CUPEL_STATUS_NULL_ARGUMENT);
  CHECK_MESSAGE(error, CUPEL_STATUS_NULL_ARGUMENT, "callback");
  CHECK_STATUS(cupel_scorer_custom_new(play_scores, &script, count_destroy, NULL, NULL), CUPEL_STATUS_NULL_ARGUMENT);
  CHECK_STATUS(cupel_clock_custom_new(NULL, &script, count_destroy, &clock, &error), CUPEL_STATUS_NULL_ARGUMENT);
  CHECK_MESSAGE(error, CUPEL_STATUS_NULL_ARGUMENT, "callback");
  CHECK_STATUS(cupel_clock_custom_new(play_now, &script, count_destroy, NULL, NULL), CUPEL_STATUS_NULL_ARGUMENT);
  CHECK(scorer == UNTOUCHED(cupel_scorer) && clock == UNTOUCHED(cupel_clock));
  CHECK(script.destroyed == 0 && script.calls == 0);
}

static void test_custom_clock(void) {
  script script = {.now = 30};
  cupel_batch *batch = batch_of(ROWS, LENGTH(ROWS));
  cupel_clock *clock = NULL;
  cupel_scorer *wide = NULL, *narrow = NULL, *scaled = NULL, *composite = NULL;
  MUST(cupel_clock_custom_new(play_now, &script, count_destroy, &clock, NULL));
  MUST(cupel_scorer_decay_window_new(clock, 21, 0.5, &wide, NULL));
  MUST(cupel_scorer_decay_window_new(clock, 20, 0.5, &narrow, NULL));
  cupel_clock_free(clock);
  MUST(cupel_scorer_scaled_new(narrow, &scaled, NULL));
  const cupel_scorer *children[] = {wide, narrow, scaled, wide};
  MUST(cupel_scorer_composite_new(children, (double[]){1.0, 1.0, 1.0, 1.0}, 4, &composite, NULL));
  cupel_scorer_free(wide);
  cupel_scorer_free(narrow);
  cupel_scorer_free(scaled);

  /* Read once in a call, however many decay scorers share it. */
  double out[3];
  MUST(cupel_scorer_score_batch(composite, batch, out, 3, NULL));
  CHECK(script.calls == 1);
  CHECK_BITS(out[0], 0.5);
  CHECK_BITS(out[1], 1.0);
  CHECK_BITS(out[2], 0.5);
  script.now = 31;
  MUST(cupel_scorer_score_batch(composite, batch, out, 3, NULL));
  CHECK(script.calls == 2);
  CHECK_BITS(out[0], 0.0);

  cupel_error *error = NULL;
  script.status = 77;
  out[0] = -1;
  CHECK_STATUS(cupel_scorer_score_batch(composite, batch, out, 3, &error), CUPEL_STATUS_CALLBACK_FAILED);
  CHECK_MESSAGE(error, CUPEL_STATUS_CALLBACK_FAILED, "77");
  CHECK(out[0] == -1);
  CHECK(script.destroyed == 0);
  cupel_scorer_free(composite);
  CHECK(script.destroyed == 1);
  cupel_batch_free(batch);
}

/* What an error carries in these tests, and what is counted on it. */
#define PAYLOAD_TYPE UINT64_C(0x7465737400000001)

/* A callback of either kind fails with a text, with an object, with the error of a call of its own, or without an error. */
typedef struct failure {
  const char *text;
  bool carries_payload;
  const cupel_scorer *inner;
  cupel_status status;
  int destroyed;
} failure;

static void count_payload(void *payload) { ((failure *)payload)->destroyed++; }

static cupel_status fail_with(failure *self, cupel_error **out_error) {
  CHECK(*out_error == NULL);
  if (self->carries_payload) {
    *out_error = cupel_error_with_payload_new(self->status, self->text, strlen(self->text), PAYLOAD_TYPE, self, count_payload);
  } else if (self->text != NULL) {
    *out_error = cupel_error_new(self->status, self->text, strlen(self->text));
  }
  return self->status;
}

static cupel_status fail_to_score(void *user_data, const cupel_batch *batch, double *out_scores, size_t out_scores_len,
                                  cupel_error **out_error) {
  failure *self = user_data;
  if (self->inner != NULL) {
    return cupel_scorer_score_batch(self->inner, batch, out_scores, out_scores_len, out_error);
  }
  return fail_with(self, out_error);
}

static cupel_status fail_to_tell_the_time(void *user_data, int64_t *out_unix_nanoseconds, cupel_error **out_error) {
  *out_unix_nanoseconds = 0;
  return fail_with(user_data, out_error);
}

static cupel_scorer *failing(failure *failure) {
  cupel_scorer *scorer = NULL;
  MUST(cupel_scorer_custom_fallible_new(fail_to_score, failure, NULL, &scorer, NULL));
  return scorer;
}

/* Scores with a scorer that fails. Gives the error, which the caller frees. */
static cupel_error *error_of(const cupel_scorer *scorer) {
  cupel_batch *batch = batch_of(ROWS, LENGTH(ROWS));
  cupel_error *error = NULL;
  double out[3] = {-1, -2, -3};
  CHECK_STATUS(cupel_scorer_score_batch(scorer, batch, out, 3, &error), CUPEL_STATUS_CALLBACK_FAILED);
  CHECK(out[0] == -1 && out[1] == -2 && out[2] == -3);
  cupel_batch_free(batch);
  return error;
}

static bool says(const cupel_error *error, const char *message) {
  return CHECK(strcmp(cupel_error_message(error), message) == 0);
}

static void test_a_callback_says_why(void) {
  failure explained = {.text = "the model is gone", .status = 7}, silent = {.status = 7}, wordless = {.text = "", .status = 7};
  cupel_scorer *inner = failing(&explained), *plain = failing(&silent), *empty = failing(&wordless);
  failure passes_on = {.inner = inner};
  cupel_scorer *outer = failing(&passes_on), *composite = NULL;
  const cupel_scorer *children[] = {outer};
  MUST(cupel_scorer_composite_new(children, (double[]){1.0}, 1, &composite, NULL));

  cupel_error *error = error_of(inner);
  says(error, "the score callback failed with status 7: the model is gone");
  cupel_error_free(error);
  error = error_of(plain);
  says(error, "the score callback failed with status 7");
  cupel_error_free(error);
  error = error_of(empty);
  says(error, "the score callback failed with status 7");
  cupel_error_free(error);
  error = error_of(composite);
  says(error, "the score callback failed with status 9: the score callback failed with status 7: the model is gone");
  cupel_error_free(error);

  cupel_scorer_free(composite);
  cupel_scorer_free(outer);
  cupel_scorer_free(empty);
  cupel_scorer_free(plain);
  cupel_scorer_free(inner);
}

static void test_a_clock_says_why(void) {
  failure script = {.text = "no network", .status = 3};
  cupel_clock *clock = NULL;
  cupel_scorer *scorer = NULL;
  MUST(cupel_clock_custom_fallible_new(fail_to_tell_the_time, &script, NULL, &clock, NULL));
  MUST(cupel_scorer_decay_window_new(clock, 1, 0.5, &scorer, NULL));
  cupel_clock_free(clock);
  cupel_error *error = error_of(scorer);
  says(error, "the now callback failed with status 3: no network");
  cupel_error_free(error);
  cupel_scorer_free(scorer);
}

static void test_an_error_carries_an_object(void) {
  failure carries = {.text = "why", .carries_payload = true, .status = 5};
  cupel_scorer *inner = failing(&carries);
  failure passes_on = {.inner = inner};
  cupel_scorer *outer = failing(&passes_on);
  for (int round = 0; round < 2; round++) {
    cupel_error *error = error_of(round == 0 ? inner : outer);
    CHECK(cupel_error_payload(error, PAYLOAD_TYPE) == &carries);
    CHECK(cupel_error_payload(error, PAYLOAD_TYPE + 1) == NULL);
    CHECK(carries.destroyed == round);
    cupel_error_free(error);
    CHECK(carries.destroyed == round + 1);
  }
  cupel_scorer_free(outer);
  cupel_scorer_free(inner);

  /* An error that a host makes for itself. */
  cupel_error *error = cupel_error_new(CUPEL_STATUS_OK, "no failure", 10);
  CHECK(cupel_error_payload(error, 0) == NULL);
  CHECK_MESSAGE(error, CUPEL_STATUS_CALLBACK_FAILED, "no failure");
}

static void test_system_clock(void) {
  cupel_clock *clock = NULL;
  cupel_scorer *scorer = NULL;
  const row rows[] = {{.timestamp = INT(0)}, {.timestamp = INT(INT64_MAX)}};
  cupel_batch *batch = batch_of(rows, LENGTH(rows));
  MUST(cupel_clock_system_new(&clock, NULL));
  MUST(cupel_scorer_decay_window_new(clock, INT64_C(1577836800000000000), 0.5, &scorer, NULL)); /* 1970 to 2020 */
  CHECK_SCORES(scorer, batch, ((double[]){0.0, 1.0}));
  cupel_scorer_free(scorer);
  cupel_clock_free(clock);
  cupel_batch_free(batch);
}

int main(void) {
  test_custom_scores_pass_through();
  test_custom_failure();
  test_custom_may_score();
  test_batch_is_busy_while_scored();
  test_refused_callbacks_keep_user_data();
  test_custom_clock();
  test_a_callback_says_why();
  test_a_clock_says_why();
  test_an_error_carries_an_object();
  test_system_clock();
  return check_report("test_callbacks");
}
