// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file support.hpp
/// What the tests share.

#ifndef CUPEL_TESTS_SUPPORT_HPP
#define CUPEL_TESTS_SUPPORT_HPP

#include <cstdint>
#include <cstring>
#include <optional>
#include <string>
#include <utility>
#include <vector>
#if __has_include(<ranges>)
#include <ranges>
#endif

#include <doctest/doctest.h>
#include <cupel.hpp>

/// Whether views of the standard library compile: clang reads those of libstdc++ from version 16 on.
#if defined(__cpp_lib_ranges) && (!defined(__clang__) || __clang_major__ >= 16)
#define CUPEL_TESTS_VIEWS 1
#endif

namespace tests {

inline std::uint64_t bits_of(double number) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
}

inline cupel::time_point at(std::int64_t unix_nanoseconds) {
    return cupel::time_point(std::chrono::nanoseconds(unix_nanoseconds));
}

inline cupel::item simple_item(std::string_view content = "text") { return cupel::item_builder(content, 1).build(); }

/// A batch whose rows have these timestamps, in nanoseconds.
inline cupel::batch batch_at(std::initializer_list<std::int64_t> timestamps) {
    cupel::batch batch;
    for (const auto timestamp : timestamps) {
        batch.push(cupel::item_builder("text", 1).timestamp(at(timestamp)).build());
    }
    return batch;
}

/// What a call reports: by an exception, by a result, or in C.
using failure = std::optional<std::pair<cupel_status, std::string>>;

// The templates are thin, and judging is none of theirs: there are many calls to judge, and compilers are slow.

template <class Call>
failure thrown_by(Call call) {
    try {
        call();
        return std::nullopt;
    } catch (const cupel::error& error) {
        return std::pair(static_cast<cupel_status>(error.status()), std::string(error.what()));
    }
}

template <class T>
failure returned_by(const cupel::result<T>& result) {
    if (result) {
        return std::nullopt;
    }
    return std::pair(static_cast<cupel_status>(result.error().status()), std::string(result.error().what()));
}

/// Runs a C call `call(out_error)`.
template <class Call>
failure reported_by(Call call) {
    cupel_error* raw = nullptr;
    if (call(&raw) == CUPEL_STATUS_OK) {
        return std::nullopt;
    }
    std::pair<cupel_status, std::string> report(cupel_error_status(raw), cupel_error_message(raw));
    cupel_error_free(raw);
    return report;
}

/// Checks that a call throws, that its `try_` twin returns the same, and, where `in_c` is given, that C says so too.
inline void check_fails(cupel::status status, const failure& thrown, const failure& returned,
                        const failure* in_c = nullptr) {
    REQUIRE(thrown);
    REQUIRE(returned);
    CHECK(thrown->first == static_cast<cupel_status>(status));
    CHECK_FALSE(thrown->second.empty());
    CHECK(*returned == *thrown);
    if (in_c) {
        REQUIRE(*in_c);
        CHECK(**in_c == *thrown);
    }
}

}  // namespace tests

/// Checks that `object.name arguments` throws, and that `object.try_name arguments` returns the same error.
#define CHECK_FAILS(status_, object, name, ...)                                                                        \
    tests::check_fails(cupel::status::status_, tests::thrown_by([&] { static_cast<void>(object name(__VA_ARGS__)); }), \
                       tests::returned_by(object try_##name(__VA_ARGS__)))

/// The same, and that both say what the C call `c_call`, written with `out_error`, says.
#define CHECK_FAILS_AS_C(status_, c_call, object, name, ...)                                       \
    do {                                                                                           \
        const auto in_c = tests::reported_by([&](cupel_error** out_error) { return c_call; });     \
        tests::check_fails(cupel::status::status_,                                                 \
                           tests::thrown_by([&] { static_cast<void>(object name(__VA_ARGS__)); }), \
                           tests::returned_by(object try_##name(__VA_ARGS__)), &in_c);             \
    } while (false)

/// The same for a class whose constructor throws and whose try_create returns.
#define CHECK_CREATE_FAILS_AS_C(status_, c_call, class_, ...)                                                         \
    do {                                                                                                              \
        const auto in_c = tests::reported_by([&](cupel_error** out_error) { return c_call; });                        \
        tests::check_fails(cupel::status::status_, tests::thrown_by([&] { static_cast<void>(class_(__VA_ARGS__)); }), \
                           tests::returned_by(class_::try_create(__VA_ARGS__)), &in_c);                               \
    } while (false)

#endif
