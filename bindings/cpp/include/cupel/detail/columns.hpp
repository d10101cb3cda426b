// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file detail/columns.hpp
/// The growing arrays of which cupel::columns is made. A column that was never written is absent: no array at all.

#ifndef CUPEL_DETAIL_COLUMNS_HPP
#define CUPEL_DETAIL_COLUMNS_HPP

#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "../error.hpp"

namespace cupel {
namespace detail {

/// Values with a byte each that says whether it is there.
template <class T>
class value_column {
public:
    /// Lengthens a column in use with missing values.
    void pad(std::size_t size) {
        if (!values_.empty()) {
            grow(size);
        }
    }

    void set(std::size_t index, T value) {
        grow(index + 1);
        values_[index] = value;
        validity_[index] = 1;
    }

    void reserve(std::size_t size) {
        values_.reserve(size);
        validity_.reserve(size);
    }

    void clear() noexcept {
        values_.clear();
        validity_.clear();
    }

    const T* values() const noexcept { return values_.empty() ? nullptr : values_.data(); }
    const std::uint8_t* validity() const noexcept { return values_.empty() ? nullptr : validity_.data(); }

private:
    void grow(std::size_t size) {
        // The values come last: as long as there are some, there are as many validity bytes.
        if (validity_.size() < size) {
            validity_.resize(size);
        }
        if (values_.size() < size) {
            values_.resize(size);
        }
    }

    std::vector<T> values_;
    std::vector<std::uint8_t> validity_;
};

/// Texts end to end, and where each begins.
class text_column {
public:
    std::size_t size() const noexcept { return offsets_.empty() ? 0 : offsets_.size() - 1; }

    std::string_view operator[](std::size_t index) const {
        const auto begin = static_cast<std::size_t>(offsets_[index]);
        const auto end = static_cast<std::size_t>(offsets_[index + 1]);
        return {data_.data() + begin, end - begin};
    }

    void add(std::string_view text) {
        if (offsets_.empty()) {
            offsets_.push_back(0);
        }
        // Bytes behind the last offset are those of a text that found memory for itself but none for its offset.
        data_.resize(static_cast<std::size_t>(offsets_.back()));
        data_.append(text);
        offsets_.push_back(static_cast<std::int64_t>(data_.size()));
    }

    /// Lengthens with empty texts.
    void pad(std::size_t size) {
        while (this->size() < size) {
            add({});
        }
    }

    void reserve(std::size_t texts, std::size_t bytes) {
        offsets_.reserve(texts + 1);
        data_.reserve(bytes);
    }

    void clear() noexcept {
        data_.clear();
        offsets_.clear();
    }

    cupel_text_column raw() const noexcept {
        cupel_text_column column{};
        if (!offsets_.empty()) {
            column.data = data_.data();
            column.data_len = data_.size();
            column.offsets = offsets_.data();
            column.texts_len = size();
        }
        return column;
    }

private:
    std::string data_;
    std::vector<std::int64_t> offsets_;
};

/// Texts of which few are distinct, as codes into a list. Only the newest few of the list are searched, so that many
/// distinct texts stay cheap; a text that is then listed twice does no harm.
class dictionary_column {
public:
    void pad(std::size_t size) { codes_.pad(size); }
    void set(std::size_t index, std::string_view text) { codes_.set(index, code(text)); }

    void clear() noexcept {
        texts_.clear();
        codes_.clear();
    }

    const std::uint8_t* validity() const noexcept { return codes_.validity(); }

    cupel_text_column raw() const noexcept {
        if (codes_.values() == nullptr) {
            return {};
        }
        cupel_text_column column = texts_.raw();
        column.codes = codes_.values();
        return column;
    }

private:
    std::uint32_t code(std::string_view text) {
        constexpr std::size_t searched = 16;
        const std::size_t size = texts_.size();
        for (std::size_t index = size; index > 0 && size - index < searched; --index) {
            if (texts_[index - 1] == text) {
                return static_cast<std::uint32_t>(index - 1);
            }
        }
        if (size > (std::numeric_limits<std::uint32_t>::max)()) {
            raise(error(cupel::status::out_of_range, "columns: more distinct texts than 32-bit codes"));
        }
        texts_.add(text);
        return static_cast<std::uint32_t>(size);
    }

    text_column texts_;
    value_column<std::uint32_t> codes_;
};

/// Where the list of each row ends, among the slots of another column.
class list_column {
public:
    /// Gives a column in use one row more, with an empty list, so that there are `rows`.
    void pad(std::size_t rows) {
        if (!ends_.empty()) {
            grow(rows);
            ends_[rows] = ends_[rows - 1];
        }
    }

    /// The end of the last row's list, to be raised when a slot was added to it.
    std::int64_t& end_of(std::size_t last_row) {
        grow(last_row + 1);
        return ends_[last_row + 1];
    }

    void clear() noexcept { ends_.clear(); }

    const std::int64_t* ends() const noexcept { return ends_.empty() ? nullptr : ends_.data(); }

private:
    void grow(std::size_t rows) {
        if (ends_.size() < rows + 1) {
            ends_.resize(rows + 1);
        }
    }

    std::vector<std::int64_t> ends_;
};

}  // namespace detail
}  // namespace cupel

#endif
