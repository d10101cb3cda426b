// SPDX-License-Identifier: MIT OR Apache-2.0
// Every scorer and clock, and every refusal. What they score is for the conformance vectors to say in full.

#include <array>
#include <limits>
#include <thread>

#include "support.hpp"

TEST_SUITE("scorer") {
    using namespace std::chrono_literals;
    using cupel::clock;
    using cupel::scorer;
    using tests::at;
    using scores = std::vector<double>;

    constexpr double infinite = std::numeric_limits<double>::infinity();

    static cupel::batch one(const cupel::item_builder& builder) {
        cupel::batch batch;
        batch.push(builder.build());
        return batch;
    }

    TEST_CASE("of every type scores") {
        cupel::batch batch;
        batch.push(cupel::item_builder("a", 1)
                       .kind("document")
                       .tags({"x", "y"})
                       .priority(5)
                       .timestamp(at(0))
                       .future_relevance_hint(2)
                       .metadata("cupel:trust", "0.25")
                       .build());
        batch.push(cupel::item_builder("b", 1).tag("X").priority(7).timestamp(at(0) + 1h).metadata("k", "v").build());
        batch.push(cupel::item_builder("c", 1).build());
        const auto now = clock::fixed(at(0) + 2h);
        const std::vector<cupel::weight> weights{{"x", 1}, {"y", 2}, {"z", 1}};
        const std::vector<cupel::decay_step> steps{{90min, 0.75}, {24h, 0.5}};

        CHECK(scorer::recency().score(batch) == scores{0, 1, 0});
        CHECK(scorer::priority().score(batch) == scores{0, 1, 0});
        CHECK(scorer::frequency().score(batch) == scores{0.5, 0.5, 0});
        CHECK(scorer::reflexive().score(batch) == scores{1, 0, 0});
        CHECK(scorer::kind_default().score(batch) == scores{0.4, 0.2, 0.2});
        CHECK(scorer::kind({{"DOCUMENT", 3}}).score(batch) == scores{3, 0, 0});
        CHECK(scorer::kind({}).score(batch) == scores{0, 0, 0});
        CHECK(scorer::tag(weights).score(batch) == scores{0.75, 0, 0});
        CHECK(scorer::tag({{"x", 1}, {"y", 2}, {"z", 1}}, cupel::text_match::ascii_case_insensitive).score(batch) ==
              scores{0.75, 0.25, 0});
        CHECK(scorer::metadata_trust().score(batch) == scores{0.25, 0.5, 0.5});
        CHECK(scorer::metadata_trust(1).score(batch) == scores{0.25, 1, 1});
        CHECK(scorer::metadata_key("k", "v", 1.5).score(batch) == scores{1, 1.5, 1});
        CHECK(scorer::decay_exponential(now, 1h).score(batch) == scores{0.25, 0.5, 0.5});
        CHECK(scorer::decay_window(now, 2h, 0.125).score(batch) == scores{0, 1, 0.125});
        CHECK(scorer::decay_step(now, steps, 1).score(batch) == scores{0.5, 0.75, 1});
        CHECK(scorer::decay_step(now, {{90min, 0.75}}).score(batch) == scores{0.75, 0.75, 0.5});
        CHECK(scorer::composite({{scorer::recency(), 1}, {scorer::metadata_key("k", "v", 2), 3}}).score(batch) ==
              scores{0.75, 1.75, 0.75});
        CHECK(scorer::scaled(scorer::metadata_trust()).score(batch) == scores{0, 1, 1});
    }

    TEST_CASE("scores into memory of the caller, and single rows") {
        const auto batch = tests::batch_at({3, 1, 2});
        const auto recency = scorer::recency();
        double into[3] = {};
        recency.score_into(batch, into);
        CHECK(into[2] == 0.5);
        scores more(3);
        recency.score_into(batch.view(), more);
        CHECK(more == scores{1, 0, 0.5});
        CHECK(recency.score_row(batch, 0) == 1);
        CHECK(recency.try_score_row(batch, 2).value() == 0.5);
        CHECK(recency.score(cupel::batch()).empty());

        double two[2] = {7, 7};
        CHECK_FAILS_AS_C(length_mismatch, cupel_scorer_score_batch(recency.get(), batch.get(), two, 2, out_error),
                         recency., score_into, batch, two);
        CHECK(two[0] == 7);
        double score = 0;
        CHECK_FAILS_AS_C(out_of_range, cupel_scorer_score_row(recency.get(), batch.get(), 3, &score, out_error),
                         recency., score_row, batch, 3);
    }

    TEST_CASE("keeps its own share of its children and its clock") {
        const auto built = [] {
            const auto now = clock::fixed(at(0) + 1h);
            const auto decay = scorer::decay_exponential(now, 1h);
            std::vector<cupel::weighted_scorer> children;
            children.emplace_back(decay, 1);
            children.emplace_back(decay, 1);
            children.emplace_back(scorer::scaled(decay), 2);  // nameless: kept
            CHECK(children.front().get() == decay.get());
            children.push_back(std::move(children.front()));
            children.erase(children.begin());
            return scorer::composite(children);
        }();
        CHECK(built.score(one(cupel::item_builder("a", 1).timestamp(at(0)))) == scores{0.5});
    }

    TEST_CASE("is made of lists of children, which may be copied") {
        const auto batch = tests::batch_at({3, 1, 2});
        const auto recency = scorer::recency();
        const std::vector<cupel::weighted_scorer> children{{recency, 1}, {scorer::recency(), 3}};
        auto copies = children;
        copies.push_back({scorer::scaled(recency), 4});
        copies.insert(copies.end(), children.begin(), children.end());
        const auto expected = recency.score(batch);
        CHECK(scorer::composite(children).score(batch) == expected);
        CHECK(scorer::composite(copies).score(batch) == expected);
        const std::array<cupel::weighted_scorer, 1> one_child{{{scorer::recency(), 1}}};
        CHECK(scorer::composite(one_child).score(batch) == expected);
    }

    TEST_CASE("shows what it is made of") {
        const auto batch = tests::batch_at({3, 1, 2});
        const auto tree = scorer::composite({{scorer::recency(), 1}, {scorer::scaled(scorer::priority()), 3}});
        CHECK(tree.type() == "composite");
        REQUIRE(tree.child_count() == 2);
        const auto first = tree.child(0);
        const auto second = tree.child(1);
        CHECK(first.scorer.type() == "recency");
        CHECK(first.weight == 0.25);
        CHECK(second.scorer.type() == "scaled");
        CHECK(second.scorer.child(0).scorer.type() == "priority");
        CHECK(second.scorer.child(0).weight == 1);
        const auto whole = tree.score(batch);
        const auto of_first = first.scorer.score(batch);
        const auto of_second = second.scorer.score(batch);
        for (std::size_t row = 0; row < batch.size(); ++row) {
            CHECK(whole[row] == (0 + of_first[row] * first.weight) + of_second[row] * second.weight);
        }
        CHECK(scorer::custom([](cupel::batch_view, cupel::span<double>) {}).type() == "custom");
        cupel_scorer* raw = nullptr;
        CHECK_FAILS_AS_C(out_of_range, cupel_scorer_child(tree.get(), 2, &raw, nullptr, out_error), tree., child, 2);
        CHECK(scorer::recency().child_count() == 0);
    }

    TEST_CASE("comes from JSON and goes to JSON") {
        const auto batch = one(cupel::item_builder("a", 1).timestamp(at(0)));
        const auto now = clock::fixed(at(0) + 1h);
        const std::string json = R"({"type": "decay", "curve": {"exponential": {"halfLife": "1h"}}})";
        const auto decay = scorer::from_json(json, now);
        CHECK(decay.score(batch) == scores{0.5});
        CHECK(scorer::from_json(decay.to_json(), now).score(batch) == scores{0.5});
        CHECK(scorer::from_json(json).score(batch)[0] < 1e-9);
        CHECK(scorer::from_json(decay.to_json()).to_json() == decay.to_json());

        cupel_scorer* raw = nullptr;
        const std::string bad = R"({"type": "tag", "tagWeights": {"urgent": -1}})";
        CHECK_FAILS_AS_C(invalid_json, cupel_scorer_from_json(bad.data(), bad.size(), nullptr, &raw, out_error),
                         scorer::, from_json, bad);
        CHECK_FAILS_AS_C(invalid_json, cupel_scorer_from_json(bad.data(), bad.size(), now.get(), &raw, out_error),
                         scorer::, from_json, bad, now);
        CHECK_FAILS_AS_C(invalid_json, cupel_scorer_from_json("{", 1, nullptr, &raw, out_error), scorer::, from_json,
                         "{");
        const auto custom = scorer::custom([](cupel::batch_view, cupel::span<double>) {});
        cupel_text* text = nullptr;
        CHECK_FAILS_AS_C(invalid_argument, cupel_scorer_to_json(custom.get(), &text, out_error), custom., to_json, );
    }

    TEST_CASE("is refused with the words of the C interface") {
        cupel_scorer* raw = nullptr;
        const auto now = clock::system();
        const auto negative = std::vector<cupel::weight>{{"ok", 1}, {"bad", -1}};
        const cupel_weight c_negative[] = {{"ok", 2, 1}, {"bad", 3, -1}};
        CHECK_FAILS_AS_C(invalid_argument, cupel_scorer_kind_new(c_negative, 2, &raw, out_error), scorer::, kind,
                         negative);
        CHECK_FAILS_AS_C(invalid_argument, cupel_scorer_tag_new(c_negative, 2, 0, &raw, out_error), scorer::, tag,
                         negative);
        CHECK_FAILS_AS_C(out_of_range, cupel_scorer_tag_new(c_negative, 1, 9, &raw, out_error), scorer::, tag,
                         {negative.data(), 1}, static_cast<cupel::text_match>(9));
        const auto blank = std::vector<cupel::weight>{{" ", 1}};
        const cupel_weight c_blank[] = {{" ", 1, 1}};
        CHECK_FAILS_AS_C(empty_kind, cupel_scorer_kind_new(c_blank, 1, &raw, out_error), scorer::, kind, blank);
        const auto not_utf8 = std::vector<cupel::weight>{{"\xff", 1}};
        const cupel_weight c_not_utf8[] = {{"\xff", 1, 1}};
        CHECK_FAILS_AS_C(invalid_utf8, cupel_scorer_tag_new(c_not_utf8, 1, 0, &raw, out_error), scorer::, tag,
                         not_utf8);
        const auto twice = std::vector<cupel::weight>{{"memory", 1}, {"Memory", 2}};
        const cupel_weight c_twice[] = {{"memory", 6, 1}, {"Memory", 6, 2}};
        CHECK_FAILS_AS_C(invalid_argument, cupel_scorer_kind_new(c_twice, 2, &raw, out_error), scorer::, kind, twice);
        scorer::tag(twice);

        CHECK_FAILS_AS_C(invalid_argument, cupel_scorer_metadata_trust_new(1.5, &raw, out_error), scorer::,
                         metadata_trust, 1.5);
        CHECK_FAILS_AS_C(invalid_argument, cupel_scorer_metadata_key_new("k", 1, "v", 1, 0, &raw, out_error), scorer::,
                         metadata_key, "k", "v", 0);
        CHECK_FAILS_AS_C(invalid_utf8, cupel_scorer_metadata_key_new("\xff", 1, "v", 1, 1, &raw, out_error), scorer::,
                         metadata_key, "\xff", "v", 1);
        CHECK_FAILS_AS_C(invalid_argument, cupel_scorer_decay_exponential_new(now.get(), 0, 0.5, &raw, out_error),
                         scorer::, decay_exponential, now, 0h);
        CHECK_FAILS_AS_C(invalid_argument,
                         cupel_scorer_decay_exponential_new(now.get(), -3600000000000, 0.5, &raw, out_error), scorer::,
                         decay_exponential, now, -1h);
        CHECK_FAILS_AS_C(invalid_argument, cupel_scorer_decay_window_new(now.get(), 1, infinite, &raw, out_error),
                         scorer::, decay_window, now, 1ns, infinite);
        const auto steps = std::vector<cupel::decay_step>{{2ns, 1}, {1ns, 0.5}};
        const cupel_decay_step c_steps[] = {{2, 1}, {1, 0.5}};
        CHECK_FAILS_AS_C(invalid_argument, cupel_scorer_decay_step_new(now.get(), c_steps, 2, 0.5, &raw, out_error),
                         scorer::, decay_step, now, steps);
        CHECK_FAILS_AS_C(invalid_argument, cupel_scorer_decay_step_new(now.get(), c_steps, 0, 0.5, &raw, out_error),
                         scorer::, decay_step, now, {});

        const auto child = scorer::recency();
        const cupel_scorer* c_children[] = {child.get(), nullptr};
        const double c_weights[] = {infinite, 1};
        CHECK_FAILS_AS_C(invalid_argument, cupel_scorer_composite_new(c_children, c_weights, 1, &raw, out_error),
                         scorer::, composite, {{child, infinite}});
        CHECK_FAILS_AS_C(invalid_argument, cupel_scorer_composite_new(c_children, c_weights, 0, &raw, out_error),
                         scorer::, composite, {});
        CHECK(raw == nullptr);
    }

    TEST_CASE("is an error to use when moved from") {
        auto gone = scorer::recency();
        const auto taken = std::move(gone);
        auto no_clock = clock::system();
        const auto taken_clock = std::move(no_clock);
        const auto batch = tests::batch_at({1});
        cupel_scorer* raw = nullptr;
        double score = 0;
        CHECK_FAILS_AS_C(null_argument, cupel_scorer_score_batch(nullptr, batch.get(), &score, 1, out_error), gone.,
                         score, batch);
        CHECK_FAILS(null_argument, gone., score_into, batch, {&score, 1});
        CHECK_FAILS(null_argument, gone., score_row, batch, 0);
        CHECK_FAILS(null_argument, gone., to_json, );
        CHECK_FAILS_AS_C(null_argument, cupel_scorer_scaled_new(nullptr, &raw, out_error), scorer::, scaled, gone);
        const cupel_scorer* c_children[] = {taken.get(), nullptr};
        const double c_weights[] = {1, 1};
        CHECK_FAILS_AS_C(null_argument, cupel_scorer_composite_new(c_children, c_weights, 2, &raw, out_error), scorer::,
                         composite, {{taken, 1}, {gone, 1}});
        CHECK_FAILS_AS_C(null_argument, cupel_scorer_decay_window_new(nullptr, 1, 0.5, &raw, out_error), scorer::,
                         decay_window, no_clock, 1ns);
        CHECK_FAILS(null_argument, scorer::, decay_exponential, no_clock, 1ns);
        CHECK_FAILS(null_argument, scorer::, decay_step, no_clock, {{1ns, 1}});
    }

    TEST_CASE("clamps durations to the longest that there is") {
        const auto batch = one(cupel::item_builder("a", 1).timestamp((cupel::time_point::min)()));
        const auto window = scorer::decay_window(clock::fixed((cupel::time_point::max)()), (std::chrono::hours::max)());
        CHECK(window.score(batch) == scores{0});  // The age saturates too, and is not below the longest.
        const auto present = one(cupel::item_builder("a", 1).timestamp(at(0)));
        CHECK(scorer::decay_window(clock::fixed(at(1)), (std::chrono::hours::max)()).score(present) == scores{1});
    }

    TEST_CASE("scores on many threads at once") {
        std::vector<std::int64_t> timestamps;
        cupel::columns rows;
        for (std::int64_t row = 0; row < 500; ++row) {
            rows.add("text", 1).timestamp(at(row * 7919 % 503)).priority(row % 11).tag(std::to_string(row % 5));
        }
        cupel::batch batch;
        batch.append(rows);
        const auto custom = scorer::custom([](cupel::batch_view view, cupel::span<double> out) {
            for (std::size_t row = 0; row < out.size(); ++row) {
                out[row] = static_cast<double>(view.item(row).priority().value());
            }
        });
        const auto tree = scorer::composite({{scorer::recency(), 1}, {scorer::frequency(), 2}, {custom, 1}});
        const auto expected = tree.score(batch);
        std::vector<std::thread> threads;
        std::vector<int> same(4);
        for (auto& count : same) {
            threads.emplace_back([&] {
                for (int round = 0; round < 20; ++round) {
                    count += tree.score(batch) == expected;
                }
            });
        }
        for (auto& thread : threads) {
            thread.join();
        }
        CHECK(same == std::vector<int>{20, 20, 20, 20});
    }
}
