/*
 * A program from the time of the baseline: it is compiled against that header and runs against today's library.
 */
#include <stddef.h>
#include <stdio.h>
#include <string.h>

#include "cupel.h"

static int failures;

#define CHECK(condition)                                                         \
    do {                                                                         \
        if (!(condition)) {                                                      \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition);      \
            failures++;                                                          \
        }                                                                        \
    } while (0)
#define OK(call) CHECK((call) == CUPEL_STATUS_OK)

static cupel_error *error;

/* Whether the call was refused with a status, which its error has too. */
static int refused(cupel_status status, cupel_status expected) {
    int as_expected = status == expected && cupel_error_status(error) == expected && cupel_error_message(error)[0] != '\0';
    cupel_error_free(error);
    error = NULL;
    return as_expected;
}

static void versions(void) {
    CHECK(cupel_abi_version() == CUPEL_ABI_VERSION);
    CHECK(cupel_version()[0] != '\0');
    CHECK(strcmp(cupel_status_name(CUPEL_STATUS_OK), "CUPEL_STATUS_OK") == 0);
    CHECK(strcmp(cupel_status_name(CUPEL_STATUS_BUSY), "CUPEL_STATUS_BUSY") == 0);
    CHECK(strcmp(cupel_status_name(-1), "CUPEL_STATUS_UNKNOWN") == 0);
}

/* Every field of an item, written and read. */
static void item(cupel_batch *batch) {
    cupel_item_builder *builder = NULL;
    cupel_item *made = NULL;
    const char *data = NULL;
    size_t len = 0;
    int64_t integer = 0;
    double number = 0;
    bool flag = false;
    cupel_metadata_type type = -1;

    OK(cupel_item_builder_new("old", 3, 7, &builder, &error));
    OK(cupel_item_builder_reset(builder, "text", 4, 8, &error));
    OK(cupel_item_builder_set_kind(builder, "Memory", 6, &error));
    OK(cupel_item_builder_set_source(builder, "Rag", 3, &error));
    OK(cupel_item_builder_add_tag(builder, "urgent", 6, &error));
    OK(cupel_item_builder_set_priority(builder, -3, &error));
    OK(cupel_item_builder_set_original_tokens(builder, 9, &error));
    OK(cupel_item_builder_set_timestamp(builder, 1000, &error));
    OK(cupel_item_builder_set_future_relevance_hint(builder, 0.25, &error));
    OK(cupel_item_builder_set_pinned(builder, true, &error));
    OK(cupel_item_builder_set_metadata_string(builder, "key", 3, "value", 5, &error));
    OK(cupel_item_builder_set_metadata_double(builder, "cupel:trust", 11, 0.75, &error));
    OK(cupel_item_builder_set_metadata_other(builder, "flag", 4, "true", 4, &error));
    OK(cupel_item_builder_build(builder, &made, &error));
    cupel_item_builder_free(builder);

    OK(cupel_item_content(made, &data, &len, &error));
    CHECK(len == 4 && memcmp(data, "text", 4) == 0);
    OK(cupel_item_kind(made, &data, &len, &error));
    CHECK(len == 6 && memcmp(data, "Memory", 6) == 0);
    OK(cupel_item_source(made, &data, &len, &error));
    CHECK(len == 3 && memcmp(data, "Rag", 3) == 0);
    OK(cupel_item_tokens(made, &integer, &error));
    CHECK(integer == 8);
    OK(cupel_item_priority(made, &integer, &flag, &error));
    CHECK(flag && integer == -3);
    OK(cupel_item_original_tokens(made, &integer, &flag, &error));
    CHECK(flag && integer == 9);
    OK(cupel_item_timestamp(made, &integer, &flag, &error));
    CHECK(flag && integer == 1000);
    OK(cupel_item_future_relevance_hint(made, &number, &flag, &error));
    CHECK(flag && number == 0.25);
    OK(cupel_item_pinned(made, &flag, &error));
    CHECK(flag);
    OK(cupel_item_tags_len(made, &len, &error));
    CHECK(len == 1);
    OK(cupel_item_tag(made, 0, &data, &len, &error));
    CHECK(len == 6 && memcmp(data, "urgent", 6) == 0);
    OK(cupel_item_metadata_len(made, &len, &error));
    CHECK(len == 3);
    OK(cupel_item_metadata_key(made, 0, &data, &len, &error));
    CHECK(len == 3 && memcmp(data, "key", 3) == 0);
    OK(cupel_item_metadata_value(made, 1, &type, &data, &len, &number, &error));
    CHECK(type == CUPEL_METADATA_TYPE_DOUBLE && number == 0.75);
    OK(cupel_item_metadata_value(made, 2, &type, &data, &len, &number, &error));
    CHECK(type == CUPEL_METADATA_TYPE_OTHER && len == 4 && memcmp(data, "true", 4) == 0);

    OK(cupel_batch_push(batch, made, &error));
    cupel_item_free(made);
    OK(cupel_batch_item(batch, 0, &made, &error));
    OK(cupel_item_tokens(made, &integer, &error));
    CHECK(integer == 8);
    cupel_item_free(made);
}

/* The struct as it was, and as it will have become in a program that is newer than the library. */
static void columns(cupel_batch *batch) {
    const int64_t content_offsets[] = {0, 1, 2}, kind_offsets[] = {0, 8}, priorities[] = {5, 0}, tag_lists[] = {0, 0, 1};
    const int64_t tag_offsets[] = {0, 6};
    const uint8_t priority_validity[] = {1, 0};
    const uint32_t kind_codes[] = {0, 0};
    struct {
        cupel_columns known;
        unsigned char tail[2048];
    } future;
    size_t rows = 5;

    memset(&future, 0, sizeof future);
    cupel_columns *c = &future.known;
    c->struct_size = sizeof *c;
    c->rows = 2;
    c->content.data = "xy";
    c->content.data_len = 2;
    c->content.offsets = content_offsets;
    c->content.texts_len = 2;
    c->kind.data = "Document";
    c->kind.data_len = 8;
    c->kind.offsets = kind_offsets;
    c->kind.texts_len = 1;
    c->kind.codes = kind_codes;
    c->priority = priorities;
    c->priority_validity = priority_validity;
    c->tag_lists = tag_lists;
    c->tags_len = 1;
    c->tags.data = "URGENT";
    c->tags.data_len = 6;
    c->tags.offsets = tag_offsets;
    c->tags.texts_len = 1;
    OK(cupel_batch_append_columns(batch, c, &error));
    CHECK(cupel_batch_len(batch) == 3);

    /* Something stands after the struct, which is none of the library's business. */
    memset(future.tail, 0xff, sizeof future.tail);
    OK(cupel_batch_append_columns(batch, c, &error));
    CHECK(cupel_batch_len(batch) == 5);

    /* A newer program that does not use what is new, ... */
    memset(future.tail, 0, sizeof future.tail);
    for (size_t more = sizeof(void *); more <= sizeof future.tail; more *= 2) {
        c->struct_size = sizeof *c + more;
        OK(cupel_batch_append_columns(batch, c, &error));
        CHECK(cupel_batch_len(batch) == (rows += 2));
    }

    /* ... and one that does: what the library does not know must not be dropped in silence. */
    future.tail[sizeof future.tail - 1] = 1;
    c->struct_size = sizeof future;
    CHECK(refused(cupel_batch_append_columns(batch, c, &error), CUPEL_STATUS_INVALID_ARGUMENT));

    /* A program that is older still, whose struct ended after the kinds: the fields it lacks are absent. */
    struct {
        size_t struct_size, rows;
        cupel_text_column content;
        const int64_t *tokens;
        cupel_text_column kind;
        unsigned char after[sizeof(cupel_columns)];
    } older;
    memset(&older, 0xff, sizeof older);
    older.struct_size = offsetof(cupel_columns, kind_validity);
    older.rows = 2;
    older.content = c->content;
    older.tokens = NULL;
    older.kind = c->kind;
    OK(cupel_batch_append_columns(batch, (const cupel_columns *)(const void *)&older, &error));
    CHECK(cupel_batch_len(batch) == (rows += 2));

    /* Sizes that no header ever had. */
    for (size_t size = 0; size < sizeof *c; size++) {
        if (size < offsetof(cupel_columns, content) || size % sizeof(void *) != 0) {
            c->struct_size = size;
            CHECK(refused(cupel_batch_append_columns(batch, c, &error), CUPEL_STATUS_INVALID_ARGUMENT));
        }
    }
    c->struct_size = SIZE_MAX;
    CHECK(refused(cupel_batch_append_columns(batch, c, &error), CUPEL_STATUS_INVALID_ARGUMENT));
    CHECK(cupel_batch_len(batch) == rows);
}

static cupel_status ones(void *user_data, const cupel_batch *batch, double *out_scores, size_t out_scores_len) {
    CHECK(cupel_batch_len(batch) == out_scores_len);
    for (size_t row = 0; row < out_scores_len; row++) {
        out_scores[row] = 1.0;
    }
    ++*(int *)user_data;
    return CUPEL_STATUS_OK;
}

static cupel_status now(void *user_data, int64_t *out_unix_nanoseconds) {
    ++*(int *)user_data;
    *out_unix_nanoseconds = 2000;
    return CUPEL_STATUS_OK;
}

static void destroyed(void *user_data) {
    *(int *)user_data += 100;
}

/* Three rows: the item (Memory, urgent, priority -3, at 1000), Document with priority 5, Document with the tag URGENT. */
static void scorers(cupel_batch *batch) {
    static const struct {
        const char *name;
        double scores[3];
    } expected[] = {
        {"recency", {1.0, 0.0, 0.0}},           {"priority", {0.0, 1.0, 0.0}},
        {"frequency", {0.5, 0.0, 0.5}},         {"reflexive", {0.25, 0.0, 0.0}},
        {"kind_default", {0.8, 0.4, 0.4}},      {"kind", {0.5, 2.0, 2.0}},
        {"tag", {1.0, 0.0, 1.0}},               {"metadata_trust", {0.75, 0.5, 0.5}},
        {"metadata_key", {1.5, 1.0, 1.0}},      {"decay_exponential", {0.5, 0.25, 0.25}},
        {"decay_window", {0.0, 0.25, 0.25}},    {"decay_step", {0.125, 0.25, 0.25}},
        {"custom", {1.0, 1.0, 1.0}},            {"composite", {0.75, 0.125, 0.625}},
        {"scaled", {1.0, 0.0, 0.0}},
    };
    enum { SCORERS = sizeof expected / sizeof expected[0] };
    cupel_scorer *s[SCORERS] = {NULL};
    cupel_clock *clock = NULL, *fixed = NULL, *system = NULL;
    const cupel_weight kinds[] = {{"document", 8, 2.0}, {"MEMORY", 6, 0.5}}, tags[] = {{"Urgent", 6, 3.0}};
    const cupel_decay_step steps[] = {{999, 1.0}, {1001, 0.125}, {5000, 0.0}};
    int calls = 0, readings = 0;
    double scores[3], score = -1;

    OK(cupel_clock_custom_new(now, &readings, destroyed, &clock, &error));
    OK(cupel_clock_fixed_new(2000, &fixed, &error));
    OK(cupel_clock_system_new(&system, &error));
    OK(cupel_scorer_recency_new(&s[0], &error));
    OK(cupel_scorer_priority_new(&s[1], &error));
    OK(cupel_scorer_frequency_new(&s[2], &error));
    OK(cupel_scorer_reflexive_new(&s[3], &error));
    OK(cupel_scorer_kind_default_new(&s[4], &error));
    OK(cupel_scorer_kind_new(kinds, 2, &s[5], &error));
    OK(cupel_scorer_tag_new(tags, 1, CUPEL_TEXT_MATCH_ASCII_CASE_INSENSITIVE, &s[6], &error));
    OK(cupel_scorer_metadata_trust_new(0.5, &s[7], &error));
    OK(cupel_scorer_metadata_key_new("key", 3, "value", 5, 1.5, &s[8], &error));
    OK(cupel_scorer_decay_exponential_new(clock, 1000, 0.25, &s[9], &error));
    OK(cupel_scorer_decay_window_new(fixed, 1000, 0.25, &s[10], &error));
    OK(cupel_scorer_decay_step_new(fixed, steps, 3, 0.25, &s[11], &error));
    OK(cupel_scorer_custom_new(ones, &calls, destroyed, &s[12], &error));
    const cupel_scorer *children[] = {s[6], s[9]};
    const double weights[] = {1.0, 1.0};
    OK(cupel_scorer_composite_new(children, weights, 2, &s[13], &error));
    OK(cupel_scorer_scaled_new(s[3], &s[14], &error));
    cupel_clock_free(clock);
    cupel_clock_free(fixed);
    cupel_clock_free(system);

    for (int i = 0; i < SCORERS; i++) {
        OK(cupel_scorer_score_batch(s[i], batch, scores, 3, &error));
        for (int row = 0; row < 3; row++) {
            if (scores[row] != expected[i].scores[row]) {
                fprintf(stderr, "%s, row %d: %.17g\n", expected[i].name, row, scores[row]);
                failures++;
            }
        }
        OK(cupel_scorer_score_row(s[i], batch, 0, &score, &error));
        CHECK(score == scores[0]);
    }
    CHECK(calls == 2 && readings == 4);
    CHECK(refused(cupel_scorer_score_batch(s[0], batch, scores, 2, &error), CUPEL_STATUS_LENGTH_MISMATCH));
    CHECK(refused(cupel_scorer_score_row(s[0], batch, 3, &score, &error), CUPEL_STATUS_OUT_OF_RANGE));

    cupel_text *text = NULL;
    cupel_scorer *again = NULL;
    OK(cupel_scorer_to_json(s[5], &text, &error));
    OK(cupel_scorer_from_json(cupel_text_data(text), cupel_text_len(text), NULL, &again, &error));
    OK(cupel_scorer_score_batch(again, batch, scores, 3, &error));
    CHECK(scores[0] == 0.5 && scores[1] == 2.0);
    cupel_text_free(text);
    cupel_scorer_free(again);

    for (int i = 0; i < SCORERS; i++) {
        cupel_scorer_free(s[i]);
    }
    CHECK(calls == 102 && readings == 104);
}

int main(void) {
    static const char json[] = "{\"content\": \"x\", \"tokens\": 1, \"kind\": \"Document\", \"priority\": 5}"
                               "{\"content\": \"y\", \"tokens\": 1, \"kind\": \"Document\", \"tags\": [\"URGENT\"]}";
    cupel_batch *batch = NULL;

    versions();
    OK(cupel_batch_new(4, &batch, &error));
    OK(cupel_batch_reserve(batch, 4, &error));
    item(batch);
    columns(batch);
    OK(cupel_batch_clear(batch, &error));
    OK(cupel_batch_shrink(batch, &error));
    item(batch);
    OK(cupel_batch_append_json(batch, json, sizeof json - 1, &error));
    scorers(batch);
    cupel_batch_free(batch);
    CHECK(refused(cupel_batch_clear(NULL, &error), CUPEL_STATUS_NULL_ARGUMENT));
    if (failures == 0) {
        printf("a program of ABI %d runs against library %s\n", CUPEL_ABI_VERSION, cupel_version());
    }
    return failures != 0;
}
