// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file result.hpp
/// cupel::result<T>: a value or the error that stands in its place, for code that does not want exceptions.

#ifndef CUPEL_RESULT_HPP
#define CUPEL_RESULT_HPP

#include <optional>
#include <utility>
#include <variant>

#include "error.hpp"

namespace cupel {

/// What every `try_` function returns. A `try_` function never throws a cupel::error nor what a callback threw; only
/// the C++ allocator's own std::bad_alloc can still leave it.
template <class T>
class [[nodiscard]] result {
public:
    result(T value) : state_(std::in_place_index<0>, std::move(value)) {}
    result(cupel::error failure) : state_(std::in_place_index<1>, std::move(failure)) {}

    bool has_value() const noexcept { return state_.index() == 0; }
    explicit operator bool() const noexcept { return has_value(); }

    /// The value. @throws cupel::error when there is none, or the exception that a callback threw
    T& value() & {
        check();
        return **this;
    }
    const T& value() const& {
        check();
        return **this;
    }
    T value() && {  // not T&&, which a range-based for over a temporary result would outlive
        check();
        return *std::move(*this);
    }

    /// The value, or `fallback` when there is none.
    template <class U>
    T value_or(U&& fallback) && {
        return has_value() ? *std::move(*this) : static_cast<T>(std::forward<U>(fallback));
    }

    /// The value, only where has_value() holds: ends the program where it does not.
    T& operator*() & noexcept { return std::get<0>(state_); }
    const T& operator*() const& noexcept { return std::get<0>(state_); }
    T operator*() && noexcept { return std::get<0>(std::move(state_)); }
    T* operator->() noexcept { return &std::get<0>(state_); }
    const T* operator->() const noexcept { return &std::get<0>(state_); }

    /// The failure, only where has_value() does not hold: ends the program where it does.
    const cupel::error& error() const noexcept { return std::get<1>(state_); }

private:
    void check() const {
        if (!has_value()) {
            detail::raise(error());
        }
    }

    std::variant<T, cupel::error> state_;
};

/// Success or an error.
template <>
class [[nodiscard]] result<void> {
public:
    result() noexcept = default;
    result(cupel::error failure) : failure_(std::move(failure)) {}

    bool has_value() const noexcept { return !failure_.has_value(); }
    explicit operator bool() const noexcept { return has_value(); }

    /// Does nothing on success. @throws cupel::error otherwise, or the exception that a callback threw
    void value() const {
        if (failure_) {
            detail::raise(*failure_);
        }
    }

    /// The failure, only where has_value() does not hold: ends the program where it does.
    const cupel::error& error() const noexcept { return failure_.value(); }

private:
    std::optional<cupel::error> failure_;
};

namespace detail {

/// Calls a C function that only succeeds or fails: `function(arguments..., out_error)`.
template <class Function, class... Arguments>
result<void> call(Function function, Arguments... arguments) {
    error_out failed;
    if (!failed.ok(function(arguments..., failed))) {
        return failed.failure();
    }
    return {};
}

/// Calls a C function that gives one value: `function(arguments..., out_value, out_error)`.
template <class T, class Function, class... Arguments>
result<T> read(Function function, Arguments... arguments) {
    T value{};
    error_out failed;
    if (!failed.ok(function(arguments..., &value, failed))) {
        return failed.failure();
    }
    return value;
}

}  // namespace detail
}  // namespace cupel

#endif
