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

/* ---------------------------------------------------------------------------------------------------------------- */
/* Handles                                                                                                          */
/* ---------------------------------------------------------------------------------------------------------------- */

/**
 * The rows that are scored together. An item that is pushed twice becomes two rows.
 *
 * Threads: functions that take it as `const` may run on any number of threads at once, the others on one thread while
 * no other function runs. Changing a batch while it is being scored is refused with CUPEL_STATUS_BUSY where the
 * library can tell. Lifetime: it belongs to the caller of cupel_batch_new(), who frees it once with
 * cupel_batch_free().
 */
typedef struct cupel_batch cupel_batch;

/**
 * The source of the present time for decay scorers. Scorers made with it keep their own references to it.
 *
 * Threads: immutable, any number of threads may use it at once. Lifetime: it belongs to the caller of the function that
 * made it, who frees it once with cupel_clock_free().
 */
typedef struct cupel_clock cupel_clock;

/**
 * Why a call failed: a status, and a message that names the argument and the value. It does not depend on any other
 * handle.
 *
 * Threads: immutable, any number of threads may use it at once. Lifetime: it belongs to the caller of the function that
 * made it, who frees it once with cupel_error_free().
 */
typedef struct cupel_error cupel_error;

/**
 * A context item: a text, its size in tokens, and what scorers read. A batch copies the items that are pushed to it.
 *
 * Threads: immutable, any number of threads may use it at once. Lifetime: it belongs to the caller of the function that
 * made it, who frees it once with cupel_item_free().
 */
typedef struct cupel_item cupel_item;

/**
 * Makes items, field by field, one after another.
 *
 * Threads: mutable, one thread at a time. Lifetime: it belongs to the caller of cupel_item_builder_new(), who frees it
 * once with cupel_item_builder_free(). The items that it built do not depend on it.
 */
typedef struct cupel_item_builder cupel_item_builder;

/**
 * Gives every row of a batch a score. Scorers made with it keep their own references to it, so that handles may be
 * freed in any order.
 *
 * Threads: immutable, any number of threads may use it at once. Lifetime: it belongs to the caller of the function that
 * made it, who frees it once with cupel_scorer_free().
 */
typedef struct cupel_scorer cupel_scorer;

/**
 * The rows to keep, in order, and a reason for every row of the batch. A new one is empty. It is selected into as often as the
 * host likes, and keeps its memory for the next time.
 *
 * Threads: one at a time while selecting into it; otherwise any number may read it. Lifetime: it belongs to the caller of
 * cupel_selection_new(), who frees it once with cupel_selection_free(); it does not refer to the batch or the selector.
 */
typedef struct cupel_selection cupel_selection;

/**
 * A policy: which rows of a batch are kept under a budget, and in which order.
 *
 * Threads: immutable, any number of threads may use it at once. Lifetime: it belongs to the caller of the function that
 * made it, who frees it once with cupel_selector_free().
 */
typedef struct cupel_selector cupel_selector;

/**
 * A text that a function returns to its caller: UTF-8, NUL-terminated. It does not depend on any other handle.
 *
 * Threads: immutable, any number of threads may use it at once. Lifetime: it belongs to the caller of the function that
 * made it, who frees it once with cupel_text_free().
 */
typedef struct cupel_text cupel_text;

/* ---------------------------------------------------------------------------------------------------------------- */
/* Version                                                                                                          */
/* ---------------------------------------------------------------------------------------------------------------- */

/**
 * The version of the ABI that this header describes. It changes only when a program that was built with an older
 * header might not work with a newer library.
 */
#define CUPEL_ABI_VERSION 1

/**
 * The major version of this header.
 */
#define CUPEL_VERSION_MAJOR 0

/**
 * The minor version of this header.
 */
#define CUPEL_VERSION_MINOR 1

/**
 * The patch version of this header.
 */
#define CUPEL_VERSION_PATCH 0

/**
 * The version of the library at run time, such as `"0.1.0"`.
 *
 * @return A NUL-terminated text that is never freed. Never NULL.
 *
 * Threads: any number at once.
 */
CUPEL_API const char *cupel_version(void);

/**
 * The ABI version of the library at run time. A program may compare it with CUPEL_ABI_VERSION of the header it was
 * built with.
 *
 * Threads: any number at once.
 */
CUPEL_API uint32_t cupel_abi_version(void);

/* ---------------------------------------------------------------------------------------------------------------- */
/* Status                                                                                                           */
/* ---------------------------------------------------------------------------------------------------------------- */

/**
 * The call succeeded.
 */
#define CUPEL_STATUS_OK 0

/**
 * A required pointer is NULL.
 */
#define CUPEL_STATUS_NULL_ARGUMENT 1

/**
 * A text is not UTF-8. The message gives the offset of the first invalid byte.
 */
#define CUPEL_STATUS_INVALID_UTF8 2

/**
 * A value breaks a rule, such as a negative weight.
 */
#define CUPEL_STATUS_INVALID_ARGUMENT 3

/**
 * The content of an item is empty.
 */
#define CUPEL_STATUS_EMPTY_CONTENT 4

/**
 * A kind is empty or only white space.
 */
#define CUPEL_STATUS_EMPTY_KIND 5

/**
 * A source is empty or only white space.
 */
#define CUPEL_STATUS_EMPTY_SOURCE 6

/**
 * An index, a code, an offset, a length or an enumerator is out of range.
 */
#define CUPEL_STATUS_OUT_OF_RANGE 7

/**
 * Two lengths that must agree differ, or an array is too short.
 */
#define CUPEL_STATUS_LENGTH_MISMATCH 8

/**
 * A callback of the host failed. The message gives the status that the callback returned.
 */
#define CUPEL_STATUS_CALLBACK_FAILED 9

/**
 * An allocation failed.
 */
#define CUPEL_STATUS_OUT_OF_MEMORY 10

/**
 * A panic inside the library was caught, which is a defect of the library.
 */
#define CUPEL_STATUS_PANIC 11

/**
 * A text is not the JSON that is expected. The message gives path, line and column.
 */
#define CUPEL_STATUS_INVALID_JSON 12

/**
 * A batch cannot be changed while it is being scored, or a selection cannot be used while it is being selected into.
 */
#define CUPEL_STATUS_BUSY 13

/**
 * The rows that a selection must keep exceed the budget. The message gives both, and the pinned rows if they alone
 * exceed it.
 */
#define CUPEL_STATUS_OVER_BUDGET 14

/**
 * There are fewer candidates of a kind than a count quota requires, and the policy makes that a failure.
 */
#define CUPEL_STATUS_SHORTFALL 15

/**
 * The table of a knapsack has too many cells. The message gives a bucket size that is enough.
 */
#define CUPEL_STATUS_TOO_LARGE 16

/**
 * The result of a call: `CUPEL_STATUS_OK`, or the reason why it failed.
 *
 * Numbers never change their meaning. The number of a status that is removed is not used again.
 */
typedef int32_t cupel_status;

/**
 * The name of a status, such as `"CUPEL_STATUS_OK"`.
 *
 * @param status  Any number; one that is not a status has the name `"CUPEL_STATUS_UNKNOWN"`.
 * @return A NUL-terminated text that is never freed. Never NULL.
 *
 * Threads: any number at once.
 */
CUPEL_API const char *cupel_status_name(cupel_status status);

/* ---------------------------------------------------------------------------------------------------------------- */
/* Errors                                                                                                           */
/* ---------------------------------------------------------------------------------------------------------------- */

/**
 * Frees the host's data when the object that it belongs to, and everything made with that object, is gone.
 *
 * @param user_data  The pointer that was passed with the callback.
 *
 * Threads: it is called once, on any thread. It must not throw a C++ exception or leave by longjmp.
 */
typedef void (*cupel_destroy_callback)(void *user_data);

/**
 * Makes an error, for a callback to write to its `out_error`.
 *
 * @param status       The status: any number except CUPEL_STATUS_OK, which is replaced by CUPEL_STATUS_CALLBACK_FAILED.
 * @param message      The message. Bytes that are not UTF-8 become U+FFFD, NUL bytes become `?`.
 * @param message_len  Its length in bytes.
 * @return The error, never NULL. Without memory it has the status OUT_OF_MEMORY. It belongs to the caller, who returns
 *         it through `out_error` or frees it with cupel_error_free().
 *
 * Threads: any number at once.
 */
CUPEL_API struct cupel_error *cupel_error_new(cupel_status status, const char *message, size_t message_len);

/**
 * Makes an error that carries an object of the host, for a callback to write to its `out_error`. The error of the
 * scoring call then carries the object, so that a host can pass an exception through the library. Otherwise like
 * cupel_error_new().
 *
 * @param status        As for cupel_error_new().
 * @param message       As for cupel_error_new().
 * @param message_len   Its length in bytes.
 * @param payload_type  The type of the object: a number that the host chooses. cupel_error_payload() gives the object
 *                      only to a caller that passes the same number.
 * @param payload       The object. The error takes it over.
 * @param destroy       Called once with payload when the last error that has it is freed, or during this call if there
 *                      is no memory for the error; may be NULL. It is called on any thread and must not unwind.
 * @return As for cupel_error_new().
 *
 * Threads: any number at once.
 */
CUPEL_API
struct cupel_error *cupel_error_with_payload_new(cupel_status status,
                                                 const char *message,
                                                 size_t message_len,
                                                 uint64_t payload_type,
                                                 void *payload,
                                                 cupel_destroy_callback destroy);

/**
 * The status of an error.
 *
 * @param error  The error; NULL gives CUPEL_STATUS_OK.
 *
 * Threads: any number at once.
 */
CUPEL_API cupel_status cupel_error_status(const struct cupel_error *error);

/**
 * The message of an error: UTF-8, NUL-terminated.
 *
 * @param error  The error; NULL gives the empty text.
 * @return Never NULL. It belongs to the error and is valid until the error is freed.
 *
 * Threads: any number at once.
 */
CUPEL_API const char *cupel_error_message(const struct cupel_error *error);

/**
 * The object that an error carries.
 *
 * @param error         The error; NULL gives NULL.
 * @param payload_type  The type that cupel_error_with_payload_new() was called with.
 * @return The object, which belongs to the error and is valid until the error is freed; NULL if the error has none, or
 *         one of another type.
 *
 * Threads: any number at once.
 */
CUPEL_API void *cupel_error_payload(const struct cupel_error *error, uint64_t payload_type);

/**
 * Frees an error.
 *
 * @param error  The error; NULL does nothing. It must not be freed twice.
 *
 * Threads: one at a time.
 */
CUPEL_API void cupel_error_free(struct cupel_error *error);

/* ---------------------------------------------------------------------------------------------------------------- */
/* Texts that the library made                                                                                      */
/* ---------------------------------------------------------------------------------------------------------------- */

/**
 * The bytes of a text, followed by a NUL.
 *
 * @param text  The text; NULL gives the empty text.
 * @return Never NULL. It belongs to the text and is valid until the text is freed.
 *
 * Threads: any number at once.
 */
CUPEL_API const char *cupel_text_data(const struct cupel_text *text);

/**
 * The length of a text in bytes, without the NUL.
 *
 * @param text  The text; NULL gives 0.
 *
 * Threads: any number at once.
 */
CUPEL_API size_t cupel_text_len(const struct cupel_text *text);

/**
 * Frees a text.
 *
 * @param text  The text; NULL does nothing. It must not be freed twice.
 *
 * Threads: one at a time.
 */
CUPEL_API void cupel_text_free(struct cupel_text *text);

/* ---------------------------------------------------------------------------------------------------------------- */
/* Building an item                                                                                                 */
/* ---------------------------------------------------------------------------------------------------------------- */

/**
 * Makes a builder for an item with this content and the defaults of all other fields.
 *
 * @param content      The content, UTF-8, not empty. It is copied.
 * @param content_len  Its length in bytes.
 * @param tokens       Its size in tokens, as the host counted it. Any number; never checked.
 * @param out_builder  Where to put the builder, which the caller frees with cupel_item_builder_free().
 * @param out_error    Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_UTF8, EMPTY_CONTENT, OUT_OF_RANGE, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_item_builder_new(const char *content,
                                    size_t content_len,
                                    int64_t tokens,
                                    struct cupel_item_builder **out_builder,
                                    struct cupel_error **out_error);

/**
 * Clears all fields and begins another item, in the same memory. A call that fails leaves the builder as it was.
 *
 * @param builder      The builder.
 * @param content      The content, UTF-8, not empty. It is copied.
 * @param content_len  Its length in bytes.
 * @param tokens       Its size in tokens, as the host counted it. Any number; never checked.
 * @param out_error    Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_UTF8, EMPTY_CONTENT, OUT_OF_RANGE, OUT_OF_MEMORY
 *
 * Threads: one at a time for each builder.
 */
CUPEL_API
cupel_status cupel_item_builder_reset(struct cupel_item_builder *builder,
                                      const char *content,
                                      size_t content_len,
                                      int64_t tokens,
                                      struct cupel_error **out_error);

/**
 * Sets the kind; the default is `Message`. Any text is a kind; well known are Message, Document, ToolOutput, Memory and
 * SystemPrompt. Kinds are equal under ASCII case folding.
 *
 * @param builder    The builder.
 * @param kind       The kind, UTF-8, with at least one character that is not white space. It is copied.
 * @param kind_len   Its length in bytes.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_UTF8, EMPTY_KIND, OUT_OF_RANGE, OUT_OF_MEMORY
 *
 * Threads: one at a time for each builder.
 */
CUPEL_API
cupel_status cupel_item_builder_set_kind(struct cupel_item_builder *builder,
                                         const char *kind,
                                         size_t kind_len,
                                         struct cupel_error **out_error);

/**
 * Sets the source; the default is `Chat`. Any text is a source; well known are Chat, Tool and Rag. Sources are equal
 * under ASCII case folding.
 *
 * @param builder     The builder.
 * @param source      The source, UTF-8, with at least one character that is not white space. It is copied.
 * @param source_len  Its length in bytes.
 * @param out_error   Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_UTF8, EMPTY_SOURCE, OUT_OF_RANGE, OUT_OF_MEMORY
 *
 * Threads: one at a time for each builder.
 */
CUPEL_API
cupel_status cupel_item_builder_set_source(struct cupel_item_builder *builder,
                                           const char *source,
                                           size_t source_len,
                                           struct cupel_error **out_error);

/**
 * Appends a tag. Order and duplicates are kept.
 *
 * @param builder    The builder.
 * @param tag        The tag, UTF-8; may be empty. It is copied.
 * @param tag_len    Its length in bytes.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_UTF8, OUT_OF_RANGE, OUT_OF_MEMORY
 *
 * Threads: one at a time for each builder.
 */
CUPEL_API
cupel_status cupel_item_builder_add_tag(struct cupel_item_builder *builder,
                                        const char *tag,
                                        size_t tag_len,
                                        struct cupel_error **out_error);

/**
 * Sets the priority.
 *
 * @param builder    The builder.
 * @param priority   The priority: higher is more important.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: one at a time for each builder.
 */
CUPEL_API
cupel_status cupel_item_builder_set_priority(struct cupel_item_builder *builder,
                                             int64_t priority,
                                             struct cupel_error **out_error);

/**
 * Sets the original size in tokens, from before the host shortened the item.
 *
 * @param builder          The builder.
 * @param original_tokens  The size; any number.
 * @param out_error        Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: one at a time for each builder.
 */
CUPEL_API
cupel_status cupel_item_builder_set_original_tokens(struct cupel_item_builder *builder,
                                                    int64_t original_tokens,
                                                    struct cupel_error **out_error);

/**
 * Sets the timestamp.
 *
 * @param builder           The builder.
 * @param unix_nanoseconds  The timestamp, in nanoseconds since the Unix epoch (1970-01-01T00:00:00Z).
 * @param out_error         Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: one at a time for each builder.
 */
CUPEL_API
cupel_status cupel_item_builder_set_timestamp(struct cupel_item_builder *builder,
                                              int64_t unix_nanoseconds,
                                              struct cupel_error **out_error);

/**
 * Sets the future relevance hint: the host's own estimate of how useful the item will be.
 *
 * @param builder    The builder.
 * @param hint       The hint; any bit pattern. The reflexive scorer clamps it to 0 to 1 and reads a hint that is not
 *                   finite as 0.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: one at a time for each builder.
 */
CUPEL_API
cupel_status cupel_item_builder_set_future_relevance_hint(struct cupel_item_builder *builder,
                                                          double hint,
                                                          struct cupel_error **out_error);

/**
 * Sets whether the item is pinned: a selection always keeps it. No scorer reads it. The default is false.
 *
 * @param builder    The builder.
 * @param pinned     Whether it is pinned.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: one at a time for each builder.
 */
CUPEL_API
cupel_status cupel_item_builder_set_pinned(struct cupel_item_builder *builder,
                                           bool pinned,
                                           struct cupel_error **out_error);

/**
 * Sets the value of a metadata key to a text. It replaces an earlier value.
 *
 * @param builder    The builder.
 * @param key        The key, UTF-8; may be empty. It is copied. Keys that begin with `cupel:` are reserved for
 *                   conventions.
 * @param key_len    Its length in bytes.
 * @param value      The text, UTF-8; may be empty. It is copied.
 * @param value_len  Its length in bytes.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_UTF8, OUT_OF_RANGE, OUT_OF_MEMORY
 *
 * Threads: one at a time for each builder.
 */
CUPEL_API
cupel_status cupel_item_builder_set_metadata_string(struct cupel_item_builder *builder,
                                                    const char *key,
                                                    size_t key_len,
                                                    const char *value,
                                                    size_t value_len,
                                                    struct cupel_error **out_error);

/**
 * Sets the value of a metadata key to a host value that is neither text nor number (a boolean, a date, an object),
 * represented by a text. It replaces an earlier value.
 *
 * @param builder    The builder.
 * @param key        The key, UTF-8; may be empty. It is copied. Keys that begin with `cupel:` are reserved for
 *                   conventions.
 * @param key_len    Its length in bytes.
 * @param value      The text, UTF-8; may be empty. It is copied.
 * @param value_len  Its length in bytes.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_UTF8, OUT_OF_RANGE, OUT_OF_MEMORY
 *
 * Threads: one at a time for each builder.
 */
CUPEL_API
cupel_status cupel_item_builder_set_metadata_other(struct cupel_item_builder *builder,
                                                   const char *key,
                                                   size_t key_len,
                                                   const char *value,
                                                   size_t value_len,
                                                   struct cupel_error **out_error);

/**
 * Sets the value of a metadata key to a number. It replaces an earlier value. Hosts convert other numeric types to the
 * nearest double.
 *
 * @param builder    The builder.
 * @param key        The key, UTF-8; may be empty. It is copied. Keys that begin with `cupel:` are reserved for
 *                   conventions.
 * @param key_len    Its length in bytes.
 * @param value      The number; any bit pattern.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_UTF8, OUT_OF_RANGE, OUT_OF_MEMORY
 *
 * Threads: one at a time for each builder.
 */
CUPEL_API
cupel_status cupel_item_builder_set_metadata_double(struct cupel_item_builder *builder,
                                                    const char *key,
                                                    size_t key_len,
                                                    double value,
                                                    struct cupel_error **out_error);

/**
 * Makes an item with the fields set so far. The builder keeps them and may be used on. An item shares its memory with
 * the builder until the builder is changed: one that is freed before that costs no allocation. Two items built without
 * a change between them may have the same address; each is freed all the same.
 *
 * @param builder    The builder.
 * @param out_item   Where to put the item, which the caller frees with cupel_item_free().
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once, while nobody changes the builder.
 */
CUPEL_API
cupel_status cupel_item_builder_build(const struct cupel_item_builder *builder,
                                      struct cupel_item **out_item,
                                      struct cupel_error **out_error);

/**
 * Frees a builder. The items that it built stay valid.
 *
 * @param builder  The builder; NULL does nothing. It must not be freed twice.
 *
 * Threads: one at a time.
 */
CUPEL_API void cupel_item_builder_free(struct cupel_item_builder *builder);

/* ---------------------------------------------------------------------------------------------------------------- */
/* Reading an item                                                                                                  */
/* ---------------------------------------------------------------------------------------------------------------- */

/**
 * A text.
 */
#define CUPEL_METADATA_TYPE_STRING 0

/**
 * A number.
 */
#define CUPEL_METADATA_TYPE_DOUBLE 1

/**
 * A value of the host that is neither text nor number, represented by a text.
 */
#define CUPEL_METADATA_TYPE_OTHER 2

/**
 * The type of a metadata value.
 */
typedef int32_t cupel_metadata_type;

/**
 * Gives the content. It is empty only if the item was made from a batch row without content.
 *
 * @param item       The item.
 * @param out_data   Where to put the address of the text: UTF-8, not NUL-terminated, the item's own, valid as long as
 *                   the item is.
 * @param out_len    Where to put its length in bytes.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_item_content(const struct cupel_item *item,
                                const char **out_data,
                                size_t *out_len,
                                struct cupel_error **out_error);

/**
 * Gives the kind as it was set, in its letter case.
 *
 * @param item       The item.
 * @param out_data   Where to put the address of the text: UTF-8, not NUL-terminated, the item's own, valid as long as
 *                   the item is.
 * @param out_len    Where to put its length in bytes.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_item_kind(const struct cupel_item *item,
                             const char **out_data,
                             size_t *out_len,
                             struct cupel_error **out_error);

/**
 * Gives the source as it was set, in its letter case.
 *
 * @param item       The item.
 * @param out_data   Where to put the address of the text: UTF-8, not NUL-terminated, the item's own, valid as long as
 *                   the item is.
 * @param out_len    Where to put its length in bytes.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_item_source(const struct cupel_item *item,
                               const char **out_data,
                               size_t *out_len,
                               struct cupel_error **out_error);

/**
 * Gives the size in tokens.
 *
 * @param item        The item.
 * @param out_tokens  Where to put it.
 * @param out_error   Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_item_tokens(const struct cupel_item *item,
                               int64_t *out_tokens,
                               struct cupel_error **out_error);

/**
 * Gives whether the item is pinned.
 *
 * @param item        The item.
 * @param out_pinned  Where to put whether it is.
 * @param out_error   Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_item_pinned(const struct cupel_item *item,
                               bool *out_pinned,
                               struct cupel_error **out_error);

/**
 * Gives the number of tags.
 *
 * @param item       The item.
 * @param out_len    Where to put it.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_item_tags_len(const struct cupel_item *item,
                                 size_t *out_len,
                                 struct cupel_error **out_error);

/**
 * Gives the number of metadata entries.
 *
 * @param item       The item.
 * @param out_len    Where to put it.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_item_metadata_len(const struct cupel_item *item,
                                     size_t *out_len,
                                     struct cupel_error **out_error);

/**
 * Gives the priority, if it is set.
 *
 * @param item          The item.
 * @param out_priority  Where to put it; 0 if it is not set.
 * @param out_present   Where to put whether it is set.
 * @param out_error     Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_item_priority(const struct cupel_item *item,
                                 int64_t *out_priority,
                                 bool *out_present,
                                 struct cupel_error **out_error);

/**
 * Gives the original size in tokens, from before the host shortened the item, if it is set.
 *
 * @param item                 The item.
 * @param out_original_tokens  Where to put it; 0 if it is not set.
 * @param out_present          Where to put whether it is set.
 * @param out_error            Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_item_original_tokens(const struct cupel_item *item,
                                        int64_t *out_original_tokens,
                                        bool *out_present,
                                        struct cupel_error **out_error);

/**
 * Gives the timestamp, in nanoseconds since the Unix epoch, if it is set.
 *
 * @param item                  The item.
 * @param out_unix_nanoseconds  Where to put it; 0 if it is not set.
 * @param out_present           Where to put whether it is set.
 * @param out_error             Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_item_timestamp(const struct cupel_item *item,
                                  int64_t *out_unix_nanoseconds,
                                  bool *out_present,
                                  struct cupel_error **out_error);

/**
 * Gives the future relevance hint, if it is set.
 *
 * @param item         The item.
 * @param out_hint     Where to put it; 0 if it is not set.
 * @param out_present  Where to put whether it is set.
 * @param out_error    Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_item_future_relevance_hint(const struct cupel_item *item,
                                              double *out_hint,
                                              bool *out_present,
                                              struct cupel_error **out_error);

/**
 * Gives a tag.
 *
 * @param item       The item.
 * @param index      The index, from 0.
 * @param out_data   Where to put the address of the text: UTF-8, not NUL-terminated, the item's own, valid as long as
 *                   the item is.
 * @param out_len    Where to put its length in bytes.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_RANGE
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_item_tag(const struct cupel_item *item,
                            size_t index,
                            const char **out_data,
                            size_t *out_len,
                            struct cupel_error **out_error);

/**
 * Gives the key of a metadata entry. Entries are in the order in which their keys were first set.
 *
 * @param item       The item.
 * @param index      The index, from 0.
 * @param out_data   Where to put the address of the text: UTF-8, not NUL-terminated, the item's own, valid as long as
 *                   the item is.
 * @param out_len    Where to put its length in bytes.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_RANGE
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_item_metadata_key(const struct cupel_item *item,
                                     size_t index,
                                     const char **out_data,
                                     size_t *out_len,
                                     struct cupel_error **out_error);

/**
 * Gives the value of a metadata entry.
 *
 * @param item        The item.
 * @param index       The index, from 0.
 * @param out_type    Where to put a cupel_metadata_type.
 * @param out_data    Where to put the address of the text, which belongs to the item; NULL for a double.
 * @param out_len     Where to put its length in bytes; 0 for a double.
 * @param out_number  Where to put the number; 0 for a text.
 * @param out_error   Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_RANGE
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_item_metadata_value(const struct cupel_item *item,
                                       size_t index,
                                       cupel_metadata_type *out_type,
                                       const char **out_data,
                                       size_t *out_len,
                                       double *out_number,
                                       struct cupel_error **out_error);

/**
 * Writes an item as JSON: an object of the fields that are set, which cupel_batch_append_json() reads.
 *
 * A metadata value of the type *other* is written as it is if that reads back as the same value, or else as a string.
 *
 * @param item       The item.
 * @param out_text   Where to put the text, which the caller frees with cupel_text_free().
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT (what JSON cannot express: an empty content, a double that is not finite, a
 *         trust of the type *other* that would read back as a number), OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_item_to_json(const struct cupel_item *item,
                                struct cupel_text **out_text,
                                struct cupel_error **out_error);

/**
 * Frees an item.
 *
 * @param item  The item; NULL does nothing. It must not be freed twice.
 *
 * Threads: one at a time.
 */
CUPEL_API void cupel_item_free(struct cupel_item *item);

/* ---------------------------------------------------------------------------------------------------------------- */
/* Clocks                                                                                                           */
/* ---------------------------------------------------------------------------------------------------------------- */

/**
 * Tells the present time.
 *
 * @param user_data             The pointer that was passed with the callback.
 * @param out_unix_nanoseconds  Where to put the time, in nanoseconds since the Unix epoch; 0 if it is not written.
 * @return CUPEL_STATUS_OK, or any other number to fail the scoring call with CUPEL_STATUS_CALLBACK_FAILED.
 *
 * Threads: it is called on the thread that scores, once in a scoring call, and by several threads at once if they score
 * at once. It must not throw a C++ exception or leave by longjmp: that is undefined, and in this build an exception
 * aborts.
 */
typedef cupel_status (*cupel_now_callback)(void *user_data, int64_t *out_unix_nanoseconds);

/**
 * Tells the present time, or fails with an error. Otherwise like cupel_now_callback.
 *
 * @param user_data             The pointer that was passed with the callback.
 * @param out_unix_nanoseconds  As for cupel_now_callback.
 * @param out_error             Points to NULL. A callback that fails may put an error there, made by cupel_error_new()
 *                              or received from a function of this library. The library takes the error over and frees
 *                              it. Its message becomes part of the message of the scoring call.
 * @return CUPEL_STATUS_OK, or any other number to fail the scoring call with CUPEL_STATUS_CALLBACK_FAILED.
 *
 * Threads: it is called on the thread that scores, once in a scoring call, and by several threads at once if they score
 * at once. It must not throw a C++ exception or leave by longjmp: that is undefined, and in this build an exception
 * aborts.
 */
typedef cupel_status (*cupel_fallible_now_callback)(void *user_data,
                                                    int64_t *out_unix_nanoseconds,
                                                    struct cupel_error **out_error);

/**
 * Makes a clock that tells the system's time. All system clocks are the same clock: scorers made with two of them see
 * the same time in a scoring call.
 *
 * @param out_clock  Where to put the clock, which the caller frees with cupel_clock_free().
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API cupel_status cupel_clock_system_new(struct cupel_clock **out_clock, struct cupel_error **out_error);

/**
 * Makes a clock that always tells the same time.
 *
 * @param unix_nanoseconds  The time, in nanoseconds since the Unix epoch.
 * @param out_clock         Where to put the clock, which the caller frees with cupel_clock_free().
 * @param out_error         Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_clock_fixed_new(int64_t unix_nanoseconds,
                                   struct cupel_clock **out_clock,
                                   struct cupel_error **out_error);

/**
 * Makes a clock that calls the host for the time.
 *
 * @param callback   Tells the present time.
 * @param user_data  Passed to the callbacks as it is; may be NULL.
 * @param destroy    Called once with user_data when the object and every scorer made with it are gone; may be NULL. A
 *                   call that fails does not call it: user_data then still belongs to the caller.
 * @param out_clock  Where to put the clock, which the caller frees with cupel_clock_free().
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_clock_custom_new(cupel_now_callback callback,
                                    void *user_data,
                                    cupel_destroy_callback destroy,
                                    struct cupel_clock **out_clock,
                                    struct cupel_error **out_error);

/**
 * Makes a clock that calls the host for the time, with a callback that can fail with an error. Otherwise like
 * cupel_clock_custom_new().
 *
 * @param callback   Tells the present time.
 * @param user_data  Passed to the callbacks as it is; may be NULL.
 * @param destroy    Called once with user_data when the object and every scorer made with it are gone; may be NULL. A
 *                   call that fails does not call it: user_data then still belongs to the caller.
 * @param out_clock  Where to put the clock, which the caller frees with cupel_clock_free().
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_clock_custom_fallible_new(cupel_fallible_now_callback callback,
                                             void *user_data,
                                             cupel_destroy_callback destroy,
                                             struct cupel_clock **out_clock,
                                             struct cupel_error **out_error);

/**
 * Frees a clock. The scorers made with it keep working.
 *
 * @param clock  The clock; NULL does nothing. It must not be freed twice.
 *
 * Threads: one at a time.
 */
CUPEL_API void cupel_clock_free(struct cupel_clock *clock);

/* ---------------------------------------------------------------------------------------------------------------- */
/* Arrow                                                                                                            */
/* ---------------------------------------------------------------------------------------------------------------- */

/**
 * Timestamps without a zone are taken as UTC instead of refused.
 */
#define CUPEL_ARROW_NAIVE_IS_UTC 1

/**
 * How a table is read. Set all of it to zero, then `struct_size` to `sizeof(cupel_arrow_options)`. A function that gets NULL
 * for it uses the defaults.
 */
typedef struct cupel_arrow_options {
    /**
     * `sizeof(cupel_arrow_options)`.
     */
    size_t struct_size;
    /**
     * CUPEL_ARROW_NAIVE_IS_UTC or 0.
     */
    uint64_t flags;
    /**
     * The name of the column whose values make rows a group: UTF-8. NULL: the table is one group.
     */
    const char *group;
    /**
     * The length of the name in bytes.
     */
    size_t group_len;
} cupel_arrow_options;

/**
 * Appends the rows of an Arrow table, a struct array: all of them, or none when the call fails. Everything is checked
 * before anything is appended.
 *
 * Columns are found by name: content, tokens, kind, source, priority, tags, metadata, timestamp, future_relevance_hint
 * (or futureRelevanceHint), pinned, original_tokens (or originalTokens). Others are ignored; at least one must be
 * there. The types that each of them takes are in docs/arrow.md.
 *
 * The interface has no sizes of buffers: that they are as long as the lengths and offsets of the array demand is the
 * producer's promise, and the caller's.
 *
 * @param batch      The batch.
 * @param schema     The type of the table. It is read during the call, and stays the caller's to release.
 * @param array      The table. It is read during the call, and stays the caller's to release.
 * @param options    NULL: all defaults. A group column named there is read as any other.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT (a type that a column does not take, a null where none may be, a timestamp
 *         without a zone, a struct that was released, a table without a known column, a name that occurs twice),
 *         OUT_OF_RANGE, LENGTH_MISMATCH, INVALID_UTF8, EMPTY_CONTENT, EMPTY_KIND, EMPTY_SOURCE, BUSY, OUT_OF_MEMORY;
 *         the message names the column and the row
 *
 * Threads: one at a time for each batch.
 */
CUPEL_API
cupel_status cupel_batch_append_arrow(struct cupel_batch *batch,
                                      const struct ArrowSchema *schema,
                                      const struct ArrowArray *array,
                                      const struct cupel_arrow_options *options,
                                      struct cupel_error **out_error);

/**
 * Appends the rows of all arrays of an Arrow stream: all of them, or none when the call fails. Otherwise like
 * cupel_batch_append_arrow().
 *
 * @param batch      The batch.
 * @param stream     The stream, which is read to its end, and stays the caller's to release. What it hands out is
 *                   released by this function. After a call that fails its position is lost.
 * @param options    How the table is read; NULL stands for all defaults.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return as cupel_batch_append_arrow(), and CALLBACK_FAILED when the stream fails; the message has the stream's own
 *
 * Threads: one at a time for each batch.
 */
CUPEL_API
cupel_status cupel_batch_append_arrow_stream(struct cupel_batch *batch,
                                             struct ArrowArrayStream *stream,
                                             const struct cupel_arrow_options *options,
                                             struct cupel_error **out_error);

/**
 * Scores every row of an Arrow table among the rows of its group: table in, scores out. Each row gets the score that it
 * would have in a batch of its group alone, to the bit. A clock is read once. A call that fails writes no score.
 *
 * The table is a struct array as for cupel_batch_append_arrow(). Of its columns those are read that the scorer reads,
 * see cupel_scorer_columns(), and the group column; the others are not looked at. A column that is absent has its
 * default in every row. Rows with the same value in the group column are a group, and must follow each other: integers,
 * bool, text, binary, fixed-size binary, and dictionaries of these; null is a value like any other.
 *
 * The table may be a list of structs instead, in any layout of lists: each list is a group, and there is a score for
 * each struct from the first offset to the last.
 *
 * A custom scorer is refused, and so is one that combines custom scorers.
 *
 * @param scorer          The scorer.
 * @param schema          The type of the table. It is read during the call, and stays the caller's to release.
 * @param array           The table. It is read during the call, and stays the caller's to release.
 * @param options         How the table is read; NULL stands for all defaults.
 * @param out_scores      Where to put the scores, one for each row: higher means more worth keeping. May be NULL if
 *                        there are no rows.
 * @param out_scores_len  The length of out_scores: the number of rows.
 * @param out_error       Where to put the error of a call that fails; may be NULL.
 * @return as cupel_batch_append_arrow(), and LENGTH_MISMATCH, INVALID_ARGUMENT (a custom scorer, a value of the group
 *         column that comes back after another, no column of that name), CALLBACK_FAILED (a clock)
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_scorer_score_arrow(const struct cupel_scorer *scorer,
                                      const struct ArrowSchema *schema,
                                      const struct ArrowArray *array,
                                      const struct cupel_arrow_options *options,
                                      double *out_scores,
                                      size_t out_scores_len,
                                      struct cupel_error **out_error);

/* ---------------------------------------------------------------------------------------------------------------- */
/* Reading the rows of a batch by column                                                                            */
/* ---------------------------------------------------------------------------------------------------------------- */

/**
 * Reads the sizes in tokens of a range of rows.
 *
 * @param batch       The batch.
 * @param first_row   The first row.
 * @param rows        The number of rows to read.
 * @param out_tokens  Where to put them: `rows` entries.
 * @param out_error   Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_RANGE
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_read_tokens(const struct cupel_batch *batch,
                                     size_t first_row,
                                     size_t rows,
                                     int64_t *out_tokens,
                                     struct cupel_error **out_error);

/**
 * Reads the priorities of a range of rows.
 *
 * @param batch           The batch.
 * @param first_row       The first row.
 * @param rows            The number of rows to read.
 * @param out_priorities  Where to put them: `rows` entries, 0 where it is not set.
 * @param out_validity    Where to put, for each row, 1 where the value is set and 0 where it is not; may be NULL.
 * @param out_error       Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_RANGE
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_read_priority(const struct cupel_batch *batch,
                                       size_t first_row,
                                       size_t rows,
                                       int64_t *out_priorities,
                                       uint8_t *out_validity,
                                       struct cupel_error **out_error);

/**
 * Reads the timestamps of a range of rows, in nanoseconds since the Unix epoch.
 *
 * @param batch                 The batch.
 * @param first_row             The first row.
 * @param rows                  The number of rows to read.
 * @param out_unix_nanoseconds  Where to put them: `rows` entries, 0 where it is not set.
 * @param out_validity          Where to put, for each row, 1 where the value is set and 0 where it is not; may be NULL.
 * @param out_error             Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_RANGE
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_read_timestamp(const struct cupel_batch *batch,
                                        size_t first_row,
                                        size_t rows,
                                        int64_t *out_unix_nanoseconds,
                                        uint8_t *out_validity,
                                        struct cupel_error **out_error);

/**
 * Reads the future relevance hints of a range of rows.
 *
 * @param batch         The batch.
 * @param first_row     The first row.
 * @param rows          The number of rows to read.
 * @param out_hints     Where to put them: `rows` entries, NaN where it is not set.
 * @param out_validity  Where to put, for each row, 1 where the value is set and 0 where it is not; may be NULL.
 * @param out_error     Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_RANGE
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_read_future_relevance_hint(const struct cupel_batch *batch,
                                                    size_t first_row,
                                                    size_t rows,
                                                    double *out_hints,
                                                    uint8_t *out_validity,
                                                    struct cupel_error **out_error);

/**
 * Reads the original sizes in tokens of a range of rows: those from before the host shortened the items.
 *
 * @param batch                The batch.
 * @param first_row            The first row.
 * @param rows                 The number of rows to read.
 * @param out_original_tokens  Where to put them: `rows` entries, 0 where it is not set.
 * @param out_validity         Where to put, for each row, 1 where the value is set and 0 where it is not; may be NULL.
 * @param out_error            Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_RANGE
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_read_original_tokens(const struct cupel_batch *batch,
                                              size_t first_row,
                                              size_t rows,
                                              int64_t *out_original_tokens,
                                              uint8_t *out_validity,
                                              struct cupel_error **out_error);

/**
 * Reads which rows of a range are pinned.
 *
 * @param batch       The batch.
 * @param first_row   The first row.
 * @param rows        The number of rows to read.
 * @param out_pinned  Where to put, for each row, 1 if it is pinned and 0 if it is not: `rows` entries.
 * @param out_error   Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_RANGE
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_read_pinned(const struct cupel_batch *batch,
                                     size_t first_row,
                                     size_t rows,
                                     uint8_t *out_pinned,
                                     struct cupel_error **out_error);

/**
 * Reads the contents of a range of rows. The content is empty for a row that was added without one.
 *
 * @param batch         The batch.
 * @param first_row     The first row.
 * @param rows          The number of rows to read.
 * @param out_offsets   Where to put the offsets of the texts into out_data: one more than there are texts, the first of
 *                      which is 0.
 * @param out_data      Where to put the bytes of the texts, one after another; NULL to read the offsets only.
 * @param out_data_len  The length of out_data: the last offset or more; 0 with NULL.
 * @param out_error     Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, LENGTH_MISMATCH, OUT_OF_RANGE
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_read_content(const struct cupel_batch *batch,
                                      size_t first_row,
                                      size_t rows,
                                      int64_t *out_offsets,
                                      char *out_data,
                                      size_t out_data_len,
                                      struct cupel_error **out_error);

/**
 * Reads the kinds of a range of rows. cupel_batch_read_kind_codes() reads fewer bytes where kinds repeat.
 *
 * @param batch         The batch.
 * @param first_row     The first row.
 * @param rows          The number of rows to read.
 * @param out_offsets   Where to put the offsets of the texts into out_data: one more than there are texts, the first of
 *                      which is 0.
 * @param out_data      Where to put the bytes of the texts, one after another; NULL to read the offsets only.
 * @param out_data_len  The length of out_data: the last offset or more; 0 with NULL.
 * @param out_error     Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, LENGTH_MISMATCH, OUT_OF_RANGE
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_read_kind(const struct cupel_batch *batch,
                                   size_t first_row,
                                   size_t rows,
                                   int64_t *out_offsets,
                                   char *out_data,
                                   size_t out_data_len,
                                   struct cupel_error **out_error);

/**
 * Reads the sources of a range of rows. cupel_batch_read_source_codes() reads fewer bytes where sources repeat.
 *
 * @param batch         The batch.
 * @param first_row     The first row.
 * @param rows          The number of rows to read.
 * @param out_offsets   Where to put the offsets of the texts into out_data: one more than there are texts, the first of
 *                      which is 0.
 * @param out_data      Where to put the bytes of the texts, one after another; NULL to read the offsets only.
 * @param out_data_len  The length of out_data: the last offset or more; 0 with NULL.
 * @param out_error     Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, LENGTH_MISMATCH, OUT_OF_RANGE
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_read_source(const struct cupel_batch *batch,
                                     size_t first_row,
                                     size_t rows,
                                     int64_t *out_offsets,
                                     char *out_data,
                                     size_t out_data_len,
                                     struct cupel_error **out_error);

/**
 * Reads the kinds of a range of rows as codes: indices into the texts that cupel_batch_read_kind_texts() reads. Rows of
 * the same kind have the same code. Codes are valid until the batch is changed.
 *
 * @param batch      The batch.
 * @param first_row  The first row.
 * @param rows       The number of rows to read.
 * @param out_codes  Where to put the codes: `rows` entries.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_RANGE
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_read_kind_codes(const struct cupel_batch *batch,
                                         size_t first_row,
                                         size_t rows,
                                         uint32_t *out_codes,
                                         struct cupel_error **out_error);

/**
 * The number of distinct kinds, which may include kinds of rows that were removed.
 *
 * @param batch  The batch; NULL gives 0.
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API size_t cupel_batch_kinds_len(const struct cupel_batch *batch);

/**
 * Reads the distinct kinds, by code.
 *
 * @param batch            The batch.
 * @param out_offsets      Where to put the offsets of the texts into out_data: one more than there are texts, the first
 *                         of which is 0.
 * @param out_offsets_len  The length of out_offsets: cupel_batch_kinds_len() + 1 or more.
 * @param out_data         Where to put the bytes of the texts, one after another; NULL to read the offsets only.
 * @param out_data_len     The length of out_data: the last offset or more; 0 with NULL.
 * @param out_error        Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, LENGTH_MISMATCH
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_read_kind_texts(const struct cupel_batch *batch,
                                         int64_t *out_offsets,
                                         size_t out_offsets_len,
                                         char *out_data,
                                         size_t out_data_len,
                                         struct cupel_error **out_error);

/**
 * Reads the sources of a range of rows as codes: indices into the texts that cupel_batch_read_source_texts() reads.
 * Rows of the same source have the same code. Codes are valid until the batch is changed.
 *
 * @param batch      The batch.
 * @param first_row  The first row.
 * @param rows       The number of rows to read.
 * @param out_codes  Where to put the codes: `rows` entries.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_RANGE
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_read_source_codes(const struct cupel_batch *batch,
                                           size_t first_row,
                                           size_t rows,
                                           uint32_t *out_codes,
                                           struct cupel_error **out_error);

/**
 * The number of distinct sources, which may include sources of rows that were removed.
 *
 * @param batch  The batch; NULL gives 0.
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API size_t cupel_batch_sources_len(const struct cupel_batch *batch);

/**
 * Reads the distinct sources, by code.
 *
 * @param batch            The batch.
 * @param out_offsets      Where to put the offsets of the texts into out_data: one more than there are texts, the first
 *                         of which is 0.
 * @param out_offsets_len  The length of out_offsets: cupel_batch_sources_len() + 1 or more.
 * @param out_data         Where to put the bytes of the texts, one after another; NULL to read the offsets only.
 * @param out_data_len     The length of out_data: the last offset or more; 0 with NULL.
 * @param out_error        Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, LENGTH_MISMATCH
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_read_source_texts(const struct cupel_batch *batch,
                                           int64_t *out_offsets,
                                           size_t out_offsets_len,
                                           char *out_data,
                                           size_t out_data_len,
                                           struct cupel_error **out_error);

/**
 * Reads the tags of a range of rows. A host that does not know the lengths calls it three times: for the lists, whose
 * last entry is the number of tags; for the offsets, whose last entry is the number of bytes; and for everything.
 *
 * @param batch            The batch.
 * @param first_row        The first row.
 * @param rows             The number of rows to read.
 * @param out_lists        Where to put the offsets of the rows' lists of tags: `rows + 1` entries, the first of which
 *                         is 0. Row r of the range has the tags from `out_lists[r]` to before `out_lists[r + 1]`.
 * @param out_offsets      Where to put the offsets of the tags into out_data; NULL to read the lists only.
 * @param out_offsets_len  The length of out_offsets: the number of tags + 1 or more; 0 with NULL.
 * @param out_data         Where to put the bytes of the tags, one after another; NULL to read no bytes.
 * @param out_data_len     The length of out_data: the last offset or more; 0 with NULL.
 * @param out_error        Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, LENGTH_MISMATCH, OUT_OF_RANGE
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_read_tags(const struct cupel_batch *batch,
                                   size_t first_row,
                                   size_t rows,
                                   int64_t *out_lists,
                                   int64_t *out_offsets,
                                   size_t out_offsets_len,
                                   char *out_data,
                                   size_t out_data_len,
                                   struct cupel_error **out_error);

/**
 * Reads the metadata of a range of rows. A host that does not know the lengths calls it three times: for the lists,
 * whose last entry is the number of metadata entries; for the offsets, whose last entry is the number of bytes; and for
 * everything. The entries of a row may be in another order than they were set in.
 *
 * @param batch            The batch.
 * @param first_row        The first row.
 * @param rows             The number of rows to read.
 * @param out_lists        Where to put the offsets of the rows' lists of entries: `rows + 1` entries, the first of
 *                         which is 0. Row r of the range has the entries from `out_lists[r]` to before `out_lists[r +
 *                         1]`.
 * @param out_keys         Where to put the codes of the keys: indices into the keys that
 *                         cupel_batch_read_metadata_keys() reads, valid until the batch is changed; may be NULL.
 * @param out_types        Where to put, for each entry, a cupel_metadata_type as a byte; may be NULL.
 * @param out_numbers      Where to put the values that are doubles, NaN for a text; may be NULL.
 * @param out_offsets      Where to put the offsets of the entries' texts into out_data: one more than out_entries_len.
 *                         The text of a double is empty. May be NULL.
 * @param out_entries_len  The length of out_keys, out_types and out_numbers; 0 to read the lists only.
 * @param out_data         Where to put the bytes of the texts, one after another; NULL to read no bytes.
 * @param out_data_len     The length of out_data: the last offset or more; 0 with NULL.
 * @param out_error        Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, LENGTH_MISMATCH, OUT_OF_RANGE
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_read_metadata(const struct cupel_batch *batch,
                                       size_t first_row,
                                       size_t rows,
                                       int64_t *out_lists,
                                       uint32_t *out_keys,
                                       uint8_t *out_types,
                                       double *out_numbers,
                                       int64_t *out_offsets,
                                       size_t out_entries_len,
                                       char *out_data,
                                       size_t out_data_len,
                                       struct cupel_error **out_error);

/**
 * Reads the metadata values of one key of a range of rows.
 *
 * @param batch         The batch.
 * @param key           The key, UTF-8.
 * @param key_len       Its length in bytes.
 * @param first_row     The first row.
 * @param rows          The number of rows to read.
 * @param out_types     Where to put, for each row, a cupel_metadata_type as a byte; 0 where the row does not have the
 *                      key. May be NULL.
 * @param out_validity  Where to put, for each row, 1 where it has the key and 0 where it does not; may be NULL.
 * @param out_numbers   Where to put the values that are doubles, NaN for all others; may be NULL.
 * @param out_offsets   Where to put the offsets of the rows' texts into out_data: `rows + 1` entries, the first of
 *                      which is 0. The text of a double is empty. May be NULL.
 * @param out_data      Where to put the bytes of the texts, one after another; NULL to read the offsets only.
 * @param out_data_len  The length of out_data: the last offset or more; 0 with NULL.
 * @param out_error     Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_UTF8, INVALID_ARGUMENT, LENGTH_MISMATCH, OUT_OF_RANGE
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_read_metadata_key(const struct cupel_batch *batch,
                                           const char *key,
                                           size_t key_len,
                                           size_t first_row,
                                           size_t rows,
                                           uint8_t *out_types,
                                           uint8_t *out_validity,
                                           double *out_numbers,
                                           int64_t *out_offsets,
                                           char *out_data,
                                           size_t out_data_len,
                                           struct cupel_error **out_error);

/**
 * The number of distinct metadata keys, which may include keys of rows that were removed.
 *
 * @param batch  The batch; NULL gives 0.
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API size_t cupel_batch_metadata_keys_len(const struct cupel_batch *batch);

/**
 * Reads the distinct metadata keys, by code.
 *
 * @param batch            The batch.
 * @param out_offsets      Where to put the offsets of the texts into out_data: one more than there are texts, the first
 *                         of which is 0.
 * @param out_offsets_len  The length of out_offsets: cupel_batch_metadata_keys_len() + 1 or more.
 * @param out_data         Where to put the bytes of the texts, one after another; NULL to read the offsets only.
 * @param out_data_len     The length of out_data: the last offset or more; 0 with NULL.
 * @param out_error        Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, LENGTH_MISMATCH
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_read_metadata_keys(const struct cupel_batch *batch,
                                            int64_t *out_offsets,
                                            size_t out_offsets_len,
                                            char *out_data,
                                            size_t out_data_len,
                                            struct cupel_error **out_error);

/* ---------------------------------------------------------------------------------------------------------------- */
/* Batches                                                                                                          */
/* ---------------------------------------------------------------------------------------------------------------- */

/**
 * A column of texts, as flat arrays.
 *
 * `data` holds the texts one after another: text t is from `offsets[t]` to before `offsets[t + 1]`. If `codes` is
 * NULL, slot i of the column has text i. Otherwise the column is dictionary-encoded, and slot i has text `codes[i]`. A
 * column whose `offsets` is NULL is absent.
 */
typedef struct cupel_text_column {
    /**
     * The bytes of all texts, UTF-8. May be NULL when `data_len` is 0.
     */
    const char *data;
    /**
     * The length of `data`.
     */
    size_t data_len;
    /**
     * `texts_len + 1` offsets into `data`: 0 or more, never decreasing, at most `data_len`. NULL: the column is
     * absent.
     */
    const int64_t *offsets;
    /**
     * The number of texts. Without `codes` it is the number of slots.
     */
    size_t texts_len;
    /**
     * For each slot the index of its text, less than `texts_len`. NULL: slot i has text i. The code of a slot without
     * a value (a missing kind or source, the metadata text of a double) is not read and may be any number.
     */
    const uint32_t *codes;
} cupel_text_column;

/**
 * Rows as flat arrays. The arrays contain no pointers, so that a garbage-collected host can lend its own.
 *
 * Set all bytes to zero, then set `struct_size` to `sizeof(cupel_columns)`, `rows`, and the columns. A column that is
 * NULL is absent: its rows have the default. A validity array has one byte for each row: 1 if the value is present, 0
 * if it is missing. NULL means that all are present.
 */
typedef struct cupel_columns {
    /**
     * `sizeof(cupel_columns)` of the header that the caller was compiled with. The size of an older header is
     * accepted: the fields that it lacks are zero. The size of a newer one is accepted if all fields that this library
     * does not know are zero.
     */
    size_t struct_size;
    /**
     * The number of rows.
     */
    size_t rows;
    /**
     * The contents: a slot for each row, none of them empty. Absent: rows without content, which can only be scored.
     */
    struct cupel_text_column content;
    /**
     * The sizes in tokens. NULL: 0.
     */
    const int64_t *tokens;
    /**
     * The kinds: a slot for each row, none of them blank. The default is `Message`.
     */
    struct cupel_text_column kind;
    /**
     * Which kinds are present.
     */
    const uint8_t *kind_validity;
    /**
     * The sources: a slot for each row, none of them blank. The default is `Chat`.
     */
    struct cupel_text_column source;
    /**
     * Which sources are present.
     */
    const uint8_t *source_validity;
    /**
     * The priorities.
     */
    const int64_t *priority;
    /**
     * Which priorities are present.
     */
    const uint8_t *priority_validity;
    /**
     * The timestamps, in nanoseconds since the Unix epoch.
     */
    const int64_t *timestamp;
    /**
     * Which timestamps are present.
     */
    const uint8_t *timestamp_validity;
    /**
     * The future relevance hints; any bit pattern.
     */
    const double *future_relevance_hint;
    /**
     * Which hints are present.
     */
    const uint8_t *future_relevance_hint_validity;
    /**
     * For each row, 1 if it is pinned and 0 if it is not. NULL: 0.
     */
    const uint8_t *pinned;
    /**
     * The original sizes in tokens, from before the host shortened the items.
     */
    const int64_t *original_tokens;
    /**
     * Which original sizes are present.
     */
    const uint8_t *original_tokens_validity;
    /**
     * `rows + 1` offsets into the slots of `tags`: row r has the slots from `tag_lists[r]` to before `tag_lists[r +
     * 1]`. Only the slots from the first offset to the last are read and checked, so that a whole table can be lent
     * with a few rows. NULL: no tags.
     */
    const int64_t *tag_lists;
    /**
     * The number of slots of `tags`.
     */
    size_t tags_len;
    /**
     * The tags.
     */
    struct cupel_text_column tags;
    /**
     * `rows + 1` offsets into the slots of the metadata columns; only the slots between the first and the last are
     * read and checked. NULL: no metadata.
     */
    const int64_t *metadata_lists;
    /**
     * The number of slots of the metadata columns.
     */
    size_t metadata_len;
    /**
     * The keys. If a row has a duplicate key, its last value counts.
     */
    struct cupel_text_column metadata_keys;
    /**
     * For each slot a cupel_metadata_type as a byte. NULL: all are strings.
     */
    const uint8_t *metadata_types;
    /**
     * The values that are texts; the slot of a double is not read. May be absent when all are doubles.
     */
    struct cupel_text_column metadata_texts;
    /**
     * The values that are doubles; the slots of texts are not read. May be NULL when all are texts.
     */
    const double *metadata_numbers;
} cupel_columns;

/**
 * Makes a batch without rows.
 *
 * @param capacity   The number of rows to reserve memory for; may be 0. A batch grows as needed.
 * @param out_batch  Where to put the batch, which the caller frees with cupel_batch_free().
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY (also for a capacity of more than 2^31 - 1 rows)
 *
 * Threads: any number at once.
 */
CUPEL_API cupel_status cupel_batch_new(size_t capacity, struct cupel_batch **out_batch, struct cupel_error **out_error);

/**
 * Appends a row with the fields of an item, which are copied.
 *
 * @param batch      The batch.
 * @param item       The item.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, BUSY, OUT_OF_MEMORY
 *
 * Threads: one at a time for each batch.
 */
CUPEL_API
cupel_status cupel_batch_push(struct cupel_batch *batch,
                              const struct cupel_item *item,
                              struct cupel_error **out_error);

/**
 * Appends rows from flat arrays: all of them, or none if the call fails.
 *
 * @param batch      The batch.
 * @param columns    The arrays, which are read only during the call; see cupel_columns.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_UTF8, INVALID_ARGUMENT, EMPTY_CONTENT, EMPTY_KIND, EMPTY_SOURCE, OUT_OF_RANGE,
 *         LENGTH_MISMATCH, BUSY, OUT_OF_MEMORY; the message names the column and the row
 *
 * Threads: one at a time for each batch.
 */
CUPEL_API
cupel_status cupel_batch_append_columns(struct cupel_batch *batch,
                                        const struct cupel_columns *columns,
                                        struct cupel_error **out_error);

/**
 * Appends the items of a JSON text: all of them, or none if the call fails.
 *
 * The text is an array of objects, one object, or JSON Lines. Fields: content, tokens (both required), kind, source,
 * priority, tags, metadata, timestamp (RFC 3339), futureRelevanceHint, pinned, originalTokens.
 *
 * @param batch      The batch.
 * @param json       The text, UTF-8.
 * @param json_len   Its length in bytes.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_UTF8, INVALID_JSON (the message gives path, line and column), OUT_OF_RANGE, BUSY,
 *         OUT_OF_MEMORY
 *
 * Threads: one at a time for each batch.
 */
CUPEL_API
cupel_status cupel_batch_append_json(struct cupel_batch *batch,
                                     const char *json,
                                     size_t json_len,
                                     struct cupel_error **out_error);

/**
 * The number of rows of a batch.
 *
 * @param batch  The batch; NULL gives 0.
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API size_t cupel_batch_len(const struct cupel_batch *batch);

/**
 * Makes an item with the fields of a row. The content is empty for a row that was added without one. Metadata entries
 * may be in another order than they were set in.
 *
 * @param batch      The batch.
 * @param row        The row, from 0.
 * @param out_item   Where to put the item, which the caller frees with cupel_item_free().
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_RANGE, OUT_OF_MEMORY
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_item(const struct cupel_batch *batch,
                              size_t row,
                              struct cupel_item **out_item,
                              struct cupel_error **out_error);

/**
 * Reserves memory for more rows, in the columns that are in use.
 *
 * @param batch            The batch.
 * @param additional_rows  The number of rows to reserve memory for.
 * @param out_error        Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, BUSY, OUT_OF_MEMORY
 *
 * Threads: one at a time for each batch.
 */
CUPEL_API
cupel_status cupel_batch_reserve(struct cupel_batch *batch,
                                 size_t additional_rows,
                                 struct cupel_error **out_error);

/**
 * Frees memory that is not in use: spare capacity, and what scoring keeps for the next call.
 *
 * @param batch      The batch.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, BUSY
 *
 * Threads: one at a time for each batch.
 */
CUPEL_API cupel_status cupel_batch_shrink(struct cupel_batch *batch, struct cupel_error **out_error);

/**
 * Keeps the rows that are marked and removes the others. The rows that remain keep their order and are numbered from 0.
 * Their scores are those of a batch that never had the others. The memory of removed rows is reused, and freed once
 * more rows were removed than remain. It takes time proportional to the number of rows and allocates no memory.
 *
 * @param batch      The batch.
 * @param keep       For each row, 1 to keep it or 0 to remove it.
 * @param keep_len   The length of keep: the number of rows.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT (a byte that is neither), LENGTH_MISMATCH, BUSY
 *
 * Threads: one at a time for each batch.
 */
CUPEL_API
cupel_status cupel_batch_retain(struct cupel_batch *batch,
                                const uint8_t *keep,
                                size_t keep_len,
                                struct cupel_error **out_error);

/**
 * Keeps the rows of a list and removes the others. Otherwise like cupel_batch_retain().
 *
 * @param batch      The batch.
 * @param rows       The rows to keep, each greater than the one before.
 * @param rows_len   The length of rows.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT (rows that do not ascend), OUT_OF_RANGE, BUSY
 *
 * Threads: one at a time for each batch.
 */
CUPEL_API
cupel_status cupel_batch_retain_rows(struct cupel_batch *batch,
                                     const uint32_t *rows,
                                     size_t rows_len,
                                     struct cupel_error **out_error);

/**
 * Keeps the last rows and removes the others. Otherwise like cupel_batch_retain().
 *
 * @param batch      The batch.
 * @param rows       The number of rows to keep. If the batch has no more than these, nothing is removed.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, BUSY
 *
 * Threads: one at a time for each batch.
 */
CUPEL_API cupel_status cupel_batch_keep_last(struct cupel_batch *batch, size_t rows, struct cupel_error **out_error);

/**
 * Removes all rows and keeps the memory.
 *
 * @param batch      The batch.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, BUSY
 *
 * Threads: one at a time for each batch.
 */
CUPEL_API cupel_status cupel_batch_clear(struct cupel_batch *batch, struct cupel_error **out_error);

/**
 * Frees a batch. One that is being scored is freed when that call returns.
 *
 * @param batch  The batch; NULL does nothing. It must not be freed twice.
 *
 * Threads: one at a time.
 */
CUPEL_API void cupel_batch_free(struct cupel_batch *batch);

/**
 * Writes a range of rows as JSON Lines, which cupel_batch_append_json() reads: for each row an object of the fields
 * that are set, as cupel_item_to_json() writes it, and a line feed.
 *
 * @param batch      The batch.
 * @param first_row  The first row.
 * @param rows       The number of rows to write.
 * @param out_text   Where to put the text, which the caller frees with cupel_text_free().
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT (what JSON cannot express, by row and field; or more than 2147483647 bytes),
 *         OUT_OF_RANGE, OUT_OF_MEMORY
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_batch_to_json(const struct cupel_batch *batch,
                                 size_t first_row,
                                 size_t rows,
                                 struct cupel_text **out_text,
                                 struct cupel_error **out_error);

/* ---------------------------------------------------------------------------------------------------------------- */
/* Scoring                                                                                                          */
/* ---------------------------------------------------------------------------------------------------------------- */

/**
 * The column content.
 */
#define CUPEL_COLUMN_CONTENT 1

/**
 * The column tokens.
 */
#define CUPEL_COLUMN_TOKENS 2

/**
 * The column kind.
 */
#define CUPEL_COLUMN_KIND 4

/**
 * The column source.
 */
#define CUPEL_COLUMN_SOURCE 8

/**
 * The column priority.
 */
#define CUPEL_COLUMN_PRIORITY 16

/**
 * The column tags.
 */
#define CUPEL_COLUMN_TAGS 32

/**
 * The column metadata.
 */
#define CUPEL_COLUMN_METADATA 64

/**
 * The column timestamp.
 */
#define CUPEL_COLUMN_TIMESTAMP 128

/**
 * The column future_relevance_hint.
 */
#define CUPEL_COLUMN_FUTURE_RELEVANCE_HINT 256

/**
 * The column pinned.
 */
#define CUPEL_COLUMN_PINNED 512

/**
 * The column original_tokens.
 */
#define CUPEL_COLUMN_ORIGINAL_TOKENS 1024

/**
 * Gives the columns that a scorer and its children read: those that cupel_scorer_score_arrow() needs in a table. No
 * built-in scorer reads the content.
 *
 * @param scorer       The scorer. One that is or contains a custom scorer may read every column.
 * @param out_columns  Where to put the columns: CUPEL_COLUMN_* bits.
 * @param out_error    Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_scorer_columns(const struct cupel_scorer *scorer,
                                  uint32_t *out_columns,
                                  struct cupel_error **out_error);

/**
 * Scores every row of a batch. A call that fails writes no score.
 *
 * @param scorer          The scorer.
 * @param batch           The batch.
 * @param out_scores      Where to put the scores, one for each row: higher means more worth keeping. May be NULL if
 *                        there are no rows.
 * @param out_scores_len  The length of out_scores: the number of rows.
 * @param out_error       Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, LENGTH_MISMATCH, CALLBACK_FAILED, OUT_OF_MEMORY
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_scorer_score_batch(const struct cupel_scorer *scorer,
                                      const struct cupel_batch *batch,
                                      double *out_scores,
                                      size_t out_scores_len,
                                      struct cupel_error **out_error);

/**
 * Scores every row of a batch among the rows of its group: each row gets the score that it would have in a batch of its
 * group alone, bit for bit. The clock is read once. A call that fails writes no score.
 *
 * A scorer that is or contains a custom scorer is refused: a callback has no view of a part of a batch.
 *
 * @param scorer          The scorer.
 * @param batch           The rows, those of a group next to each other.
 * @param groups          groups_len + 1 offsets into the rows: from 0 to the length of the batch, never decreasing.
 *                        Group i has the rows from `groups[i]` to before `groups[i + 1]`; it may be empty.
 * @param groups_len      The number of groups.
 * @param out_scores      Where to put the scores, one for each row: higher means more worth keeping. May be NULL if
 *                        there are no rows.
 * @param out_scores_len  The length of out_scores: the number of rows.
 * @param out_error       Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, LENGTH_MISMATCH, INVALID_ARGUMENT (offsets that are not as above, a custom scorer),
 *         OUT_OF_RANGE, CALLBACK_FAILED (a clock), OUT_OF_MEMORY
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_scorer_score_groups(const struct cupel_scorer *scorer,
                                       const struct cupel_batch *batch,
                                       const int64_t *groups,
                                       size_t groups_len,
                                       double *out_scores,
                                       size_t out_scores_len,
                                       struct cupel_error **out_error);

/**
 * Scores one row of a batch: the score that cupel_scorer_score_batch() gives it, at the cost of the whole batch.
 *
 * @param scorer     The scorer.
 * @param batch      The batch.
 * @param row        The row, from 0.
 * @param out_score  Where to put it.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_RANGE, CALLBACK_FAILED, OUT_OF_MEMORY
 *
 * Threads: any number at once, while nobody changes the batch.
 */
CUPEL_API
cupel_status cupel_scorer_score_row(const struct cupel_scorer *scorer,
                                    const struct cupel_batch *batch,
                                    size_t row,
                                    double *out_score,
                                    struct cupel_error **out_error);

/**
 * Frees a scorer. The scorers made with it keep working.
 *
 * @param scorer  The scorer; NULL does nothing. It must not be freed twice.
 *
 * Threads: one at a time.
 */
CUPEL_API void cupel_scorer_free(struct cupel_scorer *scorer);

/* ---------------------------------------------------------------------------------------------------------------- */
/* Selecting                                                                                                        */
/* ---------------------------------------------------------------------------------------------------------------- */

/**
 * Kept: it took part and fitted.
 */
#define CUPEL_REASON_SCORED 1

/**
 * Kept: it is pinned.
 */
#define CUPEL_REASON_PINNED 2

/**
 * Kept: it is not pinned, and its unit has no tokens.
 */
#define CUPEL_REASON_ZERO_TOKENS 3

/**
 * Kept: its group has a pinned row.
 */
#define CUPEL_REASON_GROUP 4

/**
 * Dropped: there was no budget left for it.
 */
#define CUPEL_REASON_BUDGET 16

/**
 * Dropped: another row has the same content. The cause is the row that stayed.
 */
#define CUPEL_REASON_DUPLICATE 17

/**
 * Dropped: its tokens are negative.
 */
#define CUPEL_REASON_NEGATIVE_TOKENS 18

/**
 * Dropped: it would have fitted without pinned rows. The cause is the first of them.
 */
#define CUPEL_REASON_PINNED_OVERRIDE 19

/**
 * Dropped: as many units of its kind as its count quota allows were kept.
 */
#define CUPEL_REASON_COUNT_CAP 20

/**
 * Dropped: as many rows as the request allows were kept.
 */
#define CUPEL_REASON_ROW_LIMIT 21

/**
 * By value per token, best first; what does not fit is skipped.
 */
#define CUPEL_SLICER_GREEDY 0

/**
 * The set with the greatest total value that fits, in buckets of tokens.
 */
#define CUPEL_SLICER_KNAPSACK 1

/**
 * By score, best first; what does not fit is skipped.
 */
#define CUPEL_SLICER_RANKED 2

/**
 * By score, best first, up to the first that does not fit.
 */
#define CUPEL_SLICER_PREFIX 3

/**
 * By timestamp, oldest first; rows without one come last.
 */
#define CUPEL_PLACER_CHRONOLOGICAL 0

/**
 * The best at both ends, the worst in the middle.
 */
#define CUPEL_PLACER_U_SHAPED 1

/**
 * By score, best first.
 */
#define CUPEL_PLACER_RANKED 2

/**
 * As in the batch.
 */
#define CUPEL_PLACER_BATCH_ORDER 3

/**
 * The call fails.
 */
#define CUPEL_OVERFLOW_FAIL 0

/**
 * Rows that are not pinned are dropped, worst first, until the rest fits.
 */
#define CUPEL_OVERFLOW_TRUNCATE 1

/**
 * All stay, up to the window less the output reserve.
 */
#define CUPEL_OVERFLOW_PROCEED 2

/**
 * The selection records a shortfall.
 */
#define CUPEL_SCARCITY_DEGRADE 0

/**
 * The call fails.
 */
#define CUPEL_SCARCITY_FAIL 1

/**
 * A count quota that could not be met.
 */
typedef struct cupel_shortfall {
    /**
     * The position of the entry in the policy's `count_quotas`.
     */
    size_t entry;
    /**
     * How many units it requires.
     */
    size_t required;
    /**
     * How many candidates there were.
     */
    size_t found;
} cupel_shortfall;

/**
 * What a selection holds. Set `struct_size` to `sizeof(cupel_selection_view)`; cupel_selection_read() fills the rest. An
 * empty array may be NULL. The arrays are valid until the next call that selects into the selection, or until it is freed.
 */
typedef struct cupel_selection_view {
    /**
     * `sizeof(cupel_selection_view)`. A smaller struct, of an older header, gets the fields that it has; the rest of a larger
     * one, of a newer header, is set to zero.
     */
    size_t struct_size;
    /**
     * The rows that are kept, in order: those of one group after those of another, after cupel_selector_select_groups().
     */
    const uint32_t *rows;
    /**
     * How many there are.
     */
    size_t rows_len;
    /**
     * For each row of the batch its score: 1 in pinned units, 0 for negative tokens.
     */
    const double *scores;
    /**
     * For each row of the batch a cupel_reason, as a byte.
     */
    const uint8_t *reasons;
    /**
     * For each row of the batch the row that caused its reason; `UINT32_MAX` where none did.
     */
    const uint32_t *causes;
    /**
     * How many rows the batch had.
     */
    size_t batch_len;
    /**
     * The count quotas that could not be met.
     */
    const struct cupel_shortfall *shortfalls;
    /**
     * How many there are.
     */
    size_t shortfalls_len;
    /**
     * The tokens of the rows that are kept. All sums of tokens are over all groups, and clamped to 64 bits.
     */
    int64_t kept_tokens;
    /**
     * The tokens of pinned units.
     */
    int64_t pinned_tokens;
    /**
     * The tokens of all rows, negative ones too.
     */
    int64_t considered_tokens;
    /**
     * What the slicer had to fill: the target less what pinned rows and reserves take. When `stable`, the room of the window.
     */
    int64_t effective_target;
    /**
     * What it left of that. Count quotas can make it negative.
     */
    int64_t available_tokens;
    /**
     * By how much the rows exceeded the target, before any were dropped for that.
     */
    int64_t overflow_tokens;
    /**
     * 1 when the rows of the previous selection were left as they were, else 0.
     */
    int64_t stable;
    /**
     * Where the rows of each group begin in `rows`, and at the end where those of the last one end: group i has the rows from
     * `offsets[i]` to before `offsets[i + 1]`. After cupel_selector_select() there is one group.
     */
    const int64_t *offsets;
    /**
     * The same for `shortfalls`.
     */
    const int64_t *shortfall_offsets;
    /**
     * The length of both: the number of groups and one more; 0 before anything was selected.
     */
    size_t offsets_len;
} cupel_selection_view;

/**
 * Why a row was kept or dropped. Numbers below 16 are of rows that were kept.
 */
typedef int32_t cupel_reason;

/**
 * The share of the target that goes to a kind.
 */
typedef struct cupel_quota {
    /**
     * The kind, UTF-8, not NUL-terminated; not blank. Kinds are equal under ASCII case folding.
     */
    const char *kind;
    /**
     * Its length in bytes.
     */
    size_t kind_len;
    /**
     * The least share, in percent: from 0 to `max_percent`. The least shares of all quotas add up to 100 at most.
     */
    double min_percent;
    /**
     * The greatest share, in percent: at most 100.
     */
    double max_percent;
} cupel_quota;

/**
 * How many units of a kind are kept.
 */
typedef struct cupel_count_quota {
    /**
     * The kind, UTF-8, not NUL-terminated; not blank. Kinds are equal under ASCII case folding.
     */
    const char *kind;
    /**
     * Its length in bytes.
     */
    size_t kind_len;
    /**
     * At least this many are kept, whatever they cost.
     */
    size_t min_count;
    /**
     * At most this many are kept; `SIZE_MAX` is no limit.
     */
    size_t max_count;
} cupel_count_quota;

/**
 * How candidates are chosen.
 */
typedef int32_t cupel_slicer;

/**
 * The order of the rows that are kept.
 */
typedef int32_t cupel_placer;

/**
 * What happens when the rows that are kept exceed the target.
 */
typedef int32_t cupel_overflow;

/**
 * What happens when there are fewer candidates of a kind than a count quota requires.
 */
typedef int32_t cupel_scarcity;

/**
 * How to select. Set all of it to zero, then `struct_size` to `sizeof(cupel_policy)`: that is the default policy, greedy and
 * chronological.
 */
typedef struct cupel_policy {
    /**
     * `sizeof(cupel_policy)`. A smaller struct, of an older header, is read as far as it goes; a larger one must be zero beyond
     * what this library knows.
     */
    size_t struct_size;
    /**
     * Gives the scores; the selector keeps a share of it. NULL: every request brings scores.
     */
    const struct cupel_scorer *scorer;
    /**
     * Shares of the target by kind, each kind once.
     */
    const struct cupel_quota *quotas;
    /**
     * How many there are.
     */
    size_t quotas_len;
    /**
     * Counts by kind, each kind once.
     */
    const struct cupel_count_quota *count_quotas;
    /**
     * How many there are.
     */
    size_t count_quotas_len;
    /**
     * The metadata key whose text makes rows a group, which is kept or dropped as one. NULL: there are no groups.
     */
    const char *group_key;
    /**
     * Its length in bytes.
     */
    size_t group_key_len;
    /**
     * The metadata key whose text is compared to find duplicates; rows without it are not compared. NULL: contents are
     * compared.
     */
    const char *duplicate_key;
    /**
     * Its length in bytes.
     */
    size_t duplicate_key_len;
    /**
     * The tokens of a knapsack bucket; 0 is 100.
     */
    int64_t bucket_size;
    /**
     * A cupel_slicer.
     */
    cupel_slicer slicer;
    /**
     * A cupel_placer.
     */
    cupel_placer placer;
    /**
     * A cupel_overflow.
     */
    cupel_overflow overflow;
    /**
     * A cupel_scarcity.
     */
    cupel_scarcity scarcity;
    /**
     * 1 to keep rows with equal contents side by side, else 0.
     */
    int32_t keep_duplicates;
    /**
     * 1 to put pinned rows before all others, whatever the placer, else 0.
     */
    int32_t pinned_first;
} cupel_policy;

/**
 * The budget of a call, in tokens, and what else may differ from call to call. Set all of it to zero, then `struct_size` to
 * `sizeof(cupel_request)`, and `max_tokens`.
 */
typedef struct cupel_request {
    /**
     * `sizeof(cupel_request)`; see cupel_policy.
     */
    size_t struct_size;
    /**
     * The window of the model: 0 or more.
     */
    int64_t max_tokens;
    /**
     * How much to fill: at most `max_tokens`; 0 is `max_tokens` less `output_reserve`.
     */
    int64_t target_tokens;
    /**
     * What the window keeps free for the output: at most `max_tokens`.
     */
    int64_t output_reserve;
    /**
     * What the host will add itself: 0 or more. It is taken off the room of rows that are not pinned.
     */
    int64_t reserved_tokens;
    /**
     * What is taken off that room for errors in counting, in percent: from 0 to 100.
     */
    double safety_margin_percent;
    /**
     * How many rows may be kept; 0 is no limit. Only with greedy, ranked and prefix, without quotas.
     */
    size_t max_rows;
    /**
     * A score for each row, instead of the scorer's. They may be the scores of any selection. NULL: the selector's scorer
     * gives them.
     */
    const double *scores;
    /**
     * How many there are: the length of the batch.
     */
    size_t scores_len;
    /**
     * An earlier selection over the same batch, to which rows were only appended since: its rows stay in front, as they are,
     * while `max_tokens` holds them and the new rows. It may be the selection that is selected into, and must not be of groups.
     * NULL: there is none.
     */
    const struct cupel_selection *previous;
} cupel_request;

/**
 * Makes a selection that is empty.
 *
 * @param out_selection  Where to put the selection, which the caller frees with cupel_selection_free().
 * @param out_error      Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API cupel_status cupel_selection_new(struct cupel_selection **out_selection, struct cupel_error **out_error);

/**
 * Reads a selection.
 *
 * @param selection  The selection.
 * @param out_view   The view to fill. Its `struct_size` must be set.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT (a struct_size that cannot be), BUSY (it is being selected into)
 *
 * Threads: any number at once, while nobody selects into it.
 */
CUPEL_API
cupel_status cupel_selection_read(const struct cupel_selection *selection,
                                  struct cupel_selection_view *out_view,
                                  struct cupel_error **out_error);

/**
 * Frees a selection, and the arrays of its views.
 *
 * @param selection  A selection; NULL does nothing. It must not be freed twice. One that is being selected into lives
 *                   until that call returns.
 *
 * Threads: one at a time.
 */
CUPEL_API
void cupel_selection_free(struct cupel_selection *selection);

/**
 * The name of a reason, such as `"CUPEL_REASON_SCORED"`.
 *
 * @param reason  Any number; one that is not a reason has the name `"CUPEL_REASON_UNKNOWN"`.
 * @return A NUL-terminated text that lives for ever. Never NULL.
 *
 * Threads: any number at once.
 */
CUPEL_API const char *cupel_reason_name(cupel_reason reason);

/**
 * Makes a selector.
 *
 * @param policy        The policy. What it points at is copied, and a share of the scorer is kept.
 * @param out_selector  Where to put the selector, which the caller frees with cupel_selector_free().
 * @param out_error     Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_UTF8, EMPTY_KIND, INVALID_ARGUMENT (a percentage, a count or a bucket size that breaks
 *         its rule, a kind that has two quotas), OUT_OF_RANGE (an unknown slicer, placer, overflow or scarcity, a flag
 *         that is neither 0 nor 1, a length that cannot be), OUT_OF_MEMORY; the message names the field and the entry
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_selector_new(const struct cupel_policy *policy,
                                struct cupel_selector **out_selector,
                                struct cupel_error **out_error);

/**
 * Makes a selector, with the scorers below it, from a JSON text: a policy of the managed library, or one with fields of
 * this library's own. `docs/json.md` lists the fields.
 *
 * @param json          The text, UTF-8.
 * @param json_len      Its length in bytes.
 * @param clock         The source of the present instant for decay; NULL is the system's clock.
 * @param out_selector  Where to put the selector, which the caller frees with cupel_selector_free().
 * @param out_error     Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_UTF8, INVALID_JSON (the message gives path, line and column), OUT_OF_RANGE,
 *         OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_selector_from_json(const char *json,
                                      size_t json_len,
                                      const struct cupel_clock *clock,
                                      struct cupel_selector **out_selector,
                                      struct cupel_error **out_error);

/**
 * Writes a selector as the JSON that cupel_selector_from_json() reads: its scorer, and what is not the default. Clocks
 * are not written.
 *
 * @param selector   The selector; one whose scorer is or contains a custom scorer is refused.
 * @param out_text   Where to put the text, which the caller frees with cupel_text_free().
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_selector_to_json(const struct cupel_selector *selector,
                                    struct cupel_text **out_text,
                                    struct cupel_error **out_error);

/**
 * Chooses the rows of a batch to keep.
 *
 * A host makes a selector once, and selects for each prompt:
 *
 * cupel_policy policy = {sizeof policy, recency}; cupel_request request = {sizeof request, 8000, 6000};
 * cupel_selection_view kept = {sizeof kept}; if (cupel_selector_new(&policy, &selector, &error) == CUPEL_STATUS_OK &&
 * cupel_selection_new(&selection, &error) == CUPEL_STATUS_OK && cupel_selector_select(selector, batch, &request,
 * selection, &error) == CUPEL_STATUS_OK && cupel_selection_read(selection, &kept, &error) == CUPEL_STATUS_OK) { for
 * (size_t i = 0; i < kept.rows_len; i++) { printf("keep row %u\n", kept.rows[i]); } for (size_t i = 0; i <
 * kept.batch_len; i++) { printf("row %zu: %s\n", i, cupel_reason_name(kept.reasons[i])); } }
 *
 * @param selector   The selector.
 * @param batch      The batch.
 * @param request    The budget.
 * @param selection  Where to put the result. If the call fails, it is what it was before, and so are the arrays of its
 *                   views.
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT (a field of the request that breaks its rule; no scorer and no scores),
 *         LENGTH_MISMATCH (scores, or a previous selection over more rows), OVER_BUDGET, CALLBACK_FAILED, SHORTFALL,
 *         TOO_LARGE, BUSY (a selection that is being selected into), OUT_OF_MEMORY
 *
 * Threads: any number at once, each with a selection of its own, while nobody changes the batch. Selecting into a
 * selection again allocates nothing while the batch does not grow.
 */
CUPEL_API
cupel_status cupel_selector_select(const struct cupel_selector *selector,
                                   const struct cupel_batch *batch,
                                   const struct cupel_request *request,
                                   struct cupel_selection *selection,
                                   struct cupel_error **out_error);

/**
 * Chooses the rows to keep of each group of a batch, in one call: each group gets the selection that it would have in a
 * batch of its own, with `request` as the budget of each. Rows are scored, compared, and kept or dropped among the rows
 * of their group. A clock is read once.
 *
 * Groups are those of cupel_scorer_score_groups(), such as conversations. The units that a `group_key` makes are inside
 * a group: a unit never has rows of two.
 *
 * The selection has the rows of one group after those of another, with the row numbers of the batch; `offsets` of its
 * view tells them apart. Scores, reasons and causes are for each row of the batch. Sums of tokens are over all groups:
 * `effective_target` is what the slicer had to fill in all of them together.
 *
 * A custom scorer is refused, and so is one that combines custom scorers, unless the request brings scores: a callback
 * has no view of a part of a batch.
 *
 * @param selector    The selector.
 * @param batch       The rows, those of a group next to each other.
 * @param groups      groups_len + 1 offsets into the rows: from 0 to the length of the batch, never decreasing. Group i
 *                    has the rows from `groups[i]` to before `groups[i + 1]`; it may be empty.
 * @param groups_len  The number of groups.
 * @param request     The budget of each group. It must have no previous selection. Its scores are for all rows of the
 *                    batch.
 * @param selection   Where to put the result. If the call fails, it is what it was before, and so are the arrays of its
 *                    views.
 * @param out_error   Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT (offsets that are not as above, a field of the request that breaks its rule,
 *         a previous selection, no scorer and no scores, a custom scorer), LENGTH_MISMATCH (scores), OVER_BUDGET,
 *         CALLBACK_FAILED (a clock), SHORTFALL, TOO_LARGE, BUSY (a selection that is being selected into), OUT_OF_RANGE
 *         (a length that cannot be), OUT_OF_MEMORY; where a group is at fault the message names it and its rows
 *
 * Threads: any number at once, each with a selection of its own, while nobody changes the batch. Selecting into a
 * selection again allocates nothing while neither the batch nor its largest group grows.
 */
CUPEL_API
cupel_status cupel_selector_select_groups(const struct cupel_selector *selector,
                                          const struct cupel_batch *batch,
                                          const int64_t *groups,
                                          size_t groups_len,
                                          const struct cupel_request *request,
                                          struct cupel_selection *selection,
                                          struct cupel_error **out_error);

/**
 * Writes for each row the least effective target from which on the row is always kept: 0 for rows of pinned units, -1
 * for rows that took no part (duplicates, negative tokens). A limit of rows is left out of account.
 *
 * @param selector        The selector: greedy, ranked or prefix, without quotas.
 * @param batch           The rows.
 * @param selection       What the selector made of the batch; its scores count.
 * @param out_tokens      Where to put the targets, one a row.
 * @param out_tokens_len  How many there are: the length of the batch.
 * @param out_error       Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT (knapsack or quotas, a selection of groups), LENGTH_MISMATCH, BUSY,
 *         OUT_OF_MEMORY
 *
 * Threads: any number at once, while nobody changes the batch or selects into the selection.
 */
CUPEL_API
cupel_status cupel_selector_needed(const struct cupel_selector *selector,
                                   const struct cupel_batch *batch,
                                   const struct cupel_selection *selection,
                                   int64_t *out_tokens,
                                   size_t out_tokens_len,
                                   struct cupel_error **out_error);

/**
 * Frees a selector.
 *
 * @param selector  The selector; NULL does nothing. It must not be freed twice.
 *
 * Threads: one at a time.
 */
CUPEL_API void cupel_selector_free(struct cupel_selector *selector);

/* ---------------------------------------------------------------------------------------------------------------- */
/* Scorers                                                                                                          */
/* ---------------------------------------------------------------------------------------------------------------- */

/**
 * Tags are equal if their bytes are.
 */
#define CUPEL_TEXT_MATCH_EXACT 0

/**
 * Tags are equal if their bytes are, after ASCII case folding.
 */
#define CUPEL_TEXT_MATCH_ASCII_CASE_INSENSITIVE 1

/**
 * The weight of a kind or a tag.
 */
typedef struct cupel_weight {
    /**
     * The name, UTF-8, not NUL-terminated.
     */
    const char *name;
    /**
     * Its length in bytes.
     */
    size_t name_len;
    /**
     * The weight: finite, 0 or more.
     */
    double weight;
} cupel_weight;

/**
 * How two tags are compared.
 */
typedef int32_t cupel_text_match;

/**
 * A step of a decay curve.
 */
typedef struct cupel_decay_step {
    /**
     * Rows younger than this get the score, unless an earlier step applies. In nanoseconds, more than 0.
     */
    int64_t max_age_nanoseconds;
    /**
     * The score: finite.
     */
    double score;
} cupel_decay_step;

/**
 * Scores a batch for a custom scorer.
 *
 * @param user_data       The pointer that was passed with the callback.
 * @param batch           The rows. The callback may read them and score them with other scorers, but not change them.
 * @param out_scores      Where to put the scores, one for each row; they are 0 before the call. They are returned
 *                        unchanged.
 * @param out_scores_len  The length of out_scores, which is the length of the batch.
 * @return CUPEL_STATUS_OK, or any other number to fail the scoring call with CUPEL_STATUS_CALLBACK_FAILED.
 *
 * Threads: it is called on the thread that scores, once in a scoring call, and by several threads at once if they score
 * at once. It must not throw a C++ exception or leave by longjmp: that is undefined, and in this build an exception
 * aborts.
 */
typedef cupel_status (*cupel_score_callback)(void *user_data,
                                             const struct cupel_batch *batch,
                                             double *out_scores,
                                             size_t out_scores_len);

/**
 * Scores a batch for a custom scorer, or fails with an error. Otherwise like cupel_score_callback.
 *
 * @param user_data       The pointer that was passed with the callback.
 * @param batch           As for cupel_score_callback.
 * @param out_scores      As for cupel_score_callback.
 * @param out_scores_len  As for cupel_score_callback.
 * @param out_error       As for cupel_fallible_now_callback.
 * @return CUPEL_STATUS_OK, or any other number to fail the scoring call with CUPEL_STATUS_CALLBACK_FAILED.
 *
 * Threads: it is called on the thread that scores, once in a scoring call, and by several threads at once if they score
 * at once. It must not throw a C++ exception or leave by longjmp: that is undefined, and in this build an exception
 * aborts.
 */
typedef cupel_status (*cupel_fallible_score_callback)(void *user_data,
                                                      const struct cupel_batch *batch,
                                                      double *out_scores,
                                                      size_t out_scores_len,
                                                      struct cupel_error **out_error);

/**
 * Makes a recency scorer: the number of rows with an earlier timestamp, divided by the number of rows with a timestamp
 * minus 1. Equal timestamps score the same. A row without a timestamp scores 0, and the only row with one scores 1.
 *
 * @param out_scorer  Where to put the scorer, which the caller frees with cupel_scorer_free().
 * @param out_error   Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API cupel_status cupel_scorer_recency_new(struct cupel_scorer **out_scorer, struct cupel_error **out_error);

/**
 * Makes a priority scorer: the number of rows with a lower priority, divided by the number of rows with a priority
 * minus 1. Equal priorities score the same. A row without a priority scores 0, and the only row with one scores 1.
 *
 * @param out_scorer  Where to put the scorer, which the caller frees with cupel_scorer_free().
 * @param out_error   Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API cupel_status cupel_scorer_priority_new(struct cupel_scorer **out_scorer, struct cupel_error **out_error);

/**
 * Makes a frequency scorer: the number of other rows that share at least one tag with the row, under ASCII case
 * folding, divided by the number of other rows. A row without tags scores 0, and so does the only row of a batch.
 *
 * @param out_scorer  Where to put the scorer, which the caller frees with cupel_scorer_free().
 * @param out_error   Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API cupel_status cupel_scorer_frequency_new(struct cupel_scorer **out_scorer, struct cupel_error **out_error);

/**
 * Makes a reflexive scorer: the future relevance hint, clamped to 0 to 1; 0 if it is missing or not finite.
 *
 * @param out_scorer  Where to put the scorer, which the caller frees with cupel_scorer_free().
 * @param out_error   Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API cupel_status cupel_scorer_reflexive_new(struct cupel_scorer **out_scorer, struct cupel_error **out_error);

/**
 * Makes a kind scorer with the weights SystemPrompt 1.0, Memory 0.8, ToolOutput 0.6, Document 0.4 and Message 0.2.
 *
 * @param out_scorer  Where to put the scorer, which the caller frees with cupel_scorer_free().
 * @param out_error   Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API cupel_status cupel_scorer_kind_default_new(struct cupel_scorer **out_scorer, struct cupel_error **out_error);

/**
 * Makes a kind scorer: the weight of the row's kind, or 0 if it has none. Scores are not clamped. Kinds are equal under
 * ASCII case folding.
 *
 * @param weights      Kinds and their weights, each kind once and not blank. They are copied.
 * @param weights_len  The number of weights; may be 0.
 * @param out_scorer   Where to put the scorer, which the caller frees with cupel_scorer_free().
 * @param out_error    Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_UTF8, EMPTY_KIND, OUT_OF_RANGE, OUT_OF_MEMORY, INVALID_ARGUMENT (a weight that is
 *         negative or not finite, a duplicate kind)
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_scorer_kind_new(const struct cupel_weight *weights,
                                   size_t weights_len,
                                   struct cupel_scorer **out_scorer,
                                   struct cupel_error **out_error);

/**
 * Makes a tag scorer: the sum of the weights of the row's tags, divided by the sum of all weights, at most 1. Each
 * occurrence of a tag counts. A row without tags scores 0, and so does every row if the sum of all weights is 0.
 *
 * @param weights      Tags and their weights, each tag once. They are copied.
 * @param weights_len  The number of weights; may be 0.
 * @param match        A cupel_text_match.
 * @param out_scorer   Where to put the scorer, which the caller frees with cupel_scorer_free().
 * @param out_error    Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_UTF8, OUT_OF_RANGE (an unknown match), OUT_OF_MEMORY, INVALID_ARGUMENT (a weight that
 *         is negative or not finite, a duplicate tag, a sum of weights that overflows)
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_scorer_tag_new(const struct cupel_weight *weights,
                                  size_t weights_len,
                                  cupel_text_match match,
                                  struct cupel_scorer **out_scorer,
                                  struct cupel_error **out_error);

/**
 * Makes a metadata trust scorer: the value of the metadata key `cupel:trust`, clamped to 0 to 1. It is a double, or a
 * string that is read as a decimal number.
 *
 * @param default_score  The score of rows without a usable trust; from 0 to 1.
 * @param out_scorer     Where to put the scorer, which the caller frees with cupel_scorer_free().
 * @param out_error      Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_scorer_metadata_trust_new(double default_score,
                                             struct cupel_scorer **out_scorer,
                                             struct cupel_error **out_error);

/**
 * Makes a metadata key scorer: `boost` for rows whose metadata has `key` with a value whose text is equal to `value`,
 * byte for byte, and 1 for all others. The text of a double is the shortest decimal that reads back as the same number:
 * `1`, `0.85`.
 *
 * @param key         The key, UTF-8; may be empty. It is copied.
 * @param key_len     Its length in bytes.
 * @param value       The text, UTF-8; may be empty. It is copied.
 * @param value_len   Its length in bytes.
 * @param boost       The score of rows that match: finite, more than 0.
 * @param out_scorer  Where to put the scorer, which the caller frees with cupel_scorer_free().
 * @param out_error   Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_UTF8, INVALID_ARGUMENT, OUT_OF_RANGE, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_scorer_metadata_key_new(const char *key,
                                           size_t key_len,
                                           const char *value,
                                           size_t value_len,
                                           double boost,
                                           struct cupel_scorer **out_scorer,
                                           struct cupel_error **out_error);

/**
 * Makes an exponential decay scorer: 2 to the power of -(age / half-life), within one unit in the last place. The age
 * is the present time minus the timestamp, and 0 for a timestamp in the future.
 *
 * @param clock                  The source of the present time. The scorer keeps its own reference to it.
 * @param half_life_nanoseconds  The half-life in nanoseconds, more than 0.
 * @param null_timestamp_score   The score of rows without a timestamp; from 0 to 1.
 * @param out_scorer             Where to put the scorer, which the caller frees with cupel_scorer_free().
 * @param out_error              Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_scorer_decay_exponential_new(const struct cupel_clock *clock,
                                                int64_t half_life_nanoseconds,
                                                double null_timestamp_score,
                                                struct cupel_scorer **out_scorer,
                                                struct cupel_error **out_error);

/**
 * Makes a window decay scorer: 1 for rows younger than an age, 0 for all others.
 *
 * @param clock                 The source of the present time. The scorer keeps its own reference to it.
 * @param max_age_nanoseconds   The age in nanoseconds, more than 0.
 * @param null_timestamp_score  The score of rows without a timestamp; from 0 to 1.
 * @param out_scorer            Where to put the scorer, which the caller frees with cupel_scorer_free().
 * @param out_error             Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_scorer_decay_window_new(const struct cupel_clock *clock,
                                           int64_t max_age_nanoseconds,
                                           double null_timestamp_score,
                                           struct cupel_scorer **out_scorer,
                                           struct cupel_error **out_error);

/**
 * Makes a step decay scorer: the score of the first step whose maximum age is more than the row's age, or else of the
 * last step.
 *
 * @param clock                 The source of the present time. The scorer keeps its own reference to it.
 * @param steps                 The steps, youngest first: ages more than 0 and strictly increasing, scores finite. They
 *                              are copied.
 * @param steps_len             The number of steps; at least 1.
 * @param null_timestamp_score  The score of rows without a timestamp; from 0 to 1.
 * @param out_scorer            Where to put the scorer, which the caller frees with cupel_scorer_free().
 * @param out_error             Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_RANGE, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_scorer_decay_step_new(const struct cupel_clock *clock,
                                         const struct cupel_decay_step *steps,
                                         size_t steps_len,
                                         double null_timestamp_score,
                                         struct cupel_scorer **out_scorer,
                                         struct cupel_error **out_error);

/**
 * Makes a composite scorer: the weighted mean of other scorers, ((0 + s0 * w0) + s1 * w1) + ... in the order given,
 * where each w is the child's weight divided by the sum of all weights.
 *
 * @param children      The scorers. The composite keeps its own references to them.
 * @param weights       The weights of the children: finite, more than 0. They are copied.
 * @param children_len  The length of children and of weights; at least 1.
 * @param out_scorer    Where to put the scorer, which the caller frees with cupel_scorer_free().
 * @param out_error     Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT (an entry too), INVALID_ARGUMENT, OUT_OF_RANGE, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_scorer_composite_new(const struct cupel_scorer *const *children,
                                        const double *weights,
                                        size_t children_len,
                                        struct cupel_scorer **out_scorer,
                                        struct cupel_error **out_error);

/**
 * Makes a scaled scorer: another scorer's scores, scaled to 0 to 1 over the batch by (s - min) / (max - min) over the
 * finite scores. A row whose score is not finite scores 0.5, and so does every row if all scores are equal.
 *
 * @param inner       The other scorer. This one keeps its own reference to it.
 * @param out_scorer  Where to put the scorer, which the caller frees with cupel_scorer_free().
 * @param out_error   Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_scorer_scaled_new(const struct cupel_scorer *inner,
                                     struct cupel_scorer **out_scorer,
                                     struct cupel_error **out_error);

/**
 * Makes a custom scorer, which calls the host for the scores.
 *
 * @param callback    Scores a whole batch.
 * @param user_data   Passed to the callbacks as it is; may be NULL.
 * @param destroy     Called once with user_data when the object and every scorer made with it are gone; may be NULL. A
 *                    call that fails does not call it: user_data then still belongs to the caller.
 * @param out_scorer  Where to put the scorer, which the caller frees with cupel_scorer_free().
 * @param out_error   Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_scorer_custom_new(cupel_score_callback callback,
                                     void *user_data,
                                     cupel_destroy_callback destroy,
                                     struct cupel_scorer **out_scorer,
                                     struct cupel_error **out_error);

/**
 * Makes a custom scorer with a callback that can fail with an error. Otherwise like cupel_scorer_custom_new().
 *
 * @param callback    Scores a whole batch.
 * @param user_data   Passed to the callbacks as it is; may be NULL.
 * @param destroy     Called once with user_data when the object and every scorer made with it are gone; may be NULL. A
 *                    call that fails does not call it: user_data then still belongs to the caller.
 * @param out_scorer  Where to put the scorer, which the caller frees with cupel_scorer_free().
 * @param out_error   Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_scorer_custom_fallible_new(cupel_fallible_score_callback callback,
                                              void *user_data,
                                              cupel_destroy_callback destroy,
                                              struct cupel_scorer **out_scorer,
                                              struct cupel_error **out_error);

/**
 * The type of a scorer as it is written in JSON: `"recency"`, `"composite"`; `"custom"` for a custom scorer.
 *
 * @param scorer  The scorer; NULL gives `""`.
 * @return A NUL-terminated text that is never freed. Never NULL.
 *
 * Threads: any number at once.
 */
CUPEL_API const char *cupel_scorer_type(const struct cupel_scorer *scorer);

/**
 * The number of children of a scorer: those of a composite, 1 for a scaled scorer, else 0.
 *
 * @param scorer  The scorer; NULL gives 0.
 *
 * Threads: any number at once.
 */
CUPEL_API size_t cupel_scorer_children_len(const struct cupel_scorer *scorer);

/**
 * Gives a child of a scorer, to explain a row's score. Scored over the same rows, the children of a composite give ((0
 * + s0 * w0) + s1 * w1) + ... = its score, bit for bit, unless that is undefined.
 *
 * @param scorer      The scorer.
 * @param index       The index, from 0.
 * @param out_child   Where to put a new reference to the child, which the caller frees with cupel_scorer_free().
 * @param out_weight  Where to put its weight: in a composite its weight divided by the sum of all weights, else 1. May
 *                    be NULL.
 * @param out_error   Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, OUT_OF_RANGE, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_scorer_child(const struct cupel_scorer *scorer,
                                size_t index,
                                struct cupel_scorer **out_child,
                                double *out_weight,
                                struct cupel_error **out_error);

/**
 * Makes a scorer and its children from JSON: an object with `type` and what that type takes, or a policy with
 * `scorers`.
 *
 * @param json        The text, UTF-8.
 * @param json_len    Its length in bytes.
 * @param clock       The source of the present time for decay; NULL is the system's clock.
 * @param out_scorer  Where to put the scorer, which the caller frees with cupel_scorer_free().
 * @param out_error   Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_UTF8, INVALID_JSON (the message gives path, line and column), OUT_OF_RANGE,
 *         OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_scorer_from_json(const char *json,
                                    size_t json_len,
                                    const struct cupel_clock *clock,
                                    struct cupel_scorer **out_scorer,
                                    struct cupel_error **out_error);

/**
 * Writes a scorer and its children as JSON that cupel_scorer_from_json() reads. Clocks are not written.
 *
 * @param scorer     The scorer. One that is or contains a custom scorer is refused.
 * @param out_text   Where to put the text, which the caller frees with cupel_text_free().
 * @param out_error  Where to put the error of a call that fails; may be NULL.
 * @return NULL_ARGUMENT, INVALID_ARGUMENT, OUT_OF_MEMORY
 *
 * Threads: any number at once.
 */
CUPEL_API
cupel_status cupel_scorer_to_json(const struct cupel_scorer *scorer,
                                  struct cupel_text **out_text,
                                  struct cupel_error **out_error);

#ifdef __cplusplus
} /* extern "C" */
#endif

#endif /* CUPEL_H */
