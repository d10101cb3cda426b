/*
 * rank: scores the items of a JSON file and prints the best of them.
 *
 *     cc -std=c11 -Iinclude examples/c/rank.c -Ltarget/release -lcupel -o rank
 *     ./rank examples/data/scorer.json examples/data/agent-session.jsonl
 *
 * The whole job is in `rank`: read a scorer, read the items into a batch, score
 * the batch in one call, print. Everything else is options, files and columns.
 */
#include <errno.h>
#include <inttypes.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "cupel.h"

#define DEFAULT_BEST 10
#define KIND_WIDTH 12
#define CONTENT_WIDTH 72

static const char HELP[] =
    "usage: rank [-k N] [--json] [--now TIME] SCORER [ITEMS]\n"
    "\n"
    "Scores every item of ITEMS with SCORER and prints the best of them.\n"
    "\n"
    "  SCORER      a JSON file that describes the scorer; - is standard input\n"
    "  ITEMS       a JSON array of items, or JSON Lines; - (the default) is standard\n"
    "              input\n"
    "\n"
    "  -k N        how many items the table shows, best first (default 10)\n"
    "  --json      print every item's row and score as JSON Lines, in input order\n"
    "  --now TIME  the instant that ages are measured from, as RFC 3339 or in Unix\n"
    "              nanoseconds (default: the system's clock)\n"
    "  -h, --help  print this text\n";

typedef struct rank_options {
  const char *scorer_path;
  const char *items_path;
  const char *now;
  size_t best;
  bool json;
  bool help;
} rank_options;

typedef struct buffer {
  char *data;
  size_t len;
} buffer;

typedef struct ranked_row {
  double score;
  size_t row;
} ranked_row;

/* Prints a message to standard error. Returns false, for `return fail(...)`. */
static bool fail(const char *format, ...) {
  va_list arguments;
  fputs("rank: ", stderr);
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
  fputc('\n', stderr);
  return false;
}

/* Reports and frees the error of a call that failed. `error` is a pointer to the
   handle because the call that fills it is evaluated as the argument before it. */
static bool check(const char *subject, cupel_status status, cupel_error **error) {
  if (status == CUPEL_STATUS_OK) {
    return true;
  }
  fail("%s: %s (%s)", subject, cupel_error_message(*error), cupel_status_name(status));
  cupel_error_free(*error);
  *error = NULL;
  return false;
}

/* ---- options -------------------------------------------------------------- */

static bool parse_count(const char *text, size_t *out_count) {
  char *end = NULL;
  errno = 0;
  unsigned long long count = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || count == 0 || count > SIZE_MAX) {
    return fail("-k takes a whole number of 1 or more, not \"%s\"", text);
  }
  *out_count = (size_t)count;
  return true;
}

static bool parse_options(int argc, char **argv, rank_options *out) {
  bool only_paths = false;
  for (int i = 1; i < argc; i++) {
    const char *argument = argv[i];
    if (only_paths || argument[0] != '-' || argument[1] == '\0') {
      if (out->scorer_path == NULL) {
        out->scorer_path = argument;
      } else if (out->items_path == NULL) {
        out->items_path = argument;
      } else {
        return fail("unexpected argument \"%s\" (see rank --help)", argument);
      }
    } else if (strcmp(argument, "--") == 0) {
      only_paths = true;
    } else if (strcmp(argument, "-h") == 0 || strcmp(argument, "--help") == 0) {
      out->help = true;
      return true;
    } else if (strcmp(argument, "--json") == 0) {
      out->json = true;
    } else if (strcmp(argument, "-k") == 0 || strcmp(argument, "--now") == 0) {
      if (i + 1 == argc) {
        return fail("%s takes a value (see rank --help)", argument);
      }
      i++;
      if (argument[1] == 'k') {
        if (!parse_count(argv[i], &out->best)) {
          return false;
        }
      } else {
        out->now = argv[i];
      }
    } else {
      return fail("unknown option \"%s\" (see rank --help)", argument);
    }
  }
  if (out->scorer_path == NULL) {
    return fail("no scorer given (see rank --help)");
  }
  if (out->items_path == NULL) {
    out->items_path = "-";
  }
  if (strcmp(out->scorer_path, "-") == 0 && strcmp(out->items_path, "-") == 0) {
    return fail("the scorer and the items cannot both come from standard input");
  }
  return true;
}

static bool system_now(int64_t *out_now) {
  struct timespec now;
  if (timespec_get(&now, TIME_UTC) != TIME_UTC) {
    return fail("the system's clock cannot be read");
  }
  *out_now = (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
  return true;
}

/* The library already reads RFC 3339 in an item's timestamp, so one item is enough
   of a parser. */
static bool timestamp_from_rfc3339(const char *text, int64_t *out_timestamp) {
  char json[128];
  cupel_batch *batch = NULL;
  cupel_item *item = NULL;
  bool present = false;
  if (text[strspn(text, "0123456789+-:.TtZz ")] != '\0') {
    return false;
  }
  int len = snprintf(json, sizeof json, "{\"content\":\"now\",\"tokens\":0,\"timestamp\":\"%s\"}", text);
  if (len < 0 || (size_t)len >= sizeof json) {
    return false;
  }
  bool ok = cupel_batch_new(1, &batch, NULL) == CUPEL_STATUS_OK
            && cupel_batch_append_json(batch, json, (size_t)len, NULL) == CUPEL_STATUS_OK
            && cupel_batch_item(batch, 0, &item, NULL) == CUPEL_STATUS_OK
            && cupel_item_timestamp(item, out_timestamp, &present, NULL) == CUPEL_STATUS_OK;
  cupel_item_free(item);
  cupel_batch_free(batch);
  return ok && present;
}

static bool parse_now(const char *text, int64_t *out_now) {
  char *end = NULL;
  errno = 0;
  long long nanoseconds = strtoll(text, &end, 10);
  if (end != text && *end == '\0' && errno == 0) {
    *out_now = nanoseconds;
    return true;
  }
  if (timestamp_from_rfc3339(text, out_now)) {
    return true;
  }
  return fail("--now takes an instant such as 2026-03-14T15:09:26Z, or Unix nanoseconds, not \"%s\"", text);
}

/* ---- input ---------------------------------------------------------------- */

static bool read_stream(FILE *stream, const char *name, buffer *out) {
  size_t capacity = 0;
  for (;;) {
    if (out->len == capacity) {
      size_t wanted = capacity == 0 ? (size_t)1 << 16 : capacity * 2;
      char *grown = wanted > capacity ? realloc(out->data, wanted) : NULL;
      if (grown == NULL) {
        return fail("%s: out of memory after %zu bytes", name, out->len);
      }
      out->data = grown;
      capacity = wanted;
    }
    size_t got = fread(out->data + out->len, 1, capacity - out->len, stream);
    if (got == 0) {
      return ferror(stream) ? fail("%s: %s", name, strerror(errno)) : true;
    }
    out->len += got;
  }
}

static const char *display_name(const char *path) {
  return strcmp(path, "-") == 0 ? "standard input" : path;
}

static bool read_file(const char *path, buffer *out) {
  if (strcmp(path, "-") == 0) {
    return read_stream(stdin, display_name(path), out);
  }
  FILE *file = fopen(path, "rb");
  if (file == NULL) {
    return fail("%s: %s", path, strerror(errno));
  }
  bool ok = read_stream(file, path, out);
  fclose(file);
  return ok;
}

static bool read_scorer(const char *path, const cupel_clock *clock, cupel_scorer **out_scorer) {
  buffer text = {NULL, 0};
  cupel_error *error = NULL;
  bool ok = read_file(path, &text)
            && check(display_name(path), cupel_scorer_from_json(text.data, text.len, clock, out_scorer, &error), &error);
  free(text.data);
  return ok;
}

static bool read_items(const char *path, cupel_batch **out_batch) {
  buffer text = {NULL, 0};
  cupel_error *error = NULL;
  const char *name = display_name(path);
  bool ok = read_file(path, &text) && check(name, cupel_batch_new(0, out_batch, &error), &error)
            && check(name, cupel_batch_append_json(*out_batch, text.data, text.len, &error), &error);
  free(text.data);
  if (ok && cupel_batch_len(*out_batch) == 0) {
    return fail("%s: there are no items", name);
  }
  return ok;
}

/* ---- output --------------------------------------------------------------- */

/* %.17g is enough digits to read back the same double. */
static void print_json(const double *scores, size_t len) {
  for (size_t row = 0; row < len; row++) {
    if (scores[row] - scores[row] == 0.0) {
      printf("{\"row\":%zu,\"score\":%.17g}\n", row, scores[row]);
    } else {
      printf("{\"row\":%zu,\"score\":null}\n", row); /* JSON has no infinity */
    }
  }
}

static int by_score_then_row(const void *left, const void *right) {
  const ranked_row *a = left;
  const ranked_row *b = right;
  if (a->score != b->score) {
    return a->score > b->score ? -1 : 1;
  }
  return a->row < b->row ? -1 : a->row > b->row;
}

static size_t character_len(const unsigned char *text, size_t len) {
  size_t wanted = text[0] < 0x80 ? 1 : text[0] < 0xE0 ? 2 : text[0] < 0xF0 ? 3 : 4;
  return wanted < len ? wanted : len;
}

/* White space, and the characters that would move the cursor, start an escape
   sequence or change the direction of the line. */
static bool shows_as_space(const unsigned char *text, size_t len) {
  switch (len) {
  case 1:
    return text[0] <= 0x20 || text[0] == 0x7F;
  case 2: /* U+0080 to U+00A0 */
    return text[0] == 0xC2 && text[1] <= 0xA0;
  case 3: /* U+2028 to U+202E, U+2066 to U+2069 */
    return text[0] == 0xE2
           && ((text[1] == 0x80 && text[2] >= 0xA8 && text[2] <= 0xAE)
               || (text[1] == 0x81 && text[2] >= 0xA6 && text[2] <= 0xA9));
  default:
    return false;
  }
}

/* Prints `text` on one line in at most `width` characters, with three dots where it
   was cut, and returns how many it took. Runs of spaces are shown as one. */
static size_t print_words(const char *text, size_t len, size_t width) {
  char line[4 * CONTENT_WIDTH + 4];
  size_t bytes = 0, characters = 0, bytes_before_dots = 0;
  bool space = false;
  for (size_t at = 0; at < len;) {
    const unsigned char *character = (const unsigned char *)text + at;
    size_t step = character_len(character, len - at);
    at += step;
    if (shows_as_space(character, step)) {
      space = characters > 0;
      continue;
    }
    if (characters + space + 1 > width) {
      memcpy(line + bytes_before_dots, "...", 3);
      bytes = bytes_before_dots + 3;
      characters = width;
      break;
    }
    if (space) {
      line[bytes++] = ' ';
      characters++;
      space = false;
    }
    memcpy(line + bytes, character, step);
    bytes += step;
    characters++;
    bytes_before_dots = characters + 3 <= width ? bytes : bytes_before_dots;
  }
  fwrite(line, 1, bytes, stdout);
  return characters;
}

static void format_age(int64_t now, int64_t timestamp, char *out, size_t out_len) {
  bool future = timestamp > now;
  uint64_t nanoseconds = future ? (uint64_t)timestamp - (uint64_t)now : (uint64_t)now - (uint64_t)timestamp;
  uint64_t seconds = nanoseconds / 1000000000;
  const char *sign = future && seconds > 0 ? "-" : "";
  if (seconds < 60) {
    snprintf(out, out_len, "%s%" PRIu64 "s", sign, seconds);
  } else if (seconds < 3600) {
    snprintf(out, out_len, "%s%" PRIu64 "m", sign, seconds / 60);
  } else if (seconds < 86400) {
    snprintf(out, out_len, "%s%" PRIu64 "h", sign, seconds / 3600);
  } else if (seconds < 730 * (uint64_t)86400) {
    snprintf(out, out_len, "%s%" PRIu64 "d", sign, seconds / 86400);
  } else {
    snprintf(out, out_len, "%s%" PRIu64 "y", sign, seconds / (365 * (uint64_t)86400));
  }
}

static bool print_table_row(const cupel_batch *batch, size_t rank, const ranked_row *entry, int64_t now) {
  cupel_error *error = NULL;
  cupel_item *item = NULL;
  const char *kind = NULL, *content = NULL;
  size_t kind_len = 0, content_len = 0;
  int64_t tokens = 0, timestamp = 0;
  bool has_timestamp = false;
  bool ok = check("an item", cupel_batch_item(batch, entry->row, &item, &error), &error)
            && check("an item", cupel_item_tokens(item, &tokens, &error), &error)
            && check("an item", cupel_item_kind(item, &kind, &kind_len, &error), &error)
            && check("an item", cupel_item_timestamp(item, &timestamp, &has_timestamp, &error), &error)
            && check("an item", cupel_item_content(item, &content, &content_len, &error), &error);
  if (ok) {
    char age[24] = "-";
    if (has_timestamp) {
      format_age(now, timestamp, age, sizeof age);
    }
    printf("%4zu  %8.6f  %7" PRId64 "  ", rank, entry->score, tokens);
    size_t kind_width = print_words(kind, kind_len, KIND_WIDTH);
    printf("%*s  %5s  ", (int)(KIND_WIDTH - kind_width), "", age);
    print_words(content, content_len, CONTENT_WIDTH);
    putchar('\n');
  }
  cupel_item_free(item);
  return ok;
}

static bool print_table(const cupel_batch *batch, const double *scores, size_t best, int64_t now) {
  size_t len = cupel_batch_len(batch);
  size_t shown = best < len ? best : len;
  ranked_row *rows = calloc(len, sizeof *rows);
  if (rows == NULL) {
    return fail("out of memory for %zu rows", len);
  }
  for (size_t row = 0; row < len; row++) {
    rows[row].score = scores[row];
    rows[row].row = row;
  }
  qsort(rows, len, sizeof *rows, by_score_then_row);
  printf("%4s  %8s  %7s  %-*s  %5s  %s\n", "rank", "score", "tokens", KIND_WIDTH, "kind", "age", "content");
  bool ok = true;
  for (size_t i = 0; ok && i < shown; i++) {
    ok = print_table_row(batch, i + 1, &rows[i], now);
  }
  if (ok) {
    printf("%zu of %zu items\n", shown, len);
  }
  free(rows);
  return ok;
}

/* ---- the job -------------------------------------------------------------- */

static bool rank(const rank_options *options) {
  cupel_error *error = NULL;
  cupel_clock *clock = NULL;
  cupel_scorer *scorer = NULL;
  cupel_batch *batch = NULL;
  double *scores = NULL;
  int64_t now = 0;

  /* One instant for the decay scorers and for the column of ages. */
  bool ok = options->now == NULL ? system_now(&now) : parse_now(options->now, &now);
  ok = ok && check("clock", cupel_clock_fixed_new(now, &clock, &error), &error)
       && read_scorer(options->scorer_path, clock, &scorer) && read_items(options->items_path, &batch);

  size_t len = cupel_batch_len(batch);
  if (ok) {
    scores = calloc(len, sizeof *scores);
    ok = scores != NULL || fail("out of memory for %zu scores", len);
  }
  ok = ok && check("scoring", cupel_scorer_score_batch(scorer, batch, scores, len, &error), &error);
  if (ok && options->json) {
    print_json(scores, len);
  } else if (ok) {
    ok = print_table(batch, scores, options->best, now);
  }

  free(scores);
  cupel_batch_free(batch);
  cupel_scorer_free(scorer);
  cupel_clock_free(clock);
  return ok;
}

int main(int argc, char **argv) {
  rank_options options = {NULL, NULL, NULL, DEFAULT_BEST, false, false};
  if (!parse_options(argc, argv, &options)) {
    return EXIT_FAILURE;
  }
  if (options.help) {
    fputs(HELP, stdout);
  } else if (!rank(&options)) {
    return EXIT_FAILURE;
  }
  if (fflush(stdout) != 0 || ferror(stdout)) {
    fail("standard output: %s", strerror(errno));
    return EXIT_FAILURE;
  }
  return EXIT_SUCCESS;
}
