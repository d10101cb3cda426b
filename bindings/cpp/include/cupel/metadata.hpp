// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file metadata.hpp
/// The metadata of an item: cupel::metadata_value goes in, cupel::metadata_entry comes out.

#ifndef CUPEL_METADATA_HPP
#define CUPEL_METADATA_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>

#include <cupel.h>

#include "time.hpp"

namespace cupel {

/// What a metadata value is.
enum class metadata_type : cupel_metadata_type {
    string = CUPEL_METADATA_TYPE_STRING,
    number = CUPEL_METADATA_TYPE_DOUBLE,
    other = CUPEL_METADATA_TYPE_OTHER,  ///< neither text nor a number in its host, which gave its text
};

/// A metadata entry, borrowed from its item.
struct metadata_entry {
    std::string_view key;
    metadata_type type;
    std::string_view text;  ///< of a string or other; empty for a number
    double number;          ///< of a number; 0 for texts
};

namespace detail {

template <class T, class... Others>
constexpr bool is_any_of = (std::is_same_v<T, Others> || ...);

template <class T>
using if_bool = std::enable_if_t<std::is_same_v<T, bool>, int>;

/// A character is no number: it is more likely meant as text.
template <class T>
using if_integer = std::enable_if_t<std::is_integral_v<T> && !is_any_of<T, bool, char, wchar_t, char16_t, char32_t
#if defined(__cpp_char8_t)
                                                                        ,
                                                                        char8_t
#endif
                                                                        >,
                                    int>;

template <class T>
using if_floating = std::enable_if_t<std::is_floating_point_v<T>, int>;

template <class T>
using if_text = std::enable_if_t<std::is_convertible_v<const T&, std::string_view> && !std::is_null_pointer_v<T>, int>;

/// Whether a double holds the integer: whether at most 53 bits lie between its first 1 and its last.
template <class Integer>
constexpr bool is_exact_double(Integer value) noexcept {
    auto magnitude = static_cast<std::uint64_t>(value);
    if (value < 0) {
        magnitude = 0 - magnitude;
    }
    while (magnitude >> 53 != 0 && (magnitude & 1) == 0) {
        magnitude >>= 1;
    }
    return magnitude >> 53 == 0;
}

}  // namespace detail

/// A metadata value, made from a value of C++ where one is asked for:
///
/// | from | type | text |
/// |---|---|---|
/// | whatever becomes a std::string_view, which is borrowed | string | itself |
/// | a floating-point number, an integer that a double holds | number | |
/// | any other integer | other | in decimal |
/// | bool, nullptr | other | `true`, `false`, `null` |
/// | a std::chrono::system_clock instant | other | RFC 3339 in UTC, to the nanosecond |
class metadata_value {
public:
    template <class Text, detail::if_text<Text> = 0>
    metadata_value(const Text& text) : type_(metadata_type::string), borrowed_(text) {}

    template <class Number, detail::if_floating<Number> = 0>
    metadata_value(Number number) noexcept : type_(metadata_type::number), number_(static_cast<double>(number)) {}

    template <class Number, detail::if_integer<Number> = 0>
    metadata_value(Number number) : type_(metadata_type::number) {
        if (detail::is_exact_double(number)) {
            number_ = static_cast<double>(number);
        } else {
            type_ = metadata_type::other;
            own_ = std::to_string(number);
        }
    }

    template <class Bool, detail::if_bool<Bool> = 0>
    metadata_value(Bool value) noexcept : borrowed_(value ? "true" : "false") {}

    metadata_value(std::nullptr_t) noexcept : borrowed_("null") {}

    template <class Duration>
    metadata_value(std::chrono::time_point<std::chrono::system_clock, Duration> instant)
        : own_(detail::to_rfc3339(detail::to_unix_nanoseconds(instant))) {}

    /// A value that is neither text nor a number, given by its text, which is borrowed.
    static metadata_value other(std::string_view text) noexcept {
        metadata_value value(nullptr);
        value.borrowed_ = text;
        return value;
    }

    metadata_type type() const noexcept { return type_; }
    std::string_view text() const noexcept { return own_.empty() ? borrowed_ : own_; }
    double number() const noexcept { return number_; }

private:
    metadata_type type_ = metadata_type::other;
    std::string_view borrowed_;
    std::string own_;
    double number_ = 0;
};

}  // namespace cupel

#endif
