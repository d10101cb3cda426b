// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file handle.hpp
/// What the owning classes have in common: one C handle, freed once.

#ifndef CUPEL_HANDLE_HPP
#define CUPEL_HANDLE_HPP

#include <memory>
#include <string>

#include "error.hpp"
#include "result.hpp"

namespace cupel {
namespace detail {

inline void free_raw(cupel_item_builder* raw) noexcept { cupel_item_builder_free(raw); }
inline void free_raw(cupel_item* raw) noexcept { cupel_item_free(raw); }
inline void free_raw(cupel_batch* raw) noexcept { cupel_batch_free(raw); }
inline void free_raw(cupel_scorer* raw) noexcept { cupel_scorer_free(raw); }
inline void free_raw(cupel_clock* raw) noexcept { cupel_clock_free(raw); }
inline void free_raw(cupel_selector* raw) noexcept { cupel_selector_free(raw); }
inline void free_raw(cupel_selection* raw) noexcept { cupel_selection_free(raw); }
inline void free_raw(cupel_text* raw) noexcept { cupel_text_free(raw); }

struct free_handle {
    template <class Raw>
    void operator()(Raw* raw) const noexcept {
        free_raw(raw);
    }
};

/// A move-only owner the size of a pointer. `Class` is the public class, `Raw` the C type.
template <class Class, class Raw>
class handle {
public:
    using raw_type = Raw;

    /// Takes over a handle that the C interface gave out; it is freed by the new owner. Null makes an empty owner.
    static Class from_raw(Raw* raw) noexcept {
        Class owner{empty_tag{}};
        owner.raw_.reset(raw);
        return owner;
    }

    /// The C handle, still owned; null when moved from.
    Raw* get() const noexcept { return raw_.get(); }

    /// Gives the C handle away: the caller frees it. This object is left as if moved from.
    [[nodiscard]] Raw* release() noexcept { return raw_.release(); }

    /// Whether there is a handle: false only when moved from or released.
    explicit operator bool() const noexcept { return raw_ != nullptr; }

protected:
    struct empty_tag {};

    handle() noexcept = default;

    /// Runs a C constructor: `function(arguments..., out_handle, out_error)`.
    template <class Function, class... Arguments>
    static result<Class> make(Function function, Arguments... arguments) {
        Raw* raw = nullptr;
        error_out failed;
        if (!failed.ok(function(arguments..., &raw, failed))) {
            return failed.failure();
        }
        return from_raw(raw);
    }

private:
    std::unique_ptr<Raw, free_handle> raw_;
};

/// Calls a C function that gives a text: `function(arguments..., out_text, out_error)`.
template <class Function, class... Arguments>
result<std::string> read_text(Function function, Arguments... arguments) {
    const auto raw = read<cupel_text*>(function, arguments...);
    if (!raw) {
        return raw.error();
    }
    const std::unique_ptr<cupel_text, free_handle> text(*raw);
    return std::string(cupel_text_data(text.get()), cupel_text_len(text.get()));
}

}  // namespace detail
}  // namespace cupel

#endif
