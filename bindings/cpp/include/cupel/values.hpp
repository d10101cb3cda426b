// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file values.hpp
/// What the bulk readers of a batch give: the values of a field for a range of rows, in arrays.

#ifndef CUPEL_VALUES_HPP
#define CUPEL_VALUES_HPP

#include <cstddef>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "metadata.hpp"
#include "span.hpp"

namespace cupel {

template <class Batch>
class batch_reader;

namespace detail {

/// Visits the elements of a container that has `operator[]`, by position. It refers to the container.
template <class Container>
class index_iterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = decltype(std::declval<const Container&>()[0]);
    using difference_type = std::ptrdiff_t;
    using pointer = void;
    using reference = value_type;

    index_iterator() noexcept = default;
    index_iterator(const Container* container, std::size_t index) noexcept : container_(container), index_(index) {}

    value_type operator*() const { return (*container_)[index_]; }
    index_iterator& operator++() noexcept {
        ++index_;
        return *this;
    }
    index_iterator operator++(int) noexcept {
        const index_iterator before = *this;
        ++index_;
        return before;
    }
    friend bool operator==(const index_iterator& a, const index_iterator& b) noexcept { return a.index_ == b.index_; }
    friend bool operator!=(const index_iterator& a, const index_iterator& b) noexcept { return a.index_ != b.index_; }

private:
    const Container* container_ = nullptr;
    std::size_t index_ = 0;
};

}  // namespace detail

/// The values of a field that may be missing.
template <class T>
struct nullable_values {
    std::vector<T> values;  ///< one a row; where `validity` is 0, NaN for a hint and zero for any other field
    std::vector<std::uint8_t> validity;  ///< one a row: 1 where the field is set, else 0

    std::size_t size() const noexcept { return values.size(); }
    bool empty() const noexcept { return values.empty(); }

    /// The value of a row, counted from the first that was read.
    std::optional<T> operator[](std::size_t row) const {
        return validity[row] != 0 ? std::optional<T>(values[row]) : std::nullopt;
    }
};

/// Texts, one after another in one array of bytes. The views that it gives live until it is changed.
class text_list {
public:
    using iterator = detail::index_iterator<text_list>;

    std::size_t size() const noexcept { return offsets_.empty() ? 0 : offsets_.size() - 1; }
    bool empty() const noexcept { return size() == 0; }

    std::string_view operator[](std::size_t index) const& {
        const auto begin = static_cast<std::size_t>(offsets_[index]);
        const auto end = static_cast<std::size_t>(offsets_[index + 1]);
        return {bytes_.data() + begin, end - begin};
    }
    std::string_view operator[](std::size_t index) const&& = delete;

    iterator begin() const noexcept { return iterator(this, 0); }
    iterator end() const noexcept { return iterator(this, size()); }

    /// All texts, UTF-8: text i from `offsets()[i]` to before `offsets()[i + 1]`.
    std::string_view bytes() const& noexcept { return bytes_; }
    std::string_view bytes() const&& = delete;

    /// Where each text begins and the last one ends: `size() + 1` entries; none before anything was read.
    span<const std::int64_t> offsets() const& noexcept { return {offsets_.data(), offsets_.size()}; }
    span<const std::int64_t> offsets() const&& = delete;

private:
    template <class Batch>
    friend class batch_reader;

    std::string bytes_;
    std::vector<std::int64_t> offsets_;
};

/// A list for each row, over the values of all rows: tag_lists and metadata_lists.
template <class Values>
class row_lists {
public:
    /// The list of one row. It refers to the row_lists that it came from.
    class list {
    public:
        using iterator = detail::index_iterator<Values>;

        std::size_t size() const noexcept { return end_ - begin_; }
        bool empty() const noexcept { return begin_ == end_; }
        auto operator[](std::size_t index) const { return (*values_)[begin_ + index]; }
        iterator begin() const noexcept { return iterator(values_, begin_); }
        iterator end() const noexcept { return iterator(values_, end_); }

    private:
        friend class row_lists;

        list(const Values* values, std::size_t begin, std::size_t end) noexcept
            : values_(values), begin_(begin), end_(end) {}

        const Values* values_;
        std::size_t begin_;
        std::size_t end_;
    };
    using iterator = detail::index_iterator<row_lists>;

    /// How many rows there are.
    std::size_t size() const noexcept { return offsets_.empty() ? 0 : offsets_.size() - 1; }
    bool empty() const noexcept { return size() == 0; }

    /// The list of a row, counted from the first that was read.
    list operator[](std::size_t row) const& {
        return list(&values_, static_cast<std::size_t>(offsets_[row]), static_cast<std::size_t>(offsets_[row + 1]));
    }
    list operator[](std::size_t row) const&& = delete;

    iterator begin() const noexcept { return iterator(this, 0); }
    iterator end() const noexcept { return iterator(this, size()); }

    /// The values of all rows: those of row i from `offsets()[i]` to before `offsets()[i + 1]`.
    const Values& values() const& noexcept { return values_; }
    const Values& values() const&& = delete;

    /// Where the list of each row begins and that of the last row ends: `size() + 1` entries; none before anything was
    /// read.
    span<const std::int64_t> offsets() const& noexcept { return {offsets_.data(), offsets_.size()}; }
    span<const std::int64_t> offsets() const&& = delete;

private:
    template <class Batch>
    friend class batch_reader;

    std::vector<std::int64_t> offsets_;
    Values values_;
};

/// A metadata entry whose key is a code: the position of its text in what `read_metadata_keys` gives.
struct coded_metadata_entry {
    std::uint32_t key;
    metadata_type type;
    std::string_view text;  ///< of a string or other; empty for a number
    double number;          ///< of a number; NaN for texts
};

/// What metadata_entries and metadata_values have in common: a column for each part of a value.
class metadata_columns {
public:
    std::size_t size() const noexcept { return types_.size(); }
    bool empty() const noexcept { return types_.empty(); }

    /// The types, each a metadata_type as a byte; 0 where a row does not have the key.
    span<const std::uint8_t> types() const& noexcept { return {types_.data(), types_.size()}; }
    span<const std::uint8_t> types() const&& = delete;
    /// The numbers; NaN where the value is no number.
    span<const double> numbers() const& noexcept { return {numbers_.data(), numbers_.size()}; }
    span<const double> numbers() const&& = delete;
    /// The texts; empty where the value is no text.
    const text_list& texts() const& noexcept { return texts_; }
    const text_list& texts() const&& = delete;

protected:
    template <class Batch>
    friend class batch_reader;

    std::vector<std::uint8_t> types_;
    std::vector<double> numbers_;
    text_list texts_;
};

/// Metadata entries, a column for each of their parts.
class metadata_entries : public metadata_columns {
public:
    using iterator = detail::index_iterator<metadata_entries>;

    coded_metadata_entry operator[](std::size_t index) const& {
        return {keys_[index], static_cast<metadata_type>(types_[index]), texts_[index], numbers_[index]};
    }
    coded_metadata_entry operator[](std::size_t index) const&& = delete;

    iterator begin() const noexcept { return iterator(this, 0); }
    iterator end() const noexcept { return iterator(this, size()); }

    /// The codes of the keys, which hold until the batch is changed.
    span<const std::uint32_t> keys() const& noexcept { return {keys_.data(), keys_.size()}; }
    span<const std::uint32_t> keys() const&& = delete;

private:
    template <class Batch>
    friend class batch_reader;

    std::vector<std::uint32_t> keys_;
};

/// The tags of rows: `for (std::string_view tag : lists[row])`.
using tag_lists = row_lists<text_list>;

/// The metadata of rows: `for (const auto& entry : lists[row])`. The entries of a row may come in another order than
/// they were set in.
using metadata_lists = row_lists<metadata_entries>;

/// The metadata values of one key, one a row.
class metadata_values : public metadata_columns {
public:
    using iterator = detail::index_iterator<metadata_values>;

    /// The value of a row, counted from the first that was read, where the row has the key. The number of a text is 0.
    std::optional<metadata_entry> operator[](std::size_t row) const& {
        if (validity_[row] == 0) {
            return std::nullopt;
        }
        const auto type = static_cast<metadata_type>(types_[row]);
        return metadata_entry{key_, type, texts_[row], type == metadata_type::number ? numbers_[row] : 0};
    }
    std::optional<metadata_entry> operator[](std::size_t row) const&& = delete;

    iterator begin() const noexcept { return iterator(this, 0); }
    iterator end() const noexcept { return iterator(this, size()); }

    /// 1 where the row has the key, else 0.
    span<const std::uint8_t> validity() const& noexcept { return {validity_.data(), validity_.size()}; }
    span<const std::uint8_t> validity() const&& = delete;

private:
    template <class Batch>
    friend class batch_reader;

    std::string key_;
    std::vector<std::uint8_t> validity_;
};

}  // namespace cupel

#endif
