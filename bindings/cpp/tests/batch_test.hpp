// SPDX-License-Identifier: MIT OR Apache-2.0
// Batches by item, by columns and by JSON.

#include <algorithm>
#include <iterator>

#include "support.hpp"

TEST_SUITE("batch") {
    using tests::at;
    using tests::simple_item;

    /// Everything that can be read of a row, for comparison.
    static std::string describe(const cupel::item& item) {
        std::string all = std::string(item.content()) + "|" + std::to_string(item.tokens()) + "|" +
                          std::string(item.kind()) + "|" + std::string(item.source()) + "|";
        const auto optional = [&all](const auto& value) { all += (value ? std::to_string(*value) : "-") + "|"; };
        optional(item.priority());
        optional(item.original_tokens());
        optional(item.future_relevance_hint());
        all += item.timestamp() ? std::to_string(item.timestamp()->time_since_epoch().count()) : "-";
        all += item.pinned() ? "|pinned|" : "||";
        for (const auto tag : item.tags()) {
            all.append(tag).append(",");
        }
        std::vector<std::string> metadata;
        for (const auto& entry : item.metadata()) {
            metadata.push_back(std::string(entry.key) + "=" + std::string(entry.text) + ":" +
                               std::to_string(entry.number) + ":" + std::to_string(static_cast<int>(entry.type)));
        }
        std::sort(metadata.begin(), metadata.end());
        for (const auto& entry : metadata) {
            all.append(";").append(entry);
        }
        return all;
    }

    TEST_CASE("keeps its rows in order, each of its own") {
        cupel::batch batch(2);
        CHECK(batch.empty());
        const auto item = simple_item("twice");
        batch.push(item);
        batch.push(item);
        batch.push(simple_item("third"));
        CHECK(batch.size() == 3);
        CHECK(batch.item(1).content() == "twice");
        CHECK(batch.item(2).content() == "third");
        const cupel::batch_view view = batch;
        CHECK(view.size() == 3);
        CHECK(view.get() == batch.get());

        batch.reserve(1000);
        batch.shrink();
        CHECK(batch.size() == 3);
        const auto kept = batch.item(2);
        batch.clear();
        CHECK(batch.size() == 0);
        CHECK(kept.content() == "third");
        batch.push(item);
        CHECK(batch.size() == 1);
    }

    TEST_CASE("is a range of its rows") {
        cupel::batch batch;
        for (const auto* text : {"a", "b", "c"}) {
            batch.push(simple_item(text));
        }
        std::string all;
        for (const auto& item : batch) {
            all += item.content();
        }
        for (const auto& item : batch.view()) {
            all += item.content();
        }
        CHECK(all == "abcabc");
        CHECK(batch[1].content() == "b");
        CHECK(batch.view()[2].content() == "c");
        CHECK_THROWS_AS(static_cast<void>(batch[3]), cupel::error);
        auto second = batch.begin();
        CHECK((*second++).content() == "a");
        CHECK((*second).content() == "b");
        CHECK(second != batch.begin());
        CHECK(std::distance(batch.begin(), batch.end()) == 3);
        CHECK(cupel::batch().begin() == cupel::batch().end());
#if defined(__cpp_lib_ranges)
        static_assert(std::ranges::input_range<cupel::batch> && std::ranges::input_range<cupel::batch_view>);
#endif
    }

    TEST_CASE("has the same rows by columns as by item") {
        cupel::columns rows;
        cupel::batch by_item;
        const auto check_same = [&] {
            cupel::batch by_columns;
            by_columns.append(rows);
            REQUIRE(by_columns.size() == by_item.size());
            for (std::size_t row = 0; row < by_item.size(); ++row) {
                CHECK(describe(by_columns.item(row)) == describe(by_item.item(row)));
            }
        };
        check_same();
        // Columns come into use one after the other, some in the middle.
        rows.add("a", 1);
        by_item.push(cupel::item_builder("a", 1).build());
        check_same();
        rows.add("b", 2).kind("Document").tag("x").priority(-4);
        by_item.push(cupel::item_builder("b", 2).kind("Document").tag("x").priority(-4).build());
        check_same();
        rows.add("c", 3).source("Rag").metadata("k", "v").metadata("n", 0.5).timestamp(at(7)).pinned();
        by_item.push(cupel::item_builder("c", 3)
                         .source("Rag")
                         .metadata("k", "v")
                         .metadata("n", 0.5)
                         .timestamp(at(7))
                         .pinned()
                         .build());
        rows.add("d", 4);
        by_item.push(cupel::item_builder("d", 4).build());
        check_same();
        rows.add("e", 5).kind("Memory").tags({"y", "", "x", "x"}).metadata("flag", false).metadata_other("o", "t");
        by_item.push(cupel::item_builder("e", 5)
                         .kind("Memory")
                         .tags({"y", "", "x", "x"})
                         .metadata("flag", false)
                         .metadata_other("o", "t")
                         .build());
        rows.add("f", 6).future_relevance_hint(0.25).original_tokens(9).kind("Document").kind("Message").pinned(false);
        by_item.push(cupel::item_builder("f", 6).future_relevance_hint(0.25).original_tokens(9).build());
        rows.add("g", 7).metadata("k", "first").metadata("k", "last");
        by_item.push(cupel::item_builder("g", 7).metadata("k", "first").metadata("k", "last").build());
        check_same();

        // More distinct kinds and sources than are searched, old ones among them.
        for (int i = 0; i < 60; ++i) {
            const auto kind = "kind" + std::to_string(i % 40);
            rows.add("k", i).kind(kind).source(kind + "s").metadata(kind, i);
            by_item.push(cupel::item_builder("k", i).kind(kind).source(kind + "s").metadata(kind, i).build());
        }
        check_same();

        rows.clear();
        by_item.clear();
        check_same();
        rows.add("again", 1).tag("t").kind("Memory").metadata("k", 2);
        by_item.push(cupel::item_builder("again", 1).tag("t").kind("Memory").metadata("k", 2).build());
        check_same();
    }

    TEST_CASE("takes columns again, copied and moved") {
        cupel::columns rows;
        rows.reserve(2, 100);
        rows.add("a", 1).tag("x").kind("Memory").add("b", 2);
        cupel::batch batch;
        batch.append(rows);
        batch.append(rows);
        CHECK(batch.size() == 4);
        CHECK(batch.item(2).content() == "a");

        const cupel::columns copy = rows;
        cupel::columns moved = std::move(rows);
        CHECK(moved.size() == 2);
        CHECK(copy.size() == 2);
        CHECK(rows.empty());
        batch.clear();
        batch.append(rows);
        CHECK(batch.empty());
        rows.add("new", 3).tag("y");
        batch.append(rows);
        CHECK(describe(batch.item(0)) == describe(cupel::item_builder("new", 3).tag("y").build()));
        rows = std::move(moved);
        CHECK(rows.size() == 2);
        CHECK(moved.size() == 0);
    }

    TEST_CASE("takes rows for scoring only") {
        cupel::columns rows;
        rows.add_score_only().priority(1).add_score_only(5).priority(2);
        cupel::batch batch;
        batch.append(rows);
        CHECK(batch.item(0).content().empty());
        CHECK(batch.item(1).tokens() == 5);
        CHECK(cupel::scorer::priority().score(batch) == std::vector<double>{0, 1});
        // Not mixed with rows that have content, whichever comes first.
        rows.add("text", 1);
        CHECK_FAILS(empty_content, batch., append, rows);
        cupel::columns other;
        other.add("text", 1).add_score_only();
        CHECK_FAILS(empty_content, batch., append, other);
        CHECK(batch.size() == 2);
    }

    TEST_CASE("takes the flat arrays of the caller") {
        const std::int64_t priority[] = {3, 1, 2};
        cupel_columns raw{};
        raw.struct_size = sizeof raw;
        raw.rows = 3;
        raw.priority = priority;
        cupel::batch batch;
        batch.append(raw);
        CHECK(cupel::scorer::priority().score(batch) == std::vector<double>{1, 0, 0.5});
        raw.struct_size = 3;
        CHECK_FAILS_AS_C(invalid_argument, cupel_batch_append_columns(batch.get(), &raw, out_error), batch., append,
                         raw);
    }

    TEST_CASE("refuses columns of which a part is missing, by name") {
        const std::int64_t offsets[] = {0, 1};
        const std::uint8_t validity[] = {1};
        const auto refused = [](auto set, const char* name) {
            CAPTURE(name);
            cupel_columns raw{};
            raw.struct_size = sizeof raw;
            raw.rows = 1;
            set(raw);
            cupel::batch batch;
            const auto done = batch.try_append(raw);
            REQUIRE_FALSE(done);
            CHECK(std::string(done.error().what()).find(name) != std::string::npos);
            CHECK(batch.empty());
        };
        const cupel_text_column texts{"a", 1, offsets, 1, nullptr};
        const cupel_text_column no_offsets{"a", 1, nullptr, 1, nullptr};
        refused([&](auto& raw) { raw.content = no_offsets; }, "content.offsets");
        refused([&](auto& raw) { raw.kind = no_offsets; }, "kind.offsets");
        refused([&](auto& raw) { raw.tags = texts, raw.tags_len = 1; }, "tag_lists");
        refused([&](auto& raw) { raw.metadata_keys = texts, raw.metadata_texts = texts, raw.metadata_len = 1; },
                "metadata_lists");
        refused([&](auto& raw) { raw.priority_validity = validity; }, "priority");
        refused([&](auto& raw) { raw.kind_validity = validity; }, "kind");
    }

    TEST_CASE("takes all columns or none") {
        cupel::batch batch;
        const auto refused = [&batch](cupel::status status, const cupel::columns& rows) {
            const auto raw = rows.raw();
            const auto in_c = tests::reported_by(
                [&](cupel_error** out_error) { return cupel_batch_append_columns(batch.get(), &raw, out_error); });
            tests::check_fails(status, tests::thrown_by([&] { batch.append(rows); }),
                               tests::returned_by(batch.try_append(rows)), &in_c);
            CHECK(batch.size() == 0);
        };
        refused(cupel::status::empty_content, cupel::columns().add("a", 1).add("", 1));
        refused(cupel::status::empty_kind, cupel::columns().add("a", 1).add("b", 1).kind(" "));
        refused(cupel::status::empty_source, cupel::columns().add("a", 1).source(""));
        refused(cupel::status::invalid_utf8, cupel::columns().add("a", 1).add("\xff", 1));
        refused(cupel::status::invalid_utf8, cupel::columns().add("a", 1).tag("\xff"));
        refused(cupel::status::invalid_utf8, cupel::columns().add("a", 1).metadata("k", "\xff"));
        CHECK_THROWS_AS(cupel::columns().kind("no row"), cupel::error);
        CHECK_THROWS_AS(cupel::columns().tag("no row"), cupel::error);
    }

    TEST_CASE("reads JSON") {
        cupel::batch batch;
        batch.append_json(R"([{"content": "a", "tokens": 3, "timestamp": "2026-01-01T00:00:00.000000001Z"}])");
        batch.append_json("{\"content\":\"b\",\"tokens\":1}\n{\"content\":\"c\",\"tokens\":2,\"tags\":[\"x\"]}\n");
        REQUIRE(batch.size() == 3);
        CHECK(batch.item(0).timestamp() == at(1767225600000000001));
        CHECK(batch.item(2).tag(0) == "x");
        const std::string bad = R"([{"content": "a", "tokens": 3}, {"content": "b", "tokns": 3}])";
        CHECK_FAILS_AS_C(invalid_json, cupel_batch_append_json(batch.get(), bad.data(), bad.size(), out_error), batch.,
                         append_json, bad);
        CHECK(batch.size() == 3);
    }

    TEST_CASE("removes rows, and scores as if they had never been there") {
        const auto make = [] {
            cupel::columns rows;
            for (std::int64_t row = 0; row < 6; ++row) {
                rows.add("row " + std::to_string(row), row)
                    .priority(row * row % 5)
                    .timestamp(at(row))
                    .tag(row % 2 == 0 ? "x" : "y");
            }
            cupel::batch batch;
            batch.append(rows);
            return batch;
        };
        const auto scorer = cupel::scorer::composite(
            {{cupel::scorer::recency(), 1}, {cupel::scorer::priority(), 2}, {cupel::scorer::frequency(), 3}});
        const auto check = [&](const cupel::batch& batch, const std::vector<std::size_t>& kept) {
            const auto all = make();
            cupel::batch expected;
            for (const auto row : kept) {
                expected.push(all.item(row));
            }
            REQUIRE(batch.size() == kept.size());
            for (std::size_t row = 0; row < kept.size(); ++row) {
                CHECK(describe(batch.item(row)) == describe(expected.item(row)));
            }
            CHECK(scorer.score(batch) == scorer.score(expected));
        };
        auto batch = make();
        batch.retain(std::vector<std::uint8_t>{1, 0, 0, 1, 0, 1});
        check(batch, {0, 3, 5});
        batch.retain(std::vector<bool>{false, true, true});
        check(batch, {3, 5});
        batch = make();
        batch.retain_rows({1, 2, 5});
        check(batch, {1, 2, 5});
        batch.retain_rows(std::vector<std::uint32_t>{0, 2});
        check(batch, {1, 5});
        batch.keep_last(2);
        batch.keep_last(100);
        check(batch, {1, 5});
        batch.keep_last(1);
        check(batch, {5});
        batch.push(make().item(0));
        check(batch, {5, 0});
        batch.retain_rows({});
        check(batch, {});
        batch = make();
        batch.keep_last(0);
        CHECK(batch.empty());
    }

    TEST_CASE("keeps the rows of a selection") {
        cupel::batch batch;
        for (const auto* text : {"long ago", "a while ago", "just now"}) {
            batch.push(cupel::item_builder(text, 10).priority(batch.size() == 1 ? 9 : 1).build());
        }
        const cupel::selector keep(cupel::policy(cupel::scorer::priority()).placer(cupel::placer::batch_order));
        const auto kept = keep.select(batch, cupel::request(10));
        batch.retain_rows(kept.rows());
        REQUIRE(batch.size() == 1);
        CHECK(batch.item(0).content() == "a while ago");
    }

    TEST_CASE("stays as it was when rows cannot be removed") {
        auto batch = tests::batch_at({1, 2, 3});
        const auto refused = [&](cupel::status status, const tests::failure& thrown, const tests::failure& returned,
                                 const tests::failure& in_c) {
            tests::check_fails(status, thrown, returned, &in_c);
            CHECK(batch.read_timestamp().values == std::vector{at(1), at(2), at(3)});
        };
        const auto mask = [&](cupel::status status, const std::vector<std::uint8_t>& keep) {
            refused(status, tests::thrown_by([&] { batch.retain(keep); }), tests::returned_by(batch.try_retain(keep)),
                    tests::reported_by([&](cupel_error** out_error) {
                        return cupel_batch_retain(batch.get(), keep.data(), keep.size(), out_error);
                    }));
        };
        mask(cupel::status::length_mismatch, {1, 0});
        mask(cupel::status::length_mismatch, {1, 0, 1, 0});
        mask(cupel::status::invalid_argument, {1, 2, 0});
        CHECK_FAILS(length_mismatch, batch., retain, std::vector<bool>(2));
        const auto list = [&](cupel::status status, const std::vector<std::uint32_t>& rows) {
            refused(status, tests::thrown_by([&] { batch.retain_rows(rows); }),
                    tests::returned_by(batch.try_retain_rows(rows)), tests::reported_by([&](cupel_error** out_error) {
                        return cupel_batch_retain_rows(batch.get(), rows.data(), rows.size(), out_error);
                    }));
        };
        list(cupel::status::out_of_range, {0, 3});
        list(cupel::status::invalid_argument, {1, 0});
        list(cupel::status::invalid_argument, {1, 1});
        CHECK_FAILS(out_of_range, batch., retain_rows, {7});
        // Not from within a scorer.
        const auto changing =
            cupel::scorer::custom([&](cupel::batch_view, cupel::span<double>) { batch.keep_last(1); });
        try {
            changing.score(batch);
            FAIL_CHECK("nothing was thrown");
        } catch (const cupel::error& error) {
            CHECK(error.status() == cupel::status::busy);
        }
        CHECK(batch.size() == 3);
        auto gone = tests::batch_at({1});
        const auto moved = std::move(gone);
        CHECK_FAILS(null_argument, gone., keep_last, 1);
        CHECK_FAILS(null_argument, gone., retain_rows, {0});
    }

    TEST_CASE("is refused with the words of the C interface") {
        cupel::batch batch;
        batch.push(simple_item());
        cupel_item* item = nullptr;
        CHECK_FAILS_AS_C(out_of_range, cupel_batch_item(batch.get(), 1, &item, out_error), batch., item, 1);
        CHECK_FAILS_AS_C(out_of_range, cupel_batch_item(batch.get(), 1, &item, out_error), batch.view()., item, 1);
        CHECK_FAILS_AS_C(out_of_memory, cupel_batch_reserve(batch.get(), SIZE_MAX, out_error), batch., reserve,
                         SIZE_MAX);
        cupel_batch* raw = nullptr;
        CHECK_CREATE_FAILS_AS_C(out_of_memory, cupel_batch_new(SIZE_MAX, &raw, out_error), cupel::batch, SIZE_MAX);
        CHECK(batch.size() == 1);
    }

    TEST_CASE("is an error to use when moved from") {
        cupel::batch batch;
        batch.push(simple_item());
        cupel::batch moved = std::move(batch);
        CHECK(moved.size() == 1);
        CHECK(batch.size() == 0);
        const auto item = simple_item();
        cupel::columns rows;
        rows.add("a", 1);
        CHECK_FAILS_AS_C(null_argument, cupel_batch_push(nullptr, item.get(), out_error), batch., push, item);
        CHECK_FAILS(null_argument, batch., append, rows);
        CHECK_FAILS(null_argument, batch., append_json, "[]");
        CHECK_FAILS(null_argument, batch., item, 0);
        CHECK_FAILS(null_argument, batch., reserve, 1);
        CHECK_FAILS(null_argument, batch., shrink, );
        CHECK_FAILS(null_argument, batch., clear, );
        CHECK_FAILS(null_argument, cupel::scorer::recency()., score, batch);

        auto gone = simple_item();
        const auto taken = std::move(gone);
        CHECK_FAILS_AS_C(null_argument, cupel_batch_push(moved.get(), nullptr, out_error), moved., push, gone);
        CHECK(moved.size() == 1);
        batch = std::move(moved);
        CHECK(batch.size() == 1);
    }
}
