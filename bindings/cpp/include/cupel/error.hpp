// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file error.hpp
/// What went wrong: cupel::status says it to the program, cupel::error to the reader.

#ifndef CUPEL_ERROR_HPP
#define CUPEL_ERROR_HPP

#include <cstdint>
#include <exception>
#include <iosfwd>
#include <stdexcept>
#include <utility>

#include <cupel.h>

/// A type that is thrown is visible outside of its shared object, so that others can catch it.
#if defined(__GNUC__)
#define CUPEL_DETAIL_VISIBLE __attribute__((visibility("default")))
#else
#define CUPEL_DETAIL_VISIBLE
#endif

namespace cupel {

/// The statuses of the C library. A newer library may give numbers that have no name here; status_name knows them.
enum class status : cupel_status {
    ok = CUPEL_STATUS_OK,
    null_argument = CUPEL_STATUS_NULL_ARGUMENT,        ///< also: the object was moved from
    invalid_utf8 = CUPEL_STATUS_INVALID_UTF8,          ///< the message gives the byte offset
    invalid_argument = CUPEL_STATUS_INVALID_ARGUMENT,  ///< a value that the scoring rules reject
    empty_content = CUPEL_STATUS_EMPTY_CONTENT,
    empty_kind = CUPEL_STATUS_EMPTY_KIND,
    empty_source = CUPEL_STATUS_EMPTY_SOURCE,
    out_of_range = CUPEL_STATUS_OUT_OF_RANGE,  ///< an index or an enumerator
    length_mismatch = CUPEL_STATUS_LENGTH_MISMATCH,
    callback_failed = CUPEL_STATUS_CALLBACK_FAILED,  ///< a custom scorer or clock failed; see error::cause
    out_of_memory = CUPEL_STATUS_OUT_OF_MEMORY,
    panic = CUPEL_STATUS_PANIC,
    invalid_json = CUPEL_STATUS_INVALID_JSON,
    busy = CUPEL_STATUS_BUSY,                ///< a batch was changed while it was being scored
    over_budget = CUPEL_STATUS_OVER_BUDGET,  ///< the rows that must be kept exceed the budget
    shortfall = CUPEL_STATUS_SHORTFALL,      ///< fewer rows of a kind than a count quota requires
    too_large = CUPEL_STATUS_TOO_LARGE,      ///< the table of a knapsack; the message names a bucket size that would do
};

/// The status's name in C, such as "CUPEL_STATUS_EMPTY_KIND". Never null.
inline const char* status_name(status value) noexcept { return cupel_status_name(static_cast<cupel_status>(value)); }

/// Writes the status's name in C.
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, status value) {
    return out << status_name(value);
}

/// A failure of the library: what() is the C library's message. Copying one never throws.
class CUPEL_DETAIL_VISIBLE error : public std::runtime_error {
public:
    /// The cause is the exception that a custom scorer or clock threw, if that is what failed.
    error(cupel::status status, const char* message, std::exception_ptr cause = nullptr)
        : std::runtime_error(message), status_(status), cause_(std::move(cause)) {}

    cupel::status status() const noexcept { return status_; }

    /// What a custom scorer or clock threw, the very object; null for every other failure.
    const std::exception_ptr& cause() const noexcept { return cause_; }

private:
    cupel::status status_;
    std::exception_ptr cause_;
};

namespace detail {

/// Throws the cause where there is one, so that the caller of score gets what its own scorer threw; else the error.
/// Built without exceptions, it ends the program as the standard library's own throwing functions do.
[[noreturn]] inline void raise(const error& failure) {
#if defined(__cpp_exceptions)
    if (failure.cause()) {
        std::rethrow_exception(failure.cause());
    }
    throw failure;
#else
    static_cast<void>(failure);
    std::terminate();
#endif
}

/// The type number of a std::exception_ptr that an error of the C library carries. One for each C++ runtime library: they
/// cannot read each other's.
constexpr std::uint64_t exception_payload =
#if defined(_LIBCPP_VERSION)
    0x6578632b'6c6c766d;
#elif defined(__GLIBCXX__)
    0x6578632b'00676e75;
#else
    0x6578632b'00007374;
#endif

/// The `cupel_error **` of one C call.
class error_out {
public:
    error_out() noexcept = default;
    error_out(const error_out&) = delete;
    error_out& operator=(const error_out&) = delete;
    ~error_out() { cupel_error_free(raw_); }

    operator cupel_error**() noexcept { return &raw_; }

    /// Notes the status of the call.
    bool ok(cupel_status status) noexcept {
        status_ = status;
        return status == CUPEL_STATUS_OK;
    }

    /// The failure that ok noted.
    error failure() const {
        const auto status = static_cast<cupel::status>(status_);
        const void* cause = cupel_error_payload(raw_, exception_payload);
        return error(status, raw_ ? cupel_error_message(raw_) : status_name(status),
                     cause ? *static_cast<const std::exception_ptr*>(cause) : nullptr);
    }

private:
    cupel_error* raw_ = nullptr;
    cupel_status status_ = CUPEL_STATUS_OK;
};

}  // namespace detail
}  // namespace cupel

#endif
