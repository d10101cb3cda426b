// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file arrow.hpp
/// How a table of Arrow's C data interface is read: cupel::arrow_options.

#ifndef CUPEL_ARROW_HPP
#define CUPEL_ARROW_HPP

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <limits>
#include <optional>
#include <string>
#include <string_view>

#include <cupel.h>

namespace cupel {

/// How an Arrow table is read. A value; the name of the group column is copied.
///
///     scorer.score_arrow(schema, array, cupel::arrow_options().group("conversation"));
///
/// The structs are those of Arrow's C interfaces; `cupel.h` declares them unless another header has. They are borrowed:
/// who made them releases them. The types that each column takes are in docs/arrow.md.
class arrow_options {
public:
    /// The column whose values make rows a group. Rows of a group follow each other. When not set, the table is one
    /// group.
    arrow_options& group(std::string_view column) {
        group_.emplace(column);
        return *this;
    }

    /// Takes timestamps without a zone as UTC; they are refused otherwise.
    arrow_options& naive_is_utc(bool yes = true) noexcept {
        flags_ = yes ? CUPEL_ARROW_NAIVE_IS_UTC : 0;
        return *this;
    }

    /// The C struct. It borrows the name: valid until the next change.
    cupel_arrow_options raw() const noexcept {
        cupel_arrow_options options{};
        options.struct_size = sizeof options;
        options.flags = flags_;
        if (group_) {
            options.group = group_->data();
            options.group_len = group_->size();
        }
        return options;
    }

private:
    std::uint64_t flags_ = 0;
    std::optional<std::string> group_;
};

namespace detail {

/// How many elements the lists of an array have, by their offsets; 0 where there are none to be read.
template <class Offset>
std::int64_t list_elements(const ArrowArray& array, bool is_view) noexcept {
    const std::int64_t buffer = is_view ? 2 : 1;
    constexpr std::int64_t most = (std::numeric_limits<std::int64_t>::max)() / 16;
    if (array.length <= 0 || array.length > most || array.offset < 0 || array.offset > most ||
        array.n_buffers <= buffer || array.buffers == nullptr || array.buffers[buffer] == nullptr) {
        return 0;
    }
    // The buffer of a producer may lie at any address.
    const auto* const bytes = static_cast<const char*>(array.buffers[buffer]);
    const auto at = [&](std::int64_t index) {
        Offset value{};
        std::memcpy(&value, bytes + (array.offset + index) * static_cast<std::int64_t>(sizeof value), sizeof value);
        return static_cast<std::int64_t>(value);
    };
    if (!is_view) {
        const std::int64_t first = at(0), last = at(array.length);
        return first < 0 || last < first ? 0 : last - first;
    }
    std::int64_t elements = 0;
    for (std::int64_t index = 0; index < array.length; ++index) {
        const std::int64_t size = at(index);
        if (size < 0 || size > (std::numeric_limits<std::int64_t>::max)() - elements) {
            return 0;
        }
        elements += size;
    }
    return elements;
}

/// How many scores a table has: one for each row of a struct, or for each struct of a list. 0 for whatever the library
/// is going to refuse.
inline std::size_t table_rows(const ArrowSchema& schema, const ArrowArray& array) noexcept {
    constexpr std::int64_t limit = (std::numeric_limits<std::ptrdiff_t>::max)() / sizeof(double);
    if (schema.release == nullptr || array.release == nullptr || schema.format == nullptr || array.length <= 0 ||
        array.length > limit) {
        return 0;
    }
    const std::string_view format = schema.format;
    if (format.substr(0, 2) != "+l" && format.substr(0, 2) != "+L" && format.substr(0, 2) != "+v" &&
        format.substr(0, 3) != "+w:") {
        return static_cast<std::size_t>(array.length);
    }
    if (array.n_children < 1 || array.children == nullptr || array.children[0] == nullptr) {
        return 0;
    }
    // No list has more elements than its child, whatever its offsets say.
    const std::int64_t most = (std::clamp)(array.children[0]->length, std::int64_t{0}, limit);
    std::int64_t elements = 0;
    if (format == "+l" || format == "+vl") {
        elements = list_elements<std::int32_t>(array, format == "+vl");
    } else if (format == "+L" || format == "+vL") {
        elements = list_elements<std::int64_t>(array, format == "+vL");
    } else {
        std::int64_t width = 0;
        for (const char digit : format.substr((std::min)(format.size(), std::size_t{3}))) {
            if (digit < '0' || digit > '9' || width > most) {
                return 0;
            }
            width = width * 10 + (digit - '0');
        }
        elements = width == 0 || array.length > most / width ? 0 : width * array.length;
    }
    return static_cast<std::size_t>((std::min)(elements, most));
}

}  // namespace detail
}  // namespace cupel

#endif
