// SPDX-License-Identifier: MIT OR Apache-2.0
// Runs the conformance vectors through the binding: the `.toml` files below tests/conformance, or below the directory
// that CUPEL_CONFORMANCE_DIR names. A directory of one's own may hold files of other stages, which are named and
// skipped, and fields that are not known here, which are ignored.

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>

#include "conformance_values.hpp"
#include "conformance_vector.hpp"

namespace fs = std::filesystem;
using conformance::complaints;
using conformance::unknown_fields;

namespace {

struct report {
    std::size_t run = 0;
    std::vector<std::string> skipped;
    complaints failures;
};

report run_directory(const fs::path& directory, unknown_fields unknown) {
    std::vector<fs::path> paths;
    for (const auto& entry : fs::recursive_directory_iterator(directory)) {
        if (entry.is_regular_file() && entry.path().extension() == ".toml") {
            paths.push_back(entry.path());
        }
    }
    std::sort(paths.begin(), paths.end());
    report all;
    for (const auto& path : paths) {
        const std::string name = path.lexically_relative(directory).string();
        std::ifstream file(path, std::ios::binary);
        const std::string text{std::istreambuf_iterator<char>(file), {}};
        const auto found = file ? conformance::run(text, unknown) : complaints{"cannot be read"};
        if (!found) {
            all.skipped.push_back(name);
            continue;
        }
        ++all.run;
        for (const auto& complaint : *found) {
            all.failures.push_back(name + ": " + complaint);
        }
    }
    return all;
}

const char* const passing = R"(
[test]
name = "a hint is the score"
stage = "scoring"
scorer = "reflexive"
[[items]]
content = "a"
tokens = 1
futureRelevanceHint = 0.25
[[expected]]
content = "a"
score_approx = 0.25
[tolerance]
exact = true
)";

std::string replaced(std::string text, std::string_view from, std::string_view to) {
    const auto at = text.find(from);
    REQUIRE(at != std::string::npos);
    return text.replace(at, from.size(), to);
}

/// Whether the passing vector, changed, makes the runner complain about this.
bool complains(std::string_view from, std::string_view to, const std::string& about) {
    const auto found = conformance::run(replaced(passing, from, to), unknown_fields::refuse);
    REQUIRE(found);
    return std::any_of(found->begin(), found->end(),
                       [&](const auto& complaint) { return complaint.find(about) != std::string::npos; });
}

}  // namespace

TEST_CASE("every conformance vector holds") {
    const char* elsewhere = std::getenv("CUPEL_CONFORMANCE_DIR");
    const bool own = elsewhere == nullptr || *elsewhere == '\0';
    const fs::path directory = own ? fs::path(CUPEL_OWN_CONFORMANCE_DIR) : fs::path(elsewhere);
    const auto found = run_directory(directory, own ? unknown_fields::refuse : unknown_fields::ignore);
    for (const auto& name : found.skipped) {
        std::cout << "skipped, of an unknown stage: " << name << "\n";
    }
    std::cout << "conformance: " << found.run << " vectors ran, " << found.skipped.size() << " files skipped, "
              << found.failures.size() << " failures (" << directory.string() << ")\n";
    CHECK_MESSAGE(found.run > 0, "there is no vector");
    for (const auto& failure : found.failures) {
        FAIL_CHECK(failure);
    }
    if (own) {
        CHECK_MESSAGE(found.skipped.empty(), "the project's own vectors are of known stages");
    }
}

TEST_CASE("the runner accepts a passing vector") {
    CHECK(conformance::run(passing, unknown_fields::refuse) == complaints{});
}

TEST_CASE("the runner tells the last bit") {
    CHECK(complains("score_approx = 0.25", "score_approx = 0.25000000000000006", "expected"));
    CHECK(complains("score_approx = 0.25", "score_approx = nan", "expected"));
    CHECK(complains("score_approx = 0.25", "score_bits = \"0x3fd0000000000001\"", "expected"));
    CHECK(complains("futureRelevanceHint = 0.25", "futureRelevanceHint = 0.5", "expected"));
    CHECK(complains("score_approx = 0.25", "score_approx = 0.25\nfutureRelevanceHint = -0.0", "futureRelevanceHint"));
}

TEST_CASE("the runner keeps to the tolerance") {
    const auto within = [](std::string_view tolerance, std::string_view score) {
        const auto text =
            replaced(replaced(passing, "exact = true", tolerance), "approx = 0.25", "approx = " + std::string(score));
        return conformance::run(text, unknown_fields::refuse)->empty();
    };
    CHECK(within("score_epsilon = 1e-3", "0.2509"));
    CHECK_FALSE(within("score_epsilon = 1e-3", "0.2511"));
    CHECK(within("score_ulps = 1", "0.25000000000000006"));
    CHECK_FALSE(within("score_ulps = 1", "0.2500000000000001"));
}

TEST_CASE("the runner wants every row and no other") {
    CHECK(complains("[[expected]]", "[[items]]\ncontent='b'\ntokens=1\n[[expected]]", "2 items and 1"));
    CHECK(complains("content = \"a\"\nscore", "content = \"b\"\nscore", "no item has"));
    CHECK(complains("score_approx = 0.25", "score_approx = 0.25\nkind = 'Memory'", "kind is Message"));
}

TEST_CASE("the runner refuses what is not of the form") {
    CHECK(complains("tokens = 1", "tokens = 1\nprioriti = 3", "prioriti"));
    CHECK(complains("tokens = 1", "tokens = \"1\"", "tokens"));
    CHECK(complains("exact = true", "exakt = true", "exakt"));
    CHECK(complains("scorer = \"reflexive\"", "scorer = \"reflex\"", "reflex"));
    CHECK(complains("[[items]]", "[config]\nboost = 2.0\n[[items]]", "boost"));
    CHECK(complains("[test]", "[tset]", "no [test]"));
    CHECK(complains("[test]", "[test", "not TOML"));
    CHECK(complains("tokens = 1", "tokens = 1\ntimestamp = 2024-06-15T00:00:00", "offset"));
}

TEST_CASE("the runner wants the error that is expected") {
    CHECK(complains("scorer = \"reflexive\"", "scorer = \"reflexive\"\nexpect_construction_error = true",
                    "the scorer was not refused"));
    const std::string refused = R"(
[test]
name = "a default above one"
stage = "scoring"
scorer = "metadata_trust"
expect_construction_error = true
[config]
default_score = 1.25
[error]
status = "INVALID_ARGUMENT"
argument = "default_score"
value = 1.25
)";
    CHECK(conformance::run(refused, unknown_fields::refuse) == complaints{});
    CHECK(conformance::run(replaced(refused, "INVALID", "NULL"), unknown_fields::refuse)->size() == 1);
    CHECK(conformance::run(replaced(refused, "\"default_score\"", "\"boost\""), unknown_fields::refuse)->size() == 1);
    CHECK(conformance::run(replaced(refused, "value = 1.25", "value = 1.5"), unknown_fields::refuse)->size() == 1);
    CHECK(conformance::run(replaced(refused, "value = 1.25", "position = 7"), unknown_fields::refuse)->size() == 1);
}

TEST_CASE("the runner reads datetimes to the nanosecond") {
    const auto agrees = [](std::string_view datetime, std::string_view nanoseconds) {
        auto text = replaced(passing, "tokens = 1", "tokens = 1\ntimestamp = " + std::string(datetime));
        text = replaced(text, "score_approx = 0.25", "score_approx = 0.25\ntimestamp_ns = " + std::string(nanoseconds));
        return conformance::run(text, unknown_fields::refuse) == complaints{};
    };
    CHECK(agrees("1970-01-01T00:00:00Z", "0"));
    CHECK_FALSE(agrees("1970-01-01T00:00:00Z", "1"));
    CHECK(agrees("1969-12-31T23:59:59.999999999Z", "-1"));
    CHECK(agrees("2000-02-29T12:00:00.000000001+01:30", "951820200000000001"));
    CHECK(agrees("1677-09-21T00:12:43.145224192Z", "-9223372036854775808"));
    CHECK(agrees("2262-04-11T23:47:16.854775807Z", "9223372036854775807"));
}

TEST_CASE("the runner skips other stages, and finds nothing in an empty directory") {
    CHECK_FALSE(conformance::run(replaced(passing, "\"scoring\"", "\"streaming\""), unknown_fields::ignore));
    CHECK(conformance::run(replaced(passing, "tokens = 1", "tokens = 1\nnewer = 3"), unknown_fields::ignore) ==
          complaints{});
    CHECK_THROWS(run_directory("/nonexistent", unknown_fields::ignore));
}

TEST_CASE("metadata values are what they are in every language") {
    CHECK(conformance::run_values(CUPEL_OWN_CONFORMANCE_DIR "/values.json") > 120);
}
