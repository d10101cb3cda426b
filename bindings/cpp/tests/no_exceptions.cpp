// SPDX-License-Identifier: MIT OR Apache-2.0
// The style that does not throw, built with -fno-exceptions.

#include <cupel.hpp>

#include <cstdio>
#include <string>
#include <vector>

namespace {

int failures = 0;

void check(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "no_exceptions: %s\n", what);
        ++failures;
    }
}

}  // namespace

int main() {
    using cupel::batch_view;
    using cupel::scorer;
    using cupel::span;

    check(!cupel::item_builder::try_create("", 1), "an empty content was accepted");
    auto builder = cupel::item_builder::try_create("text", 1);
    check(builder.has_value(), "a builder could not be made");
    check(builder->try_kind(" ").error().status() == cupel::status::empty_kind, "a blank kind was accepted");
    check(builder->try_priority(3).has_value(), "a priority was not accepted");
    auto item = builder->try_build();
    auto batch = cupel::batch::try_create(1);
    check(batch->try_push(*item).has_value(), "an item was not accepted");

    const auto scores = scorer::try_priority()->try_score(*batch);
    check(scores && (*scores)[0] == 1.0, "the score is wrong");
    const auto failing = scorer::try_custom([](batch_view, span<double>) { return cupel::status::panic; });
    check(failing->try_score(*batch).error().status() == cupel::status::callback_failed, "a failure was lost");
    const auto nested = scorer::try_custom(
        [](batch_view rows, span<double>) { return scorer::try_recency()->try_score_into(rows, {}); });
    check(!nested->try_score(*batch), "a nested failure was lost");

    // A failure says why, also through a scorer that passes it on.
    const auto explained = scorer::try_custom([](batch_view, span<double>) {
        return cupel::result<void>(cupel::error(cupel::status::invalid_argument, "no model"));
    });
    const auto passes_on = scorer::try_custom(
        [&](batch_view rows, span<double> out) { return explained->try_score_into(rows, out); });
    const std::string why = "the score callback failed with status 3: no model";
    check(explained->try_score(*batch).error().what() == why, "a message was lost");
    check(passes_on->try_score(*batch).error().what() == "the score callback failed with status 9: " + why,
          "the message of a nested failure was lost");
    const auto odd = scorer::try_custom(
        [](batch_view, span<double>) { return cupel::result<void>(cupel::error(cupel::status::ok, "odd")); });
    check(!odd->try_score(*batch), "an error with status ok was taken for success");

    // Reading by column, removing rows, groups and JSON.
    check(batch->try_read_priority()->values == std::vector<std::int64_t>{3}, "a priority was not read");
    check(batch->try_read_tokens(2).error().status() == cupel::status::out_of_range,
          "a row that is not there was read");
    const auto by_column = scorer::try_custom([](batch_view rows, span<double>) {
        std::int64_t priorities[2] = {};
        return rows.try_read_priority_into(0, priorities);
    });
    check(!by_column->try_score(*batch), "a failure of a reader was lost");
    check(scorer::try_priority()->try_score_groups(*batch, {0, 1}).has_value(), "a group was not scored");
    check(!scorer::try_priority()->try_score_groups(*batch, {0, 2}), "wrong groups were accepted");
    check(scorer::try_priority()->try_columns()->contains(cupel::column::priority), "a column is missing");
    check(!batch->try_retain_rows({1}), "a row that is not there was kept");
    const auto json = batch->try_to_json();
    check(
        json && batch->try_keep_last(0).has_value() && batch->try_append_json(*json).has_value() && batch->size() == 1,
        "JSON was not read back");
    const ArrowSchema schema{};
    const ArrowArray array{};
    check(batch->try_append_arrow(schema, array).error().status() == cupel::status::invalid_argument,
          "a released table was accepted");

    std::printf("no_exceptions: %d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
