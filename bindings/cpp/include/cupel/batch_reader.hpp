// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file batch_reader.hpp
/// The bulk readers that cupel::batch and cupel::batch_view have in common.

#ifndef CUPEL_BATCH_READER_HPP
#define CUPEL_BATCH_READER_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handle.hpp"
#include "result.hpp"
#include "span.hpp"
#include "time.hpp"
#include "values.hpp"

namespace cupel {

/// In place of a number of rows: all from the first one on.
inline constexpr std::size_t to_end = (std::numeric_limits<std::size_t>::max)();

/// What a batch and a batch_view have in common: functions that read a field of many rows in one call.
///
/// `read_x(first, rows)` gives the values of a range of rows, of all rows when nothing is said, in memory of their own.
/// `read_x_into` uses memory that is there. For numbers `out` has an entry for each row to read, and `validity`, when
/// it is given, as many bytes, which become 1 where the field is set and 0 where it is not. Texts replace what a list
/// had, and use its memory; without memory for them (std::bad_alloc) the list is empty.
///
/// Each function throws cupel::error, and its `try_` twin returns one: status::out_of_range for rows that the batch
/// does not have, status::length_mismatch for a `validity` of another length than `out`, status::null_argument when the
/// batch was moved from. Nothing is written then. Any number of threads may read, while none changes the batch.
template <class Batch>
class batch_reader {
public:
    /// The sizes in tokens.
    std::vector<std::int64_t> read_tokens(std::size_t first = 0, std::size_t rows = to_end) const {
        return try_read_tokens(first, rows).value();
    }
    result<std::vector<std::int64_t>> try_read_tokens(std::size_t first = 0, std::size_t rows = to_end) const {
        return numbers<std::int64_t>(cupel_batch_read_tokens, first, rows);
    }
    void read_tokens_into(std::size_t first, span<std::int64_t> out) const { try_read_tokens_into(first, out).value(); }
    result<void> try_read_tokens_into(std::size_t first, span<std::int64_t> out) const {
        return detail::call(cupel_batch_read_tokens, raw(), first, out.size(), out.data());
    }

    /// The priorities; 0 where there is none.
    nullable_values<std::int64_t> read_priority(std::size_t first = 0, std::size_t rows = to_end) const {
        return try_read_priority(first, rows).value();
    }
    result<nullable_values<std::int64_t>> try_read_priority(std::size_t first = 0, std::size_t rows = to_end) const {
        return nullable<std::int64_t>(cupel_batch_read_priority, first, rows);
    }
    void read_priority_into(std::size_t first, span<std::int64_t> out, span<std::uint8_t> validity = {}) const {
        try_read_priority_into(first, out, validity).value();
    }
    result<void> try_read_priority_into(std::size_t first, span<std::int64_t> out,
                                        span<std::uint8_t> validity = {}) const {
        return nullable_into(cupel_batch_read_priority, first, out, validity);
    }

    /// The instants; the epoch where there is none.
    nullable_values<time_point> read_timestamp(std::size_t first = 0, std::size_t rows = to_end) const {
        return try_read_timestamp(first, rows).value();
    }
    result<nullable_values<time_point>> try_read_timestamp(std::size_t first = 0, std::size_t rows = to_end) const {
        const auto read = nullable<std::int64_t>(cupel_batch_read_timestamp, first, rows);
        if (!read) {
            return read.error();
        }
        nullable_values<time_point> converted;
        converted.values.reserve(read->size());
        for (const std::int64_t value : read->values) {
            converted.values.push_back(detail::from_unix_nanoseconds(value));
        }
        converted.validity = read->validity;
        return converted;
    }
    /// The same in nanoseconds since the Unix epoch.
    void read_timestamp_into(std::size_t first, span<std::int64_t> unix_nanoseconds,
                             span<std::uint8_t> validity = {}) const {
        try_read_timestamp_into(first, unix_nanoseconds, validity).value();
    }
    result<void> try_read_timestamp_into(std::size_t first, span<std::int64_t> unix_nanoseconds,
                                         span<std::uint8_t> validity = {}) const {
        return nullable_into(cupel_batch_read_timestamp, first, unix_nanoseconds, validity);
    }

    /// The hints; NaN where there is none.
    nullable_values<double> read_future_relevance_hint(std::size_t first = 0, std::size_t rows = to_end) const {
        return try_read_future_relevance_hint(first, rows).value();
    }
    result<nullable_values<double>> try_read_future_relevance_hint(std::size_t first = 0,
                                                                   std::size_t rows = to_end) const {
        return nullable<double>(cupel_batch_read_future_relevance_hint, first, rows);
    }
    void read_future_relevance_hint_into(std::size_t first, span<double> out, span<std::uint8_t> validity = {}) const {
        try_read_future_relevance_hint_into(first, out, validity).value();
    }
    result<void> try_read_future_relevance_hint_into(std::size_t first, span<double> out,
                                                     span<std::uint8_t> validity = {}) const {
        return nullable_into(cupel_batch_read_future_relevance_hint, first, out, validity);
    }

    /// The sizes in tokens before the items were shortened; 0 where there is none.
    nullable_values<std::int64_t> read_original_tokens(std::size_t first = 0, std::size_t rows = to_end) const {
        return try_read_original_tokens(first, rows).value();
    }
    result<nullable_values<std::int64_t>> try_read_original_tokens(std::size_t first = 0,
                                                                   std::size_t rows = to_end) const {
        return nullable<std::int64_t>(cupel_batch_read_original_tokens, first, rows);
    }
    void read_original_tokens_into(std::size_t first, span<std::int64_t> out, span<std::uint8_t> validity = {}) const {
        try_read_original_tokens_into(first, out, validity).value();
    }
    result<void> try_read_original_tokens_into(std::size_t first, span<std::int64_t> out,
                                               span<std::uint8_t> validity = {}) const {
        return nullable_into(cupel_batch_read_original_tokens, first, out, validity);
    }

    /// 1 for each row that is pinned, 0 for any other.
    std::vector<std::uint8_t> read_pinned(std::size_t first = 0, std::size_t rows = to_end) const {
        return try_read_pinned(first, rows).value();
    }
    result<std::vector<std::uint8_t>> try_read_pinned(std::size_t first = 0, std::size_t rows = to_end) const {
        return numbers<std::uint8_t>(cupel_batch_read_pinned, first, rows);
    }
    void read_pinned_into(std::size_t first, span<std::uint8_t> out) const { try_read_pinned_into(first, out).value(); }
    result<void> try_read_pinned_into(std::size_t first, span<std::uint8_t> out) const {
        return detail::call(cupel_batch_read_pinned, raw(), first, out.size(), out.data());
    }

    /// The contents; empty for a row that came without.
    text_list read_content(std::size_t first = 0, std::size_t rows = to_end) const {
        return try_read_content(first, rows).value();
    }
    result<text_list> try_read_content(std::size_t first = 0, std::size_t rows = to_end) const {
        return read<text_list>(texts(cupel_batch_read_content), first, rows);
    }
    void read_content_into(std::size_t first, std::size_t rows, text_list& out) const {
        try_read_content_into(first, rows, out).value();
    }
    result<void> try_read_content_into(std::size_t first, std::size_t rows, text_list& out) const {
        return read_into(texts(cupel_batch_read_content), first, rows, out);
    }

    /// The kinds. Where they repeat, read_kind_codes is faster.
    text_list read_kind(std::size_t first = 0, std::size_t rows = to_end) const {
        return try_read_kind(first, rows).value();
    }
    result<text_list> try_read_kind(std::size_t first = 0, std::size_t rows = to_end) const {
        return read<text_list>(texts(cupel_batch_read_kind), first, rows);
    }
    void read_kind_into(std::size_t first, std::size_t rows, text_list& out) const {
        try_read_kind_into(first, rows, out).value();
    }
    result<void> try_read_kind_into(std::size_t first, std::size_t rows, text_list& out) const {
        return read_into(texts(cupel_batch_read_kind), first, rows, out);
    }

    /// The sources. Where they repeat, read_source_codes is faster.
    text_list read_source(std::size_t first = 0, std::size_t rows = to_end) const {
        return try_read_source(first, rows).value();
    }
    result<text_list> try_read_source(std::size_t first = 0, std::size_t rows = to_end) const {
        return read<text_list>(texts(cupel_batch_read_source), first, rows);
    }
    void read_source_into(std::size_t first, std::size_t rows, text_list& out) const {
        try_read_source_into(first, rows, out).value();
    }
    result<void> try_read_source_into(std::size_t first, std::size_t rows, text_list& out) const {
        return read_into(texts(cupel_batch_read_source), first, rows, out);
    }

    /// The kinds as positions in read_kind_texts, which hold until the batch is changed.
    std::vector<std::uint32_t> read_kind_codes(std::size_t first = 0, std::size_t rows = to_end) const {
        return try_read_kind_codes(first, rows).value();
    }
    result<std::vector<std::uint32_t>> try_read_kind_codes(std::size_t first = 0, std::size_t rows = to_end) const {
        return numbers<std::uint32_t>(cupel_batch_read_kind_codes, first, rows);
    }
    void read_kind_codes_into(std::size_t first, span<std::uint32_t> out) const {
        try_read_kind_codes_into(first, out).value();
    }
    result<void> try_read_kind_codes_into(std::size_t first, span<std::uint32_t> out) const {
        return detail::call(cupel_batch_read_kind_codes, raw(), first, out.size(), out.data());
    }

    /// The distinct kinds, by code. Some may be of rows that were removed.
    text_list read_kind_texts() const { return try_read_kind_texts().value(); }
    result<text_list> try_read_kind_texts() const {
        return distinct(cupel_batch_read_kind_texts, cupel_batch_kinds_len(raw()));
    }

    /// The sources as positions in read_source_texts, which hold until the batch is changed.
    std::vector<std::uint32_t> read_source_codes(std::size_t first = 0, std::size_t rows = to_end) const {
        return try_read_source_codes(first, rows).value();
    }
    result<std::vector<std::uint32_t>> try_read_source_codes(std::size_t first = 0, std::size_t rows = to_end) const {
        return numbers<std::uint32_t>(cupel_batch_read_source_codes, first, rows);
    }
    void read_source_codes_into(std::size_t first, span<std::uint32_t> out) const {
        try_read_source_codes_into(first, out).value();
    }
    result<void> try_read_source_codes_into(std::size_t first, span<std::uint32_t> out) const {
        return detail::call(cupel_batch_read_source_codes, raw(), first, out.size(), out.data());
    }

    /// The distinct sources, by code. Some may be of rows that were removed.
    text_list read_source_texts() const { return try_read_source_texts().value(); }
    result<text_list> try_read_source_texts() const {
        return distinct(cupel_batch_read_source_texts, cupel_batch_sources_len(raw()));
    }

    /// The tags.
    tag_lists read_tags(std::size_t first = 0, std::size_t rows = to_end) const {
        return try_read_tags(first, rows).value();
    }
    result<tag_lists> try_read_tags(std::size_t first = 0, std::size_t rows = to_end) const {
        return read<tag_lists>(fill_tags, first, rows);
    }
    void read_tags_into(std::size_t first, std::size_t rows, tag_lists& out) const {
        try_read_tags_into(first, rows, out).value();
    }
    result<void> try_read_tags_into(std::size_t first, std::size_t rows, tag_lists& out) const {
        return read_into(fill_tags, first, rows, out);
    }

    /// The metadata, keys as positions in read_metadata_keys, which hold until the batch is changed.
    metadata_lists read_metadata(std::size_t first = 0, std::size_t rows = to_end) const {
        return try_read_metadata(first, rows).value();
    }
    result<metadata_lists> try_read_metadata(std::size_t first = 0, std::size_t rows = to_end) const {
        return read<metadata_lists>(fill_metadata, first, rows);
    }
    void read_metadata_into(std::size_t first, std::size_t rows, metadata_lists& out) const {
        try_read_metadata_into(first, rows, out).value();
    }
    result<void> try_read_metadata_into(std::size_t first, std::size_t rows, metadata_lists& out) const {
        return read_into(fill_metadata, first, rows, out);
    }

    /// The distinct metadata keys, by code. Some may be of rows that were removed.
    text_list read_metadata_keys() const { return try_read_metadata_keys().value(); }
    result<text_list> try_read_metadata_keys() const {
        return distinct(cupel_batch_read_metadata_keys, cupel_batch_metadata_keys_len(raw()));
    }

    /// The metadata values of one key. @param key UTF-8
    metadata_values read_metadata_key(std::string_view key, std::size_t first = 0, std::size_t rows = to_end) const {
        return try_read_metadata_key(key, first, rows).value();
    }
    result<metadata_values> try_read_metadata_key(std::string_view key, std::size_t first = 0,
                                                  std::size_t rows = to_end) const {
        return read<metadata_values>(values_of(key), first, rows);
    }
    void read_metadata_key_into(std::string_view key, std::size_t first, std::size_t rows, metadata_values& out) const {
        try_read_metadata_key_into(key, first, rows, out).value();
    }
    result<void> try_read_metadata_key_into(std::string_view key, std::size_t first, std::size_t rows,
                                            metadata_values& out) const {
        // A key that is refused is so before `out` is touched.
        auto accepted = detail::call(numbers_of(key, nullptr), raw(), std::size_t{0}, std::size_t{0}, nullptr);
        if (!accepted) {
            return accepted;
        }
        return read_into(values_of(key), first, rows, out);
    }

    /// The numbers among the metadata values of one key; NaN where the row does not have the key or its value is a
    /// text. `validity` becomes 1 wherever the row has the key.
    std::vector<double> read_metadata_numbers(std::string_view key, std::size_t first = 0,
                                              std::size_t rows = to_end) const {
        return try_read_metadata_numbers(key, first, rows).value();
    }
    result<std::vector<double>> try_read_metadata_numbers(std::string_view key, std::size_t first = 0,
                                                          std::size_t rows = to_end) const {
        return numbers<double>(numbers_of(key, nullptr), first, rows);
    }
    void read_metadata_numbers_into(std::string_view key, std::size_t first, span<double> out,
                                    span<std::uint8_t> validity = {}) const {
        try_read_metadata_numbers_into(key, first, out, validity).value();
    }
    result<void> try_read_metadata_numbers_into(std::string_view key, std::size_t first, span<double> out,
                                                span<std::uint8_t> validity = {}) const {
        auto fits = check_validity(out.size(), validity);
        if (!fits) {
            return fits;
        }
        const auto function = numbers_of(key, validity.empty() ? nullptr : validity.data());
        return detail::call(function, raw(), first, out.size(), out.data());
    }

    /// Rows as JSON Lines, which batch::append_json reads: for each row an object of every field that is set, and a
    /// line feed.
    /// @throws cupel::error also status::invalid_argument for what JSON cannot say, by row and field: an empty content,
    ///         a double that is not finite
    std::string to_json(std::size_t first = 0, std::size_t rows = to_end) const {
        return try_to_json(first, rows).value();
    }
    result<std::string> try_to_json(std::size_t first = 0, std::size_t rows = to_end) const {
        return detail::read_text(cupel_batch_to_json, raw(), first, count(first, rows));
    }

protected:
    batch_reader() noexcept = default;
    batch_reader(const batch_reader&) noexcept = default;
    batch_reader& operator=(const batch_reader&) noexcept = default;
    ~batch_reader() = default;

private:
    const cupel_batch* raw() const noexcept { return static_cast<const Batch&>(*this).get(); }

    /// How many rows are meant.
    std::size_t count(std::size_t first, std::size_t rows) const noexcept {
        const std::size_t size = cupel_batch_len(raw());
        return rows != to_end ? rows : first <= size ? size - first : 0;
    }

    /// Fails as every reader does where there are no such rows, before memory is taken for them.
    result<void> check(std::size_t first, std::size_t rows) const {
        const std::size_t size = cupel_batch_len(raw());
        if (raw() != nullptr && first <= size && rows <= size - first) {
            return {};
        }
        std::uint8_t unused = 0;
        return detail::call(cupel_batch_read_pinned, raw(), first, rows, &unused);
    }

    static result<void> check_validity(std::size_t rows, span<std::uint8_t> validity) {
        if (validity.empty() || validity.size() == rows) {
            return {};
        }
        return error(status::length_mismatch, ("validity has " + std::to_string(validity.size()) + " bytes: out has " +
                                               std::to_string(rows) + " entries")
                                                  .c_str());
    }

    /// Reads with `fill(batch, first, rows, memory)`.
    template <class Values, class Fill>
    result<Values> read(Fill fill, std::size_t first, std::size_t rows) const {
        rows = count(first, rows);
        const auto there = check(first, rows);
        if (!there) {
            return there.error();
        }
        Values values;
        const auto done = fill(raw(), first, rows, values);
        if (!done) {
            return done.error();
        }
        return values;
    }

    template <class T, class Function>
    result<std::vector<T>> numbers(Function function, std::size_t first, std::size_t rows) const {
        const auto fill = [&](const cupel_batch* batch, std::size_t start, std::size_t size, std::vector<T>& out) {
            out.resize(size);
            return detail::call(function, batch, start, size, out.data());
        };
        return read<std::vector<T>>(fill, first, rows);
    }

    template <class T, class Function>
    result<nullable_values<T>> nullable(Function function, std::size_t first, std::size_t rows) const {
        const auto fill = [&](const cupel_batch* batch, std::size_t start, std::size_t size, nullable_values<T>& out) {
            out.values.resize(size);
            out.validity.resize(size);
            return detail::call(function, batch, start, size, out.values.data(), out.validity.data());
        };
        return read<nullable_values<T>>(fill, first, rows);
    }

    template <class T, class Function>
    result<void> nullable_into(Function function, std::size_t first, span<T> out, span<std::uint8_t> validity) const {
        auto fits = check_validity(out.size(), validity);
        if (!fits) {
            return fits;
        }
        return detail::call(function, raw(), first, out.size(), out.data(),
                            validity.empty() ? nullptr : validity.data());
    }

    // ---- Texts ------------------------------------------------------------------------------------------------------

    /// Reads with `fill`, as read() does, into the memory of `out`.
    template <class Values, class Fill>
    result<void> read_into(Fill fill, std::size_t first, std::size_t rows, Values& out) const {
        rows = count(first, rows);
        auto there = check(first, rows);
        if (!there) {
            return there;
        }
        Values values = std::exchange(out, Values());
        auto done = fill(raw(), first, rows, values);
        if (done) {
            out = std::move(values);
        }
        return done;
    }

    /// Reads the offsets of texts, and then the bytes that they ask for: `function(offsets, data, data_len,
    /// out_error)`.
    template <class Function>
    static result<void> fill_texts(std::size_t size, text_list& out, Function function) {
        out.offsets_.resize(size + 1);
        auto done = detail::call(function, out.offsets_.data(), nullptr, std::size_t{0});
        if (!done) {
            return done;
        }
        out.bytes_.resize(static_cast<std::size_t>(out.offsets_[size]));
        return out.bytes_.empty() ? done
                                  : detail::call(function, out.offsets_.data(), out.bytes_.data(), out.bytes_.size());
    }

    /// Reads a text for each row.
    template <class Function>
    static auto texts(Function function) {
        return [function](const cupel_batch* batch, std::size_t first, std::size_t rows, text_list& out) {
            return fill_texts(rows, out,
                              [&](std::int64_t* offsets, char* data, std::size_t len, cupel_error** out_error) {
                                  return function(batch, first, rows, offsets, data, len, out_error);
                              });
        };
    }

    template <class Function>
    result<text_list> distinct(Function function, std::size_t size) const {
        text_list out;
        const auto done =
            fill_texts(size, out, [&](std::int64_t* offsets, char* data, std::size_t len, cupel_error** out_error) {
                return function(raw(), offsets, size + 1, data, len, out_error);
            });
        if (!done) {
            return done.error();
        }
        return out;
    }

    static result<void> fill_tags(const cupel_batch* batch, std::size_t first, std::size_t rows, tag_lists& out) {
        out.offsets_.resize(rows + 1);
        std::int64_t* const lists = out.offsets_.data();
        auto done = detail::call(cupel_batch_read_tags, batch, first, rows, lists, nullptr, std::size_t{0}, nullptr,
                                 std::size_t{0});
        if (!done) {
            return done;
        }
        const auto size = static_cast<std::size_t>(lists[rows]);
        return fill_texts(
            size, out.values_, [&](std::int64_t* offsets, char* data, std::size_t len, cupel_error** out_error) {
                return cupel_batch_read_tags(batch, first, rows, lists, offsets, size + 1, data, len, out_error);
            });
    }

    static result<void> fill_metadata(const cupel_batch* batch, std::size_t first, std::size_t rows,
                                      metadata_lists& out) {
        out.offsets_.resize(rows + 1);
        std::int64_t* const lists = out.offsets_.data();
        auto done = detail::call(cupel_batch_read_metadata, batch, first, rows, lists, nullptr, nullptr, nullptr,
                                 nullptr, std::size_t{0}, nullptr, std::size_t{0});
        if (!done) {
            return done;
        }
        const auto size = static_cast<std::size_t>(lists[rows]);
        auto& entries = out.values_;
        entries.keys_.resize(size);
        entries.types_.resize(size);
        entries.numbers_.resize(size);
        return fill_texts(
            size, entries.texts_, [&](std::int64_t* offsets, char* data, std::size_t len, cupel_error** out_error) {
                return cupel_batch_read_metadata(batch, first, rows, lists, entries.keys_.data(), entries.types_.data(),
                                                 entries.numbers_.data(), offsets, size, data, len, out_error);
            });
    }

    static auto values_of(std::string_view key) {
        return [key](const cupel_batch* batch, std::size_t first, std::size_t rows, metadata_values& out) {
            out.key_.assign(key);
            out.validity_.resize(rows);
            out.types_.resize(rows);
            out.numbers_.resize(rows);
            return fill_texts(
                rows, out.texts_, [&](std::int64_t* offsets, char* data, std::size_t len, cupel_error** out_error) {
                    return cupel_batch_read_metadata_key(batch, key.data(), key.size(), first, rows, out.types_.data(),
                                                         out.validity_.data(), out.numbers_.data(), offsets, data, len,
                                                         out_error);
                });
        };
    }

    static auto numbers_of(std::string_view key, std::uint8_t* validity) {
        return [key, validity](const cupel_batch* batch, std::size_t first, std::size_t rows, double* out,
                               cupel_error** out_error) {
            return cupel_batch_read_metadata_key(batch, key.data(), key.size(), first, rows, nullptr, validity, out,
                                                 nullptr, nullptr, 0, out_error);
        };
    }
};

}  // namespace cupel

#endif
