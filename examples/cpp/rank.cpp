// rank: scores the items of a JSON file and prints the best of them, or those to keep under a token budget.
//
//     c++ -std=c++17 -Iinclude -Ibindings/cpp/include examples/cpp/rank.cpp -Ltarget/release -lcupel -o rank
//     ./rank examples/data/scorer.json examples/data/agent-session.jsonl
//
// The whole job is in `rank`: read a scorer, read the items into a batch, score or select in one call, print.
// Everything else is options, files and columns. It prints what examples/c/rank.c prints.
#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <fstream>
#include <iostream>
#include <iterator>
#include <optional>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

#include <cupel.hpp>

namespace {

constexpr std::string_view help =
    "usage: rank [-k N] [--budget N] [--json] [--now TIME] SCORER [ITEMS]\n"
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
    "  --now TIME  the instant that ages are measured from, as RFC 3339 or in Unix\n"
    "              nanoseconds (default: the system's clock)\n"
    "  -h, --help  print this text\n";

constexpr std::size_t kind_width = 12;
constexpr std::size_t content_width = 72;
constexpr std::size_t budget_content_width = 56;
constexpr int reason_width = 16;
constexpr int bar_width = 40;

struct options {
    std::string scorer_path;
    std::string items_path;
    std::optional<std::string> now;
    std::size_t best = 10;
    std::int64_t budget = 0;  ///< 0: none
    bool json = false;
    bool help = false;
};

/// What the user did wrong, or what the system would not do.
struct failure : std::runtime_error {
    using std::runtime_error::runtime_error;
};

std::string quoted(std::string_view text) { return "\"" + std::string(text) + "\""; }

// ---- options --------------------------------------------------------------------------------------------------------

template <class Number>
std::optional<Number> parse_whole(std::string_view text) {
    Number number = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(number) : std::nullopt;
}

std::int64_t parse_count(const std::string& option, std::string_view text) {
    const auto count = parse_whole<std::int64_t>(text);
    if (!count || *count <= 0) {
        throw failure(option + " takes a whole number of 1 or more, not " + quoted(text));
    }
    return *count;
}

options parse_options(const std::vector<std::string>& arguments) {
    options parsed;
    std::vector<std::string> paths;
    bool only_paths = false;
    for (auto argument = arguments.begin(); argument != arguments.end(); ++argument) {
        const auto value = [&] {
            if (std::next(argument) == arguments.end()) {
                throw failure(*argument + " takes a value (see rank --help)");
            }
            return *++argument;
        };
        if (only_paths || argument->size() < 2 || argument->front() != '-') {
            paths.push_back(*argument);
        } else if (*argument == "--") {
            only_paths = true;
        } else if (*argument == "-h" || *argument == "--help") {
            parsed.help = true;
            return parsed;
        } else if (*argument == "--json") {
            parsed.json = true;
        } else if (*argument == "-k") {
            parsed.best = static_cast<std::size_t>(parse_count("-k", value()));
        } else if (*argument == "--budget") {
            parsed.budget = parse_count("--budget", value());
        } else if (*argument == "--now") {
            parsed.now = value();
        } else {
            throw failure("unknown option " + quoted(*argument) + " (see rank --help)");
        }
    }
    if (paths.empty()) {
        throw failure("no scorer given (see rank --help)");
    }
    if (paths.size() > 2) {
        throw failure("unexpected argument " + quoted(paths[2]) + " (see rank --help)");
    }
    parsed.scorer_path = paths[0];
    parsed.items_path = paths.size() == 2 ? paths[1] : "-";
    if (parsed.scorer_path == "-" && parsed.items_path == "-") {
        throw failure("the scorer and the items cannot both come from standard input");
    }
    return parsed;
}

/// The library already reads RFC 3339 in an item's timestamp, so one item is enough of a parser.
std::optional<cupel::time_point> parse_rfc3339(const std::string& text) {
    if (text.find_first_not_of("0123456789+-:.TtZz ") != std::string::npos) {
        return std::nullopt;
    }
    cupel::batch batch;
    if (!batch.try_append_json(R"({"content": "now", "tokens": 0, "timestamp": ")" + text + "\"}")) {
        return std::nullopt;
    }
    return batch.item(0).timestamp();
}

cupel::time_point parse_now(const std::string& text) {
    if (const auto nanoseconds = parse_whole<std::int64_t>(text)) {
        return cupel::time_point(std::chrono::nanoseconds(*nanoseconds));
    }
    if (const auto instant = parse_rfc3339(text)) {
        return *instant;
    }
    throw failure("--now takes an instant such as 2026-03-14T15:09:26Z, or Unix nanoseconds, not " + quoted(text));
}

// ---- input ----------------------------------------------------------------------------------------------------------

std::string display_name(const std::string& path) { return path == "-" ? "standard input" : path; }

std::string read_file(const std::string& path) {
    std::ifstream file;
    if (path != "-") {
        file.open(path, std::ios::binary);
    }
    std::istream& stream = path == "-" ? std::cin : file;
    std::string text;
    char block[1 << 16];
    while (stream.read(block, sizeof block), stream.gcount() > 0) {
        text.append(block, static_cast<std::size_t>(stream.gcount()));
    }
    if (!stream.eof()) {
        throw failure(display_name(path) + ": cannot be read");
    }
    return text;
}

/// Says of which file, or of which step, the library spoke.
template <class Call>
auto about(const std::string& subject, Call call) {
    try {
        return call();
    } catch (const cupel::error& error) {
        throw failure(display_name(subject) + ": " + error.what() + " (" + cupel::status_name(error.status()) + ")");
    }
}

cupel::scorer read_scorer(const std::string& path, const cupel::clock& clock) {
    return about(path, [&] { return cupel::scorer::from_json(read_file(path), clock); });
}

cupel::batch read_items(const std::string& path) {
    cupel::batch batch;
    about(path, [&] { batch.append_json(read_file(path)); });
    if (batch.empty()) {
        throw failure(display_name(path) + ": there are no items");
    }
    return batch;
}

// ---- output ---------------------------------------------------------------------------------------------------------

/// The name of a reason as words: "budget", "negative tokens".
std::string words(cupel::reason reason) {
    std::string text = std::string(cupel::name(reason)).substr(std::string_view("CUPEL_REASON_").size());
    for (char& letter : text) {
        letter = letter == '_' ? ' ' : letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
    }
    return text;
}

void print_score(std::size_t row, double score) {
    if (std::isfinite(score)) {
        std::printf("{\"row\":%zu,\"score\":%.17g", row, score);  // 17 digits give back the same double
    } else {
        std::printf("{\"row\":%zu,\"score\":null", row);  // JSON has no infinity
    }
}

std::size_t character_size(std::string_view text) {
    const auto lead = static_cast<unsigned char>(text.front());
    const std::size_t size = lead < 0x80 ? 1 : lead < 0xE0 ? 2 : lead < 0xF0 ? 3 : 4;
    return (std::min)(size, text.size());
}

/// White space, and the characters that would move the cursor, start an escape sequence or change the direction of the
/// line.
bool shows_as_space(std::string_view character) {
    if (character.size() == 1) {
        return static_cast<unsigned char>(character[0]) <= 0x20 || character[0] == 0x7F;
    }
    const auto between = [character](std::string_view first, std::string_view last) {
        return character.size() == first.size() && character >= first && character <= last;
    };
    return between("\u0080", "\u00A0") || between("\u2028", "\u202E") || between("\u2066", "\u2069");
}

/// The text on one line in at most `width` characters, with three dots where it was cut; runs of spaces as one.
struct line {
    std::string text;
    std::size_t width = 0;
};

line fit(std::string_view text, std::size_t width) {
    line fitted;
    std::size_t size_before_dots = 0;
    bool space = false;
    while (!text.empty()) {
        const auto character = text.substr(0, character_size(text));
        text.remove_prefix(character.size());
        if (shows_as_space(character)) {
            space = fitted.width > 0;
            continue;
        }
        if (fitted.width + space + 1 > width) {
            fitted.text.resize(size_before_dots);
            fitted.text += "...";
            fitted.width = width;
            break;
        }
        if (space) {
            fitted.text += ' ';
            ++fitted.width;
            space = false;
        }
        fitted.text += character;
        ++fitted.width;
        if (fitted.width + 3 <= width) {
            size_before_dots = fitted.text.size();
        }
    }
    return fitted;
}

std::string format_age(cupel::time_point now, cupel::time_point timestamp) {
    const auto nanoseconds = [](cupel::time_point instant) {
        return static_cast<std::uint64_t>(instant.time_since_epoch().count());
    };
    const bool future = timestamp > now;
    const std::uint64_t age =
        future ? nanoseconds(timestamp) - nanoseconds(now) : nanoseconds(now) - nanoseconds(timestamp);
    const std::uint64_t seconds = age / 1'000'000'000;
    struct unit {
        std::uint64_t below, seconds;
        char name;
    };
    constexpr unit units[] = {{60, 1, 's'}, {3600, 60, 'm'}, {86400, 3600, 'h'}, {730 * 86400, 86400, 'd'}};
    unit shown{0, 365 * 86400, 'y'};
    for (auto each = std::rbegin(units); each != std::rend(units); ++each) {
        shown = seconds < each->below ? *each : shown;
    }
    return (future ? "-" : "") + std::to_string(seconds / shown.seconds) + shown.name;
}

/// Prints the columns of a row; a table of a choice has one with the reason.
void print_row(const cupel::item& item, std::size_t number, double score, const std::optional<std::string>& reason,
               cupel::time_point now) {
    const auto timestamp = item.timestamp();
    auto kind = fit(item.kind(), kind_width);
    kind.text.append(kind_width - kind.width, ' ');
    std::printf("%4zu  %8.6f  %7lld  %s  %5s  ", number, score, static_cast<long long>(item.tokens()), kind.text.c_str(),
                timestamp ? format_age(now, *timestamp).c_str() : "-");
    if (reason) {
        std::printf("%-*s  ", reason_width, reason->c_str());
    }
    std::printf("%s\n", fit(item.content(), reason ? budget_content_width : content_width).text.c_str());
}

// ---- the job --------------------------------------------------------------------------------------------------------

/// All rows, or the best of them, best first.
cupel::policy ranking(cupel::policy policy) {
    return policy.slicer(cupel::slicer::ranked).placer(cupel::placer::ranked).keep_duplicates();
}

void print_best(const cupel::batch& batch, const cupel::scorer& scorer, std::size_t most, cupel::time_point now) {
    const auto best = cupel::selector(ranking(cupel::policy(scorer))).select(batch, cupel::request::top(most));
    std::printf("%4s  %8s  %7s  %-*s  %5s  %s\n", "rank", "score", "tokens", static_cast<int>(kind_width), "kind",
                "age", "content");
    std::size_t rank = 0;
    for (const auto row : best.rows()) {
        print_row(batch[row], ++rank, best.score(row), std::nullopt, now);
    }
    std::printf("%zu of %zu items\n", rank, batch.size());
}

void print_bar(const cupel::selection& kept, std::int64_t budget) {
    const auto cells = [budget](std::int64_t tokens) {
        const double part = static_cast<double>(tokens) / static_cast<double>(budget) * bar_width;
        return static_cast<std::size_t>(tokens == 0 ? 0 : part < 1 ? 1 : part);
    };
    std::string bar(cells(kept.pinned_tokens()), '=');
    bar.append(cells(kept.kept_tokens() - kept.pinned_tokens()), '#').resize(bar_width, '.');
    std::printf("[%s]  %lld of %lld tokens, %lld of them pinned (=)\n", bar.c_str(),
                static_cast<long long>(kept.kept_tokens()), static_cast<long long>(budget),
                static_cast<long long>(kept.pinned_tokens()));
}

void print_choice(const cupel::batch& batch, const cupel::selection& kept, const options& options,
                  cupel::time_point now) {
    std::printf("kept, in the order of the prompt\n%4s  %8s  %7s  %-*s  %5s  %-*s  %s\n", "row", "score", "tokens",
                static_cast<int>(kind_width), "kind", "age", reason_width, "why", "content");
    for (const auto row : kept.rows()) {
        print_row(batch[row], row, kept.score(row), words(kept.reason(row)), now);
    }
    const auto dropped = batch.size() - kept.rows().size();
    if (dropped > 0) {
        std::printf("\ndropped, best first\n");
    }
    const auto ranked =
        cupel::selector(ranking(cupel::policy())).select(batch, cupel::request::top(0).scores(kept.scores()));
    std::size_t shown = 0;
    for (const auto row : ranked.rows()) {
        if (shown < options.best && !kept.kept(row)) {
            const auto cause = kept.cause(row);
            const bool is_duplicate = kept.reason(row) == cupel::reason::duplicate;
            print_row(batch[row], row, kept.score(row),
                      is_duplicate && cause ? "same as " + std::to_string(*cause) : words(kept.reason(row)), now);
            ++shown;
        }
    }
    if (dropped > shown) {
        std::printf("and %zu more\n", dropped - shown);
    }
    std::printf("\n");
    print_bar(kept, options.budget);
    std::printf("%zu of %zu items\n", kept.rows().size(), batch.size());
}

/// Keeps the best rows that fit, a tool call with its results, in the order of the batch.
cupel::selection choose(const cupel::batch& batch, const cupel::scorer& scorer, std::int64_t budget) {
    const auto policy = cupel::policy(scorer)
                            .slicer(cupel::slicer::ranked)
                            .placer(cupel::placer::batch_order)
                            .pinned_first()
                            .group_key("cupel:group");
    return cupel::selector(policy).select(batch, cupel::request(budget));
}

void rank(const options& options) {
    // One instant for the decay scorers and for the column of ages.
    const cupel::time_point now = options.now ? parse_now(*options.now) : std::chrono::system_clock::now();
    const auto scorer = read_scorer(options.scorer_path, cupel::clock::fixed(now));
    const auto batch = read_items(options.items_path);
    if (options.budget != 0) {
        const auto kept = about("selecting", [&] { return choose(batch, scorer, options.budget); });
        if (!options.json) {
            print_choice(batch, kept, options, now);
            return;
        }
        for (std::size_t row = 0; row < batch.size(); ++row) {
            print_score(row, kept.score(row));
            std::printf(",\"kept\":%s,\"reason\":\"%s\"}\n", kept.kept(row) ? "true" : "false",
                        words(kept.reason(row)).c_str());
        }
    } else if (options.json) {
        const auto scores = about("scoring", [&] { return scorer.score(batch); });
        for (std::size_t row = 0; row < scores.size(); ++row) {
            print_score(row, scores[row]);
            std::printf("}\n");
        }
    } else {
        about("selecting", [&] { print_best(batch, scorer, options.best, now); });
    }
}

}  // namespace

int main(int argc, char** argv) {
    try {
        const auto options = parse_options({argv + 1, argv + argc});
        if (options.help) {
            std::fwrite(help.data(), 1, help.size(), stdout);
        } else {
            rank(options);
        }
        if (std::fflush(stdout) != 0 || std::ferror(stdout)) {
            throw failure("standard output: cannot be written");
        }
    } catch (const std::exception& error) {
        std::fprintf(stderr, "rank: %s\n", error.what());
        return EXIT_FAILURE;
    }
    return EXIT_SUCCESS;
}
