// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file time.hpp
/// Between std::chrono and the library's 64-bit nanoseconds.

#ifndef CUPEL_TIME_HPP
#define CUPEL_TIME_HPP

#include <chrono>
#include <cstdint>
#include <limits>
#include <ratio>
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

}  // namespace detail
}  // namespace cupel

#endif
