/* Prints one hash of the scores of random batches and of the rows that selectors keep: the same on every platform.
 *
 * Everything is drawn from integers, and a double is made of them without rounding, so that all platforms score the same
 * rows. Scores are hashed by their bits, least significant byte first; a NaN by a NaN of one form, as its sign and payload are
 * the processor's own. */
#include "../c/check.h"

#include <inttypes.h>
#include <math.h>

enum { MIN_SCORES = 2200000, MAX_ROWS = 3000 };

static uint64_t state = 1;

/* SplitMix64. */
static uint64_t draw(void) {
  uint64_t bits = state += UINT64_C(0x9e3779b97f4a7c15);
  bits = (bits ^ (bits >> 30)) * UINT64_C(0xbf58476d1ce4e5b9);
  bits = (bits ^ (bits >> 27)) * UINT64_C(0x94d049bb133111eb);
  return bits ^ (bits >> 31);
}

/* Arguments are evaluated in no certain order: no expression draws twice. */
static unsigned below(unsigned end) { return (unsigned)(draw() % end); }
static bool one_in(unsigned end) { return below(end) == 0; }

/* From 0 to 1; rarely a number that scorers must bear. */
static double number(void) {
  static const double SPECIAL[] = {0.0, -0.0, 1.0, 1.5, -2.0, 1e300, 5e-324, INFINITY, -INFINITY, NAN};
  return one_in(16) ? SPECIAL[below(sizeof SPECIAL / sizeof *SPECIAL)] : (double)(draw() >> 11) * 0x1p-53;
}

static uint64_t hash = UINT64_C(0xcbf29ce484222325);

/* FNV-1a. */
static void add(uint64_t bits) {
  for (int byte = 0; byte < 8; byte++) {
    hash = (hash ^ (bits >> (8 * byte) & 0xff)) * UINT64_C(0x100000001b3);
  }
}

static void add_double(double value) {
  uint64_t bits = UINT64_C(0x7ff8000000000000);
  if (value == value) {
    memcpy(&bits, &value, sizeof bits);
  }
  add(bits);
}

static const char *const KINDS[] = {"Message", "message", "Document", "ToolOutput", "Memory", "SystemPrompt", "Plan", "\xc3\xa9tat"};
static const char *const TAGS[] = {"a", "b", "c", "urgent", "URGENT", "Rules", "rules", "a tag of more than sixteen bytes", "\xe6\x97\xa5"};
static const int64_t DAY = INT64_C(86400000000000);
static const int64_t NOW = INT64_C(1767225600000000000);

#define TEXT(text) (text), strlen(text)
#define PICK(array) ((array)[below(sizeof(array) / sizeof *(array))])

static void fill(cupel_batch *batch, cupel_item_builder *builder, unsigned rows) {
  for (unsigned row = 0; row < rows; row++) {
    char content[32];
    cupel_item *item = NULL;
    snprintf(content, sizeof content, "content %u", below(rows * 8));
    MUST(cupel_item_builder_reset(builder, TEXT(content), (int64_t)below(400), NULL));
    const char *kind = PICK(KINDS);
    MUST(cupel_item_builder_set_kind(builder, TEXT(kind), NULL));
    for (unsigned tags = one_in(3) ? 0 : below(4); tags > 0; tags--) {
      const char *tag = PICK(TAGS);
      MUST(cupel_item_builder_add_tag(builder, TEXT(tag), NULL));
    }
    if (!one_in(4)) {
      MUST(cupel_item_builder_set_priority(builder, one_in(2) ? (int64_t)below(10) : (int64_t)draw(), NULL));
    }
    if (!one_in(4)) {
      const int64_t age = one_in(8) ? (int64_t)(draw() >> 1) : (int64_t)(draw() % (uint64_t)(40 * DAY));
      MUST(cupel_item_builder_set_timestamp(builder, one_in(16) ? NOW + age / 8 : NOW - age, NULL));
    }
    if (!one_in(4)) {
      MUST(cupel_item_builder_set_future_relevance_hint(builder, number(), NULL));
    }
    if (one_in(2)) {
      MUST(cupel_item_builder_set_metadata_double(builder, TEXT("cupel:trust"), number(), NULL));
    } else if (one_in(4)) {
      char trust[24];
      const char *form = one_in(4) ? "trust %u" : "0.%06u";
      snprintf(trust, sizeof trust, form, below(1000000));
      MUST(cupel_item_builder_set_metadata_string(builder, TEXT("cupel:trust"), TEXT(trust), NULL));
    }
    if (one_in(2)) {
      MUST(cupel_item_builder_set_metadata_string(builder, TEXT("cupel:priority"), TEXT(one_in(3) ? "high" : "low"), NULL));
    }
    MUST(cupel_item_builder_set_pinned(builder, one_in(200), NULL));
    MUST(cupel_item_builder_build(builder, &item, NULL));
    MUST(cupel_batch_push(batch, item, NULL));
    cupel_item_free(item);
  }
}

/* A growing text of JSON. */
typedef struct text {
  char data[1 << 16];
  size_t len;
} text;

#define PUT(text, ...) \
  ((text)->len += (size_t)snprintf((text)->data + (text)->len, sizeof (text)->data - (text)->len, __VA_ARGS__))

enum { RECENCY, PRIORITY, FREQUENCY, REFLEXIVE, KIND, TAG, TRUST, KEY, DECAY, SCALED, COMPOSITE, TYPES };

/* A number with a few digits, drawn. */
static void put_number(text *json) {
  const unsigned digits = below(1000000);
  switch (below(4)) {
  case 0: PUT(json, "0.%06u1", digits); break;
  case 1: PUT(json, "%ue-3", digits % 1000); break;
  case 2: PUT(json, "0.%u", digits); break;
  default: PUT(json, "%u.%03u", 1 + digits / 100000, digits % 1000); break;
  }
}

/* From 0 to 1. */
static void put_fraction(text *json) { PUT(json, "0.%06u", below(1000000)); }

static void put_weights(text *json, const char *const *names, size_t len) {
  for (size_t i = 0; i < len; i++) {
    PUT(json, "%s\"%s\":", i > 0 ? "," : "", names[i]);
    put_number(json);
  }
}

static void put_curve(text *json) {
  const unsigned hours = 1 + below(24);
  switch (below(3)) {
  case 0: PUT(json, "{\"exponential\":{\"halfLife\":\"%us%uns\"}}", hours * hours * 1000, hours); break;
  case 1: PUT(json, "{\"window\":{\"maxAge\":\"%uh\"}}", hours * 30); break;
  default:
    PUT(json, "{\"step\":[{\"maxAge\":\"%uh\",\"score\":", hours);
    put_fraction(json);
    PUT(json, "},{\"maxAge\":\"%ud\",\"score\":", hours + 1);
    put_fraction(json);
    PUT(json, "}]}");
  }
}

/* Writes the fields of a scorer of that type, its parameters drawn, without braces. */
static void put_scorer(text *json, unsigned type, unsigned depth) {
  static const char *const PLAIN[] = {"recency", "priority", "frequency", "reflexive"};
  static const char *const WEIGHTED_KINDS[] = {"Message", "Document", "Plan", "\\u00e9tat"};
  static const char *const WEIGHTED_TAGS[] = {"a", "urgent", "rules", "\xe6\x97\xa5"};
  switch (type) {
  case RECENCY:
  case PRIORITY:
  case FREQUENCY:
  case REFLEXIVE: PUT(json, "\"type\":\"%s\"", PLAIN[type]); break;
  case KIND:
    PUT(json, "\"type\":\"kind\"");
    if (!one_in(3)) {
      PUT(json, ",\"kindWeights\":{");
      put_weights(json, WEIGHTED_KINDS, sizeof WEIGHTED_KINDS / sizeof *WEIGHTED_KINDS);
      PUT(json, "}");
    }
    break;
  case TAG:
    PUT(json, "\"type\":\"tag\",\"match\":\"%s\",\"tagWeights\":{", one_in(2) ? "exact" : "asciiCaseInsensitive");
    put_weights(json, WEIGHTED_TAGS, sizeof WEIGHTED_TAGS / sizeof *WEIGHTED_TAGS);
    PUT(json, "}");
    break;
  case TRUST:
    PUT(json, "\"type\":\"metadataTrust\",\"defaultScore\":");
    put_fraction(json);
    break;
  case KEY:
    PUT(json, "\"type\":\"metadataKey\",\"key\":\"cupel:priority\",\"value\":\"high\",\"boost\":%u.%u1", 1 + below(4), depth);
    break;
  case DECAY:
    PUT(json, "\"type\":\"decay\",\"nullTimestampScore\":");
    put_fraction(json);
    PUT(json, ",\"curve\":");
    put_curve(json);
    break;
  case SCALED:
    PUT(json, "\"type\":\"scaled\",\"innerScorer\":{");
    put_scorer(json, below(depth > 0 ? TYPES : SCALED), depth - 1);
    PUT(json, "}");
    break;
  default:
    PUT(json, "\"type\":\"composite\",\"scorers\":[");
    for (unsigned child = 0, children = 1 + below(6); child < children; child++) {
      PUT(json, "%s{\"weight\":%u.5,", child > 0 ? "," : "", below(9));
      put_scorer(json, below(depth > 0 ? TYPES : SCALED), depth - 1);
      PUT(json, "}");
    }
    PUT(json, "]");
  }
}

static cupel_scorer *make_scorer(const cupel_clock *clock, unsigned type) {
  static text json;
  cupel_scorer *scorer = NULL;
  cupel_error *error = NULL;
  json.len = 0;
  PUT(&json, "{");
  put_scorer(&json, type, 2);
  PUT(&json, "}");
  if (cupel_scorer_from_json(json.data, json.len, clock, &scorer, &error) != CUPEL_STATUS_OK) {
    fprintf(stderr, "%s\n%s\n", json.data, cupel_error_message(error));
    exit(EXIT_FAILURE);
  }
  return scorer;
}

/* Adds the rows that a selector with that slicer keeps, and why the others are dropped. */
static void add_selection(const cupel_scorer *scorer, const cupel_batch *batch, cupel_slicer slicer) {
  const cupel_placer placer = (cupel_placer)below(4);
  const int64_t target = 1 + (int64_t)below(100000);
  const cupel_policy policy = {
      .struct_size = sizeof policy, .scorer = scorer, .slicer = slicer, .placer = placer, .overflow = CUPEL_OVERFLOW_TRUNCATE};
  const cupel_request request = {.struct_size = sizeof request, .max_tokens = INT64_C(1) << 40, .target_tokens = target};
  cupel_selection_view view = {.struct_size = sizeof view};
  cupel_selector *selector = NULL;
  cupel_selection *selection = NULL;
  MUST(cupel_selector_new(&policy, &selector, NULL));
  MUST(cupel_selection_new(&selection, NULL));
  MUST(cupel_selector_select(selector, batch, &request, selection, NULL));
  MUST(cupel_selection_read(selection, &view, NULL));
  add(view.rows_len);
  for (size_t i = 0; i < view.rows_len; i++) {
    add(view.rows[i]);
  }
  for (size_t row = 0; row < view.batch_len; row++) {
    add(view.reasons[row]);
  }
  cupel_selection_free(selection);
  cupel_selector_free(selector);
}

int main(void) {
  static double scores[MAX_ROWS];
  cupel_clock *clock = NULL;
  cupel_item_builder *builder = NULL;
  uint64_t total = 0;
  uint64_t kept = 0;
  MUST(cupel_clock_fixed_new(NOW, &clock, NULL));
  MUST(cupel_item_builder_new("x", 1, 1, &builder, NULL));
  while (total < MIN_SCORES) {
    cupel_batch *batch = NULL;
    unsigned rows = one_in(3) ? below(40) : below(MAX_ROWS + 1);
    MUST(cupel_batch_new(rows, &batch, NULL));
    fill(batch, builder, rows);
    /* Every type once, and compositions more often. */
    for (unsigned type = 0; type < 3 * TYPES; type++) {
      cupel_scorer *scorer = make_scorer(clock, type < TYPES ? type : type % 2 == 0 ? SCALED : COMPOSITE);
      MUST(cupel_scorer_score_batch(scorer, batch, scores, rows, NULL));
      for (unsigned row = 0; row < rows; row++) {
        add_double(scores[row]);
      }
      total += rows;
      if (type >= 3 * TYPES - 4) {
        add_selection(scorer, batch, (cupel_slicer)(type % 4));
        kept++;
      }
      cupel_scorer_free(scorer);
    }
    cupel_batch_free(batch);
  }
  cupel_item_builder_free(builder);
  cupel_clock_free(clock);
  printf("%" PRIu64 " scores, %" PRIu64 " selections: %016" PRIx64 "\n", total, kept, hash);
  return EXIT_SUCCESS;
}
