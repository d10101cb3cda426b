/*
 * rank: scores the items of a JSON file and prints the best of them, or those to
 * keep under a token budget.
 *
 *     cc -std=c11 -Iinclude examples/c/rank.c -Ltarget/release -lcupel -o rank
 *     ./rank examples/data/scorer.json examples/data/agent-session.jsonl
 *     ./rank --budget 2000 examples/data/scorer.json examples/data/agent-session.jsonl
 *
 * The whole job is in `rank`: read a scorer, read the items into a batch, score or
 * select in one call, print. Everything else is options, files and columns.
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
#include "rank_page.h"

#define DEFAULT_BEST 10
#define KIND_WIDTH 12
#define CONTENT_WIDTH 72
#define BUDGET_CONTENT_WIDTH 56
#define REASON_WIDTH 16
#define BAR_WIDTH 40

static const char HELP[] =
    "usage: rank [-k N] [--budget N] [--json] [--html FILE] [--now TIME] SCORER [ITEMS]\n"
    "\n"
    "Scores every item of ITEMS with SCORER and prints the best of them, or those to\n"
    "keep under a budget. Pinned items are always among them.\n"
    "\n"
    "  SCORER      a JSON file that describes the scorer; - is standard input\n"
    "  ITEMS       a JSON array of items, or JSON Lines; - (the default) is standard\n"
    "              input\n"
    "\n"
    "  -k N        how many items the table shows, best first (default 10); with a\n"
    "              budget, how many of those that were dropped\n"
    "  --budget N  show which items to keep in N tokens, in input order, and why the\n"
    "              others were dropped\n"
    "  --json      print every item's row and score, and with a budget the reason why it\n"
    "              was kept or dropped, as JSON Lines in input order\n"
    "  --html FILE write a page for a browser that shows what fills the budget, and every\n"
    "              item with its scores and the reason; takes --budget\n"
    "  --now TIME  the instant that ages are measured from, as RFC 3339 or in Unix\n"
    "              nanoseconds (default: the system's clock)\n"
    "  -h, --help  print this text\n";

typedef struct rank_options {
  const char *scorer_path;
  const char *items_path;
  const char *now;
  const char *html_path;
  size_t best;
  size_t budget; /* 0: none */
  bool json;
  bool help;
} rank_options;

typedef struct buffer {
  char *data;
  size_t len;
} buffer;

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

static bool parse_count(const char *option, const char *text, size_t *out_count) {
  char *end = NULL;
  errno = 0;
  unsigned long long count = strtoull(text, &end, 10);
  if (*text < '0' || *text > '9' || *end != '\0' || errno != 0 || count == 0 || count > INT64_MAX
      || count > SIZE_MAX) {
    return fail("%s takes a whole number of 1 or more, not \"%s\"", option, text);
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
    } else if (strcmp(argument, "-k") == 0 || strcmp(argument, "--budget") == 0 || strcmp(argument, "--now") == 0
               || strcmp(argument, "--html") == 0) {
      if (i + 1 == argc) {
        return fail("%s takes a value (see rank --help)", argument);
      }
      i++;
      if (strcmp(argument, "--now") == 0) {
        out->now = argv[i];
      } else if (strcmp(argument, "--html") == 0) {
        out->html_path = argv[i];
      } else if (!parse_count(argument, argv[i], argument[1] == 'k' ? &out->best : &out->budget)) {
        return false;
      }
    } else {
      return fail("unknown option \"%s\" (see rank --help)", argument);
    }
  }
  if (out->scorer_path == NULL) {
    return fail("no scorer given (see rank --help)");
  }
  if (out->html_path != NULL && out->budget == 0) {
    return fail("--html takes a budget as well (see rank --help)");
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

/* The name of a reason as words: "budget", "negative tokens". */
static void format_reason(uint8_t reason, char *out, size_t out_len) {
  const char *name = cupel_reason_name(reason) + strlen("CUPEL_REASON_");
  size_t len = 0;
  for (; name[len] != '\0' && len + 1 < out_len; len++) {
    char letter = name[len];
    out[len] = letter == '_' ? ' ' : letter >= 'A' && letter <= 'Z' ? (char)(letter - 'A' + 'a') : letter;
  }
  out[len] = '\0';
}

/* %.17g is enough digits to read back the same double. `reasons` may be NULL. */
static void print_json(const double *scores, const uint8_t *reasons, size_t len) {
  for (size_t row = 0; row < len; row++) {
    if (scores[row] - scores[row] == 0.0) {
      printf("{\"row\":%zu,\"score\":%.17g", row, scores[row]);
    } else {
      printf("{\"row\":%zu,\"score\":null", row); /* JSON has no infinity */
    }
    if (reasons != NULL) {
      char reason[32];
      format_reason(reasons[row], reason, sizeof reason);
      printf(",\"kept\":%s,\"reason\":\"%s\"", reasons[row] < CUPEL_REASON_BUDGET ? "true" : "false", reason);
    }
    puts("}");
  }
}

/* ---- the page ------------------------------------------------------------- */

/* Writes JSON into a script element, where "</script>" would end it: "<" stands only in strings, which may escape it. */
static void write_script_json(FILE *page, const char *json, size_t len) {
  for (size_t i = 0; i < len; i++) {
    if (json[i] == '<') {
      fputs("\\u003c", page);
    } else {
      fputc(json[i] == '\n' ? ',' : json[i], page); /* JSON Lines, as the elements of an array */
    }
  }
}

static void write_scores(FILE *page, const double *scores, size_t len) {
  for (size_t row = 0; row < len; row++) {
    const char *comma = row == 0 ? "" : ",";
    if (scores[row] - scores[row] == 0.0) {
      fprintf(page, "%s%.17g", comma, scores[row]);
    } else {
      fprintf(page, "%snull", comma);
    }
  }
}

static void write_rows(FILE *page, const char *name, const uint32_t *rows, size_t len) {
  fprintf(page, ",\n\"%s\":[", name);
  for (size_t i = 0; i < len; i++) {
    fprintf(page, "%s%" PRIu32, i == 0 ? "" : ",", rows[i]);
  }
  fputc(']', page);
}

/* Writes "kind", or "scaled kind" where the scorer scales another. */
static bool write_scorer_name(FILE *page, const cupel_scorer *scorer) {
  cupel_error *error = NULL;
  cupel_scorer *inner = NULL;
  fputs(cupel_scorer_type(scorer), page);
  if (strcmp(cupel_scorer_type(scorer), "scaled") != 0) {
    return true;
  }
  bool ok = check("a scorer", cupel_scorer_child(scorer, 0, &inner, NULL, &error), &error);
  fprintf(page, " %s", cupel_scorer_type(inner));
  cupel_scorer_free(inner);
  return ok;
}

/* The scores that the children of a composite give the rows. */
static bool write_parts(FILE *page, const cupel_batch *batch, const cupel_scorer *scorer) {
  cupel_error *error = NULL;
  size_t len = cupel_batch_len(batch), children = cupel_scorer_children_len(scorer);
  double *scores = calloc(len, sizeof *scores);
  bool ok = scores != NULL || fail("out of memory for %zu scores", len);
  fputs(",\n\"parts\":[", page);
  for (size_t i = 0; ok && i < children; i++) {
    cupel_scorer *child = NULL;
    double weight = 1;
    ok = check("a scorer", cupel_scorer_child(scorer, i, &child, &weight, &error), &error)
         && check("scoring", cupel_scorer_score_batch(child, batch, scores, len, &error), &error);
    if (ok) {
      fprintf(page, "%s{\"type\":\"", i == 0 ? "" : ",");
      ok = write_scorer_name(page, child);
      fprintf(page, "\",\"weight\":%.17g,\"scores\":[", weight);
      write_scores(page, scores, len);
      fputs("]}", page);
    }
    cupel_scorer_free(child);
  }
  fputc(']', page);
  free(scores);
  return ok;
}

static bool write_page(const char *path, const cupel_batch *batch, const cupel_scorer *scorer, size_t budget,
                       const cupel_selection_view *kept, const cupel_selection_view *ranked) {
  cupel_error *error = NULL;
  cupel_text *items = NULL;
  if (!check("the items as JSON", cupel_batch_to_json(batch, 0, kept->batch_len, &items, &error), &error)) {
    return false;
  }
  FILE *page = fopen(path, "wb");
  bool ok = page != NULL || fail("%s: %s", path, strerror(errno));
  if (ok) {
    size_t len = cupel_text_len(items);
    fputs(PAGE_HEAD, page);
    fprintf(page, "{\"budget\":%zu,\"keptTokens\":%" PRId64 ",\"pinnedTokens\":%" PRId64 ",\n\"scores\":[", budget,
            kept->kept_tokens, kept->pinned_tokens);
    write_scores(page, kept->scores, kept->batch_len);
    fputs("],\n\"reasons\":[", page);
    for (size_t row = 0; row < kept->batch_len; row++) {
      char reason[32];
      format_reason(kept->reasons[row], reason, sizeof reason);
      fprintf(page, "%s\"%s\"", row == 0 ? "" : ",", reason);
    }
    fputs("],\n\"causes\":[", page);
    for (size_t row = 0; row < kept->batch_len; row++) {
      const char *comma = row == 0 ? "" : ",";
      kept->causes[row] == UINT32_MAX ? fprintf(page, "%snull", comma) : fprintf(page, "%s%" PRIu32, comma, kept->causes[row]);
    }
    fputc(']', page);
    write_rows(page, "kept", kept->rows, kept->rows_len);
    write_rows(page, "ranked", ranked->rows, ranked->rows_len);
    ok = write_parts(page, batch, scorer);
    fputs(",\n\"items\":[", page);
    write_script_json(page, cupel_text_data(items), len > 0 ? len - 1 : 0); /* without the last line's end */
    fputs("]}", page);
    fputs(PAGE_TAIL, page);
    ok = ok && ((fflush(page) == 0 && !ferror(page)) || fail("%s: %s", path, strerror(errno)));
    fclose(page);
  }
  cupel_text_free(items);
  return ok;
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

/* Prints the columns of a row. `reason` is NULL where the table has no such column. */
static bool print_row(const cupel_batch *batch, uint32_t row, size_t number, double score, const char *reason, int64_t now) {
  cupel_error *error = NULL;
  cupel_item *item = NULL;
  const char *kind = NULL, *content = NULL;
  size_t kind_len = 0, content_len = 0;
  int64_t tokens = 0, timestamp = 0;
  bool has_timestamp = false;
  bool ok = check("an item", cupel_batch_item(batch, row, &item, &error), &error)
            && check("an item", cupel_item_tokens(item, &tokens, &error), &error)
            && check("an item", cupel_item_kind(item, &kind, &kind_len, &error), &error)
            && check("an item", cupel_item_timestamp(item, &timestamp, &has_timestamp, &error), &error)
            && check("an item", cupel_item_content(item, &content, &content_len, &error), &error);
  if (ok) {
    char age[24] = "-";
    if (has_timestamp) {
      format_age(now, timestamp, age, sizeof age);
    }
    printf("%4zu  %8.6f  %7" PRId64 "  ", number, score, tokens);
    size_t kind_width = print_words(kind, kind_len, KIND_WIDTH);
    printf("%*s  %5s  ", (int)(KIND_WIDTH - kind_width), "", age);
    if (reason != NULL) {
      printf("%-*s  ", REASON_WIDTH, reason);
    }
    print_words(content, content_len, reason == NULL ? CONTENT_WIDTH : BUDGET_CONTENT_WIDTH);
    putchar('\n');
  }
  cupel_item_free(item);
  return ok;
}

/* ---- the job -------------------------------------------------------------- */

/* Selects, and reads the selection. The view lives as long as the selection. */
static bool select_rows(const cupel_batch *batch, const cupel_policy *policy, const cupel_request *request,
                        cupel_selection **out_selection, cupel_selection_view *out_view) {
  cupel_error *error = NULL;
  cupel_selector *selector = NULL;
  out_view->struct_size = sizeof *out_view;
  bool ok = check("selecting", cupel_selector_new(policy, &selector, &error), &error)
            && check("selecting", cupel_selection_new(out_selection, &error), &error)
            && check("selecting", cupel_selector_select(selector, batch, request, *out_selection, &error), &error)
            && check("selecting", cupel_selection_read(*out_selection, out_view, &error), &error);
  cupel_selector_free(selector);
  return ok;
}

/* Selects the best rows, best first; all of them when `most` is 0. The scores are those given, or the scorer's. */
static bool select_best(const cupel_batch *batch, const cupel_scorer *scorer, const double *scores, size_t most,
                        cupel_selection **out_selection, cupel_selection_view *out_view) {
  cupel_policy policy = {.struct_size = sizeof policy,
                         .scorer = scorer,
                         .slicer = CUPEL_SLICER_RANKED,
                         .placer = CUPEL_PLACER_RANKED,
                         .keep_duplicates = 1};
  cupel_request request = {.struct_size = sizeof request, .max_tokens = INT64_MAX, .max_rows = most, .scores = scores};
  request.scores_len = scores == NULL ? 0 : cupel_batch_len(batch);
  return select_rows(batch, &policy, &request, out_selection, out_view);
}

static bool print_best(const cupel_batch *batch, const cupel_scorer *scorer, size_t most, int64_t now) {
  cupel_selection *selection = NULL;
  cupel_selection_view best = {0};
  bool ok = select_best(batch, scorer, NULL, most, &selection, &best);
  if (ok) {
    printf("%4s  %8s  %7s  %-*s  %5s  %s\n", "rank", "score", "tokens", KIND_WIDTH, "kind", "age", "content");
  }
  for (size_t i = 0; ok && i < best.rows_len; i++) {
    ok = print_row(batch, best.rows[i], i + 1, best.scores[best.rows[i]], NULL, now);
  }
  if (ok) {
    printf("%zu of %zu items\n", best.rows_len, best.batch_len);
  }
  cupel_selection_free(selection);
  return ok;
}

/* The cells that a part of the budget takes in the bar, at least one if it takes anything. */
static int bar_cells(int64_t tokens, size_t budget) {
  double cells = (double)tokens / (double)budget * BAR_WIDTH;
  return tokens == 0 ? 0 : cells < 1 ? 1 : (int)cells;
}

static void print_bar(const cupel_selection_view *kept, size_t budget) {
  int pinned = bar_cells(kept->pinned_tokens, budget);
  int others = bar_cells(kept->kept_tokens - kept->pinned_tokens, budget);
  others = pinned + others > BAR_WIDTH ? BAR_WIDTH - pinned : others;
  putchar('[');
  for (int cell = 0; cell < BAR_WIDTH; cell++) {
    putchar(cell < pinned ? '=' : cell < pinned + others ? '#' : '.');
  }
  printf("]  %" PRId64 " of %zu tokens, %" PRId64 " of them pinned (=)\n", kept->kept_tokens, budget, kept->pinned_tokens);
}

/* `ranked` has all rows, best first. */
static bool print_choice(const cupel_batch *batch, const cupel_selection_view *kept, const cupel_selection_view *ranked,
                         const rank_options *options, int64_t now) {
  bool ok = true;
  size_t dropped = kept->batch_len - kept->rows_len, shown = 0;
  char reason[48];
  printf("kept, in the order of the prompt\n%4s  %8s  %7s  %-*s  %5s  %-*s  %s\n", "row", "score", "tokens", KIND_WIDTH, "kind",
         "age", REASON_WIDTH, "why", "content");
  for (size_t i = 0; ok && i < kept->rows_len; i++) {
    uint32_t row = kept->rows[i];
    format_reason(kept->reasons[row], reason, sizeof reason);
    ok = print_row(batch, row, row, kept->scores[row], reason, now);
  }
  if (ok && dropped > 0) {
    printf("\ndropped, best first\n");
  }
  for (size_t i = 0; ok && i < ranked->rows_len && shown < options->best; i++) {
    uint32_t row = ranked->rows[i];
    if (kept->reasons[row] < CUPEL_REASON_BUDGET) {
      continue;
    }
    format_reason(kept->reasons[row], reason, sizeof reason);
    if (kept->reasons[row] == CUPEL_REASON_DUPLICATE) {
      snprintf(reason, sizeof reason, "same as %" PRIu32, kept->causes[row]);
    }
    ok = print_row(batch, row, row, kept->scores[row], reason, now);
    shown++;
  }
  if (ok && dropped > shown) {
    printf("and %zu more\n", dropped - shown);
  }
  if (ok) {
    putchar('\n');
    print_bar(kept, options->budget);
    printf("%zu of %zu items\n", kept->rows_len, kept->batch_len);
  }
  return ok;
}

/* Keeps the best rows that fit, a tool call with its results, in the order of the batch. */
static bool print_budget(const cupel_batch *batch, const cupel_scorer *scorer, const rank_options *options, int64_t now) {
  cupel_policy policy = {.struct_size = sizeof policy,
                         .scorer = scorer,
                         .slicer = CUPEL_SLICER_RANKED,
                         .placer = CUPEL_PLACER_BATCH_ORDER,
                         .pinned_first = 1,
                         .group_key = "cupel:group",
                         .group_key_len = strlen("cupel:group")};
  cupel_request request = {.struct_size = sizeof request, .max_tokens = (int64_t)options->budget};
  cupel_selection *selection = NULL, *ranking = NULL;
  cupel_selection_view kept = {0}, ranked = {0};
  bool ok = select_rows(batch, &policy, &request, &selection, &kept);
  if (ok && options->json) {
    print_json(kept.scores, kept.reasons, kept.batch_len);
  } else if (ok) {
    ok = select_best(batch, NULL, kept.scores, 0, &ranking, &ranked) && print_choice(batch, &kept, &ranked, options, now);
    ok = ok && (options->html_path == NULL || write_page(options->html_path, batch, scorer, options->budget, &kept, &ranked));
  }
  cupel_selection_free(ranking);
  cupel_selection_free(selection);
  return ok;
}

static bool print_all_scores(const cupel_batch *batch, const cupel_scorer *scorer) {
  cupel_error *error = NULL;
  size_t len = cupel_batch_len(batch);
  double *scores = calloc(len, sizeof *scores);
  bool ok = scores != NULL || fail("out of memory for %zu scores", len);
  ok = ok && check("scoring", cupel_scorer_score_batch(scorer, batch, scores, len, &error), &error);
  if (ok) {
    print_json(scores, NULL, len);
  }
  free(scores);
  return ok;
}

static bool rank(const rank_options *options) {
  cupel_error *error = NULL;
  cupel_clock *clock = NULL;
  cupel_scorer *scorer = NULL;
  cupel_batch *batch = NULL;
  int64_t now = 0;

  /* One instant for the decay scorers and for the column of ages. */
  bool ok = options->now == NULL ? system_now(&now) : parse_now(options->now, &now);
  ok = ok && check("clock", cupel_clock_fixed_new(now, &clock, &error), &error)
       && read_scorer(options->scorer_path, clock, &scorer) && read_items(options->items_path, &batch);
  if (ok && options->budget != 0) {
    ok = print_budget(batch, scorer, options, now);
  } else if (ok && options->json) {
    ok = print_all_scores(batch, scorer);
  } else if (ok) {
    ok = print_best(batch, scorer, options->best, now);
  }

  cupel_batch_free(batch);
  cupel_scorer_free(scorer);
  cupel_clock_free(clock);
  return ok;
}

int main(int argc, char **argv) {
  rank_options options = {.best = DEFAULT_BEST};
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
