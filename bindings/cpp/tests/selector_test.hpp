// SPDX-License-Identifier: MIT OR Apache-2.0
// Policies, requests and selections. What is selected is for the tests of the library to say in full.

#include <limits>
#include <sstream>
#include <stdexcept>
#include <thread>

#include "support.hpp"

TEST_SUITE("selector") {
    using cupel::policy;
    using cupel::reason;
    using cupel::request;
    using cupel::scorer;
    using cupel::selection;
    using cupel::selector;
    using row_list = std::vector<std::uint32_t>;

    static row_list rows_of(const selection& made) { return {made.rows().begin(), made.rows().end()}; }

    /// A chat: a pinned system prompt, turns, a tool call with its result, a duplicate and a row that was counted wrong.
    static cupel::batch chat() {
        cupel::columns rows;
        const auto at = [](std::int64_t second) { return tests::at(second * 1'000'000'000); };
        rows.add("You are a helpful assistant.", 10).kind("SystemPrompt").pinned();
        rows.add("Why does the deploy fail?", 20).timestamp(at(1)).priority(1);
        rows.add("call: read the log", 15).timestamp(at(2)).metadata("cupel:group", "call-1").priority(5);
        rows.add("log: out of disk", 40).timestamp(at(3)).metadata("cupel:group", "call-1").kind("ToolOutput");
        rows.add("Why does the deploy fail?", 20).timestamp(at(4)).priority(2);
        rows.add("broken", -1).timestamp(at(5));
        rows.add("Free some space.", 0).timestamp(at(6)).priority(0);
        cupel::batch batch;
        batch.append(rows);
        return batch;
    }

    TEST_CASE("keeps what fits, and says why of every row") {
        const auto batch = chat();
        const selector keep(policy(scorer::priority()).placer(cupel::placer::batch_order));
        const auto made = keep.select(batch, request(40));
        CHECK(rows_of(made) == row_list{0, 2, 6});
        CHECK(made.batch_size() == 7);
        CHECK(made.reason(0) == reason::pinned);
        CHECK(made.reason(1) == reason::duplicate);
        CHECK(made.cause(1) == 4U);
        CHECK(made.reason(2) == reason::scored);
        CHECK(made.reason(4) == reason::budget);
        CHECK(made.reason(5) == reason::negative_tokens);
        CHECK(made.reason(6) == reason::zero_tokens);
        CHECK_FALSE(made.cause(2));
        CHECK(made.kept(6));
        CHECK_FALSE(made.kept(5));
        CHECK(made.score(0) == 1);
        CHECK(made.scores().size() == 7);
        CHECK(made.kept_tokens() == 25);
        CHECK(made.pinned_tokens() == 10);
        CHECK(made.considered_tokens() == 104);
        CHECK(made.effective_target() == 30);
        CHECK(made.available_tokens() == 15);
        CHECK(made.overflow_tokens() == 0);
        CHECK(made.shortfalls().empty());
        CHECK_FALSE(made.stable());

        std::string kept;
        for (const auto& item : made.items(batch)) {
            kept.append(item.content()).append("|");
        }
        CHECK(kept == "You are a helpful assistant.|call: read the log|Free some space.|");
        const auto dropped = made.dropped();
        REQUIRE(dropped.size() == 4);
        CHECK(dropped[0].row == 1);
        CHECK(dropped[0].reason == reason::duplicate);
        CHECK(dropped[0].cause == 4U);
        CHECK(dropped[3].row == 5);
        CHECK(dropped[3].score == 0);
        std::ostringstream out;
        out << made.reason(4) << " " << cupel::name(made.reason(0));
        CHECK(out.str() == "CUPEL_REASON_BUDGET CUPEL_REASON_PINNED");
        CHECK_THROWS_WITH_AS(made.reason(7), "row is 7: there are 7, counted from 0", cupel::error);
    }

    TEST_CASE("follows its policy") {
        const auto batch = chat();
        const auto select = [&](const policy& policy, const request& request) {
            return rows_of(selector(policy).select(batch, request));
        };
        const auto by_priority = policy(scorer::priority()).placer(cupel::placer::batch_order);
        auto changed = by_priority;
        CHECK(select(changed.keep_duplicates(), request(50)) == row_list{0, 2, 4, 6});
        CHECK(select(changed.group_key("cupel:group"), request(50)) == row_list{0, 1, 4, 6});
        CHECK(select(changed.slicer(cupel::slicer::ranked), request(70)) == row_list{0, 2, 3, 6});
        CHECK(select(changed.slicer(cupel::slicer::prefix), request(50)) == row_list{0});
        changed = by_priority;
        CHECK(select(changed.placer(cupel::placer::chronological), request(1000)) == row_list{2, 3, 4, 6, 0});
        CHECK(select(changed.pinned_first(), request(1000)) == row_list{0, 2, 3, 4, 6});
        changed = by_priority;
        CHECK(select(changed.duplicate_key("no such key"), request(1000)) == row_list{0, 1, 2, 3, 4, 6});
        changed = by_priority;
        CHECK(select(changed.quotas({{"ToolOutput", 50, 100}, {"Message", 0, 20}}), request(110)) == row_list{0, 2, 3, 6});
        changed = by_priority;
        const std::vector<cupel::count_quota> counts{{"TOOLOUTPUT", 1}, {"Message", 0, 1}};
        CHECK(select(changed.count_quotas(counts), request(1000)) == row_list{0, 3, 6});
    }

    TEST_CASE("takes a request") {
        const auto batch = chat();
        const selector keep(policy().slicer(cupel::slicer::ranked).placer(cupel::placer::ranked).keep_duplicates());
        const std::vector<double> scores{0, 1, 2, 3, 4, 5, 6};
        const auto select = [&](const request& request) { return rows_of(keep.select(batch, request)); };
        CHECK(select(request(1000).scores(scores)) == row_list{6, 4, 3, 2, 0, 1});
        CHECK(select(request(1000).scores(scores).max_rows(3)) == row_list{6, 4, 0});
        CHECK(select(request(1000).scores(scores).target(70)) == row_list{6, 4, 3, 0});
        CHECK(select(request(100).scores(scores).output_reserve(30)) == row_list{6, 4, 3, 0});
        CHECK(select(request(100).scores(scores).reserved(30)) == row_list{6, 4, 3, 0});
        CHECK(select(request(130).scores(scores).safety_margin_percent(50)) == row_list{6, 4, 3, 0});
    }

    TEST_CASE("leaves the front as it was while there is room") {
        auto batch = chat();
        const selector keep(
            policy(scorer::recency()).slicer(cupel::slicer::prefix).placer(cupel::placer::batch_order).group_key("cupel:group"));
        selection kept;
        CHECK(kept.rows().empty());
        CHECK(kept.batch_size() == 0);
        keep.select(batch, request(200).target(60), kept);
        const auto before = rows_of(kept);
        CHECK_FALSE(kept.stable());
        batch.push(cupel::item_builder("Done.", 50).timestamp(tests::at(10'000'000'000)).build());
        keep.select(batch, request(200).target(60).previous(kept), kept);
        CHECK(kept.stable());
        auto expected = before;
        expected.push_back(7);
        CHECK(rows_of(kept) == expected);
        batch.push(cupel::item_builder("And then?", 130).timestamp(tests::at(11'000'000'000)).build());
        keep.select(batch, request(200).target(160).previous(kept), kept);
        CHECK_FALSE(kept.stable());
        CHECK(rows_of(kept) == row_list{0, 8});
    }

    TEST_CASE("comes from JSON and goes to JSON") {
        const auto batch = chat();
        const std::string json =
            R"({"scorer": {"type": "priority"}, "slicerType": "prefix", "placerType": "batchOrder", "groupKey": "cupel:group"})";
        const auto keep = selector::from_json(json);
        const selector same(policy(scorer::priority())
                                .slicer(cupel::slicer::prefix)
                                .placer(cupel::placer::batch_order)
                                .group_key("cupel:group"));
        CHECK(keep.to_json() == same.to_json());
        CHECK(rows_of(selector::from_json(same.to_json()).select(batch, request(70))) ==
              rows_of(same.select(batch, request(70))));

        const std::string decay =
            R"({"scorer": {"type": "decay", "curve": {"window": {"maxAge": "3s"}}}, "slicerType": "ranked"})";
        const auto now = cupel::clock::fixed(tests::at(6'000'000'000));
        CHECK(selector::from_json(decay, now).select(batch, request(100)).score(4) == 1);
        CHECK(selector::from_json(decay).select(batch, request(100)).score(4) == 0);

        cupel_selector* raw = nullptr;
        const std::string bad = R"({"scorer": {"type": "priority"}, "slicerType": "best"})";
        CHECK_FAILS_AS_C(invalid_json, cupel_selector_from_json(bad.data(), bad.size(), nullptr, &raw, out_error),
                         selector::, from_json, bad);
        CHECK_FAILS_AS_C(invalid_json, cupel_selector_from_json(bad.data(), bad.size(), now.get(), &raw, out_error),
                         selector::, from_json, bad, now);
        const selector custom(policy(scorer::custom([](cupel::batch_view, cupel::span<double>) {})));
        cupel_text* text = nullptr;
        CHECK_FAILS_AS_C(invalid_argument, cupel_selector_to_json(custom.get(), &text, out_error), custom., to_json, );
    }

    TEST_CASE("says what a row would need") {
        const auto batch = chat();
        const selector keep(policy(scorer::priority()).slicer(cupel::slicer::prefix));
        const auto made = keep.select(batch, request(40));
        const auto needed = keep.needed(batch, made);
        CHECK(needed == std::vector<std::int64_t>{0, -1, 15, 75, 35, -1, 75});
        CHECK_FALSE(keep.try_needed(cupel::batch(), made));
    }

    TEST_CASE("gives the best rows in one line") {
        const auto batch = tests::batch_at({3, 1, 2, 3});
        CHECK(cupel::top(scorer::recency(), batch, 3) == row_list{0, 3, 2});
        CHECK(cupel::top(scorer::recency(), batch, 9) == row_list{0, 3, 2, 1});
        CHECK(cupel::top(scorer::recency(), cupel::batch(), 1).empty());
    }

    TEST_CASE("selects each group as a batch of its own") {
        const std::int64_t groups[] = {0, 4, 4, 7};
        const auto batch = chat();
        for (const auto slicer :
             {cupel::slicer::greedy, cupel::slicer::ranked, cupel::slicer::prefix, cupel::slicer::knapsack}) {
            const selector keep(policy(scorer::priority()).slicer(slicer).placer(cupel::placer::ranked));
            const auto made = keep.select_groups(batch, groups, request(40));
            selection into;
            keep.select_groups(batch, groups, request(40), into);
            CHECK(rows_of(made) == rows_of(into));
            REQUIRE(made.group_count() == 3);
            REQUIRE(made.offsets().size() == 4);
            std::int64_t tokens = 0;
            for (std::size_t group = 0; group < 3; ++group) {
                auto own = chat();
                std::vector<bool> is_own(own.size());
                std::fill(is_own.begin() + groups[group], is_own.begin() + groups[group + 1], true);
                own.retain(is_own);
                const auto expected = keep.select(own, request(40));
                row_list rows;
                for (const auto row : made.rows(group)) {
                    rows.push_back(row - static_cast<std::uint32_t>(groups[group]));
                }
                CHECK(rows == rows_of(expected));
                CHECK(made.offsets()[group + 1] - made.offsets()[group] == static_cast<std::int64_t>(rows.size()));
                for (std::size_t row = 0; row < own.size(); ++row) {
                    const auto whole = static_cast<std::size_t>(groups[group]) + row;
                    CHECK(made.reason(whole) == expected.reason(row));
                    CHECK(tests::bits_of(made.score(whole)) == tests::bits_of(expected.score(row)));
                }
                tokens += expected.kept_tokens();
            }
            CHECK(made.kept_tokens() == tokens);
        }
        const selector keep(policy{scorer::priority()});
        const auto alone = keep.select(batch, request(40));
        CHECK(alone.group_count() == 1);
        CHECK(row_list(alone.rows(0).begin(), alone.rows(0).end()) == rows_of(alone));
        CHECK(rows_of(keep.select_groups(batch, {0, 7}, request(40))) == rows_of(alone));
        CHECK_THROWS_WITH_AS(static_cast<void>(alone.rows(1)), "group is 1: there are 1, counted from 0", cupel::error);
        const selection nothing;
        CHECK(nothing.group_count() == 0);
        CHECK(nothing.offsets().empty());
        CHECK_THROWS_AS(static_cast<void>(nothing.rows(0)), cupel::error);
        CHECK_THROWS_AS(static_cast<void>(nothing.shortfalls(0)), cupel::error);

        const selector lenient(policy(scorer::priority()).count_quotas({{"ToolOutput", 1}}));
        const auto short_of = lenient.select_groups(batch, groups, request(100));
        CHECK(short_of.shortfalls(0).empty());
        REQUIRE(short_of.shortfalls(2).size() == 1);
        CHECK(short_of.shortfalls(2)[0].found == 0);
        CHECK(short_of.shortfalls().size() == short_of.shortfalls(1).size() + 1);
    }

    TEST_CASE("refuses groups with the words of the C interface, and then changes nothing") {
        const auto batch = chat();
        const selector keep(policy{scorer::priority()});
        auto kept = keep.select(batch, request(40));
        const auto before = rows_of(kept);
        const auto refused = [&](const selector& selector, cupel::status status,
                                 const std::vector<std::int64_t>& groups, const request& request) {
            tests::check_fails(status, tests::thrown_by([&] { selector.select_groups(batch, groups, request, kept); }),
                               tests::returned_by(selector.try_select_groups(batch, groups, request, kept)));
            CHECK_FALSE(selector.try_select_groups(batch, groups, request));
            CHECK(rows_of(kept) == before);
        };
        refused(keep, cupel::status::null_argument, {}, request(40));
        refused(keep, cupel::status::invalid_argument, {0, 4}, request(40));
        refused(keep, cupel::status::invalid_argument, {0, 4, 3, 7}, request(40));
        refused(keep, cupel::status::over_budget, {0, 4, 7}, request(9));
        refused(keep, cupel::status::invalid_argument, {0, 7}, request(40).previous(kept));
        const std::vector<double> scores{0, 1, 2, 3, 4, 5, 6};
        refused(keep, cupel::status::length_mismatch, {0, 7},
                request(40).scores(cupel::span<const double>(scores.data(), 6)));
        const selector custom(policy(scorer::custom([](cupel::batch_view, cupel::span<double>) {})));
        refused(custom, cupel::status::invalid_argument, {0, 4, 7}, request(40));
        CHECK(custom.try_select_groups(batch, {0, 4, 7}, request(40).scores(scores)).has_value());

        cupel_request raw{};
        raw.struct_size = sizeof raw;
        raw.max_tokens = 40;
        const std::int64_t bad[] = {0, 8};
        CHECK_FAILS_AS_C(invalid_argument,
                         cupel_selector_select_groups(keep.get(), batch.get(), bad, 1, &raw, kept.get(), out_error),
                         keep., select_groups, batch, bad, request(40), kept);
    }

    TEST_CASE("is refused with the words of the C interface, and then changes nothing") {
        auto batch = chat();
        cupel_selector* raw = nullptr;
        cupel_policy c_policy{};
        c_policy.struct_size = sizeof c_policy;
        const cupel_quota c_quotas[] = {{"Memory", 6, 50, 120}};
        c_policy.quotas = c_quotas;
        c_policy.quotas_len = 1;
        const auto bad = policy().quotas({{"Memory", 50, 120}});
        CHECK_CREATE_FAILS_AS_C(invalid_argument, cupel_selector_new(&c_policy, &raw, out_error), selector, bad);
        CHECK_FALSE(selector::try_create(policy().slicer(static_cast<cupel::slicer>(9))));
        CHECK_FALSE(selector::try_create(policy().count_quotas({{" ", 1}})));

        const selector keep(policy{scorer::priority()});
        auto kept = keep.select(batch, request(40));
        const auto before = rows_of(kept);
        const auto refused = [&](cupel::status status, const request& request) {
            tests::check_fails(status, tests::thrown_by([&] { keep.select(batch, request, kept); }),
                               tests::returned_by(keep.try_select(batch, request, kept)));
            CHECK(rows_of(kept) == before);
            CHECK_FALSE(keep.try_select(batch, request));
        };
        refused(cupel::status::over_budget, request(9));
        refused(cupel::status::invalid_argument, request(-1));
        refused(cupel::status::invalid_argument, request(10).target(11));
        refused(cupel::status::invalid_argument, request(10).safety_margin_percent(std::numeric_limits<double>::quiet_NaN()));
        const std::vector<double> few(3);
        refused(cupel::status::length_mismatch, request(100).scores(few));
        CHECK_THROWS_AS(selector(policy()).select(batch, request(100)), cupel::error);
        const selector strict(
            policy(scorer::priority()).count_quotas({{"Memory", 1}}).scarcity(cupel::scarcity::fail));
        CHECK(strict.try_select(batch, request(100)).error().status() == cupel::status::shortfall);
        const selector lenient(policy(scorer::priority()).count_quotas({{"Memory", 2}}));
        const auto short_of = lenient.select(batch, request(100));
        REQUIRE(short_of.shortfalls().size() == 1);
        CHECK(short_of.shortfalls()[0].required == 2);

        const selector throwing(policy(scorer::custom(
            [](cupel::batch_view, cupel::span<double>) { throw std::domain_error("no model"); })));
        CHECK_THROWS_WITH_AS(throwing.select(batch, request(100), kept), "no model", std::domain_error);
        CHECK(rows_of(kept) == before);
    }

    TEST_CASE("is an error to use when moved from") {
        const auto batch = chat();
        selector keep(policy{scorer::priority()});
        selection made = keep.select(batch, request(40));
        const selection taken = std::move(made);
        CHECK_THROWS_AS(static_cast<void>(made.kept_tokens()), cupel::error);
        CHECK_FALSE(keep.try_select(batch, request(40), made));
        CHECK(taken.kept_tokens() == 25);
        const selector moved = std::move(keep);
        CHECK_FALSE(keep.try_select(batch, request(40)));
        CHECK(moved.select(batch, request(40)).kept_tokens() == 25);
    }

    TEST_CASE("selects on many threads at once") {
        const auto batch = chat();
        const selector keep(policy(scorer::priority()).placer(cupel::placer::batch_order));
        std::vector<std::thread> threads;
        std::vector<int> same(4);
        for (auto& count : same) {
            threads.emplace_back([&] {
                selection into;
                for (int round = 0; round < 20; ++round) {
                    keep.select(batch, request(40), into);
                    count += rows_of(into) == row_list{0, 2, 6};
                }
            });
        }
        for (auto& thread : threads) {
            thread.join();
        }
        CHECK(same == std::vector<int>{20, 20, 20, 20});
    }
}
