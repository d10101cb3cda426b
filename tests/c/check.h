/* Checks that count. A test program ends with `return check_report("name");`. */
#ifndef CUPEL_TESTS_CHECK_H
#define CUPEL_TESTS_CHECK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cupel.h"

static size_t check_count;
static size_t check_failures;

static inline bool check_that(bool holds, const char *what, const char *file, int line) {
  check_count++;
  if (!holds) {
    check_failures++;
    fprintf(stderr, "%s:%d: %s\n", file, line, what);
  }
  return holds;
}

static inline bool check_status(cupel_status actual, cupel_status expected, const char *what, const char *file, int line) {
  check_count++;
  if (actual != expected) {
    check_failures++;
    fprintf(stderr, "%s:%d: %s is %s, not %s\n", file, line, what, cupel_status_name(actual), cupel_status_name(expected));
  }
  return actual == expected;
}

/* The same bits: 0.0 and -0.0 differ, and a NaN equals itself. */
static inline bool check_bits(double actual, double expected, const char *what, const char *file, int line) {
  check_count++;
  if (memcmp(&actual, &expected, sizeof actual) != 0) {
    check_failures++;
    fprintf(stderr, "%s:%d: %s is %.17g, not %.17g\n", file, line, what, actual, expected);
    return false;
  }
  return true;
}

/* The message of an error has each of the given parts; frees the error. */
static inline bool check_message(cupel_error *error, cupel_status status, const char *part, const char *file, int line) {
  check_count++;
  const char *message = error != NULL ? cupel_error_message(error) : NULL;
  bool holds = message != NULL && cupel_error_status(error) == status && strstr(message, part) != NULL;
  if (!holds) {
    check_failures++;
    fprintf(stderr, "%s:%d: the error is %s \"%s\", which should be %s and have \"%s\"\n", file, line,
            error != NULL ? cupel_status_name(cupel_error_status(error)) : "NULL", message != NULL ? message : "",
            cupel_status_name(status), part);
  }
  cupel_error_free(error);
  return holds;
}

static inline int check_report(const char *name) {
  printf("%s: %zu checks, %zu failed\n", name, check_count, check_failures);
  return check_failures == 0 && check_count > 0 ? EXIT_SUCCESS : EXIT_FAILURE;
}

#define CHECK(condition) check_that((condition), #condition, __FILE__, __LINE__)
#define CHECK_STATUS(call, status) check_status((call), (status), #call, __FILE__, __LINE__)
#define CHECK_BITS(actual, expected) check_bits((actual), (expected), #actual, __FILE__, __LINE__)
#define CHECK_MESSAGE(error, status, part) check_message((error), (status), (part), __FILE__, __LINE__)

/* For what the rest of a test stands on: reports and ends the program when it fails. */
#define MUST(call)                                                                      \
  do {                                                                                  \
    if (!CHECK_STATUS((call), CUPEL_STATUS_OK)) {                                       \
      exit(EXIT_FAILURE);                                                               \
    }                                                                                   \
  } while (0)

#endif
