// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file time.hpp
/// Between std::chrono and the library's 64-bit nanoseconds.

#ifndef CUPEL_TIME_HPP
#define CUPEL_TIME_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <ratio>
#include <string>
#include <type_traits>

namespace cupel {

/// An instant as the library keeps it: nanoseconds since the Unix epoch, UTC, from 1677 to 2262.
/// (std::chrono::system_clock counts from that epoch: by the standard since C++20, and everywhere before it.)
using time_point = std::chrono::time_point<std::chrono::system_clock, std::chrono::nanoseconds>;

namespace detail {

/// Whole nanoseconds, rounded down; what does not fit in 64 bits becomes the nearest that does, where
/// std::chrono::duration_cast would overflow.
template <class Rep, class Period>
constexpr std::int64_t to_nanoseconds(std::chrono::duration<Rep, Period> duration) noexcept {
    static_assert(std::is_integral_v<Rep> && sizeof(Rep) <= sizeof(std::int64_t),
                  "cupel takes whole ticks: std::chrono::floor a floating-point duration first");
    using scale = std::ratio_divide<Period, std::nano>;
    constexpr std::int64_t max = (std::numeric_limits<std::int64_t>::max)();
    constexpr std::int64_t min = (std::numeric_limits<std::int64_t>::min)();
    static_assert(scale::num <= max / scale::den, "the period cannot be expressed in nanoseconds");

    std::int64_t whole = 0;
    std::int64_t rest = 0;
    if constexpr (std::is_signed_v<Rep>) {
        whole = duration.count() / scale::den;
        rest = duration.count() % scale::den;
        if (rest < 0) {
            rest += scale::den;
            whole -= 1;
        }
    } else {
        const std::uint64_t ticks = duration.count();
        const std::uint64_t unsigned_whole = ticks / static_cast<std::uint64_t>(scale::den);
        if (unsigned_whole > static_cast<std::uint64_t>(max)) {
            return max;
        }
        whole = static_cast<std::int64_t>(unsigned_whole);
        rest = static_cast<std::int64_t>(ticks % static_cast<std::uint64_t>(scale::den));
    }
    const std::int64_t fraction = rest * scale::num / scale::den;
    if (whole > (max - fraction) / scale::num) {
        return max;
    }
    if (whole < min / scale::num) {
        return min;
    }
    return whole * scale::num + fraction;
}

template <class Duration>
constexpr std::int64_t to_unix_nanoseconds(
    std::chrono::time_point<std::chrono::system_clock, Duration> instant) noexcept {
    return to_nanoseconds(instant.time_since_epoch());
}

constexpr time_point from_unix_nanoseconds(std::int64_t nanoseconds) noexcept {
    return time_point(std::chrono::nanoseconds(nanoseconds));
}

/// The instant as RFC 3339 in UTC, such as 2026-01-02T03:04:05.25Z, with as many digits of the second as it needs.
inline std::string to_rfc3339(std::int64_t unix_nanoseconds) {
    constexpr std::int64_t day_length = 86'400'000'000'000;
    auto days = unix_nanoseconds / day_length;
    auto rest = unix_nanoseconds % day_length;
    if (rest < 0) {
        rest += day_length;
        --days;
    }
    // At most three centuries from 1970: to count the years and the months is quick.
    const auto is_leap = [](std::int64_t year) { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0); };
    const auto year_length = [&](std::int64_t year) { return is_leap(year) ? 366 : 365; };
    std::int64_t year = 1970;
    for (; days < 0; days += year_length(year)) {
        --year;
    }
    for (; days >= year_length(year); ++year) {
        days -= year_length(year);
    }
    const int month_lengths[] = {31, is_leap(year) ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31};
    std::int64_t month = 1;
    for (const int length : month_lengths) {
        if (days < length) {
            break;
        }
        days -= length;
        ++month;
    }
    std::string text;
    const auto append = [&text](const char* separator, std::int64_t number, std::size_t width) {
        const auto digits = std::to_string(number);
        text.append(separator).append(width - digits.size(), '0').append(digits);
    };
    append("", year, 4);
    append("-", month, 2);
    append("-", days + 1, 2);
    append("T", rest / 3'600'000'000'000, 2);
    append(":", rest / 60'000'000'000 % 60, 2);
    append(":", rest / 1'000'000'000 % 60, 2);
    if (const auto fraction = rest % 1'000'000'000) {
        append(".", fraction, 9);
        text.erase(text.find_last_not_of('0') + 1);
    }
    return text += 'Z';
}

}  // namespace detail
}  // namespace cupel

#endif
