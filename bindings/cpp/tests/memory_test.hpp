// SPDX-License-Identifier: MIT OR Apache-2.0
// Constructors that fail half-way leave nothing behind. The C++ side is counted and made to fail here, allocation by
// allocation; LeakSanitizer watches both sides.

#include <cstdlib>
#include <new>

#include "support.hpp"

namespace tests {

/// The allocations of this thread by operator new.
struct allocations {
    static inline thread_local long live = 0;
    static inline thread_local long until_failure = -1;  ///< below 0: none fails
};

inline void* allocate(std::size_t size) {
    if (allocations::until_failure == 0) {
        return nullptr;
    }
    void* memory = std::malloc(size == 0 ? 1 : size);
    if (memory) {
        allocations::until_failure -= allocations::until_failure > 0;
        ++allocations::live;
    }
    return memory;
}

inline void deallocate(void* memory) noexcept {
    allocations::live -= memory != nullptr;
    std::free(memory);
}

}  // namespace tests

// NOLINTBEGIN: replacing the global functions is the point.
[[gnu::noinline]] void* operator new(std::size_t size) {
    if (void* memory = tests::allocate(size)) {
        return memory;
    }
    throw std::bad_alloc();
}
[[gnu::noinline]] void* operator new(std::size_t size, const std::nothrow_t&) noexcept { return tests::allocate(size); }
[[gnu::noinline]] void operator delete(void* memory) noexcept { tests::deallocate(memory); }
[[gnu::noinline]] void operator delete(void* memory, std::size_t) noexcept { tests::deallocate(memory); }
// NOLINTEND

TEST_SUITE("memory") {
    using namespace std::chrono_literals;

    /// Runs the call with the first allocation failing, the second, and so on until none does.
    template <class Call>
    static long run_with_failures(Call call) {
        for (long failing = 0;; ++failing) {
            const long live_before = tests::allocations::live;
            tests::allocations::until_failure = failing;
            bool failed = false;
            try {
                call();
            } catch (const std::bad_alloc&) {
                failed = true;
            }
            tests::allocations::until_failure = -1;
            if (tests::allocations::live != live_before) {
                CAPTURE(failing);
                CHECK(tests::allocations::live == live_before);
                return failing;
            }
            if (!failed) {
                return failing;
            }
        }
    }

    TEST_CASE("nothing is left of a tree of scorers whose making failed half-way") {
        const std::string long_name(100, 'x');
        const auto batch = tests::batch_at({1, 2});
        const long failed = run_with_failures([&] {
            using cupel::scorer;
            auto custom = scorer::custom([copied = long_name](cupel::batch_view, cupel::span<double> out) {
                out[0] = static_cast<double>(copied.size());
            });
            const auto clock = cupel::clock::custom(
                [copied = long_name] { return tests::at(static_cast<std::int64_t>(copied.size())); });
            const auto decay = scorer::decay_step(clock, {{1h, 1.0}, {2h, 0.5}});
            const auto weighted = scorer::composite({{custom, 1}, {decay, 1}, {scorer::tag({{long_name, 1}}), 1}});
            const auto json = scorer::scaled(scorer::kind({{long_name, 2}})).to_json();
            static_cast<void>(weighted.score(batch));
        });
        CHECK(failed >= 6);
    }

    TEST_CASE("nothing is left of columns and items whose making failed half-way") {
        const std::string long_text(100, 'x');
        const long failed = run_with_failures([&] {
            cupel::columns rows;
            rows.add(long_text, 1).kind(long_text).tag(long_text).metadata(long_text, long_text).priority(1);
            rows.add(long_text, 1).source(long_text).timestamp(tests::at(1)).future_relevance_hint(1).pinned();
            cupel::batch batch;
            batch.append(rows);
            const auto item = batch.item(0);
            static_cast<void>(item.tags());
            static_cast<void>(item.metadata());
        });
        CHECK(failed >= 10);
    }

    TEST_CASE("nothing is left of rows whose reading failed half-way, and lists are whole or empty") {
        const std::string long_text(100, 'x');
        cupel::columns rows;
        for (int row = 0; row < 3; ++row) {
            rows.add(long_text, 1)
                .tag(long_text)
                .metadata(long_text, long_text)
                .metadata("n", row)
                .timestamp(tests::at(row));
        }
        cupel::batch batch;
        batch.append(rows);
        const long failed = run_with_failures([&] {
            static_cast<void>(batch.read_timestamp());
            static_cast<void>(batch.read_content());
            static_cast<void>(batch.read_kind_texts());
            static_cast<void>(batch.read_tags());
            static_cast<void>(batch.read_metadata());
            static_cast<void>(batch.read_metadata_key(long_text));
            static_cast<void>(batch.to_json());
            batch.retain(std::vector<bool>(3, true));
            static_cast<void>(cupel::scorer::recency().columns().names());
        });
        CHECK(failed >= 20);

        const auto reads_again = [&](auto list, auto read) {
            for (long failing = 0; failing < 6; ++failing) {
                CAPTURE(failing);
                list = {};
                read(list, 1);
                tests::allocations::until_failure = failing;
                try {
                    read(list, 3);
                } catch (const std::bad_alloc&) {
                }
                tests::allocations::until_failure = -1;
                CHECK((list.size() == 0 || list.size() == 3));
                read(list, 1);
                CHECK(list.size() == 1);
            }
        };
        reads_again(cupel::text_list(),
                    [&](auto& list, std::size_t count) { batch.read_content_into(0, count, list); });
        reads_again(cupel::tag_lists(), [&](auto& list, std::size_t count) { batch.read_tags_into(0, count, list); });
        reads_again(cupel::metadata_lists(),
                    [&](auto& list, std::size_t count) { batch.read_metadata_into(0, count, list); });
        reads_again(cupel::metadata_values(),
                    [&](auto& list, std::size_t count) { batch.read_metadata_key_into(long_text, 0, count, list); });
    }

    TEST_CASE("columns that ran out of memory are as they were before the row") {
        const std::string long_text(100, 'x');
        for (long failing = 0; failing < 60; ++failing) {
            CAPTURE(failing);
            cupel::columns rows;
            rows.add("a", 1).tag("x").kind("Memory").metadata("k", "v").priority(3);
            rows.add("b", 2);
            tests::allocations::until_failure = failing;
            try {
                for (int row = 0; row < 5; ++row) {
                    rows.add(long_text, 3).tag(long_text).kind(long_text).metadata(long_text, long_text);
                }
            } catch (const std::bad_alloc&) {
            }
            tests::allocations::until_failure = -1;
            const auto before = rows.size();
            rows.tag("last").kind("Last").add("c", 4).tag("y").metadata("l", 1).source("Rag");
            cupel::batch batch;
            batch.append(rows);
            REQUIRE(batch.size() == before + 1);
            const auto first = batch.item(0);
            CHECK(first.tags() == std::vector<std::string_view>{"x"});
            CHECK(first.metadata(0).text == "v");
            CHECK(batch.item(1).content() == "b");
            const auto last = batch.item(before);
            CHECK(last.content() == "c");
            CHECK(last.tags() == std::vector<std::string_view>{"y"});
            CHECK(last.metadata_count() == 1);
            CHECK(last.kind() == "Message");
            CHECK(batch.item(before - 1).kind() == "Last");
        }
    }

    TEST_CASE("nothing is left of what the library refused") {
        const long live_before = tests::allocations::live;
        for (int round = 0; round < 3; ++round) {
            const auto child = cupel::scorer::recency();
            CHECK_THROWS_AS(cupel::scorer::composite({{child, 1}, {child, -1}}), cupel::error);
            CHECK_THROWS_AS(cupel::scorer::kind({{"a", 1}, {"b", -1}}), cupel::error);
            CHECK_THROWS_AS(cupel::item_builder("text", 1).tag("a").kind(" "), cupel::error);
            CHECK_THROWS_AS(cupel::scorer::decay_step(cupel::clock::system(), {{1h, 1}, {1h, 1}}), cupel::error);
            CHECK_FALSE(cupel::scorer::try_from_json(
                "{\"type\": \"composite\", \"scorers\": [{\"type\": \"recency\", \"weight\": 1}, {}]}"));
        }
        CHECK(tests::allocations::live == live_before);
    }
}
