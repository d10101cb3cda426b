/* Items and scorers as JSON. */
#include <math.h>

#include "rows.h"

static char sentinel;
#define UNTOUCHED(type) ((type *)(void *)&sentinel)

static cupel_batch *batch_of_json(const char *json) {
  cupel_batch *batch = NULL;
  MUST(cupel_batch_new(0, &batch, NULL));
  MUST(cupel_batch_append_json(batch, json, strlen(json), NULL));
  return batch;
}

static cupel_scorer *scorer_of_json(const char *json, const cupel_clock *clock) {
  cupel_scorer *scorer = NULL;
  cupel_error *error = NULL;
  if (cupel_scorer_from_json(json, strlen(json), clock, &scorer, &error) != CUPEL_STATUS_OK) {
    fprintf(stderr, "%s: %s\n", json, cupel_error_message(error));
    exit(EXIT_FAILURE);
  }
  return scorer;
}

static void test_item_fields(void) {
  cupel_batch *batch = batch_of_json(
      "{\"content\":\"a\\u0000\\ud83d\\ude00\",\"tokens\":-3,\"kind\":\"Plan\",\"source\":\"Tool\",\"priority\":9,"
      "\"tags\":[\"x\",\"\",\"x\"],\"metadata\":{\"s\":\"1\",\"d\":1,\"o\":{\"a\":[true,null]}},"
      "\"timestamp\":\"1969-12-31T23:59:59.999999999Z\",\"futureRelevanceHint\":2.5,\"pinned\":true,\"originalTokens\":12}");
  cupel_item *item = NULL;
  const char *data = NULL;
  size_t len = 0;
  int64_t integer = 0;
  double number = 0;
  bool flag = false;
  cupel_metadata_type type = -1;
  CHECK(cupel_batch_len(batch) == 1);
  MUST(cupel_batch_item(batch, 0, &item, NULL));
  MUST(cupel_item_content(item, &data, &len, NULL));
  CHECK(len == 6 && memcmp(data, "a\0\xF0\x9F\x98\x80", 6) == 0);
  MUST(cupel_item_tokens(item, &integer, NULL));
  CHECK(integer == -3);
  MUST(cupel_item_kind(item, &data, &len, NULL));
  CHECK(len == 4 && memcmp(data, "Plan", 4) == 0);
  MUST(cupel_item_source(item, &data, &len, NULL));
  CHECK(len == 4 && memcmp(data, "Tool", 4) == 0);
  MUST(cupel_item_priority(item, &integer, &flag, NULL));
  CHECK(flag && integer == 9);
  MUST(cupel_item_timestamp(item, &integer, &flag, NULL));
  CHECK(flag && integer == -1);
  MUST(cupel_item_future_relevance_hint(item, &number, &flag, NULL));
  CHECK(flag && number == 2.5);
  MUST(cupel_item_pinned(item, &flag, NULL));
  CHECK(flag);
  MUST(cupel_item_original_tokens(item, &integer, &flag, NULL));
  CHECK(flag && integer == 12);
  MUST(cupel_item_tags_len(item, &len, NULL));
  CHECK(len == 3);
  MUST(cupel_item_metadata_len(item, &len, NULL));
  CHECK(len == 3);
  for (size_t i = 0; i < 3; i++) {
    MUST(cupel_item_metadata_key(item, i, &data, &len, NULL));
    CHECK(len == 1);
    char key = data[0];
    MUST(cupel_item_metadata_value(item, i, &type, &data, &len, &number, NULL));
    if (key == 's') {
      CHECK(type == CUPEL_METADATA_TYPE_STRING && len == 1 && data[0] == '1');
    } else if (key == 'd') {
      CHECK(type == CUPEL_METADATA_TYPE_DOUBLE && number == 1.0);
    } else {
      CHECK(key == 'o' && type == CUPEL_METADATA_TYPE_OTHER && len > 0 && data[0] == '{');
    }
  }
  cupel_item_free(item);
  cupel_batch_free(batch);
}

static void test_shapes(void) {
  static const char *const TWO_ROWS[] = {
      "[{\"content\":\"a\",\"tokens\":1},{\"content\":\"b\",\"tokens\":1}]",
      " [ {\"content\":\"a\",\"tokens\":1} ,\n {\"content\":\"b\",\"tokens\":1,\"kind\":null,\"priority\":null,\"tags\":null} ] \n",
      "{\"content\":\"a\",\"tokens\":1}\n{\"content\":\"b\",\"tokens\":1}",
      "{\"content\":\"a\",\"tokens\":1}\r\n\r\n{\"content\":\"b\",\"tokens\":1}\r\n",
  };
  for (size_t i = 0; i < LENGTH(TWO_ROWS); i++) {
    cupel_batch *batch = batch_of_json(TWO_ROWS[i]);
    CHECK(cupel_batch_len(batch) == 2);
    MUST(cupel_batch_append_json(batch, TWO_ROWS[0], strlen(TWO_ROWS[0]), NULL));
    CHECK(cupel_batch_len(batch) == 4);
    cupel_batch_free(batch);
  }
  cupel_batch *batch = batch_of_json("[]");
  CHECK(cupel_batch_len(batch) == 0);
  cupel_batch_free(batch);
}

/* All rows or none, and a message that names the place and the rule. */
static void check_items_refused(const char *json, cupel_status status, const char *part) {
  cupel_batch *batch = batch_of_json("{\"content\":\"kept\",\"tokens\":1}");
  cupel_error *error = NULL;
  CHECK_STATUS(cupel_batch_append_json(batch, json, strlen(json), &error), status);
  if (error == NULL || strstr(cupel_error_message(error), part) == NULL) {
    fprintf(stderr, "for %s\n", json);
  }
  CHECK_MESSAGE(error, status, part);
  CHECK(cupel_batch_len(batch) == 1);
  cupel_batch_free(batch);
}

static void test_refused_items(void) {
  const cupel_status bad = CUPEL_STATUS_INVALID_JSON;
  check_items_refused("[{\"content\":\"a\",\"tokens\":1},\n {\"content\":\"b\"}]", bad, "$[1]");
  check_items_refused("[{\"content\":\"a\",\"tokens\":1},\n {\"content\":\"b\"}]", bad, "tokens");
  check_items_refused("[{\"content\":\"a\",\"tokens\":1},\n {\"content\":\"b\"}]", bad, "line 2");
  check_items_refused("[{\"content\":\"a\",\"tokens\":1}", bad, "line 1");
  check_items_refused("{\"content\":\"a\",\"tokens\":1}\n{\"content\":\"b\",\"tokens\":}\n", bad, "line 2");
  check_items_refused("[{\"content\":\"a\",\"tokens\":1,\"colour\":1}]", bad, "colour");
  check_items_refused("[{\"content\":\"a\",\"tokens\":1,\"content\":\"b\"}]", bad, "content");
  check_items_refused("[{\"content\":\"a\",\"tokens\":1,\"metadata\":{\"k\":1,\"k\":2}}]", bad, "$[0].metadata");
  check_items_refused("[{\"content\":\"a\",\"tokens\":1.5}]", bad, "$[0].tokens");
  check_items_refused("[{\"content\":\"a\",\"tokens\":\"1\"}]", bad, "$[0].tokens");
  check_items_refused("[{\"content\":\"a\",\"tokens\":9223372036854775808}]", bad, "$[0].tokens");
  check_items_refused("[{\"content\":\"a\",\"tokens\":1,\"timestamp\":\"2026-01-01T00:00:00\"}]", bad, "$[0].timestamp");
  check_items_refused("[{\"content\":\"a\",\"tokens\":1,\"timestamp\":\"2026-02-30T00:00:00Z\"}]", bad, "$[0].timestamp");
  check_items_refused("[{\"content\":\"a\",\"tokens\":1,\"tags\":[\"x\",1]}]", bad, "$[0].tags[1]");
  check_items_refused("[{\"content\":\"\\ud800\",\"tokens\":1}]", bad, "line 1");
  check_items_refused("[{\"content\":\"\",\"tokens\":1}]", bad, "$[0].content");
  check_items_refused("[{\"content\":\"a\",\"tokens\":1,\"kind\":\" \"}]", bad, "$[0].kind");
  check_items_refused("[{\"content\":\"a\",\"tokens\":1,\"source\":\"\"}]", bad, "$[0].source");
  check_items_refused("\"text\"", bad, "$");
  check_items_refused("[1]", bad, "$[0]");
  check_items_refused("\xFF", CUPEL_STATUS_INVALID_UTF8, "0");

  /* Deep nesting is an error and no stack overflow. */
  static char deep[200000];
  memset(deep, '[', sizeof deep - 1);
  cupel_batch *batch = NULL;
  MUST(cupel_batch_new(0, &batch, NULL));
  CHECK_STATUS(cupel_batch_append_json(batch, deep, sizeof deep - 1, NULL), CUPEL_STATUS_INVALID_JSON);
  static const char OPEN[] = "{\"content\":\"a\",\"tokens\":1,\"metadata\":{\"k\":";
  memcpy(deep, OPEN, sizeof OPEN - 1);
  CHECK_STATUS(cupel_batch_append_json(batch, deep, sizeof deep - 1, NULL), CUPEL_STATUS_INVALID_JSON);
  CHECK(cupel_batch_len(batch) == 0);
  cupel_batch_free(batch);
}

/* One row for which every scorer has an answer, among three. */
static const char ITEMS[] =
    "{\"content\":\"a\",\"tokens\":1,\"kind\":\"Memory\",\"priority\":2,\"tags\":[\"x\",\"y\"],\"timestamp\":\"2026-01-01T00:00:10Z\","
    "\"futureRelevanceHint\":0.75,\"metadata\":{\"cupel:trust\":\"0.9\",\"cupel:priority\":\"high\"}}\n"
    "{\"content\":\"b\",\"tokens\":1,\"kind\":\"Document\",\"priority\":1,\"tags\":[\"X\"],\"timestamp\":\"2026-01-01T01:00:00+01:00\"}\n"
    "{\"content\":\"c\",\"tokens\":1}\n";
#define NOW INT64_C(1767225620000000000) /* 2026-01-01T00:00:20Z */

typedef struct example {
  const char *json;
  double scores[3];
} example;

static const example EXAMPLES[] = {
    {"{\"type\":\"recency\"}", {1.0, 0.0, 0.0}},
    {"{\"type\":\"priority\"}", {1.0, 0.0, 0.0}},
    {"{\"type\":\"frequency\"}", {0.5, 0.5, 0.0}},
    {"{\"type\":\"reflexive\"}", {0.75, 0.0, 0.0}},
    {"{\"type\":\"kind\"}", {0.8, 0.4, 0.2}},
    {"{\"type\":\"kind\",\"kindWeights\":{\"memory\":0.25}}", {0.25, 0.0, 0.0}},
    {"{\"type\":\"kind\",\"kindWeights\":{}}", {0.0, 0.0, 0.0}},
    {"{\"type\":\"tag\",\"tagWeights\":{\"x\":3,\"z\":1}}", {0.75, 0.0, 0.0}},
    {"{\"type\":\"tag\",\"tagWeights\":{\"x\":3,\"z\":1},\"match\":\"exact\"}", {0.75, 0.0, 0.0}},
    {"{\"type\":\"tag\",\"tagWeights\":{\"x\":3,\"z\":1},\"match\":\"asciiCaseInsensitive\"}", {0.75, 0.75, 0.0}},
    {"{\"type\":\"scaled\",\"innerScorer\":{\"type\":\"kind\",\"kindWeights\":{\"Memory\":9,\"Document\":3}}}", {1.0, 3.0 / 9.0, 0.0}},
    {"{\"type\":\"composite\",\"scorers\":[{\"type\":\"recency\",\"weight\":1},{\"type\":\"frequency\",\"weight\":3}]}", {0.625, 0.375, 0.0}},
    {"{\"scorers\":[{\"type\":\"recency\",\"weight\":1},{\"type\":\"frequency\",\"weight\":3}]}", {0.625, 0.375, 0.0}},
    {"{\"type\":\"metadataTrust\"}", {0.9, 0.5, 0.5}},
    {"{\"type\":\"metadataTrust\",\"defaultScore\":0}", {0.9, 0.0, 0.0}},
    {"{\"type\":\"metadataKey\",\"key\":\"cupel:priority\",\"value\":\"high\",\"boost\":1.5}", {1.5, 1.0, 1.0}},
    {"{\"type\":\"decay\",\"curve\":{\"exponential\":{\"halfLife\":\"10s\"}}}", {0.5, 0.25, 0.5}},
    {"{\"type\":\"decay\",\"curve\":{\"window\":{\"maxAge\":\"15s\"}},\"nullTimestampScore\":0.125}", {1.0, 0.0, 0.125}},
    {"{\"type\":\"decay\",\"curve\":{\"step\":[{\"maxAge\":\"10s\",\"score\":1},{\"maxAge\":\"1h30m\",\"score\":0.25}]}}", {0.25, 0.25, 0.5}},
};

static void test_scorers(void) {
  cupel_batch *batch = batch_of_json(ITEMS);
  cupel_clock *clock = NULL;
  MUST(cupel_clock_fixed_new(NOW, &clock, NULL));
  for (size_t i = 0; i < LENGTH(EXAMPLES); i++) {
    cupel_scorer *scorer = scorer_of_json(EXAMPLES[i].json, clock);
    CHECK_SCORES(scorer, batch, EXAMPLES[i].scores);

    /* What to_json writes, from_json reads as the same scorer, and writes again as the same text. */
    cupel_text *text = NULL, *again = NULL;
    MUST(cupel_scorer_to_json(scorer, &text, NULL));
    cupel_scorer_free(scorer);
    CHECK(strlen(cupel_text_data(text)) == cupel_text_len(text));
    scorer = scorer_of_json(cupel_text_data(text), clock);
    CHECK_SCORES(scorer, batch, EXAMPLES[i].scores);
    MUST(cupel_scorer_to_json(scorer, &again, NULL));
    CHECK(strcmp(cupel_text_data(text), cupel_text_data(again)) == 0);
    cupel_text_free(text);
    cupel_text_free(again);
    cupel_scorer_free(scorer);
  }

  /* Without a clock it is the system's. */
  cupel_scorer *scorer = scorer_of_json("{\"type\":\"decay\",\"curve\":{\"window\":{\"maxAge\":\"36500d\"}}}", NULL);
  CHECK_SCORES(scorer, batch, ((double[]){1.0, 1.0, 0.5}));
  cupel_scorer_free(scorer);
  cupel_clock_free(clock);
  cupel_batch_free(batch);
}

static void check_scorer_refused(const char *json, cupel_status status, const char *part) {
  cupel_scorer *scorer = UNTOUCHED(cupel_scorer);
  cupel_error *error = NULL;
  CHECK_STATUS(cupel_scorer_from_json(json, strlen(json), NULL, &scorer, &error), status);
  CHECK(scorer == UNTOUCHED(cupel_scorer));
  if (error == NULL || strstr(cupel_error_message(error), part) == NULL) {
    fprintf(stderr, "for %s\n", json);
  }
  CHECK_MESSAGE(error, status, part);
}

static void test_refused_scorers(void) {
  const cupel_status bad = CUPEL_STATUS_INVALID_JSON;
  check_scorer_refused("", bad, "line 1");
  check_scorer_refused("{}", bad, "type");
  check_scorer_refused("{\"type\":\"magic\"}", bad, "magic");
  check_scorer_refused("{\"type\":\"recency\",\"weights\":1}", bad, "weights");
  check_scorer_refused("{\"type\":\"recency\"} x", bad, "line 1");
  check_scorer_refused("{\"type\":\"scaled\"}", bad, "innerScorer");
  check_scorer_refused("{\"type\":\"tag\"}", bad, "tagWeights");
  check_scorer_refused("{\"type\":\"tag\",\"tagWeights\":{\"a\":1},\"match\":\"fuzzy\"}", bad, "$.match");
  check_scorer_refused("{\"type\":\"tag\",\"tagWeights\":{\"a\":1,\"a\":2}}", bad, "$.tagWeights");
  check_scorer_refused("{\"scorers\":[{\"type\":\"recency\"}]}", bad, "$.scorers[0]");
  check_scorer_refused("{\"type\":\"decay\",\"curve\":{\"window\":{\"maxAge\":\"soon\"}}}", bad, "$.curve.window.maxAge");
  check_scorer_refused("{\"type\":\"decay\",\"curve\":{\"window\":{\"maxAge\":5}}}", bad, "$.curve.window.maxAge");
  check_scorer_refused("{\"scorers\":[{\"type\":\"recency\",\"weight\":1},\n{\"type\":\"tag\",\"weight\":1,\"tagWeights\":{\"urgent\":-1}}]}",
                       bad, "$.scorers[1].tagWeights.urgent");
  check_scorer_refused("{\"scorers\":[{\"type\":\"recency\",\"weight\":0}]}", bad, "$.scorers[0].weight");
  check_scorer_refused("{\"scorers\":[]}", bad, "$.scorers");
  check_scorer_refused("{\"type\":\"metadataTrust\",\"defaultScore\":2}", bad, "$.defaultScore");
  check_scorer_refused("{\"type\":\"metadataKey\",\"key\":\"k\",\"value\":\"v\",\"boost\":0}", bad, "$.boost");
  check_scorer_refused("{\"type\":\"kind\",\"kindWeights\":{\"a\":1,\"A\":1}}", bad, "$.kindWeights");
  check_scorer_refused("{\"type\":\"kind\",\"kindWeights\":{\" \":1}}", bad, "$.kindWeights");

  /* A tower of scaled scorers. */
  static const char LEVEL[] = "{\"type\":\"scaled\",\"innerScorer\":";
  static char tower[(sizeof LEVEL - 1) * 20000];
  for (size_t i = 0; i < 20000; i++) {
    memcpy(tower + i * (sizeof LEVEL - 1), LEVEL, sizeof LEVEL - 1);
  }
  cupel_scorer *scorer = UNTOUCHED(cupel_scorer);
  CHECK_STATUS(cupel_scorer_from_json(tower, sizeof tower, NULL, &scorer, NULL), CUPEL_STATUS_INVALID_JSON);
  CHECK(scorer == UNTOUCHED(cupel_scorer));
}

static cupel_status no_scores(void *user_data, const cupel_batch *batch, double *out_scores, size_t out_scores_len) {
  (void)user_data, (void)batch, (void)out_scores, (void)out_scores_len;
  return CUPEL_STATUS_OK;
}

static void test_custom_has_no_json(void) {
  cupel_scorer *custom = NULL, *scaled = NULL;
  cupel_text *text = UNTOUCHED(cupel_text);
  cupel_error *error = NULL;
  MUST(cupel_scorer_custom_new(no_scores, NULL, NULL, &custom, NULL));
  MUST(cupel_scorer_scaled_new(custom, &scaled, NULL));
  CHECK_STATUS(cupel_scorer_to_json(custom, &text, &error), CUPEL_STATUS_INVALID_ARGUMENT);
  CHECK_MESSAGE(error, CUPEL_STATUS_INVALID_ARGUMENT, "custom");
  CHECK_STATUS(cupel_scorer_to_json(scaled, &text, NULL), CUPEL_STATUS_INVALID_ARGUMENT);
  CHECK(text == UNTOUCHED(cupel_text));
  cupel_scorer_free(custom);
  cupel_scorer_free(scaled);
}

int main(void) {
  test_item_fields();
  test_shapes();
  test_refused_items();
  test_scorers();
  test_refused_scorers();
  test_custom_has_no_json();
  return check_report("test_json");
}
