// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file column_set.hpp
/// Which fields of a row a scorer reads: cupel::column_set.

#ifndef CUPEL_COLUMN_SET_HPP
#define CUPEL_COLUMN_SET_HPP

#include <cstdint>
#include <string_view>
#include <vector>

#include <cupel.h>

namespace cupel {

/// A field of a row, as a column of a table.
enum class column : std::uint32_t {
    content = CUPEL_COLUMN_CONTENT,
    tokens = CUPEL_COLUMN_TOKENS,
    kind = CUPEL_COLUMN_KIND,
    source = CUPEL_COLUMN_SOURCE,
    priority = CUPEL_COLUMN_PRIORITY,
    tags = CUPEL_COLUMN_TAGS,
    metadata = CUPEL_COLUMN_METADATA,
    timestamp = CUPEL_COLUMN_TIMESTAMP,
    future_relevance_hint = CUPEL_COLUMN_FUTURE_RELEVANCE_HINT,
    pinned = CUPEL_COLUMN_PINNED,
    original_tokens = CUPEL_COLUMN_ORIGINAL_TOKENS,
};

/// The name of the column in an Arrow table, such as "future_relevance_hint"; "" for a number that is no column.
constexpr std::string_view name(column value) noexcept {
    switch (value) {
        case column::content:
            return "content";
        case column::tokens:
            return "tokens";
        case column::kind:
            return "kind";
        case column::source:
            return "source";
        case column::priority:
            return "priority";
        case column::tags:
            return "tags";
        case column::metadata:
            return "metadata";
        case column::timestamp:
            return "timestamp";
        case column::future_relevance_hint:
            return "future_relevance_hint";
        case column::pinned:
            return "pinned";
        case column::original_tokens:
            return "original_tokens";
    }
    return "";
}

/// Some of the columns; see scorer::columns.
class column_set {
public:
    constexpr column_set() noexcept = default;
    /// From CUPEL_COLUMN_* bits.
    constexpr explicit column_set(std::uint32_t bits) noexcept : bits_(bits) {}

    constexpr bool contains(column which) const noexcept { return (bits_ & static_cast<std::uint32_t>(which)) != 0; }
    constexpr bool empty() const noexcept { return bits_ == 0; }

    /// CUPEL_COLUMN_* bits.
    constexpr std::uint32_t bits() const noexcept { return bits_; }

    /// The names of the columns in an Arrow table: what to select for scorer::score_arrow, beside the group column.
    std::vector<std::string_view> names() const {
        std::vector<std::string_view> names;
        for (std::uint32_t bit = 1; bit != 0; bit <<= 1) {
            if ((bits_ & bit) != 0 && !name(static_cast<column>(bit)).empty()) {
                names.push_back(name(static_cast<column>(bit)));
            }
        }
        return names;
    }

    friend constexpr bool operator==(column_set a, column_set b) noexcept { return a.bits_ == b.bits_; }
    friend constexpr bool operator!=(column_set a, column_set b) noexcept { return a.bits_ != b.bits_; }

private:
    std::uint32_t bits_ = 0;
};

}  // namespace cupel

#endif
