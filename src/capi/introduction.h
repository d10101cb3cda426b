/*
 * cupel.h: tells a language-model application which pieces of context are worth keeping.
 *
 * A host builds context items, picks a scorer, and gets the scores of a whole batch of items in one call: higher means
 * more worth keeping.
 *
 *     #include <stdio.h>
 *     #include "cupel.h"
 *
 *     int main(void) {
 *         static const char json[] =
 *             "{\"content\": \"Be brief.\", \"tokens\": 3, \"kind\": \"SystemPrompt\", \"timestamp\": \"2026-01-01T09:00:00Z\"}"
 *             "{\"content\": \"Why does it fail?\", \"tokens\": 4, \"timestamp\": \"2026-01-01T09:01:00Z\"}";
 *         cupel_batch *batch = NULL;
 *         cupel_scorer *kind = NULL, *recency = NULL, *scorer = NULL;
 *         cupel_error *error = NULL;
 *         double scores[2];
 *
 *         if (cupel_batch_new(2, &batch, &error) == CUPEL_STATUS_OK &&
 *             cupel_batch_append_json(batch, json, sizeof json - 1, &error) == CUPEL_STATUS_OK &&
 *             cupel_scorer_kind_default_new(&kind, &error) == CUPEL_STATUS_OK &&
 *             cupel_scorer_recency_new(&recency, &error) == CUPEL_STATUS_OK) {
 *             const cupel_scorer *children[] = {kind, recency};
 *             const double weights[] = {1.0, 2.0};
 *             if (cupel_scorer_composite_new(children, weights, 2, &scorer, &error) == CUPEL_STATUS_OK &&
 *                 cupel_scorer_score_batch(scorer, batch, scores, 2, &error) == CUPEL_STATUS_OK) {
 *                 printf("%.3f %.3f\n", scores[0], scores[1]);
 *             }
 *         }
 *         const int failed = error != NULL;
 *         if (failed) {
 *             fprintf(stderr, "%s\n", cupel_error_message(error));
 *         }
 *         cupel_error_free(error);
 *         cupel_scorer_free(scorer);
 *         cupel_scorer_free(recency);
 *         cupel_scorer_free(kind);
 *         cupel_batch_free(batch);
 *         return failed;
 *     }
 *
 * What holds for every function:
 *
 * Status. A function that can fail returns a cupel_status and writes its results through pointers. Its last parameter,
 * out_error, may be NULL. A call that fails changes nothing and writes nothing but *out_error. A call that succeeds
 * sets *out_error to NULL. There is no last error of a thread or of the process.
 *
 * Ownership. The caller frees every handle that a function returns through a pointer, once, with the _free function of
 * its type; _free(NULL) does nothing. No function takes a handle over: a composite keeps its own references to its
 * children, a scorer to its clock, so that handles may be freed in any order.
 *
 * Threads. A handle passed as `const T *` may be used by any number of threads at once, one passed as `T *` by one
 * thread at a time. Nothing is tied to the thread that made it. After fork() a child may use a handle only if no call
 * of another thread was using it at that moment, and only if the parent had made a batch or a scorer before.
 *
 * Text in is an address and a length in bytes: UTF-8, not NUL-terminated, copied during the call. NULL with length 0 is
 * the empty text, and a NUL inside is a character like any other. Text out is also an address and a length, and is
 * valid as long as the handle it was read from. Names and messages are NUL-terminated.
 *
 * An array is an address and a number of entries. NULL with length 0 is the empty array. An array that is not aligned
 * for its type is refused with INVALID_ARGUMENT (those of cupel_columns need no alignment), one that is longer than
 * memory with OUT_OF_RANGE, and one that is too short for what the call writes with LENGTH_MISMATCH.
 *
 * Bad input. A NULL pointer where one is required, invalid UTF-8, a number out of range, an impossible length, and a
 * failed allocation are each reported by a status. The library cannot check that memory is as long as the length passed
 * with it, or that a handle was not freed.
 *
 * Linking. On Windows define CUPEL_DLL before this header to link against the dynamic library; nothing needs to be
 * defined on other systems, or to link against the static library.
 */

#ifndef CUPEL_H
#define CUPEL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#ifndef CUPEL_API
#if defined(_WIN32) && defined(CUPEL_DLL)
#define CUPEL_API __declspec(dllimport)
#else
#define CUPEL_API
#endif
#endif
#ifdef __cplusplus
extern "C" {
#endif

/* The structs of Arrow's C data and C stream interfaces, as their specification has them. */
#ifndef ARROW_C_DATA_INTERFACE
#define ARROW_C_DATA_INTERFACE

#define ARROW_FLAG_DICTIONARY_ORDERED 1
#define ARROW_FLAG_NULLABLE 2
#define ARROW_FLAG_MAP_KEYS_SORTED 4

struct ArrowSchema {
    const char *format;
    const char *name;
    const char *metadata;
    int64_t flags;
    int64_t n_children;
    struct ArrowSchema **children;
    struct ArrowSchema *dictionary;
    void (*release)(struct ArrowSchema *);
    void *private_data;
};

struct ArrowArray {
    int64_t length;
    int64_t null_count;
    int64_t offset;
    int64_t n_buffers;
    int64_t n_children;
    const void **buffers;
    struct ArrowArray **children;
    struct ArrowArray *dictionary;
    void (*release)(struct ArrowArray *);
    void *private_data;
};

#endif /* ARROW_C_DATA_INTERFACE */

#ifndef ARROW_C_STREAM_INTERFACE
#define ARROW_C_STREAM_INTERFACE

struct ArrowArrayStream {
    int (*get_schema)(struct ArrowArrayStream *, struct ArrowSchema *out);
    int (*get_next)(struct ArrowArrayStream *, struct ArrowArray *out);
    const char *(*get_last_error)(struct ArrowArrayStream *);
    void (*release)(struct ArrowArrayStream *);
    void *private_data;
};

#endif /* ARROW_C_STREAM_INTERFACE */

