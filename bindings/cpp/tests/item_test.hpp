// SPDX-License-Identifier: MIT OR Apache-2.0
// Every field of an item, in and out.

#include <array>
#include <cmath>
#include <limits>

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
        check(6, "wide", cupel::metadata_type::number, "", 18446744073709551616.0);
        CHECK(item.metadata(2).number == 0.1);
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
