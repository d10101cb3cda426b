/* Every scorer, scored and compared to the bit with values that are worked out by
   hand from the definitions; and every construction that is refused. */
#include <float.h>
#include <math.h>

#include "rows.h"

#define SECOND INT64_C(1000000000)

static char sentinel;
#define UNTOUCHED(type) ((type *)(void *)&sentinel)

#define WEIGHT(name, weight) {name, sizeof(name) - 1, weight}

/* Checks one kind of refusal: the status, a part of the message, and that the
   out-parameter was left alone. `call` uses `&scorer` and `&error`. */
#define CHECK_REFUSED(call, status, part)                    \
  do {                                                       \
    cupel_scorer *scorer = UNTOUCHED(cupel_scorer);          \
    cupel_error *error = NULL;                               \
    CHECK_STATUS((call), (status));                          \
    CHECK(scorer == UNTOUCHED(cupel_scorer));                \
    CHECK_MESSAGE(error, (status), (part));                  \
  } while (0)

static void test_recency(void) {
  cupel_scorer *scorer = NULL;
  MUST(cupel_scorer_recency_new(&scorer, NULL));
  const row rows[] = {{.timestamp = INT(30)}, {0}, {.timestamp = INT(10)}, {.timestamp = INT(30)}, {.timestamp = INT(-5)}};
  cupel_batch *batch = batch_of(rows, LENGTH(rows));
  CHECK_SCORES(scorer, batch, ((double[]){2.0 / 3.0, 0.0, 1.0 / 3.0, 2.0 / 3.0, 0.0}));
  cupel_batch_free(batch);
  const row alone[] = {{0}, {.timestamp = INT(INT64_MIN)}};
  batch = batch_of(alone, LENGTH(alone));
  CHECK_SCORES(scorer, batch, ((double[]){0.0, 1.0}));
  cupel_batch_free(batch);
  const row equal[] = {{.timestamp = INT(7)}, {.timestamp = INT(7)}};
  batch = batch_of(equal, LENGTH(equal));
  CHECK_SCORES(scorer, batch, ((double[]){0.0, 0.0}));
  cupel_batch_free(batch);
  cupel_scorer_free(scorer);
}

static void test_priority(void) {
  cupel_scorer *scorer = NULL;
  MUST(cupel_scorer_priority_new(&scorer, NULL));
  const row rows[] = {{.priority = INT(INT64_MAX)}, {.priority = INT(INT64_MIN)}, {.priority = INT(0)}, {0}};
  cupel_batch *batch = batch_of(rows, LENGTH(rows));
  CHECK_SCORES(scorer, batch, ((double[]){1.0, 0.0, 0.5, 0.0}));
  cupel_batch_free(batch);
  cupel_scorer_free(scorer);
}

static void test_frequency(void) {
  cupel_scorer *scorer = NULL;
  MUST(cupel_scorer_frequency_new(&scorer, NULL));
  const row rows[] = {{.tags = "a,b"}, {.tags = "B,c"}, {.tags = "d"}, {0}, {.tags = "C,c,C"}};
  cupel_batch *batch = batch_of(rows, LENGTH(rows));
  CHECK_SCORES(scorer, batch, ((double[]){0.25, 0.5, 0.0, 0.0, 0.25}));
  cupel_batch_free(batch);
  batch = batch_of(rows, 1);
  CHECK_SCORES(scorer, batch, ((double[]){0.0}));
  cupel_batch_free(batch);
  cupel_scorer_free(scorer);
}

static void test_reflexive(void) {
  cupel_scorer *scorer = NULL;
  MUST(cupel_scorer_reflexive_new(&scorer, NULL));
  const row rows[] = {{.hint = NUMBER(0.3)}, {.hint = NUMBER(-2)},        {.hint = NUMBER(7)},  {.hint = NUMBER((double)NAN)},
                      {.hint = NUMBER((double)INFINITY)}, {.hint = NUMBER(DBL_MIN)}, {0}};
  cupel_batch *batch = batch_of(rows, LENGTH(rows));
  CHECK_SCORES(scorer, batch, ((double[]){0.3, 0.0, 1.0, 0.0, 0.0, DBL_MIN, 0.0}));
  cupel_batch_free(batch);
  cupel_scorer_free(scorer);
}

static void test_kind(void) {
  const row rows[] = {{.kind = "SystemPrompt"}, {.kind = "memory"}, {.kind = "TOOLOUTPUT"},
                      {.kind = "Document"},     {0},                {.kind = "Plan"}};
  cupel_batch *batch = batch_of(rows, LENGTH(rows));
  cupel_scorer *scorer = NULL;
  MUST(cupel_scorer_kind_default_new(&scorer, NULL));
  CHECK_SCORES(scorer, batch, ((double[]){1.0, 0.8, 0.6, 0.4, 0.2, 0.0}));
  cupel_scorer_free(scorer);

  const cupel_weight weights[] = {WEIGHT("PLAN", 12.5), WEIGHT("message", 0.0), WEIGHT("Memory", 1e-300)};
  MUST(cupel_scorer_kind_new(weights, LENGTH(weights), &scorer, NULL));
  CHECK_SCORES(scorer, batch, ((double[]){0.0, 1e-300, 0.0, 0.0, 0.0, 12.5}));
  cupel_scorer_free(scorer);

  MUST(cupel_scorer_kind_new(NULL, 0, &scorer, NULL));
  CHECK_SCORES(scorer, batch, ((double[]){0.0, 0.0, 0.0, 0.0, 0.0, 0.0}));
  cupel_scorer_free(scorer);
  cupel_batch_free(batch);

  const cupel_weight negative[] = {WEIGHT("a", 1.0), WEIGHT("b", -0.25)};
  CHECK_REFUSED(cupel_scorer_kind_new(negative, 2, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "-0.25");
  CHECK_REFUSED(cupel_scorer_kind_new(negative, 2, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "weights[1]");
  const cupel_weight not_a_number[] = {WEIGHT("a", (double)NAN)};
  CHECK_REFUSED(cupel_scorer_kind_new(not_a_number, 1, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "weights[0]");
  const cupel_weight infinite[] = {WEIGHT("a", (double)INFINITY)};
  CHECK_REFUSED(cupel_scorer_kind_new(infinite, 1, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "weights[0]");
  const cupel_weight twice[] = {WEIGHT("Plan", 1.0), WEIGHT("x", 1.0), WEIGHT("pLAN", 1.0)};
  CHECK_REFUSED(cupel_scorer_kind_new(twice, 3, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "pLAN");
  const cupel_weight blank[] = {WEIGHT("a", 1.0), WEIGHT(" ", 1.0)};
  CHECK_REFUSED(cupel_scorer_kind_new(blank, 2, &scorer, &error), CUPEL_STATUS_EMPTY_KIND, "weights[1]");
  const cupel_weight broken[] = {WEIGHT("\xC0", 1.0)};
  CHECK_REFUSED(cupel_scorer_kind_new(broken, 1, &scorer, &error), CUPEL_STATUS_INVALID_UTF8, "weights[0]");
  const cupel_weight null[] = {{NULL, 2, 1.0}};
  CHECK_REFUSED(cupel_scorer_kind_new(null, 1, &scorer, &error), CUPEL_STATUS_NULL_ARGUMENT, "weights[0]");
  CHECK_REFUSED(cupel_scorer_kind_new(NULL, 1, &scorer, &error), CUPEL_STATUS_NULL_ARGUMENT, "weights");
}

static void test_tag(void) {
  const row rows[] = {{.tags = "a"}, {.tags = "A,b"}, {.tags = "b,b,b,b,b"}, {.tags = "z"}, {0}, {.tags = ""}};
  cupel_batch *batch = batch_of(rows, LENGTH(rows));
  const cupel_weight weights[] = {WEIGHT("a", 1.0), WEIGHT("b", 2.0), WEIGHT("", 1.0)};
  cupel_scorer *scorer = NULL;
  MUST(cupel_scorer_tag_new(weights, LENGTH(weights), CUPEL_TEXT_MATCH_EXACT, &scorer, NULL));
  CHECK_SCORES(scorer, batch, ((double[]){0.25, 0.5, 1.0, 0.0, 0.0, 0.25}));
  cupel_scorer_free(scorer);
  MUST(cupel_scorer_tag_new(weights, LENGTH(weights), CUPEL_TEXT_MATCH_ASCII_CASE_INSENSITIVE, &scorer, NULL));
  CHECK_SCORES(scorer, batch, ((double[]){0.25, 0.75, 1.0, 0.0, 0.0, 0.25}));
  cupel_scorer_free(scorer);
  MUST(cupel_scorer_tag_new(NULL, 0, CUPEL_TEXT_MATCH_EXACT, &scorer, NULL));
  CHECK_SCORES(scorer, batch, ((double[]){0.0, 0.0, 0.0, 0.0, 0.0, 0.0}));
  cupel_scorer_free(scorer);
  const cupel_weight zero[] = {WEIGHT("a", 0.0), WEIGHT("b", -0.0)};
  MUST(cupel_scorer_tag_new(zero, 2, CUPEL_TEXT_MATCH_EXACT, &scorer, NULL));
  CHECK_SCORES(scorer, batch, ((double[]){0.0, 0.0, 0.0, 0.0, 0.0, 0.0}));
  cupel_scorer_free(scorer);
  cupel_batch_free(batch);

  const cupel_weight cases[] = {WEIGHT("a", 1.0), WEIGHT("A", 1.0)};
  MUST(cupel_scorer_tag_new(cases, 2, CUPEL_TEXT_MATCH_EXACT, &scorer, NULL));
  cupel_scorer_free(scorer);
  CHECK_REFUSED(cupel_scorer_tag_new(cases, 2, CUPEL_TEXT_MATCH_ASCII_CASE_INSENSITIVE, &scorer, &error),
                CUPEL_STATUS_INVALID_ARGUMENT, "weights[1]");
  CHECK_REFUSED(cupel_scorer_tag_new(cases, 2, 2, &scorer, &error), CUPEL_STATUS_OUT_OF_RANGE, "2");
  CHECK_REFUSED(cupel_scorer_tag_new(cases, 2, -1, &scorer, &error), CUPEL_STATUS_OUT_OF_RANGE, "-1");
  const cupel_weight huge[] = {WEIGHT("a", DBL_MAX), WEIGHT("b", DBL_MAX)};
  CHECK_REFUSED(cupel_scorer_tag_new(huge, 2, CUPEL_TEXT_MATCH_EXACT, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "weights");
  const cupel_weight negative[] = {WEIGHT("a", -1.0)};
  CHECK_REFUSED(cupel_scorer_tag_new(negative, 1, CUPEL_TEXT_MATCH_EXACT, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "-1");
}

static void test_metadata_trust(void) {
  const row rows[] = {{.key = "cupel:trust", .value = NUMBER(0.85)},  {.key = "cupel:trust", .text = "1e-1"},
                      {.key = "cupel:trust", .text = ".5"},           {.key = "cupel:trust", .text = " 0.5"},
                      {.key = "cupel:trust", .text = "high"},         {.key = "cupel:trust", .other = "0.9"},
                      {.key = "cupel:trust", .value = NUMBER(3)},     {.key = "cupel:trust", .text = "-1"},
                      {.key = "cupel:trust", .text = "inf"},          {.key = "cupel:trust", .value = NUMBER((double)NAN)},
                      {.key = "CUPEL:TRUST", .value = NUMBER(0.85)}, {0}};
  cupel_batch *batch = batch_of(rows, LENGTH(rows));
  cupel_scorer *scorer = NULL;
  MUST(cupel_scorer_metadata_trust_new(0.25, &scorer, NULL));
  CHECK_SCORES(scorer, batch, ((double[]){0.85, 0.1, 0.5, 0.25, 0.25, 0.25, 1.0, 0.0, 0.25, 0.25, 0.25, 0.25}));
  cupel_scorer_free(scorer);
  cupel_batch_free(batch);
  CHECK_REFUSED(cupel_scorer_metadata_trust_new(1.5, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "1.5");
  CHECK_REFUSED(cupel_scorer_metadata_trust_new(-0.5, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "-0.5");
  CHECK_REFUSED(cupel_scorer_metadata_trust_new((double)NAN, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "default_score");
}

static void test_metadata_key(void) {
  const row rows[] = {{.key = "stage", .text = "draft"}, {.key = "stage", .text = "Draft"}, {.key = "stage", .other = "draft"},
                      {.key = "level", .value = NUMBER(1)}, {.key = "stage", .text = ""}, {0}};
  cupel_batch *batch = batch_of(rows, LENGTH(rows));
  cupel_scorer *scorer = NULL;
  MUST(cupel_scorer_metadata_key_new("stage", 5, "draft", 5, 2.5, &scorer, NULL));
  CHECK_SCORES(scorer, batch, ((double[]){2.5, 1.0, 2.5, 1.0, 1.0, 1.0}));
  cupel_scorer_free(scorer);
  MUST(cupel_scorer_metadata_key_new("level", 5, "1", 1, 0.5, &scorer, NULL));
  CHECK_SCORES(scorer, batch, ((double[]){1.0, 1.0, 1.0, 0.5, 1.0, 1.0}));
  cupel_scorer_free(scorer);
  MUST(cupel_scorer_metadata_key_new("stage", 5, NULL, 0, 3.0, &scorer, NULL));
  CHECK_SCORES(scorer, batch, ((double[]){1.0, 1.0, 1.0, 1.0, 3.0, 1.0}));
  cupel_scorer_free(scorer);
  cupel_batch_free(batch);
  CHECK_REFUSED(cupel_scorer_metadata_key_new("k", 1, "v", 1, 0.0, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "boost");
  CHECK_REFUSED(cupel_scorer_metadata_key_new("k", 1, "v", 1, -2.0, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "-2");
  CHECK_REFUSED(cupel_scorer_metadata_key_new("k", 1, "v", 1, (double)INFINITY, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "inf");
  CHECK_REFUSED(cupel_scorer_metadata_key_new("k", 1, "\xFE", 1, 1.0, &scorer, &error), CUPEL_STATUS_INVALID_UTF8, "value");
}

static void test_decay(void) {
  const row rows[] = {{.timestamp = INT(100 * SECOND)}, {.timestamp = INT(40 * SECOND)},  {.timestamp = INT(-20 * SECOND)},
                      {.timestamp = INT(200 * SECOND)}, {.timestamp = INT(40 * SECOND + 1)}, {0}};
  cupel_batch *batch = batch_of(rows, LENGTH(rows));
  cupel_clock *clock = NULL;
  cupel_scorer *scorer = NULL;
  MUST(cupel_clock_fixed_new(100 * SECOND, &clock, NULL));

  /* One and two half-lives are exact; one nanosecond less than one is within 1 ulp. */
  double scores[LENGTH(rows)];
  MUST(cupel_scorer_decay_exponential_new(clock, 60 * SECOND, 0.75, &scorer, NULL));
  MUST(cupel_scorer_score_batch(scorer, batch, scores, LENGTH(rows), NULL));
  CHECK_BITS(scores[0], 1.0);
  CHECK_BITS(scores[1], 0.5);
  CHECK_BITS(scores[2], 0.25);
  CHECK_BITS(scores[3], 1.0);
  double nearly = exp2(-59999999999.0 / 60000000000.0);
  CHECK(scores[4] > 0.5 && scores[4] >= nextafter(nearly, 0.0) && scores[4] <= nextafter(nearly, 1.0));
  CHECK_BITS(scores[5], 0.75);
  cupel_scorer_free(scorer);

  MUST(cupel_scorer_decay_window_new(clock, 60 * SECOND, 0.0, &scorer, NULL));
  CHECK_SCORES(scorer, batch, ((double[]){1.0, 0.0, 0.0, 1.0, 1.0, 0.0}));
  cupel_scorer_free(scorer);

  const cupel_decay_step steps[] = {{1, 9.0}, {60 * SECOND, 0.7}, {61 * SECOND, -0.5}};
  MUST(cupel_scorer_decay_step_new(clock, steps, LENGTH(steps), 1.0, &scorer, NULL));
  CHECK_SCORES(scorer, batch, ((double[]){9.0, -0.5, -0.5, 9.0, 0.7, 1.0}));

  /* The scorer has its own share of the clock. */
  cupel_clock_free(clock);
  CHECK_SCORES(scorer, batch, ((double[]){9.0, -0.5, -0.5, 9.0, 0.7, 1.0}));
  cupel_scorer_free(scorer);
  cupel_batch_free(batch);

  /* An age that does not fit 64 bits saturates. */
  const row extremes[] = {{.timestamp = INT(INT64_MIN)}, {.timestamp = INT(INT64_MAX)}};
  batch = batch_of(extremes, LENGTH(extremes));
  MUST(cupel_clock_fixed_new(INT64_MAX, &clock, NULL));
  MUST(cupel_scorer_decay_exponential_new(clock, INT64_MAX, 0.5, &scorer, NULL));
  CHECK_SCORES(scorer, batch, ((double[]){0.5, 1.0}));
  cupel_scorer_free(scorer);
  cupel_batch_free(batch);

  CHECK_REFUSED(cupel_scorer_decay_exponential_new(clock, 0, 0.5, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "half_life");
  CHECK_REFUSED(cupel_scorer_decay_exponential_new(clock, 1, 1.25, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "1.25");
  CHECK_REFUSED(cupel_scorer_decay_exponential_new(NULL, 1, 0.5, &scorer, &error), CUPEL_STATUS_NULL_ARGUMENT, "clock");
  CHECK_REFUSED(cupel_scorer_decay_window_new(clock, -3, 0.5, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "-3");
  CHECK_REFUSED(cupel_scorer_decay_window_new(clock, 1, (double)NAN, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "null_timestamp_score");
  CHECK_REFUSED(cupel_scorer_decay_step_new(clock, NULL, 0, 0.5, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "steps");
  CHECK_REFUSED(cupel_scorer_decay_step_new(clock, NULL, 1, 0.5, &scorer, &error), CUPEL_STATUS_NULL_ARGUMENT, "steps");
  const cupel_decay_step equal[] = {{5, 1.0}, {5, 0.5}};
  CHECK_REFUSED(cupel_scorer_decay_step_new(clock, equal, 2, 0.5, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "steps[1]");
  const cupel_decay_step infinite[] = {{5, 1.0}, {6, (double)INFINITY}};
  CHECK_REFUSED(cupel_scorer_decay_step_new(clock, infinite, 2, 0.5, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "steps[1]");
  const cupel_decay_step zero[] = {{0, 1.0}};
  CHECK_REFUSED(cupel_scorer_decay_step_new(clock, zero, 1, 0.5, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "steps[0]");
  cupel_clock_free(clock);
}

static void test_composite(void) {
  const row rows[] = {{.kind = "Memory", .priority = INT(1)}, {.kind = "Document", .priority = INT(3)}, {.priority = INT(2)}};
  cupel_batch *batch = batch_of(rows, LENGTH(rows));
  cupel_scorer *kind = NULL, *priority = NULL, *composite = NULL, *nested = NULL;
  MUST(cupel_scorer_kind_default_new(&kind, NULL));
  MUST(cupel_scorer_priority_new(&priority, NULL));
  const cupel_scorer *children[] = {kind, priority, kind};
  MUST(cupel_scorer_composite_new(children, (double[]){1.0, 2.0, 4.0}, 3, &composite, NULL));
  const double a = 1.0 / 7.0, b = 2.0 / 7.0, c = 4.0 / 7.0;
  volatile double first[] = {0.8 * a, 0.4 * a, 0.2 * a}; /* volatile: no fused multiply-add */
  volatile double second[] = {0.0 * b, 1.0 * b, 0.5 * b};
  volatile double third[] = {0.8 * c, 0.4 * c, 0.2 * c};
  double expected[3];
  for (size_t i = 0; i < 3; i++) {
    expected[i] = first[i] + second[i] + third[i];
  }
  CHECK_SCORES(composite, batch, expected);

  const cupel_scorer *one[] = {composite};
  MUST(cupel_scorer_composite_new(one, (double[]){0.1}, 1, &nested, NULL));

  /* Children may be freed before their parents, and parents before their children. */
  cupel_scorer_free(kind);
  cupel_scorer_free(composite);
  CHECK_SCORES(nested, batch, expected);
  cupel_scorer_free(nested);
  CHECK_SCORES(priority, batch, ((double[]){0.0, 1.0, 0.5}));

  const cupel_scorer *two[] = {priority, priority};
  const cupel_scorer *with_null[] = {priority, NULL};
  CHECK_REFUSED(cupel_scorer_composite_new(NULL, NULL, 0, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "children");
  CHECK_REFUSED(cupel_scorer_composite_new(two, NULL, 2, &scorer, &error), CUPEL_STATUS_NULL_ARGUMENT, "weights");
  CHECK_REFUSED(cupel_scorer_composite_new(NULL, (double[]){1.0}, 1, &scorer, &error), CUPEL_STATUS_NULL_ARGUMENT, "children");
  CHECK_REFUSED(cupel_scorer_composite_new(with_null, (double[]){1.0, 1.0}, 2, &scorer, &error), CUPEL_STATUS_NULL_ARGUMENT, "children[1]");
  CHECK_REFUSED(cupel_scorer_composite_new(two, (double[]){1.0, 0.0}, 2, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "weights[1]");
  CHECK_REFUSED(cupel_scorer_composite_new(two, (double[]){-1.0, 1.0}, 2, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "weights[0]");
  CHECK_REFUSED(cupel_scorer_composite_new(two, (double[]){1.0, (double)NAN}, 2, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "weights[1]");
  CHECK_REFUSED(cupel_scorer_composite_new(two, (double[]){DBL_MAX, DBL_MAX}, 2, &scorer, &error), CUPEL_STATUS_INVALID_ARGUMENT, "weights");
  cupel_scorer_free(priority);
  cupel_batch_free(batch);
}

static void test_scaled(void) {
  cupel_scorer *kind = NULL, *scaled = NULL, *twice = NULL;
  const cupel_weight weights[] = {WEIGHT("low", 2.0), WEIGHT("middle", 3.0), WEIGHT("high", 6.0)};
  MUST(cupel_scorer_kind_new(weights, LENGTH(weights), &kind, NULL));
  MUST(cupel_scorer_scaled_new(kind, &scaled, NULL));
  cupel_scorer_free(kind);
  MUST(cupel_scorer_scaled_new(scaled, &twice, NULL));
  const row rows[] = {{.kind = "middle"}, {.kind = "high"}, {.kind = "low"}, {.kind = "LOW"}};
  cupel_batch *batch = batch_of(rows, LENGTH(rows));
  CHECK_SCORES(scaled, batch, ((double[]){0.25, 1.0, 0.0, 0.0}));
  CHECK_SCORES(twice, batch, ((double[]){0.25, 1.0, 0.0, 0.0}));
  cupel_batch_free(batch);
  batch = batch_of(rows, 1);
  CHECK_SCORES(scaled, batch, ((double[]){0.5}));
  MUST(cupel_batch_clear(batch, NULL));
  MUST(cupel_scorer_score_batch(scaled, batch, NULL, 0, NULL));
  cupel_batch_free(batch);
  cupel_scorer_free(scaled);
  cupel_scorer_free(twice);
  CHECK_REFUSED(cupel_scorer_scaled_new(NULL, &scorer, &error), CUPEL_STATUS_NULL_ARGUMENT, "inner");
}

static void test_refused_scoring(void) {
  const row rows[] = {{.kind = "Memory"}, {0}};
  cupel_batch *batch = batch_of(rows, LENGTH(rows));
  cupel_scorer *scorer = NULL;
  cupel_error *error = NULL;
  double scores[3] = {-1, -2, -3};
  MUST(cupel_scorer_kind_default_new(&scorer, NULL));
  CHECK_STATUS(cupel_scorer_score_batch(scorer, batch, scores, 1, &error), CUPEL_STATUS_LENGTH_MISMATCH);
  CHECK_MESSAGE(error, CUPEL_STATUS_LENGTH_MISMATCH, "2");
  CHECK_STATUS(cupel_scorer_score_batch(scorer, batch, scores, 3, NULL), CUPEL_STATUS_LENGTH_MISMATCH);
  CHECK_STATUS(cupel_scorer_score_batch(scorer, batch, NULL, 2, NULL), CUPEL_STATUS_NULL_ARGUMENT);
  CHECK_STATUS(cupel_scorer_score_batch(NULL, batch, scores, 2, NULL), CUPEL_STATUS_NULL_ARGUMENT);
  CHECK_STATUS(cupel_scorer_score_batch(scorer, NULL, scores, 2, NULL), CUPEL_STATUS_NULL_ARGUMENT);
  CHECK_STATUS(cupel_scorer_score_row(scorer, batch, 2, scores, &error), CUPEL_STATUS_OUT_OF_RANGE);
  CHECK_MESSAGE(error, CUPEL_STATUS_OUT_OF_RANGE, "2");
  CHECK_STATUS(cupel_scorer_score_row(scorer, batch, 0, NULL, NULL), CUPEL_STATUS_NULL_ARGUMENT);
  CHECK(scores[0] == -1 && scores[1] == -2 && scores[2] == -3);
  cupel_scorer_free(scorer);
  cupel_batch_free(batch);
}

int main(void) {
  test_recency();
  test_priority();
  test_frequency();
  test_reflexive();
  test_kind();
  test_tag();
  test_metadata_trust();
  test_metadata_key();
  test_decay();
  test_composite();
  test_scaled();
  test_refused_scoring();
  return check_report("test_scorers");
}
