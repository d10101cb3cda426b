// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file clock.hpp
/// Where the decay scorers have their now from.

#ifndef CUPEL_CLOCK_HPP
#define CUPEL_CLOCK_HPP

#include <chrono>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "detail/callback.hpp"
#include "handle.hpp"
#include "time.hpp"

namespace cupel {

/// A source of the present instant, read once per scoring call, so that all rows and all decay scorers that share it
/// see the same now. It never changes; the scorers made with it keep their own share. Any thread.
class clock : public detail::handle<clock, cupel_clock> {
public:
    /// The system's clock.
    static clock system() { return try_system().value(); }
    static result<clock> try_system() { return make(cupel_clock_system_new); }

    /// Always the same instant.
    template <class Duration>
    static clock fixed(std::chrono::time_point<std::chrono::system_clock, Duration> now) {
        return try_fixed(now).value();
    }
    template <class Duration>
    static result<clock> try_fixed(std::chrono::time_point<std::chrono::system_clock, Duration> now) {
        return make(cupel_clock_fixed_new, detail::to_unix_nanoseconds(now));
    }

    /// Asks `now`, a callable without parameters that returns a std::chrono::system_clock instant.
    /// What it throws comes out of the scoring call. It is called by every thread that scores, at the same time, and
    /// destroyed with the last scorer that uses it.
    template <class Now>
    static clock custom(Now&& now) {
        return try_custom(std::forward<Now>(now)).value();
    }
    template <class Now>
    static result<clock> try_custom(Now&& now) {
        return detail::keep_callback(std::forward<Now>(now), [](void* user_data, cupel_destroy_callback destroy) {
            return make(cupel_clock_custom_fallible_new, &clock::ask<std::decay_t<Now>>, user_data, destroy);
        });
    }

private:
    friend handle;

    explicit clock(empty_tag) noexcept {}

    template <class Now>
    static cupel_status ask(void* user_data, std::int64_t* out_unix_nanoseconds, cupel_error** out_error) noexcept {
        auto read = [&now = *static_cast<Now*>(user_data), out_unix_nanoseconds] {
            *out_unix_nanoseconds = detail::to_unix_nanoseconds(std::invoke(now));
        };
        return detail::guarded(out_error, read);
    }
};

}  // namespace cupel

#endif
