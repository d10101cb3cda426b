// SPDX-License-Identifier: MIT OR Apache-2.0
// What the binding adds of its own: results, errors, handles, time and spans.

#include <array>
#include <sstream>
#include <type_traits>

#include "support.hpp"

TEST_SUITE("binding") {
    using namespace std::chrono_literals;
    using cupel::result;
    using cupel::status;

    template <class Class>
    constexpr bool is_handle = sizeof(Class) == sizeof(void*) &&
                               std::is_nothrow_move_constructible_v<Class>&& std::is_nothrow_move_assignable_v<Class> &&
                               !std::is_copy_constructible_v<Class> && !std::is_copy_assignable_v<Class> &&
                               std::is_nothrow_destructible_v<Class>;
    static_assert(is_handle<cupel::item> && is_handle<cupel::item_builder> && is_handle<cupel::batch> &&
                  is_handle<cupel::scorer> && is_handle<cupel::clock>);
    static_assert(std::is_nothrow_copy_constructible_v<cupel::error> &&
                  std::is_base_of_v<std::runtime_error, cupel::error>);

    TEST_CASE("the library is of the header's version") {
        const auto header = std::to_string(CUPEL_VERSION_MAJOR) + "." + std::to_string(CUPEL_VERSION_MINOR) + "." +
                            std::to_string(CUPEL_VERSION_PATCH);
        CHECK(cupel::version() == header);
        CHECK(cupel::abi_version() == CUPEL_ABI_VERSION);
        CHECK(cupel::abi_matches());
    }

    TEST_CASE("statuses have their names") {
        CHECK(std::string(cupel::status_name(status::ok)) == "CUPEL_STATUS_OK");
        CHECK(std::string(cupel::status_name(status::busy)) == "CUPEL_STATUS_BUSY");
        CHECK(cupel::status_name(static_cast<status>(12345)) != nullptr);
        std::ostringstream out;
        out << status::empty_kind << ", " << static_cast<status>(12345);
        CHECK(out.str() == "CUPEL_STATUS_EMPTY_KIND, CUPEL_STATUS_UNKNOWN");
    }

    TEST_CASE("a result is a value or an error") {
        result<std::string> good(std::string("value"));
        CHECK(good);
        CHECK(good.has_value());
        CHECK(*good == "value");
        CHECK(good->size() == 5);
        CHECK(std::as_const(good).value() == "value");
        good.value() += "s";
        CHECK(std::move(good).value() == "values");

        const result<std::string> bad(cupel::error(status::out_of_range, "because"));
        CHECK_FALSE(bad);
        CHECK(bad.error().status() == status::out_of_range);
        CHECK_THROWS_WITH_AS(bad.value(), "because", cupel::error);
        CHECK(result<int>(cupel::error(status::panic, "")).value_or(3) == 3);
        CHECK(result<int>(4).value_or(3) == 4);

        // A temporary result gives its value away, so that a range-based for may run over it.
        static_assert(std::is_same_v<decltype(std::declval<result<std::string>>().value()), std::string>);
        static_assert(std::is_same_v<decltype(*std::declval<result<std::string>>()), std::string>);

        result<void> done;
        CHECK(done);
        done.value();
        done = cupel::error(status::panic, "no");
        CHECK_THROWS_WITH_AS(done.value(), "no", cupel::error);
    }

    TEST_CASE("handles go to C and come back") {
        auto item = tests::simple_item();
        cupel_item* const raw = item.get();
        CHECK(item);
        cupel_item* const released = item.release();
        CHECK(released == raw);
        CHECK_FALSE(item);
        item = cupel::item::from_raw(released);
        CHECK(item.get() == raw);
        CHECK(item.content() == "text");
        CHECK_FALSE(cupel::batch::from_raw(nullptr));

        auto builder = cupel::item_builder::from_raw(cupel::item_builder("other", 2).release());
        CHECK(builder.build().tokens() == 2);
        auto scorer = cupel::scorer::from_raw(cupel::scorer::recency().release());
        auto batch = cupel::batch::from_raw(tests::batch_at({1}).release());
        auto clock = cupel::clock::from_raw(cupel::clock::system().release());
        CHECK(scorer.score(batch) == std::vector<double>{1});
        CHECK(cupel::scorer::decay_window(clock, 1h).score(batch) == std::vector<double>{0});
    }

    TEST_CASE("durations become nanoseconds, rounded down and within 64 bits") {
        using cupel::detail::to_nanoseconds;
        constexpr auto max = (std::numeric_limits<std::int64_t>::max)();
        constexpr auto min = (std::numeric_limits<std::int64_t>::min)();
        static_assert(to_nanoseconds(0ns) == 0 && to_nanoseconds(-5ns) == -5);
        static_assert(to_nanoseconds((std::chrono::nanoseconds::max)()) == max);
        static_assert(to_nanoseconds((std::chrono::nanoseconds::min)()) == min);
        static_assert(to_nanoseconds(3us) == 3000 && to_nanoseconds(-24h) == -86'400'000'000'000);
        static_assert(to_nanoseconds(9'223'372'036s) == 9'223'372'036'000'000'000 &&
                      to_nanoseconds(9'223'372'037s) == max);
        static_assert(to_nanoseconds(-9'223'372'036s) == -9'223'372'036'000'000'000 &&
                      to_nanoseconds(-9'223'372'037s) == min);
        using picoseconds = std::chrono::duration<std::int64_t, std::pico>;
        static_assert(to_nanoseconds(picoseconds(1999)) == 1 && to_nanoseconds(picoseconds(-1)) == -1);
        static_assert(to_nanoseconds((picoseconds::min)()) == min / 1000 - 1);
        using thirds = std::chrono::duration<std::int32_t, std::ratio<1, 3>>;
        static_assert(to_nanoseconds(thirds(2)) == 666'666'666 && to_nanoseconds(thirds(-1)) == -333'333'334);
        using unsigned_seconds = std::chrono::duration<std::uint64_t>;
        static_assert(to_nanoseconds(unsigned_seconds(7)) == 7'000'000'000 &&
                      to_nanoseconds((unsigned_seconds::max)()) == max);
        using unsigned_picoseconds = std::chrono::duration<std::uint64_t, std::pico>;
        static_assert(to_nanoseconds((unsigned_picoseconds::max)()) == 18'446'744'073'709'551);
        CHECK(to_nanoseconds(std::chrono::duration<std::int8_t>(-128)) == -128'000'000'000);
    }

    TEST_CASE("a span borrows what has data and size") {
        std::vector<double> vector{1, 2, 3};
        const std::array<double, 2> array{4, 5};
        double plain[] = {6};
        const cupel::span<double> of_vector = vector;
        const cupel::span<const double> of_array = array;
        const cupel::span<const double> of_span = of_vector;
        const cupel::span<double> of_plain = plain;
        of_vector[1] = 7;
        CHECK(vector[1] == 7);
        CHECK((of_span.size() == 3 && of_array.size() == 2 && of_plain.size() == 1));
        CHECK(std::vector<double>(of_array.begin(), of_array.end()) == std::vector<double>{4, 5});
        CHECK(cupel::span<int>().empty());
        static_assert(!std::is_convertible_v<std::vector<int>&, cupel::span<double>>);
        static_assert(!std::is_convertible_v<const std::vector<double>&, cupel::span<double>>);
    }
}
