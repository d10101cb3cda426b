// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file batch.hpp
/// The rows that are scored together: cupel::batch owns them, cupel::batch_view reads them.

#ifndef CUPEL_BATCH_HPP
#define CUPEL_BATCH_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iterator>
#include <string_view>
#include <vector>

#include "arrow.hpp"
#include "batch_reader.hpp"
#include "columns.hpp"
#include "handle.hpp"
#include "item.hpp"
#include "span.hpp"

namespace cupel {

/// A borrowed batch, to read and to score: what a custom scorer is given, and what every batch converts to. Valid as
/// long as its batch. Any number of threads may use it while none changes the batch. The functions whose names begin
/// with `read_` read a field of many rows in one call; see batch_reader.
class batch_view : public batch_reader<batch_view> {
public:
    explicit batch_view(const cupel_batch* raw) noexcept : raw_(raw) {}

    /// How many rows there are; 0 of a batch that was moved from.
    std::size_t size() const noexcept { return cupel_batch_len(raw_); }
    bool empty() const noexcept { return size() == 0; }

    /// A row as an item of its own, which outlives the batch; a score-only row has empty content.
    /// @throws cupel::error status::out_of_range when there is no such row
    cupel::item item(std::size_t row) const { return try_item(row).value(); }
    result<cupel::item> try_item(std::size_t row) const {
        cupel_item* raw = nullptr;
        detail::error_out failed;
        if (!failed.ok(cupel_batch_item(raw_, row, &raw, failed))) {
            return failed.failure();
        }
        return cupel::item::from_raw(raw);
    }

    cupel::item operator[](std::size_t row) const { return item(row); }

    /// The rows in order, each as an item of its own: `for (const auto& item : batch)`.
    class iterator {
    public:
        using iterator_category = std::input_iterator_tag;
        using value_type = cupel::item;
        using difference_type = std::ptrdiff_t;
        using pointer = void;
        using reference = cupel::item;

        iterator() noexcept = default;
        iterator(const cupel_batch* raw, std::size_t row) noexcept : raw_(raw), row_(row) {}

        /// @throws cupel::error as batch_view::item
        cupel::item operator*() const { return batch_view(raw_).item(row_); }
        iterator& operator++() noexcept {
            ++row_;
            return *this;
        }
        iterator operator++(int) noexcept {
            const iterator before = *this;
            ++row_;
            return before;
        }
        friend bool operator==(const iterator& a, const iterator& b) noexcept { return a.row_ == b.row_; }
        friend bool operator!=(const iterator& a, const iterator& b) noexcept { return a.row_ != b.row_; }

    private:
        const cupel_batch* raw_ = nullptr;
        std::size_t row_ = 0;
    };
    iterator begin() const noexcept { return iterator(raw_, 0); }
    iterator end() const noexcept { return iterator(raw_, size()); }

    const cupel_batch* get() const noexcept { return raw_; }

private:
    const cupel_batch* raw_;
};

/// Rows to score together. A row is the item: the same item pushed twice makes two rows that are each other's peers.
///
/// Changed by one thread at a time, and by none while another scores or reads it. From within a custom scorer the batch
/// that is being scored cannot be changed (status::busy). It has the `read_` functions of a batch_view.
class batch : public detail::handle<batch, cupel_batch>, public batch_reader<batch> {
public:
    /// An empty batch with room for `capacity` rows.
    /// @throws cupel::error status::out_of_memory
    explicit batch(std::size_t capacity = 0) : batch(try_create(capacity).value()) {}
    static result<batch> try_create(std::size_t capacity = 0) { return make(cupel_batch_new, capacity); }

    /// Adds a copy of the item as the last row.
    void push(const cupel::item& item) { try_push(item).value(); }
    result<void> try_push(const cupel::item& item) { return detail::call(cupel_batch_push, get(), item.get()); }

    /// Adds all rows or, on failure, none; the message names the column and the row.
    void append(const columns& rows) { try_append(rows).value(); }
    result<void> try_append(const columns& rows) { return try_append(rows.raw()); }

    /// The same for a program that has flat arrays of its own. They are read during the call and not kept.
    void append(const cupel_columns& rows) { try_append(rows).value(); }
    result<void> try_append(const cupel_columns& rows) {
        return detail::call(cupel_batch_append_columns, get(), &rows);
    }

    /// Adds the items of a JSON text, all or none: an array of objects, one object, or JSON Lines.
    /// @throws cupel::error status::invalid_json, with path, line and column
    void append_json(std::string_view json) { try_append_json(json).value(); }
    result<void> try_append_json(std::string_view json) {
        return detail::call(cupel_batch_append_json, get(), json.data(), json.size());
    }

    /// Adds the rows of an Arrow table, a struct array whose columns have the names of the fields: all or none. Both
    /// structs stay the caller's to release. A group column of the options is not looked at.
    /// @throws cupel::error with the column and the row: status::invalid_argument for a type that a column does not
    ///         take, a null where none may be, a timestamp without a zone or a released struct; status::out_of_range
    ///         and status::length_mismatch for offsets, indices, instants and lengths; else as append
    void append_arrow(const ArrowSchema& schema, const ArrowArray& array, const arrow_options& options = {}) {
        try_append_arrow(schema, array, options).value();
    }
    result<void> try_append_arrow(const ArrowSchema& schema, const ArrowArray& array,
                                  const arrow_options& options = {}) {
        const auto raw = options.raw();
        return detail::call(cupel_batch_append_arrow, get(), &schema, &array, &raw);
    }

    /// Adds the rows of all arrays of an Arrow stream, all or none. The stream is read to its end and stays the
    /// caller's to release; what it hands out is released here. After a call that fails its position is lost.
    /// @throws cupel::error status::callback_failed with the stream's own message; else as append_arrow
    void append_arrow_stream(ArrowArrayStream& stream, const arrow_options& options = {}) {
        try_append_arrow_stream(stream, options).value();
    }
    result<void> try_append_arrow_stream(ArrowArrayStream& stream, const arrow_options& options = {}) {
        const auto raw = options.raw();
        return detail::call(cupel_batch_append_arrow_stream, get(), &stream, &raw);
    }

    /// How many rows there are; 0 when moved from.
    std::size_t size() const noexcept { return cupel_batch_len(get()); }
    bool empty() const noexcept { return size() == 0; }

    /// A row as an item of its own; see batch_view::item.
    cupel::item item(std::size_t row) const { return view().item(row); }
    result<cupel::item> try_item(std::size_t row) const { return view().try_item(row); }
    cupel::item operator[](std::size_t row) const { return item(row); }

    /// The rows in order, each as an item of its own: `for (const auto& item : batch)`.
    batch_view::iterator begin() const noexcept { return view().begin(); }
    batch_view::iterator end() const noexcept { return view().end(); }

    /// Makes room for so many rows beyond those there are. @throws cupel::error status::out_of_memory
    void reserve(std::size_t additional_rows) { try_reserve(additional_rows).value(); }
    result<void> try_reserve(std::size_t additional_rows) {
        return detail::call(cupel_batch_reserve, get(), additional_rows);
    }

    /// Gives back the memory that the rows do not need.
    void shrink() { try_shrink().value(); }
    result<void> try_shrink() { return detail::call(cupel_batch_shrink, get()); }

    /// Removes the rows that have 0 in `keep`, and keeps those that have 1. The rows that remain keep their order and
    /// are numbered anew; they score as in a batch that never had the others. Memory of removed rows is used for later
    /// ones, and given back once more rows were removed than remain. Takes time in proportion to the rows.
    /// The row numbers of earlier selections no longer hold: none of them may be the previous one of a request.
    /// @throws cupel::error status::length_mismatch unless there is a byte for each row; status::invalid_argument for a
    ///         byte that is neither 0 nor 1
    void retain(span<const std::uint8_t> keep) { try_retain(keep).value(); }
    void retain(const std::vector<bool>& keep) { try_retain(keep).value(); }
    result<void> try_retain(span<const std::uint8_t> keep) {
        return detail::call(cupel_batch_retain, get(), keep.data(), keep.size());
    }
    result<void> try_retain(const std::vector<bool>& keep) {
        return try_retain(std::vector<std::uint8_t>(keep.begin(), keep.end()));
    }

    /// Removes all rows but those of a list, each greater than the one before; otherwise like retain.
    /// @throws cupel::error status::out_of_range for a row that is not there; status::invalid_argument for rows that do
    ///         not ascend
    void retain_rows(span<const std::uint32_t> rows) { try_retain_rows(rows).value(); }
    void retain_rows(std::initializer_list<std::uint32_t> rows) { try_retain_rows(rows).value(); }
    result<void> try_retain_rows(span<const std::uint32_t> rows) {
        return detail::call(cupel_batch_retain_rows, get(), rows.data(), rows.size());
    }
    result<void> try_retain_rows(std::initializer_list<std::uint32_t> rows) {
        return try_retain_rows(span<const std::uint32_t>(rows.begin(), rows.size()));
    }

    /// Removes all rows but the last `rows`; otherwise like retain. A batch with no more rows than that stays as it is.
    void keep_last(std::size_t rows) { try_keep_last(rows).value(); }
    result<void> try_keep_last(std::size_t rows) { return detail::call(cupel_batch_keep_last, get(), rows); }

    /// Removes all rows and keeps the memory.
    void clear() { try_clear().value(); }
    result<void> try_clear() { return detail::call(cupel_batch_clear, get()); }

    batch_view view() const noexcept { return batch_view(get()); }
    operator batch_view() const noexcept { return view(); }

private:
    friend handle;

    explicit batch(empty_tag) noexcept {}
};

}  // namespace cupel

#endif
