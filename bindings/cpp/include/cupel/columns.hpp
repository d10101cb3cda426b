// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file columns.hpp
/// Rows as flat arrays: cupel::columns, the fast way to fill a batch.

#ifndef CUPEL_COLUMNS_HPP
#define CUPEL_COLUMNS_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <limits>
#include <string_view>
#include <utility>

#include "detail/columns.hpp"
#include "metadata.hpp"
#include "time.hpp"

namespace cupel {

/// Builds the flat arrays of batch::append row by row. The texts are copied, and the whole crosses into the library in
/// one call.
///
///     cupel::columns rows;
///     rows.add("Deploy failed", 3).kind("ToolOutput").tag("urgent").priority(3);
///     rows.add("Good morning!", 3);
///     batch.append(rows);
///
/// A setter is about the row that was added last. Texts are checked by batch::append, which names the row. One thread
/// at a time. Where memory runs out (std::bad_alloc) the row that was being written is not added.
class columns {
public:
    columns() noexcept = default;
    columns(const columns&) = default;
    columns& operator=(const columns&) = default;
    columns(columns&& other) noexcept : arrays_(std::exchange(other.arrays_, arrays{})) {}
    columns& operator=(columns&& other) noexcept {
        arrays_ = std::exchange(other.arrays_, arrays{});
        return *this;
    }
    ~columns() = default;

    /// Adds a row, every other field absent.
    /// @param content UTF-8, not empty
    /// @param tokens as counted by the caller; any value is legal
    columns& add(std::string_view content, std::int64_t tokens) {
        prepare_row(tokens);
        arrays_.content.pad(arrays_.rows);
        arrays_.content.add(content);
        ++arrays_.rows;
        return *this;
    }

    /// Adds a row without content, for scoring only. Rows with and without content do not mix: batch::append then
    /// fails with status::empty_content.
    columns& add_score_only(std::int64_t tokens = 0) {
        prepare_row(tokens);
        if (arrays_.content.size() != 0) {
            arrays_.content.pad(arrays_.rows + 1);
        }
        ++arrays_.rows;
        return *this;
    }

    /// What the row is; Message when not set.
    columns& kind(std::string_view kind) {
        arrays_.kind.set(last_row(), kind);
        return *this;
    }

    /// Where the row came from; Chat when not set.
    columns& source(std::string_view source) {
        arrays_.source.set(last_row(), source);
        return *this;
    }

    /// Adds a tag; order and duplicates are kept.
    columns& tag(std::string_view tag) {
        auto& end = arrays_.tag_lists.end_of(last_row());
        arrays_.tags.add(tag);
        ++end;
        return *this;
    }

    /// Adds tags in order, from any range of texts.
    template <class Texts>
    columns& tags(Texts&& tags) {
        for (auto&& each : tags) {
            tag(each);
        }
        return *this;
    }
    columns& tags(std::initializer_list<std::string_view> tags) {
        return this->tags<std::initializer_list<std::string_view>&>(tags);
    }

    /// Higher is more important.
    columns& priority(std::int64_t priority) {
        arrays_.priority.set(last_row(), priority);
        return *this;
    }

    columns& original_tokens(std::int64_t tokens) {
        arrays_.original_tokens.set(last_row(), tokens);
        return *this;
    }

    /// When the row was made; see item_builder::timestamp.
    template <class Duration>
    columns& timestamp(std::chrono::time_point<std::chrono::system_clock, Duration> instant) {
        arrays_.timestamp.set(last_row(), detail::to_unix_nanoseconds(instant));
        return *this;
    }

    columns& future_relevance_hint(double hint) {
        arrays_.future_relevance_hint.set(last_row(), hint);
        return *this;
    }

    columns& pinned(bool pinned = true) {
        arrays_.pinned.set(last_row(), pinned ? 1 : 0);
        return *this;
    }

    /// Sets metadata `key`; set again, a key has its last value.
    columns& metadata(std::string_view key, const metadata_value& value) {
        auto& end = arrays_.metadata_lists.end_of(last_row());
        const std::size_t slot = arrays_.metadata_texts.size();
        arrays_.metadata_keys.set(slot, key);
        arrays_.metadata_types.set(slot, static_cast<std::uint8_t>(value.type()));
        arrays_.metadata_numbers.set(slot, value.number());
        arrays_.metadata_texts.add(value.text());
        ++end;
        return *this;
    }

    /// Sets metadata `key` to a value that is neither text nor a number, given by its text.
    columns& metadata_other(std::string_view key, std::string_view text) {
        return metadata(key, metadata_value::other(text));
    }

    /// How many rows were added.
    std::size_t size() const noexcept { return arrays_.rows; }
    bool empty() const noexcept { return arrays_.rows == 0; }

    /// Makes room for `rows` rows whose contents take `content_bytes` bytes in all.
    void reserve(std::size_t rows, std::size_t content_bytes = 0) {
        arrays_.tokens.reserve(rows);
        arrays_.content.reserve(rows, content_bytes);
    }

    /// Removes all rows and keeps the memory.
    void clear() noexcept { arrays_.clear(); }

    /// The C struct over these arrays. It borrows them: valid until the next change.
    cupel_columns raw() const noexcept { return arrays_.raw(); }

private:
    struct arrays {
        std::size_t rows = 0;
        detail::text_column content;
        detail::value_column<std::int64_t> tokens;
        detail::dictionary_column kind, source;
        detail::value_column<std::int64_t> priority, timestamp, original_tokens;
        detail::value_column<double> future_relevance_hint;
        detail::value_column<std::uint8_t> pinned;
        detail::list_column tag_lists;
        detail::text_column tags;
        detail::list_column metadata_lists;
        detail::dictionary_column metadata_keys;
        detail::value_column<std::uint8_t> metadata_types;
        detail::text_column metadata_texts;
        detail::value_column<double> metadata_numbers;

        void clear() noexcept {
            rows = 0;
            content.clear();
            tokens.clear();
            kind.clear();
            source.clear();
            priority.clear();
            timestamp.clear();
            original_tokens.clear();
            future_relevance_hint.clear();
            pinned.clear();
            tag_lists.clear();
            tags.clear();
            metadata_lists.clear();
            metadata_keys.clear();
            metadata_types.clear();
            metadata_texts.clear();
            metadata_numbers.clear();
        }

        cupel_columns raw() const noexcept {
            cupel_columns columns{};
            columns.struct_size = sizeof columns;
            columns.rows = rows;
            columns.content = content.raw();
            columns.tokens = tokens.values();
            columns.kind = kind.raw();
            columns.kind_validity = kind.validity();
            columns.source = source.raw();
            columns.source_validity = source.validity();
            columns.priority = priority.values();
            columns.priority_validity = priority.validity();
            columns.timestamp = timestamp.values();
            columns.timestamp_validity = timestamp.validity();
            columns.future_relevance_hint = future_relevance_hint.values();
            columns.future_relevance_hint_validity = future_relevance_hint.validity();
            columns.pinned = pinned.values();
            columns.original_tokens = original_tokens.values();
            columns.original_tokens_validity = original_tokens.validity();
            columns.tag_lists = tag_lists.ends();
            columns.tags_len = tags.size();
            columns.tags = tags.raw();
            columns.metadata_lists = metadata_lists.ends();
            columns.metadata_len = metadata_texts.size();
            columns.metadata_keys = metadata_keys.raw();
            columns.metadata_types = metadata_types.values();
            columns.metadata_texts = metadata_texts.raw();
            columns.metadata_numbers = metadata_numbers.values();
            return columns;
        }
    };

    /// Makes every array that is in use long enough for one row more. Nothing counts until `rows` is raised, so that
    /// running out of memory half-way leaves the rows as they were.
    void prepare_row(std::int64_t row_tokens) {
        const std::size_t row = arrays_.rows;
        arrays_.tokens.set(row, row_tokens);
        arrays_.kind.pad(row + 1);
        arrays_.source.pad(row + 1);
        arrays_.priority.pad(row + 1);
        arrays_.timestamp.pad(row + 1);
        arrays_.original_tokens.pad(row + 1);
        arrays_.future_relevance_hint.pad(row + 1);
        arrays_.pinned.pad(row + 1);
        arrays_.tag_lists.pad(row + 1);
        arrays_.metadata_lists.pad(row + 1);
    }

    std::size_t last_row() const {
        if (arrays_.rows == 0) {
            detail::raise(error(status::out_of_range, "columns: a field was set before the first row was added"));
        }
        return arrays_.rows - 1;
    }

    arrays arrays_;
};

}  // namespace cupel

#endif
