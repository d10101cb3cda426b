// SPDX-License-Identifier: MIT OR Apache-2.0
// Bulk readers: what they give is what the items say, of every field, of any range, in and out of a callback.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "support.hpp"

TEST_SUITE("reading") {
    using cupel::batch_view;
    using cupel::span;
    using cupel::status;
    using tests::bits_of;

    /// Rows with every field set, some, and none; texts of several bytes a character, empty ones, and a NaN.
    static cupel::batch rows_of_all_sorts() {
        cupel::columns rows;
        rows.add("first", 11).kind("ToolOutput").source("Tool").tags({"x", "", "größe"}).priority(-4);
        rows.timestamp(tests::at(-7)).future_relevance_hint(0.25).original_tokens(90).pinned();
        rows.metadata("k", "text").metadata("n", 0.5).metadata("flag", true);
        rows.add("zweite Größe", -2).timestamp(tests::at(0)).priority(0).metadata("k", 3.5).metadata("empty", "");
        rows.add("third", 0).tag("x").future_relevance_hint(std::nan("")).metadata_other("n", "[1]");
        rows.add("4", 1).kind("Memory").source("Rag").original_tokens(0).metadata("k", "last");
        cupel::batch batch;
        batch.append(rows);
        return batch;
    }

    template <class T>
    static void check_value(const std::optional<T>& read, const std::optional<T>& expected) {
        REQUIRE(read.has_value() == expected.has_value());
        if constexpr (std::is_same_v<T, double>) {
            CHECK((!read || bits_of(*read) == bits_of(*expected)));
        } else {
            CHECK(read == expected);
        }
    }

    static void check_metadata(const cupel::item& item, const cupel::metadata_lists::list& entries,
                               const cupel::text_list& keys) {
        REQUIRE(entries.size() == item.metadata_count());
        for (const auto& entry : entries) {
            const auto expected = item.metadata();
            const auto same = std::find_if(expected.begin(), expected.end(),
                                           [&](const auto& each) { return each.key == keys[entry.key]; });
            REQUIRE(same != expected.end());
            CHECK(entry.type == same->type);
            CHECK(entry.text == same->text);
            CHECK(
                (entry.type == cupel::metadata_type::number ? entry.number == same->number : std::isnan(entry.number)));
        }
    }

    static void check_key(const cupel::item& item, const std::optional<cupel::metadata_entry>& read, double number,
                          std::string_view key) {
        for (const auto& entry : item.metadata()) {
            if (entry.key == key) {
                REQUIRE(read);
                CHECK(read->key == key);
                CHECK(read->type == entry.type);
                CHECK(read->text == entry.text);
                CHECK(read->number == entry.number);
                CHECK(std::isnan(number) == (entry.type != cupel::metadata_type::number));
                return;
            }
        }
        CHECK_FALSE(read);
        CHECK(std::isnan(number));
    }

    /// Compares everything that the readers give of a range with the items.
    template <class Batch>
    static void check_range(const Batch& batch, std::size_t first, std::size_t rows) {
        CAPTURE(first);
        CAPTURE(rows);
        const auto tokens = batch.read_tokens(first, rows);
        const auto priority = batch.read_priority(first, rows);
        const auto timestamp = batch.read_timestamp(first, rows);
        const auto hint = batch.read_future_relevance_hint(first, rows);
        const auto original = batch.read_original_tokens(first, rows);
        const auto pinned = batch.read_pinned(first, rows);
        const auto content = batch.read_content(first, rows);
        const auto kind = batch.read_kind(first, rows);
        const auto source = batch.read_source(first, rows);
        const auto kind_codes = batch.read_kind_codes(first, rows);
        const auto kinds = batch.read_kind_texts();
        const auto source_codes = batch.read_source_codes(first, rows);
        const auto sources = batch.read_source_texts();
        const auto tags = batch.read_tags(first, rows);
        const auto metadata = batch.read_metadata(first, rows);
        const auto keys = batch.read_metadata_keys();
        const auto of_k = batch.read_metadata_key("k", first, rows);
        const auto of_n = batch.read_metadata_key("n", first, rows);
        const auto numbers_of_k = batch.read_metadata_numbers("k", first, rows);
        const auto numbers_of_n = batch.read_metadata_numbers("n", first, rows);
        REQUIRE((tokens.size() == rows && priority.size() == rows && timestamp.size() == rows && hint.size() == rows));
        REQUIRE((original.size() == rows && pinned.size() == rows && content.size() == rows && kind.size() == rows));
        REQUIRE((source.size() == rows && kind_codes.size() == rows && source_codes.size() == rows));
        REQUIRE((tags.size() == rows && metadata.size() == rows && of_k.size() == rows && numbers_of_k.size() == rows));
        for (std::size_t row = 0; row < rows; ++row) {
            CAPTURE(row);
            const auto item = batch.item(first + row);
            CHECK(tokens[row] == item.tokens());
            check_value(priority[row], item.priority());
            check_value(timestamp[row], item.timestamp());
            check_value(hint[row], item.future_relevance_hint());
            check_value(original[row], item.original_tokens());
            CHECK(pinned[row] == (item.pinned() ? 1 : 0));
            CHECK(content[row] == item.content());
            CHECK(kind[row] == item.kind());
            CHECK(source[row] == item.source());
            CHECK(kinds[kind_codes[row]] == item.kind());
            CHECK(sources[source_codes[row]] == item.source());
            const auto list = tags[row];
            CHECK(std::vector<std::string_view>(list.begin(), list.end()) == item.tags());
            check_metadata(item, metadata[row], keys);
            check_key(item, of_k[row], numbers_of_k[row], "k");
            check_key(item, of_n[row], numbers_of_n[row], "n");
        }
    }

    TEST_CASE("gives what the items say, of every range") {
        const auto batch = rows_of_all_sorts();
        for (std::size_t first = 0; first <= batch.size(); ++first) {
            for (std::size_t rows = 0; rows <= batch.size() - first; ++rows) {
                check_range(batch, first, rows);
            }
        }
        check_range(batch.view(), 0, batch.size());
        check_range(cupel::batch(), 0, 0);
        CHECK(batch.read_tokens(1) == std::vector<std::int64_t>{-2, 0, 1});
        CHECK(batch.read_tokens() == std::vector<std::int64_t>{11, -2, 0, 1});
        CHECK(batch.read_tokens(4).empty());
    }

    TEST_CASE("gives arrays as the C interface does") {
        const auto batch = rows_of_all_sorts();
        const auto priority = batch.read_priority();
        CHECK(priority.values == std::vector<std::int64_t>{-4, 0, 0, 0});
        CHECK(priority.validity == std::vector<std::uint8_t>{1, 1, 0, 0});
        const auto hint = batch.read_future_relevance_hint();
        CHECK(hint.validity == std::vector<std::uint8_t>{1, 0, 1, 0});
        CHECK((hint.values[0] == 0.25 && std::isnan(hint.values[1]) && std::isnan(hint.values[3])));
        const auto content = batch.read_content(0, 2);
        CHECK(content.bytes() == "firstzweite Größe");
        const auto offsets = content.offsets();
        CHECK(std::vector<std::int64_t>(offsets.begin(), offsets.end()) == std::vector<std::int64_t>{0, 5, 19});
        const auto tags = batch.read_tags();
        const auto lists = tags.offsets();
        CHECK(std::vector<std::int64_t>(lists.begin(), lists.end()) == std::vector<std::int64_t>{0, 3, 3, 4, 4});
        CHECK(tags.values().bytes() == "xgrößex");
        CHECK(tags[0][2] == "größe");
        CHECK(tags[1].empty());
        const auto metadata = batch.read_metadata();
        CHECK(metadata.values().size() == 7);
        CHECK(metadata.values().keys().size() == 7);
        CHECK(metadata.values().types().size() == 7);
        CHECK(metadata.values().numbers().size() == 7);
        CHECK(metadata.values().texts().size() == 7);
        const auto of_k = batch.read_metadata_key("k");
        const auto validity = of_k.validity();
        CHECK(std::vector<std::uint8_t>(validity.begin(), validity.end()) == std::vector<std::uint8_t>{1, 1, 0, 1});
        const auto types = of_k.types();
        CHECK(std::vector<std::uint8_t>(types.begin(), types.end()) == std::vector<std::uint8_t>{0, 1, 0, 0});
        CHECK(of_k.numbers()[1] == 3.5);
        CHECK(of_k.texts()[0] == "text");
        CHECK(of_k.texts()[1].empty());
        const cupel::text_list unread;
        CHECK((unread.offsets().empty() && unread.empty()));
        CHECK(cupel::tag_lists().empty());

        // As ranges.
        std::string all;
        for (const auto text : batch.read_content()) {
            all.append(text).append("|");
        }
        for (const auto& list : tags) {
            for (const auto tag : list) {
                all.append(tag).append(",");
            }
        }
        std::size_t entries = 0;
        for (const auto& list : metadata) {
            entries += static_cast<std::size_t>(std::distance(list.begin(), list.end()));
        }
        for (const auto& value : of_k) {
            all += value ? value->text : "-";
        }
        CHECK(all == "first|zweite Größe|third|4|x,,größe,x,text-last");
        CHECK(entries == 7);
    }

    TEST_CASE("writes into memory of the caller's") {
        const auto batch = rows_of_all_sorts();
        std::array<std::int64_t, 2> numbers{};
        std::array<std::uint8_t, 2> bytes{};
        std::array<std::uint32_t, 2> codes{};
        std::array<double, 2> doubles{};
        batch.read_tokens_into(1, numbers);
        CHECK(numbers == std::array<std::int64_t, 2>{-2, 0});
        batch.read_priority_into(1, numbers, bytes);
        CHECK((numbers == std::array<std::int64_t, 2>{0, 0} && bytes == std::array<std::uint8_t, 2>{1, 0}));
        batch.read_timestamp_into(0, numbers, bytes);
        CHECK((numbers == std::array<std::int64_t, 2>{-7, 0} && bytes == std::array<std::uint8_t, 2>{1, 1}));
        batch.read_original_tokens_into(2, numbers, bytes);
        CHECK((numbers == std::array<std::int64_t, 2>{0, 0} && bytes == std::array<std::uint8_t, 2>{0, 1}));
        batch.read_original_tokens_into(0, numbers);
        CHECK(numbers == std::array<std::int64_t, 2>{90, 0});
        batch.read_future_relevance_hint_into(0, doubles, bytes);
        CHECK((doubles[0] == 0.25 && std::isnan(doubles[1]) && bytes == std::array<std::uint8_t, 2>{1, 0}));
        batch.read_pinned_into(0, bytes);
        CHECK(bytes == std::array<std::uint8_t, 2>{1, 0});
        batch.read_kind_codes_into(2, codes);
        const auto kinds = batch.read_kind_texts();
        CHECK(kinds[codes[1]] == "Memory");
        batch.read_source_codes_into(2, codes);
        const auto sources = batch.read_source_texts();
        CHECK(sources[codes[1]] == "Rag");
        batch.read_metadata_numbers_into("k", 1, doubles, bytes);
        CHECK((doubles[0] == 3.5 && std::isnan(doubles[1]) && bytes == std::array<std::uint8_t, 2>{1, 0}));
        batch.read_metadata_numbers_into("n", 0, doubles);
        CHECK((doubles[0] == 0.5 && std::isnan(doubles[1])));

        cupel::text_list texts;
        batch.read_content_into(0, 4, texts);
        batch.read_content_into(3, cupel::to_end, texts);
        CHECK((texts.size() == 1 && texts[0] == "4" && texts.bytes() == "4"));
        batch.read_kind_into(0, 2, texts);
        CHECK((texts.size() == 2 && texts[0] == "ToolOutput" && texts[1] == "Message"));
        batch.read_source_into(0, 0, texts);
        CHECK((texts.empty() && texts.bytes().empty()));
        cupel::tag_lists tags;
        batch.read_tags_into(0, 4, tags);
        batch.read_tags_into(1, 2, tags);
        CHECK((tags.size() == 2 && tags[0].empty() && tags[1][0] == "x"));
        cupel::metadata_lists metadata;
        batch.read_metadata_into(0, 4, metadata);
        batch.read_metadata_into(2, 1, metadata);
        CHECK((metadata.size() == 1 && metadata.values().size() == 1 && metadata[0][0].text == "[1]"));
        cupel::metadata_values values;
        batch.read_metadata_key_into("k", 0, 4, values);
        batch.read_metadata_key_into("flag", 0, 2, values);
        CHECK((values.size() == 2 && values[0]->text == "true" && values[0]->key == "flag" && !values[1]));

        // Moved from, they are empty.
        const auto moved = std::move(texts);
        CHECK(texts.empty());
    }

    TEST_CASE("is refused with the words of the C interface, and then writes nothing") {
        const auto batch = rows_of_all_sorts();
        std::int64_t number = 0;
        std::uint8_t byte = 0;
        const auto said_in_c = [&](std::size_t first, std::size_t rows) {
            return *tests::reported_by([&](cupel_error** out_error) {
                return cupel_batch_read_tokens(batch.get(), first, rows, &number, out_error);
            });
        };
        const auto beyond = said_in_c(5, 0), too_many = said_in_c(3, 2), far_too_many = said_in_c(1, SIZE_MAX - 1);
        CHECK(beyond.first == CUPEL_STATUS_OUT_OF_RANGE);
        const auto refused = [&](const tests::failure& thrown, const tests::failure& returned,
                                 const std::pair<cupel_status, std::string>& expected) {
            REQUIRE(thrown);
            REQUIRE(returned);
            CHECK(*thrown == expected);
            CHECK(*returned == expected);
        };
#define CHECK_RANGE(name, ...)                                                                     \
    refused(tests::thrown_by([&] { static_cast<void>(batch.name(__VA_ARGS__ 5)); }),               \
            tests::returned_by(batch.try_##name(__VA_ARGS__ 5)), beyond);                          \
    refused(tests::thrown_by([&] { static_cast<void>(batch.name(__VA_ARGS__ 3, 2)); }),            \
            tests::returned_by(batch.try_##name(__VA_ARGS__ 3, 2)), too_many);                     \
    refused(tests::thrown_by([&] { static_cast<void>(batch.name(__VA_ARGS__ 1, SIZE_MAX - 1)); }), \
            tests::returned_by(batch.try_##name(__VA_ARGS__ 1, SIZE_MAX - 1)), far_too_many)
        CHECK_RANGE(read_tokens, );
        CHECK_RANGE(read_priority, );
        CHECK_RANGE(read_timestamp, );
        CHECK_RANGE(read_future_relevance_hint, );
        CHECK_RANGE(read_original_tokens, );
        CHECK_RANGE(read_pinned, );
        CHECK_RANGE(read_content, );
        CHECK_RANGE(read_kind, );
        CHECK_RANGE(read_source, );
        CHECK_RANGE(read_kind_codes, );
        CHECK_RANGE(read_source_codes, );
        CHECK_RANGE(read_tags, );
        CHECK_RANGE(read_metadata, );
        CHECK_RANGE(read_metadata_key, "k", );
        CHECK_RANGE(read_metadata_numbers, "k", );
        CHECK_RANGE(to_json, );
#undef CHECK_RANGE

        std::array<std::int64_t, 2> numbers{7, 7};
        std::array<std::uint8_t, 2> bytes{7, 7};
        CHECK_FAILS_AS_C(out_of_range, cupel_batch_read_tokens(batch.get(), 3, 2, numbers.data(), out_error), batch.,
                         read_tokens_into, 3, numbers);
        CHECK_FAILS_AS_C(out_of_range,
                         cupel_batch_read_priority(batch.get(), 3, 2, numbers.data(), bytes.data(), out_error), batch.,
                         read_priority_into, 3, numbers, bytes);
        CHECK_FAILS(length_mismatch, batch., read_priority_into, 0, numbers, span<std::uint8_t>(&byte, 1));
        CHECK_FAILS(length_mismatch, batch., read_metadata_numbers_into, "k", 0, {}, bytes);
        CHECK((numbers == std::array<std::int64_t, 2>{7, 7} && bytes == std::array<std::uint8_t, 2>{7, 7}));
        CHECK_FAILS_AS_C(invalid_utf8,
                         cupel_batch_read_metadata_key(batch.get(), "\xff", 1, 0, 4, nullptr, nullptr, nullptr, nullptr,
                                                       nullptr, 0, out_error),
                         batch., read_metadata_key, "\xff");
        CHECK_FAILS(invalid_utf8, batch., read_metadata_numbers, "\xff");

        // A list keeps what it had.
        auto texts = batch.read_content(0, 1);
        CHECK_FAILS(out_of_range, batch., read_content_into, 3, 2, texts);
        CHECK_FAILS(out_of_range, batch., read_kind_into, 9, cupel::to_end, texts);
        CHECK((texts.size() == 1 && texts[0] == "first"));
        auto tags = batch.read_tags(0, 1);
        CHECK_FAILS(out_of_range, batch., read_tags_into, 3, 2, tags);
        CHECK((tags.size() == 1 && tags[0][0] == "x"));
        auto values = batch.read_metadata_key("k", 0, 1);
        CHECK_FAILS(out_of_range, batch., read_metadata_key_into, "k", 3, 2, values);
        CHECK_FAILS(invalid_utf8, batch., read_metadata_key_into, "\xff", 0, 1, values);
        CHECK((values.size() == 1 && values[0]->text == "text"));
    }

    TEST_CASE("is an error on a batch that was moved from") {
        auto batch = rows_of_all_sorts();
        const auto moved = std::move(batch);
        CHECK_FAILS_AS_C(null_argument, cupel_batch_read_tokens(nullptr, 0, 0, nullptr, out_error), batch.,
                         read_tokens, );
        CHECK_FAILS(null_argument, batch., read_priority, );
        CHECK_FAILS(null_argument, batch., read_content, );
        CHECK_FAILS(null_argument, batch., read_kind_texts, );
        CHECK_FAILS(null_argument, batch., read_tags, );
        CHECK_FAILS(null_argument, batch., read_metadata, );
        CHECK_FAILS(null_argument, batch., read_metadata_key, "k");
        CHECK_FAILS(null_argument, batch., read_metadata_keys, );
        CHECK_FAILS(null_argument, batch., to_json, );
        CHECK(moved.read_tokens().size() == 4);
    }

    /// Scores by tokens, which it reads part by part into memory that it has.
    static void by_tokens(batch_view rows, span<double> scores) {
        std::array<std::int64_t, 3> tokens{};
        for (std::size_t first = 0; first < scores.size(); first += tokens.size()) {
            const std::size_t part = (std::min)(tokens.size(), scores.size() - first);
            rows.read_tokens_into(first, span<std::int64_t>(tokens.data(), part));
            for (std::size_t row = 0; row < part; ++row) {
                scores[first + row] = 100.0 / (100.0 + static_cast<double>(tokens[row]));
            }
        }
    }

    TEST_CASE("serves a custom scorer, for every field") {
        const auto batch = rows_of_all_sorts();
        const auto by_item = cupel::scorer::custom([](batch_view rows, span<double> scores) {
            for (std::size_t row = 0; row < rows.size(); ++row) {
                scores[row] = 100.0 / (100.0 + static_cast<double>(rows.item(row).tokens()));
            }
        });
        CHECK(cupel::scorer::custom(by_tokens).score(batch) == by_item.score(batch));
        const auto all = cupel::scorer::custom([](batch_view rows, span<double> scores) {
            check_range(rows, 0, rows.size());
            check_range(rows, 1, 2);
            const auto trust = rows.read_metadata_numbers("n");
            for (std::size_t row = 0; row < scores.size(); ++row) {
                scores[row] = std::isnan(trust[row]) ? 0 : trust[row];
            }
        });
        CHECK(all.score(batch) == std::vector<double>{0.5, 0, 0, 0});
        const auto beyond = cupel::scorer::custom(
            [](batch_view rows, span<double>) { static_cast<void>(rows.read_priority(0, rows.size() + 1)); });
        CHECK_THROWS_WITH_AS(beyond.score(batch), doctest::Contains("rows"), cupel::error);
    }

    TEST_CASE("writes JSON that reads back the same") {
        cupel::columns rows;
        rows.add("a \"b\"\n", 3).kind("Memory").tags({"x", "y"}).priority(5).timestamp(tests::at(1767225600000000001));
        rows.metadata("n", 0.1).metadata("t", "v").metadata("flag", true).pinned();
        rows.add("größer", -1).future_relevance_hint(0.5).original_tokens(7).source("Rag");
        cupel::batch batch;
        batch.append(rows);
        const auto text = batch.to_json();
        CHECK(std::count(text.begin(), text.end(), '\n') == 2);
        cupel::batch again;
        again.append_json(text);
        CHECK(again.to_json() == text);
        CHECK(batch.view().to_json(1) == batch.item(1).to_json() + "\n");
        CHECK(batch.to_json(0, 1) + batch.to_json(1, 1) == text);
        CHECK(batch.to_json(2).empty());
        again.clear();
        again.append_json(batch.item(0).to_json());
        CHECK(again.item(0).to_json() == batch.item(0).to_json());
        CHECK(again.item(0).content() == "a \"b\"\n");

        cupel_text* raw = nullptr;
        const auto odd = cupel::item_builder("a", 1).metadata("n", std::numeric_limits<double>::infinity()).build();
        CHECK_FAILS_AS_C(invalid_argument, cupel_item_to_json(odd.get(), &raw, out_error), odd., to_json, );
        batch.push(odd);
        CHECK_FAILS_AS_C(invalid_argument, cupel_batch_to_json(batch.get(), 0, 3, &raw, out_error), batch., to_json, );
        auto gone = tests::simple_item();
        const auto taken = std::move(gone);
        CHECK_FAILS(null_argument, gone., to_json, );
    }
}
