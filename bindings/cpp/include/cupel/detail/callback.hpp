// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file detail/callback.hpp
/// Carries what a callback throws past the C frames between it and the call that scores.

#ifndef CUPEL_DETAIL_CALLBACK_HPP
#define CUPEL_DETAIL_CALLBACK_HPP

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

/// A scoring call in progress. The library calls back on the thread that scores, so the innermost frame of the thread
/// is that of the call which the callback belongs to; a frame per call, because one scorer may serve many at once.
class call_frame {
public:
    call_frame() noexcept : outer_(std::exchange(innermost(), this)) {}
    call_frame(const call_frame&) = delete;
    call_frame& operator=(const call_frame&) = delete;
    ~call_frame() { innermost() = outer_; }

    /// Leaves an exception for the scoring call. Without one (the scorer was called through the C interface) only the
    /// status tells of it.
    static void leave(std::exception_ptr thrown) noexcept {
        if (call_frame* frame = innermost()) {
            frame->thrown_ = std::move(thrown);
        }
    }

    /// What the callback threw that made the call fail; null when none did.
    std::exception_ptr cause() noexcept { return std::move(thrown_); }

private:
    static call_frame*& innermost() noexcept {
        static thread_local call_frame* frame = nullptr;
        return frame;
    }

    call_frame* outer_;
    std::exception_ptr thrown_;
};

/// How a callback that returned says whether it succeeded: nothing, a status, or a result.
inline cupel_status outcome(status value) noexcept {
    // Nothing that a callback within this one threw, and this one coped with, belongs to the scoring call.
    call_frame::leave(nullptr);
    return static_cast<cupel_status>(value);
}

inline cupel_status outcome(const result<void>& value) {
    if (value) {
        return outcome(status::ok);
    }
    const error& failure = value.error();
    call_frame::leave(failure.cause() ? failure.cause() : std::make_exception_ptr(failure));
    return static_cast<cupel_status>(failure.status());
}

/// Calls a callback such that nothing it throws leaves this function.
template <class Callback, class... Arguments>
cupel_status guarded(Callback& callback, Arguments&&... arguments) noexcept {
#if defined(__cpp_exceptions)
    try {
#endif
        if constexpr (std::is_void_v<std::invoke_result_t<Callback&, Arguments...>>) {
            std::invoke(callback, std::forward<Arguments>(arguments)...);
            return outcome(status::ok);
        } else {
            return outcome(std::invoke(callback, std::forward<Arguments>(arguments)...));
        }
#if defined(__cpp_exceptions)
    } catch (const error& failure) {
        call_frame::leave(std::current_exception());
        return static_cast<cupel_status>(failure.status());
    } catch (const std::bad_alloc&) {
        call_frame::leave(std::current_exception());
        return CUPEL_STATUS_OUT_OF_MEMORY;
    } catch (...) {
        call_frame::leave(std::current_exception());
        return CUPEL_STATUS_CALLBACK_FAILED;
    }
#endif
}

template <class Callback>
void destroy_callback(void* user_data) noexcept {
    delete static_cast<Callback*>(user_data);
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
    Made made = make(static_cast<void*>(kept.get()), destroy_callback<Kept>);
    if (made) {
        static_cast<void>(kept.release());
    }
    return made;
}

}  // namespace detail
}  // namespace cupel

#endif
