// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file detail/callback.hpp
/// Carries what a callback throws through the C library to the call that scores: as the payload of an error, so that it
/// arrives from another shared object as well.

#ifndef CUPEL_DETAIL_CALLBACK_HPP
#define CUPEL_DETAIL_CALLBACK_HPP

#include <cstring>
#include <exception>
#include <functional>
#include <memory>
#include <new>
#include <type_traits>
#include <utility>

#include "../error.hpp"
#include "../result.hpp"

namespace cupel {
namespace detail {

template <class Object>
void destroy_object(void* object) noexcept {
    delete static_cast<Object*>(object);
}

/// Fails a callback: puts an error into `out_error` that has the message and, where there is one, the exception. The error of
/// the scoring call then has both.
inline cupel_status fail(status value, const char* message, std::exception_ptr cause, cupel_error** out_error) noexcept {
    const auto raw = static_cast<cupel_status>(value == status::ok ? status::callback_failed : value);
    // Without memory for the exception, the status and the message have to do.
    auto* const payload = cause ? new (std::nothrow) std::exception_ptr(std::move(cause)) : nullptr;
    *out_error = payload ? cupel_error_with_payload_new(raw, message, std::strlen(message), exception_payload, payload,
                                                        destroy_object<std::exception_ptr>)
                         : cupel_error_new(raw, message, std::strlen(message));
    return raw;
}

/// How a callback that returned says whether it succeeded: a status or a result.
inline cupel_status outcome(status value, cupel_error**) noexcept { return static_cast<cupel_status>(value); }

inline cupel_status outcome(const result<void>& value, cupel_error** out_error) noexcept {
    if (value) {
        return CUPEL_STATUS_OK;
    }
    const error& failure = value.error();
    return fail(failure.status(), failure.what(), failure.cause() ? failure.cause() : std::make_exception_ptr(failure),
                out_error);
}

/// Calls a callback such that nothing it throws leaves this function.
template <class Callback, class... Arguments>
cupel_status guarded(cupel_error** out_error, Callback& callback, Arguments&&... arguments) noexcept {
#if defined(__cpp_exceptions)
    try {
#endif
        if constexpr (std::is_void_v<std::invoke_result_t<Callback&, Arguments...>>) {
            std::invoke(callback, std::forward<Arguments>(arguments)...);
            return CUPEL_STATUS_OK;
        } else {
            return outcome(std::invoke(callback, std::forward<Arguments>(arguments)...), out_error);
        }
#if defined(__cpp_exceptions)
    } catch (const error& failure) {
        return fail(failure.status(), failure.what(), std::current_exception(), out_error);
    } catch (const std::bad_alloc& failure) {
        return fail(status::out_of_memory, failure.what(), std::current_exception(), out_error);
    } catch (const std::exception& failure) {
        return fail(status::callback_failed, failure.what(), std::current_exception(), out_error);
    } catch (...) {
        return fail(status::callback_failed, "an exception that is no std::exception", std::current_exception(), out_error);
    }
#endif
}

/// Runs a C constructor that keeps a callback: `function(trampoline, user_data, destroy, out_handle, out_error)`. The
/// callback belongs to the handle from the moment it exists, and is destroyed here when it never does.
template <class Callback, class Make>
auto keep_callback(Callback&& callback, Make make) {
    using Kept = std::decay_t<Callback>;
    using Made = std::invoke_result_t<Make, void*, cupel_destroy_callback>;
    if constexpr (std::is_pointer_v<std::remove_reference_t<Callback>>) {
        if (callback == nullptr) {
            return Made(error(status::null_argument, "callback is NULL"));
        }
    }
    auto kept = std::make_unique<Kept>(std::forward<Callback>(callback));
    Made made = make(static_cast<void*>(kept.get()), destroy_object<Kept>);
    if (made) {
        static_cast<void>(kept.release());
    }
    return made;
}

}  // namespace detail
}  // namespace cupel

#endif
