/*
 * 32 threads at once, for a sanitizer to watch: they score shared handles, make scorers of them, build batches of their own
 * and free everything in whatever order it comes. Custom scorers call back into the library, and the last share of a
 * scorer may go on any thread.
 *
 *     threads [ROUNDS]
 */
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupel.h"

#define THREADS 32
#define ROWS 96
#define SCORERS 9

static int rounds = 60;
static atomic_int wrong;
static atomic_int destroyed;
static cupel_batch *batch;
static cupel_scorer *scorers[SCORERS];
static double expected[SCORERS][ROWS];
static cupel_selector *selector;
static uint32_t kept[ROWS];
static size_t kept_len;
static pthread_barrier_t start;

/* A scorer that goes from thread to thread: each leaves one of its own, and frees the one that it finds. */
static _Atomic(cupel_scorer *) passed_on;

#define CHECK(condition)                                                    \
    do {                                                                    \
        if (!(condition)) {                                                 \
            fprintf(stderr, "%s:%d: %s\n", __FILE__, __LINE__, #condition); \
            atomic_fetch_add(&wrong, 1);                                    \
        }                                                                   \
    } while (0)
#define OK(call) CHECK((call) == CUPEL_STATUS_OK)

static int64_t next(uint64_t *random, int64_t bound) {
    *random = *random * 6364136223846793005u + 1442695040888963407u;
    return (int64_t)(*random >> 33) % bound;
}

static void destroy(void *user_data) {
    (void)user_data;
    atomic_fetch_add(&destroyed, 1);
}

static cupel_status now(void *user_data, int64_t *out_unix_nanoseconds) {
    (void)user_data;
    *out_unix_nanoseconds = 1000000;
    return CUPEL_STATUS_OK;
}

/* Scores the same batch with another scorer, reads a row, and finds that it cannot change anything. */
static cupel_status call_back(void *user_data, const cupel_batch *rows, double *out_scores, size_t out_scores_len) {
    cupel_item *item = NULL;
    int64_t tokens = -1;
    OK(cupel_scorer_score_batch(user_data, rows, out_scores, out_scores_len, NULL));
    OK(cupel_batch_item(rows, out_scores_len - 1, &item, NULL));
    OK(cupel_item_tokens(item, &tokens, NULL));
    CHECK(tokens == (int64_t)out_scores_len - 1);
    cupel_item_free(item);
    return CUPEL_STATUS_OK;
}

static void push(cupel_batch *to, int64_t row, uint64_t *random) {
    cupel_item_builder *builder = NULL;
    cupel_item *item = NULL;
    char tag[16];
    OK(cupel_item_builder_new("content", 7, row, &builder, NULL));
    OK(cupel_item_builder_set_kind(builder, row % 2 ? "Memory" : "Document", row % 2 ? 6 : 8, NULL));
    OK(cupel_item_builder_set_priority(builder, next(random, 50), NULL));
    OK(cupel_item_builder_set_timestamp(builder, next(random, 1000000), NULL));
    OK(cupel_item_builder_set_future_relevance_hint(builder, (double)next(random, 100) / 100, NULL));
    for (int i = 0; i < 3; i++) {
        size_t len = (size_t)snprintf(tag, sizeof tag, "tag%d", (int)next(random, 9));
        OK(cupel_item_builder_add_tag(builder, tag, len, NULL));
    }
    OK(cupel_item_builder_set_metadata_double(builder, "cupel:trust", 11, 0.5, NULL));
    OK(cupel_item_builder_build(builder, &item, NULL));
    cupel_item_builder_free(builder);
    OK(cupel_batch_push(to, item, NULL));
    cupel_item_free(item);
}

static void prepare(void) {
    uint64_t random = 1;
    cupel_clock *clock = NULL;
    const cupel_weight tags[] = {{"TAG1", 4, 1.0}, {"tag2", 4, 0.5}};
    const double weights[] = {1.0, 2.0, 3.0, 4.0};
    OK(cupel_batch_new(0, &batch, NULL));
    for (int64_t row = 0; row < ROWS; row++) {
        push(batch, row, &random);
    }
    OK(cupel_clock_custom_new(now, NULL, destroy, &clock, NULL));
    OK(cupel_scorer_recency_new(&scorers[0], NULL));
    OK(cupel_scorer_priority_new(&scorers[1], NULL));
    OK(cupel_scorer_frequency_new(&scorers[2], NULL));
    OK(cupel_scorer_tag_new(tags, 2, CUPEL_TEXT_MATCH_ASCII_CASE_INSENSITIVE, &scorers[3], NULL));
    OK(cupel_scorer_decay_exponential_new(clock, 300000, 0.5, &scorers[4], NULL));
    OK(cupel_scorer_custom_new(call_back, scorers[2], destroy, &scorers[5], NULL));
    OK(cupel_scorer_composite_new((const cupel_scorer *const *)scorers, weights, 4, &scorers[6], NULL));
    OK(cupel_scorer_scaled_new(scorers[6], &scorers[7], NULL));
    const cupel_scorer *children[] = {scorers[7], scorers[5], scorers[4], scorers[7]};
    OK(cupel_scorer_composite_new(children, weights, 4, &scorers[8], NULL));
    cupel_clock_free(clock);
    for (int i = 0; i < SCORERS; i++) {
        OK(cupel_scorer_score_batch(scorers[i], batch, expected[i], ROWS, NULL));
    }
}

/* A batch, a scorer and an error of the thread's own. */
static void build_and_free(uint64_t *random) {
    static const char json[] = "[{\"content\": \"a\", \"tokens\": 1, \"tags\": [\"x\"]}, {\"content\": \"b\", \"tokens\": 2}]";
    cupel_batch *own = NULL;
    cupel_scorer *read = NULL;
    cupel_text *text = NULL;
    cupel_error *error = NULL;
    double scores[16];
    OK(cupel_batch_new(0, &own, NULL));
    OK(cupel_batch_append_json(own, json, sizeof json - 1, NULL));
    for (int64_t row = 2; row < 16; row++) {
        push(own, row, random);
    }
    OK(cupel_scorer_to_json(scorers[next(random, 4)], &text, NULL));
    OK(cupel_scorer_from_json(cupel_text_data(text), cupel_text_len(text), NULL, &read, NULL));
    OK(cupel_scorer_score_batch(read, own, scores, 16, NULL));
    CHECK(cupel_batch_append_json(own, json, 9, &error) == CUPEL_STATUS_INVALID_JSON);
    CHECK(cupel_error_message(error)[0] != '\0');
    cupel_error_free(error);
    cupel_text_free(text);
    cupel_batch_free(own);
    cupel_scorer_free(read);
}

/* Selects with the selector that all threads share, into a selection of its own that is used again. */
static void choose(cupel_selection *selection) {
    cupel_selection_view view = {.struct_size = sizeof view};
    cupel_request request = {.struct_size = sizeof request, .max_tokens = 1000};
    OK(cupel_selector_select(selector, batch, &request, selection, NULL));
    OK(cupel_selection_read(selection, &view, NULL));
    CHECK(view.batch_len == ROWS && view.rows_len == kept_len);
    CHECK(view.rows_len == 0 || memcmp(view.rows, kept, view.rows_len * sizeof *kept) == 0);
}

static void *work(void *argument) {
    uint64_t random = (uint64_t)(uintptr_t)argument * 977;
    double scores[ROWS];
    cupel_selection *selection = NULL;
    OK(cupel_selection_new(&selection, NULL));
    pthread_barrier_wait(&start);
    for (int round = 0; round < rounds; round++) {
        int64_t i = next(&random, SCORERS), row = next(&random, ROWS);
        cupel_scorer *parent = NULL;
        const double weight = 2.0;
        OK(cupel_scorer_score_batch(scorers[i], batch, scores, ROWS, NULL));
        CHECK(memcmp(scores, expected[i], sizeof scores) == 0);
        OK(cupel_scorer_score_row(scorers[i], batch, (size_t)row, scores, NULL));
        CHECK(scores[0] == expected[i][row]);
        OK(cupel_scorer_composite_new((const cupel_scorer *const *)&scorers[i], &weight, 1, &parent, NULL));
        cupel_scorer *found = atomic_exchange(&passed_on, parent);
        if (found != NULL) {
            OK(cupel_scorer_score_batch(found, batch, scores, ROWS, NULL));
            cupel_scorer_free(found);
        }
        choose(selection);
        if (round % 4 == 0) {
            build_and_free(&random);
        }
    }
    cupel_selection_free(selection);
    return NULL;
}

static void prepare_selector(void) {
    cupel_selection *selection = NULL;
    cupel_selection_view view = {.struct_size = sizeof view};
    cupel_request request = {.struct_size = sizeof request, .max_tokens = 1000};
    cupel_policy policy = {.struct_size = sizeof policy, .scorer = scorers[0], .keep_duplicates = 1};
    OK(cupel_selector_new(&policy, &selector, NULL));
    OK(cupel_selection_new(&selection, NULL));
    OK(cupel_selector_select(selector, batch, &request, selection, NULL));
    OK(cupel_selection_read(selection, &view, NULL));
    kept_len = view.rows_len;
    for (size_t i = 0; i < kept_len; i++) {
        kept[i] = view.rows[i];
    }
    CHECK(kept_len > 1);
    cupel_selection_free(selection);
}

int main(int argc, char **argv) {
    pthread_t threads[THREADS];
    if (argc > 1) {
        rounds = atoi(argv[1]);
    }
    prepare();
    prepare_selector();
    pthread_barrier_init(&start, NULL, THREADS);
    for (int i = 0; i < THREADS; i++) {
        pthread_create(&threads[i], NULL, work, (void *)(uintptr_t)(i + 1));
    }
    for (int i = 0; i < THREADS; i++) {
        pthread_join(threads[i], NULL);
    }
    pthread_barrier_destroy(&start);
    /* The handles go before what was made of them. */
    for (int i = 0; i < SCORERS; i++) {
        cupel_scorer_free(scorers[i]);
    }
    cupel_scorer_free(atomic_load(&passed_on));
    cupel_selector_free(selector);
    cupel_batch_free(batch);
    CHECK(atomic_load(&destroyed) == 2);
    printf("%d threads, %d rounds each, %d wrong\n", THREADS, rounds, atomic_load(&wrong));
    return atomic_load(&wrong) != 0;
}
