/* Items, their builder, and the library's own small functions. */
#include <math.h>

#include "check.h"

/* What an out-parameter holds before a call that is expected to fail. */
static char sentinel;
#define UNTOUCHED(type) ((type *)(void *)&sentinel)

static bool text_is(const char *data, size_t len, const char *expected, size_t expected_len) {
  return len == expected_len && (len == 0 || memcmp(data, expected, len) == 0);
}

#define TEXT_IS(data, len, literal) text_is((data), (len), (literal), sizeof(literal) - 1)

static void test_library(void) {
  static const char *const NAMES[] = {
      "CUPEL_STATUS_OK",           "CUPEL_STATUS_NULL_ARGUMENT", "CUPEL_STATUS_INVALID_UTF8",
      "CUPEL_STATUS_INVALID_ARGUMENT", "CUPEL_STATUS_EMPTY_CONTENT", "CUPEL_STATUS_EMPTY_KIND",
      "CUPEL_STATUS_EMPTY_SOURCE", "CUPEL_STATUS_OUT_OF_RANGE",  "CUPEL_STATUS_LENGTH_MISMATCH",
      "CUPEL_STATUS_CALLBACK_FAILED", "CUPEL_STATUS_OUT_OF_MEMORY", "CUPEL_STATUS_PANIC",
      "CUPEL_STATUS_INVALID_JSON", "CUPEL_STATUS_BUSY"};
  char version[32];
  snprintf(version, sizeof version, "%d.%d.%d", CUPEL_VERSION_MAJOR, CUPEL_VERSION_MINOR, CUPEL_VERSION_PATCH);
  CHECK(strcmp(cupel_version(), version) == 0);
  CHECK(cupel_abi_version() == CUPEL_ABI_VERSION);
  for (cupel_status status = 0; status < (cupel_status)(sizeof NAMES / sizeof NAMES[0]); status++) {
    CHECK(strcmp(cupel_status_name(status), NAMES[status]) == 0);
  }
  static const cupel_status UNKNOWN[] = {14, -1, INT32_MIN, INT32_MAX};
  for (size_t i = 0; i < 4; i++) {
    const char *name = cupel_status_name(UNKNOWN[i]);
    CHECK(name != NULL && strncmp(name, "CUPEL_STATUS_", 13) == 0);
  }
}

static void test_frees_take_null(void) {
  cupel_error_free(NULL);
  cupel_text_free(NULL);
  cupel_item_builder_free(NULL);
  cupel_item_free(NULL);
  cupel_batch_free(NULL);
  cupel_scorer_free(NULL);
  cupel_clock_free(NULL);
  CHECK(cupel_batch_len(NULL) == 0);
}

static void test_errors(void) {
  cupel_item_builder *builder = UNTOUCHED(cupel_item_builder);
  cupel_error *error = NULL;
  CHECK_STATUS(cupel_item_builder_new("", 0, 1, &builder, &error), CUPEL_STATUS_EMPTY_CONTENT);
  CHECK(builder == UNTOUCHED(cupel_item_builder));
  CHECK_MESSAGE(error, CUPEL_STATUS_EMPTY_CONTENT, "content");

  /* The error is optional. */
  CHECK_STATUS(cupel_item_builder_new(NULL, 0, 1, &builder, NULL), CUPEL_STATUS_EMPTY_CONTENT);
  CHECK_STATUS(cupel_item_builder_new(NULL, 3, 1, &builder, NULL), CUPEL_STATUS_NULL_ARGUMENT);
  CHECK_STATUS(cupel_item_builder_new("text", 4, 1, NULL, NULL), CUPEL_STATUS_NULL_ARGUMENT);
  CHECK(builder == UNTOUCHED(cupel_item_builder));

  /* A success writes NULL over whatever was there. */
  error = UNTOUCHED(cupel_error);
  MUST(cupel_item_builder_new("text", 4, 1, &builder, &error));
  CHECK(error == NULL);
  cupel_item_builder_free(builder);
}

static void test_every_field(void) {
  static const char CONTENT[] = "gr\xC3\xBC\xC3\x9F\0dich";
  cupel_item_builder *builder = NULL;
  cupel_item *item = NULL;
  MUST(cupel_item_builder_new(CONTENT, sizeof CONTENT - 1, -7, &builder, NULL));
  MUST(cupel_item_builder_set_kind(builder, "ToolOutput", 10, NULL));
  MUST(cupel_item_builder_set_source(builder, "Tool", 4, NULL));
  MUST(cupel_item_builder_add_tag(builder, "b", 1, NULL));
  MUST(cupel_item_builder_add_tag(builder, NULL, 0, NULL));
  MUST(cupel_item_builder_add_tag(builder, "b", 1, NULL));
  MUST(cupel_item_builder_set_priority(builder, INT64_MIN, NULL));
  MUST(cupel_item_builder_set_original_tokens(builder, INT64_MAX, NULL));
  MUST(cupel_item_builder_set_timestamp(builder, -1, NULL));
  MUST(cupel_item_builder_set_future_relevance_hint(builder, -INFINITY, NULL));
  MUST(cupel_item_builder_set_pinned(builder, true, NULL));
  MUST(cupel_item_builder_set_metadata_string(builder, "first", 5, "1", 1, NULL));
  MUST(cupel_item_builder_set_metadata_double(builder, "second", 6, 0.1, NULL));
  MUST(cupel_item_builder_set_metadata_other(builder, "third", 5, "true", 4, NULL));
  MUST(cupel_item_builder_set_metadata_string(builder, NULL, 0, NULL, 0, NULL));
  MUST(cupel_item_builder_set_metadata_double(builder, "first", 5, -0.0, NULL)); /* replaces, keeps its place */
  MUST(cupel_item_builder_build(builder, &item, NULL));
  cupel_item_builder_free(builder);

  const char *data = NULL;
  size_t len = 0;
  int64_t integer = 0;
  double number = 0;
  bool present = false;
  cupel_metadata_type type = -1;
  MUST(cupel_item_content(item, &data, &len, NULL));
  CHECK(text_is(data, len, CONTENT, sizeof CONTENT - 1));
  MUST(cupel_item_tokens(item, &integer, NULL));
  CHECK(integer == -7);
  MUST(cupel_item_kind(item, &data, &len, NULL));
  CHECK(TEXT_IS(data, len, "ToolOutput"));
  MUST(cupel_item_source(item, &data, &len, NULL));
  CHECK(TEXT_IS(data, len, "Tool"));
  MUST(cupel_item_priority(item, &integer, &present, NULL));
  CHECK(present && integer == INT64_MIN);
  present = false;
  MUST(cupel_item_original_tokens(item, &integer, &present, NULL));
  CHECK(present && integer == INT64_MAX);
  present = false;
  MUST(cupel_item_timestamp(item, &integer, &present, NULL));
  CHECK(present && integer == -1);
  present = false;
  MUST(cupel_item_future_relevance_hint(item, &number, &present, NULL));
  CHECK(present && number == -INFINITY);
  present = false;
  MUST(cupel_item_pinned(item, &present, NULL));
  CHECK(present);

  MUST(cupel_item_tags_len(item, &len, NULL));
  CHECK(len == 3);
  MUST(cupel_item_tag(item, 0, &data, &len, NULL));
  CHECK(TEXT_IS(data, len, "b"));
  MUST(cupel_item_tag(item, 1, &data, &len, NULL));
  CHECK(len == 0);
  MUST(cupel_item_tag(item, 2, &data, &len, NULL));
  CHECK(TEXT_IS(data, len, "b"));
  data = &sentinel;
  len = 99;
  cupel_error *error = NULL;
  CHECK_STATUS(cupel_item_tag(item, 3, &data, &len, &error), CUPEL_STATUS_OUT_OF_RANGE);
  CHECK(data == &sentinel && len == 99);
  CHECK_MESSAGE(error, CUPEL_STATUS_OUT_OF_RANGE, "3");

  MUST(cupel_item_metadata_len(item, &len, NULL));
  CHECK(len == 4);
  MUST(cupel_item_metadata_key(item, 0, &data, &len, NULL));
  CHECK(TEXT_IS(data, len, "first"));
  MUST(cupel_item_metadata_value(item, 0, &type, &data, &len, &number, NULL));
  CHECK(type == CUPEL_METADATA_TYPE_DOUBLE && data == NULL && len == 0);
  CHECK_BITS(number, -0.0);
  MUST(cupel_item_metadata_key(item, 1, &data, &len, NULL));
  CHECK(TEXT_IS(data, len, "second"));
  MUST(cupel_item_metadata_value(item, 1, &type, &data, &len, &number, NULL));
  CHECK(type == CUPEL_METADATA_TYPE_DOUBLE);
  CHECK_BITS(number, 0.1);
  MUST(cupel_item_metadata_key(item, 2, &data, &len, NULL));
  CHECK(TEXT_IS(data, len, "third"));
  MUST(cupel_item_metadata_value(item, 2, &type, &data, &len, &number, NULL));
  CHECK(type == CUPEL_METADATA_TYPE_OTHER && TEXT_IS(data, len, "true"));
  CHECK_BITS(number, 0.0);
  MUST(cupel_item_metadata_key(item, 3, &data, &len, NULL));
  CHECK(len == 0);
  MUST(cupel_item_metadata_value(item, 3, &type, &data, &len, &number, NULL));
  CHECK(type == CUPEL_METADATA_TYPE_STRING && len == 0);
  type = 99;
  CHECK_STATUS(cupel_item_metadata_value(item, 4, &type, &data, &len, &number, NULL), CUPEL_STATUS_OUT_OF_RANGE);
  CHECK_STATUS(cupel_item_metadata_key(item, SIZE_MAX, &data, &len, NULL), CUPEL_STATUS_OUT_OF_RANGE);
  CHECK(type == 99);
  cupel_item_free(item);
}

/* The fields of an item of which only content and tokens were given. */
static void check_defaults(const cupel_item *item) {
  const char *data = NULL;
  size_t len = 0;
  int64_t integer = 0;
  double number = 0;
  bool flag = true;
  MUST(cupel_item_kind(item, &data, &len, NULL));
  CHECK(TEXT_IS(data, len, "Message"));
  MUST(cupel_item_source(item, &data, &len, NULL));
  CHECK(TEXT_IS(data, len, "Chat"));
  MUST(cupel_item_priority(item, &integer, &flag, NULL));
  CHECK(!flag);
  flag = true;
  MUST(cupel_item_original_tokens(item, &integer, &flag, NULL));
  CHECK(!flag);
  flag = true;
  MUST(cupel_item_timestamp(item, &integer, &flag, NULL));
  CHECK(!flag);
  flag = true;
  MUST(cupel_item_future_relevance_hint(item, &number, &flag, NULL));
  CHECK(!flag);
  flag = true;
  MUST(cupel_item_pinned(item, &flag, NULL));
  CHECK(!flag);
  len = 99;
  MUST(cupel_item_tags_len(item, &len, NULL));
  CHECK(len == 0);
  len = 99;
  MUST(cupel_item_metadata_len(item, &len, NULL));
  CHECK(len == 0);
}

static void test_builder_is_reusable(void) {
  cupel_item_builder *builder = NULL;
  cupel_item *first = NULL, *second = NULL, *third = NULL;
  const char *data = NULL;
  size_t len = 0;
  int64_t tokens = 0;
  MUST(cupel_item_builder_new("one", 3, 1, &builder, NULL));
  MUST(cupel_item_builder_build(builder, &first, NULL));
  MUST(cupel_item_builder_add_tag(builder, "tag", 3, NULL));
  MUST(cupel_item_builder_set_kind(builder, "Memory", 6, NULL));
  MUST(cupel_item_builder_set_priority(builder, 5, NULL));
  MUST(cupel_item_builder_build(builder, &second, NULL));
  MUST(cupel_item_builder_reset(builder, "three", 5, 3, NULL));
  MUST(cupel_item_builder_build(builder, &third, NULL));

  /* A reset that is refused changes nothing. */
  CHECK_STATUS(cupel_item_builder_reset(builder, "", 0, 9, NULL), CUPEL_STATUS_EMPTY_CONTENT);
  CHECK_STATUS(cupel_item_builder_reset(builder, "\xFF", 1, 9, NULL), CUPEL_STATUS_INVALID_UTF8);
  cupel_item *again = NULL;
  MUST(cupel_item_builder_build(builder, &again, NULL));
  cupel_item_builder_free(builder);
  MUST(cupel_item_content(again, &data, &len, NULL));
  CHECK(TEXT_IS(data, len, "three"));
  MUST(cupel_item_tokens(again, &tokens, NULL));
  CHECK(tokens == 3);

  check_defaults(first);
  check_defaults(third);
  check_defaults(again);
  MUST(cupel_item_tags_len(second, &len, NULL));
  CHECK(len == 1);
  MUST(cupel_item_kind(second, &data, &len, NULL));
  CHECK(TEXT_IS(data, len, "Memory"));
  MUST(cupel_item_content(first, &data, &len, NULL));
  CHECK(TEXT_IS(data, len, "one"));
  cupel_item_free(first);
  cupel_item_free(second);
  cupel_item_free(third);
  cupel_item_free(again);
}

static void test_refused_setters_change_nothing(void) {
  cupel_item_builder *builder = NULL;
  cupel_item *item = NULL;
  cupel_error *error = NULL;
  MUST(cupel_item_builder_new("text", 4, 0, &builder, NULL));
  CHECK_STATUS(cupel_item_builder_set_kind(builder, "", 0, &error), CUPEL_STATUS_EMPTY_KIND);
  CHECK_MESSAGE(error, CUPEL_STATUS_EMPTY_KIND, "kind");
  CHECK_STATUS(cupel_item_builder_set_kind(builder, " \t\n", 3, NULL), CUPEL_STATUS_EMPTY_KIND);
  CHECK_STATUS(cupel_item_builder_set_kind(builder, "\xE3\x80\x80", 3, NULL), CUPEL_STATUS_EMPTY_KIND);
  CHECK_STATUS(cupel_item_builder_set_source(builder, "  ", 2, &error), CUPEL_STATUS_EMPTY_SOURCE);
  CHECK_MESSAGE(error, CUPEL_STATUS_EMPTY_SOURCE, "source");
  CHECK_STATUS(cupel_item_builder_set_kind(builder, "abc\xC3(", 5, &error), CUPEL_STATUS_INVALID_UTF8);
  CHECK_MESSAGE(error, CUPEL_STATUS_INVALID_UTF8, "3"); /* the byte offset */
  CHECK_STATUS(cupel_item_builder_set_source(builder, "\xED\xA0\x80", 3, NULL), CUPEL_STATUS_INVALID_UTF8);
  CHECK_STATUS(cupel_item_builder_add_tag(builder, "\x80", 1, NULL), CUPEL_STATUS_INVALID_UTF8);
  CHECK_STATUS(cupel_item_builder_set_metadata_string(builder, "\x80", 1, "v", 1, NULL), CUPEL_STATUS_INVALID_UTF8);
  CHECK_STATUS(cupel_item_builder_set_metadata_string(builder, "k", 1, "\x80", 1, NULL), CUPEL_STATUS_INVALID_UTF8);
  CHECK_STATUS(cupel_item_builder_set_metadata_other(builder, "k", 1, "\x80", 1, NULL), CUPEL_STATUS_INVALID_UTF8);
  CHECK_STATUS(cupel_item_builder_set_metadata_double(builder, "\x80", 1, 1.0, NULL), CUPEL_STATUS_INVALID_UTF8);
  CHECK_STATUS(cupel_item_builder_set_metadata_double(builder, NULL, 1, 1.0, NULL), CUPEL_STATUS_NULL_ARGUMENT);
  CHECK_STATUS(cupel_item_builder_set_kind(NULL, "k", 1, NULL), CUPEL_STATUS_NULL_ARGUMENT);
  item = UNTOUCHED(cupel_item);
  CHECK_STATUS(cupel_item_builder_build(NULL, &item, NULL), CUPEL_STATUS_NULL_ARGUMENT);
  CHECK(item == UNTOUCHED(cupel_item));
  MUST(cupel_item_builder_build(builder, &item, NULL));
  check_defaults(item);
  cupel_item_free(item);
  cupel_item_builder_free(builder);
}

int main(void) {
  test_library();
  test_frees_take_null();
  test_errors();
  test_every_field();
  test_builder_is_reusable();
  test_refused_setters_change_nothing();
  return check_report("test_items");
}
