// SPDX-License-Identifier: MIT OR Apache-2.0
// Every field of an item, in and out.

#include <algorithm>
#include <array>
#include <cmath>
#include <limits>
#include <type_traits>

#include "support.hpp"

TEST_SUITE("item") {
    using namespace std::chrono_literals;
    using tests::at;

    TEST_CASE("has its defaults") {
        const auto item = cupel::item::builder("text", 12).build();
        CHECK(item.content() == "text");
        CHECK(item.tokens() == 12);
        CHECK(item.kind() == "Message");
        CHECK(item.source() == "Chat");
        CHECK_FALSE(item.priority());
        CHECK_FALSE(item.original_tokens());
        CHECK_FALSE(item.timestamp());
        CHECK_FALSE(item.future_relevance_hint());
        CHECK_FALSE(item.pinned());
        CHECK(item.tag_count() == 0);
        CHECK(item.tags().empty());
        CHECK(item.metadata_count() == 0);
        CHECK(item.metadata().empty());
    }

    TEST_CASE("gives back every field") {
        const std::string with_nul("Grüße\0!", 9);
        const std::vector<std::string> more_tags{"urgent", ""};
        auto builder = cupel::item::builder(with_nul, -7);
        builder.kind("ToolOutput").source("Rag").tag("deploy").tags(more_tags).tags({"x", "deploy"});
        builder.priority((std::numeric_limits<std::int64_t>::min)()).original_tokens(0).timestamp(at(-1));
        builder.future_relevance_hint(-0.0).pinned();
        builder.metadata("text", "value").metadata("", "").metadata("number", 0.1).metadata("whole", 3);
        builder.metadata("flag", true)
            .metadata_other("date", "2026-01-01")
            .metadata("wide", (std::numeric_limits<std::uint64_t>::max)());
        const auto item = builder.build();

        CHECK(item.content() == with_nul);
        CHECK(item.tokens() == -7);
        CHECK(item.kind() == "ToolOutput");
        CHECK(item.source() == "Rag");
        CHECK(item.tags() == std::vector<std::string_view>{"deploy", "urgent", "", "x", "deploy"});
        CHECK(item.tag(1) == "urgent");
        CHECK(item.priority() == (std::numeric_limits<std::int64_t>::min)());
        CHECK(item.original_tokens() == 0);
        CHECK(item.timestamp() == at(-1));
        REQUIRE(item.future_relevance_hint());
        CHECK(tests::bits_of(*item.future_relevance_hint()) == tests::bits_of(-0.0));
        CHECK(item.pinned());

        const auto metadata = item.metadata();
        REQUIRE(metadata.size() == 7);
        const auto check = [&](std::size_t index, std::string_view key, cupel::metadata_type type,
                               std::string_view text, double number) {
            CAPTURE(index);
            CHECK(metadata[index].key == key);
            CHECK(metadata[index].type == type);
            CHECK(metadata[index].text == text);
            CHECK(metadata[index].number == number);
        };
        check(0, "text", cupel::metadata_type::string, "value", 0);
        check(1, "", cupel::metadata_type::string, "", 0);
        check(2, "number", cupel::metadata_type::number, "", 0.1);
        check(3, "whole", cupel::metadata_type::number, "", 3);
        check(4, "flag", cupel::metadata_type::other, "true", 0);
        check(5, "date", cupel::metadata_type::other, "2026-01-01", 0);
        check(6, "wide", cupel::metadata_type::other, "18446744073709551615", 0);
        CHECK(item.metadata(2).number == 0.1);
    }

    TEST_CASE("gives copies of its texts when it is a temporary") {
        const std::string long_text(100, 'x');
        auto builder = cupel::item_builder(long_text, 1).kind(long_text).source(long_text).tag(long_text);
        const auto content = builder.build().content();
        const auto kind = builder.build().kind();
        const auto source = builder.build().source();
        const auto tag = builder.build().tag(0);
        for (const auto* text : {&content, &kind, &source, &tag}) {
            CHECK(*text == long_text);
            CHECK(std::string_view(*text) == long_text);
        }
        std::string prompt = "> ";
        prompt += builder.build().content();
        CHECK(prompt == "> " + long_text);
        const std::string moved = builder.build().kind();
        CHECK(moved == long_text);

        using cupel::item;
        using text = std::string_view;
        static_assert(!std::is_convertible_v<decltype(std::declval<item>().content()), text>);
        static_assert(!std::is_convertible_v<decltype(std::declval<item>().tag(0)), text>);
        static_assert(std::is_same_v<decltype(std::declval<item&>().content()), text>);
        static_assert(std::is_same_v<decltype(std::declval<const item&>().kind()), text>);
    }

    TEST_CASE("is built by a builder that was chained, named and moved") {
        auto builder = cupel::item_builder("text", 1).kind("Memory").tags({"a"}).priority(2).pinned();
        builder.tag("b").metadata("k", 1);
        auto moved = std::move(builder).source("Rag").metadata("l", "m").timestamp(at(1)).original_tokens(3);
        CHECK_FALSE(builder);
        const auto item = moved.build();
        CHECK(item.kind() == "Memory");
        CHECK(item.tags() == std::vector<std::string_view>{"a", "b"});
        CHECK(item.metadata_count() == 2);
        CHECK(item.source() == "Rag");
        static_assert(std::is_same_v<decltype(std::declval<cupel::item_builder>().kind("k")), cupel::item_builder>);
        static_assert(std::is_same_v<decltype(std::declval<cupel::item_builder&>().kind("k")), cupel::item_builder&>);
    }

    /// A range that only a non-const object gives its iterators, as some views are.
    struct single_pass {
        std::vector<std::string> texts;
        std::vector<std::string>::iterator begin() { return texts.begin(); }
        std::vector<std::string>::iterator end() { return texts.end(); }
    };

    TEST_CASE("takes tags from any range of texts") {
        const std::vector<std::string_view> expected{"a", "b"};
        const auto tags_of = [](auto&& range) {
            cupel::columns rows;
            rows.add("text", 1).tags(range);
            cupel::batch batch;
            batch.append(rows);
            const auto by_columns = batch.item(0);
            const auto item = cupel::item_builder("text", 1).tags(std::forward<decltype(range)>(range)).build();
            CHECK(item.tags() == by_columns.tags());
            std::vector<std::string> tags;
            for (const auto tag : item.tags()) {
                tags.emplace_back(tag);
            }
            return tags;
        };
        const char* const pointers[] = {"a", "b"};
        const std::vector<std::string> strings{"a", "b"};
        single_pass once{strings};
        for (const auto& tags : {tags_of(pointers), tags_of(strings), tags_of(std::array<std::string_view, 2>{"a", "b"}),
                                 tags_of(once), tags_of(single_pass{strings})}) {
            CHECK(std::equal(tags.begin(), tags.end(), expected.begin(), expected.end()));
        }
        CHECK(tags_of(std::vector<std::string>()).empty());
#if defined(CUPEL_TESTS_VIEWS)
        auto filtered = strings | std::views::filter([](const std::string& text) { return text != "a"; });
        CHECK(tags_of(filtered) == std::vector<std::string>{"b"});
        CHECK(tags_of(strings | std::views::transform([](const std::string& text) { return text + "!"; })) ==
              std::vector<std::string>{"a!", "b!"});
#endif
    }

    TEST_CASE("has metadata values of whatever C++ has") {
        const auto check = [](const cupel::metadata_value& value, cupel::metadata_type type, std::string_view text,
                              double number) {
            CAPTURE(text);
            cupel::columns rows;
            rows.add("text", 1).metadata("key", value);
            cupel::batch batch;
            batch.append(rows);
            batch.push(cupel::item_builder("text", 1).metadata("key", value).build());
            for (const auto& item : batch) {
                const auto entry = item.metadata(0);
                CHECK(entry.type == type);
                CHECK(entry.text == text);
                CHECK(tests::bits_of(entry.number) == tests::bits_of(number));
            }
        };
        constexpr auto string = cupel::metadata_type::string;
        constexpr auto number = cupel::metadata_type::number;
        constexpr auto other = cupel::metadata_type::other;
        check("text", string, "text", 0);
        check(std::string("text"), string, "text", 0);
        check(std::string_view("text"), string, "text", 0);
        check("", string, "", 0);
        check(0.5F, number, "", 0.5);
        check(0.5L, number, "", 0.5);
        check(-0.0, number, "", -0.0);
        check(static_cast<signed char>(-7), number, "", -7);
        check((std::int64_t{1} << 53), number, "", 9007199254740992.0);
        check((std::int64_t{1} << 53) + 1, other, "9007199254740993", 0);
        check(-(std::int64_t{1} << 53) - 1, other, "-9007199254740993", 0);
        check((std::numeric_limits<std::int64_t>::min)(), number, "", -9223372036854775808.0);
        check((std::numeric_limits<std::int64_t>::max)(), other, "9223372036854775807", 0);
        check(std::uint64_t{1} << 63, number, "", 9223372036854775808.0);
        check((std::numeric_limits<std::uint64_t>::max)(), other, "18446744073709551615", 0);
        check(true, other, "true", 0);
        check(nullptr, other, "null", 0);
        check(at(0), other, "1970-01-01T00:00:00Z", 0);
        check(at(-1), other, "1969-12-31T23:59:59.999999999Z", 0);
        check(at(951'782'400'000'000'000) + 250ms, other, "2000-02-29T00:00:00.25Z", 0);
        check((cupel::time_point::min)(), other, "1677-09-21T00:12:43.145224192Z", 0);
        check((cupel::time_point::max)(), other, "2262-04-11T23:47:16.854775807Z", 0);
        check(cupel::metadata_value::other("[1,2]"), other, "[1,2]", 0);
        static_assert(!std::is_convertible_v<char, cupel::metadata_value>);
        static_assert(!std::is_convertible_v<wchar_t, cupel::metadata_value>);
    }

    TEST_CASE("keeps a hint's bits") {
        for (const double hint : {0.0, -1.5, std::nan("7"), -std::numeric_limits<double>::infinity()}) {
            const auto item = cupel::item_builder("text", 1).future_relevance_hint(hint).build();
            CHECK(tests::bits_of(item.future_relevance_hint().value()) == tests::bits_of(hint));
        }
    }

    TEST_CASE("has a metadata key once, with its last value") {
        const auto item = cupel::item_builder("text", 1).metadata("k", "v").metadata("l", 1).metadata("k", 2.5).build();
        REQUIRE(item.metadata_count() == 2);
        CHECK(item.metadata(0).key == "k");
        CHECK(item.metadata(0).number == 2.5);
    }

    TEST_CASE("takes instants of every unit, and the nearest to those out of range") {
        using std::chrono::system_clock;
        const auto stored = [](auto instant) {
            return cupel::item_builder("text", 1).timestamp(instant).build().timestamp().value();
        };
        CHECK(stored(at(1)) == at(1));
        CHECK(stored(std::chrono::time_point<system_clock, std::chrono::milliseconds>(-3ms)) == at(-3'000'000));
        const auto now = system_clock::now();
        CHECK(stored(now) == now);
        CHECK(stored((std::chrono::time_point<system_clock, std::chrono::hours>::max)()) == (cupel::time_point::max)());
        CHECK(stored((std::chrono::time_point<system_clock, std::chrono::seconds>::min)()) ==
              (cupel::time_point::min)());
    }

    TEST_CASE("outlives its builder, which may build again") {
        cupel::item_builder reused("first", 1);
        reused.tag("a").kind("Document");
        const auto first = reused.build();
        const auto again = reused.build();
        reused.reset("second", 2);
        const auto second = reused.build();
        CHECK(first.tags() == std::vector<std::string_view>{"a"});
        CHECK(again.kind() == "Document");
        CHECK(second.content() == "second");
        CHECK(second.tokens() == 2);
        CHECK(second.tag_count() == 0);
        CHECK(second.kind() == "Message");
    }

    TEST_CASE("is refused with the words of the C interface") {
        const std::string bad = "ab\xff";
        cupel_item_builder* raw = nullptr;
        CHECK_CREATE_FAILS_AS_C(empty_content, cupel_item_builder_new("", 0, 1, &raw, out_error), cupel::item_builder,
                                "", 1);
        CHECK_CREATE_FAILS_AS_C(invalid_utf8, cupel_item_builder_new(bad.data(), 3, 1, &raw, out_error),
                                cupel::item_builder, bad, 1);

        cupel::item_builder builder("text", 1);
        CHECK_FAILS_AS_C(empty_content, cupel_item_builder_reset(builder.get(), "", 0, 1, out_error), builder., reset,
                         "", 1);
        CHECK_FAILS_AS_C(empty_kind, cupel_item_builder_set_kind(builder.get(), " \t", 2, out_error), builder., kind,
                         " \t");
        CHECK_FAILS_AS_C(empty_source, cupel_item_builder_set_source(builder.get(), "", 0, out_error), builder., source,
                         "");
        CHECK_FAILS_AS_C(invalid_utf8, cupel_item_builder_set_kind(builder.get(), bad.data(), 3, out_error), builder.,
                         kind, bad);
        CHECK_FAILS_AS_C(invalid_utf8, cupel_item_builder_set_source(builder.get(), bad.data(), 3, out_error), builder.,
                         source, bad);
        CHECK_FAILS_AS_C(invalid_utf8, cupel_item_builder_add_tag(builder.get(), bad.data(), 3, out_error), builder.,
                         tag, bad);
        CHECK_FAILS_AS_C(invalid_utf8,
                         cupel_item_builder_set_metadata_string(builder.get(), bad.data(), 3, "", 0, out_error),
                         builder., metadata, bad, "");
        CHECK_FAILS_AS_C(invalid_utf8,
                         cupel_item_builder_set_metadata_string(builder.get(), "k", 1, bad.data(), 3, out_error),
                         builder., metadata, "k", bad);
        CHECK_FAILS_AS_C(invalid_utf8,
                         cupel_item_builder_set_metadata_double(builder.get(), bad.data(), 3, 1, out_error), builder.,
                         metadata, bad, 1);
        CHECK_FAILS_AS_C(invalid_utf8,
                         cupel_item_builder_set_metadata_other(builder.get(), "k", 1, bad.data(), 3, out_error),
                         builder., metadata_other, "k", bad);
        const auto item = builder.build();
        CHECK(item.kind() == "Message");
        CHECK(item.tag_count() == 0);
        CHECK(item.metadata_count() == 0);

        const char* data = nullptr;
        std::size_t size = 0;
        CHECK_FAILS_AS_C(out_of_range, cupel_item_tag(item.get(), 0, &data, &size, out_error), item., tag, 0);
        CHECK_FAILS_AS_C(out_of_range, cupel_item_metadata_key(item.get(), 3, &data, &size, out_error), item., metadata,
                         3);
    }

    TEST_CASE("is an error to use when moved from") {
        auto item = tests::simple_item();
        const auto moved = std::move(item);
        CHECK(moved.content() == "text");
        CHECK_FALSE(static_cast<bool>(item));
        std::int64_t tokens = 0;
        CHECK_FAILS_AS_C(null_argument, cupel_item_tokens(nullptr, &tokens, out_error), item., tokens, );
        CHECK_FAILS(null_argument, item., content, );
        CHECK_FAILS(null_argument, item., kind, );
        CHECK_FAILS(null_argument, item., source, );
        CHECK_FAILS(null_argument, item., priority, );
        CHECK_FAILS(null_argument, item., original_tokens, );
        CHECK_FAILS(null_argument, item., timestamp, );
        CHECK_FAILS(null_argument, item., future_relevance_hint, );
        CHECK_FAILS(null_argument, item., pinned, );
        CHECK_FAILS(null_argument, item., tag_count, );
        CHECK_FAILS(null_argument, item., tag, 0);
        CHECK_FAILS(null_argument, item., tags, );
        CHECK_FAILS(null_argument, item., metadata_count, );
        CHECK_FAILS(null_argument, item., metadata, );
        CHECK_FAILS(null_argument, item., metadata, 0);

        cupel::item_builder builder("text", 1);
        auto other = std::move(builder);
        CHECK_FAILS(null_argument, builder., reset, "text", 1);
        CHECK_FAILS(null_argument, builder., kind, "Document");
        CHECK_FAILS(null_argument, builder., source, "Rag");
        CHECK_FAILS(null_argument, builder., tag, "a");
        CHECK_FAILS(null_argument, builder., priority, 1);
        CHECK_FAILS(null_argument, builder., original_tokens, 1);
        CHECK_FAILS(null_argument, builder., timestamp, at(0));
        CHECK_FAILS(null_argument, builder., future_relevance_hint, 1);
        CHECK_FAILS(null_argument, builder., pinned, );
        CHECK_FAILS(null_argument, builder., metadata, "k", "v");
        CHECK_FAILS(null_argument, builder., metadata, "k", 1);
        CHECK_FAILS(null_argument, builder., metadata, "k", false);
        CHECK_FAILS(null_argument, builder., metadata_other, "k", "v");
        CHECK_FAILS(null_argument, builder., build, );
        builder = std::move(other);
        CHECK(builder.build().content() == "text");
    }
}
