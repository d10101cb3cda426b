// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file item.hpp
/// A piece of context: cupel::item, which never changes, and cupel::item_builder, which makes it.

#ifndef CUPEL_ITEM_HPP
#define CUPEL_ITEM_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "handle.hpp"
#include "metadata.hpp"
#include "time.hpp"

namespace cupel {

class item_builder;

/// A text that was read from a temporary item, such as `batch.item(0).content()`: a copy, for the item is gone at the end of
/// the expression. It does not become a std::string_view before it has a name, as that would outlive it.
class owned_text : public std::string {
public:
    explicit owned_text(std::string_view text) : std::string(text) {}
    operator std::string_view() const& noexcept { return {data(), size()}; }
    operator std::string_view() const&& = delete;
};

/// One piece of context. Texts that its functions return live as long as the item; those of a temporary item are copies. Any
/// number of threads may read it.
///
/// Each function throws cupel::error, and its `try_` twin returns one, when the item was moved from
/// (status::null_argument) or an index is not below the count (status::out_of_range).
class item : public detail::handle<item, cupel_item> {
public:
    /// Begins an item; the same as item_builder(content, tokens).
    static item_builder builder(std::string_view content, std::int64_t tokens);

    std::string_view content() const& { return try_content().value(); }
    owned_text content() const&& { return owned_text(content()); }
    result<std::string_view> try_content() const& { return text(cupel_item_content); }
    result<std::string_view> try_content() const&& = delete;

    /// As counted by whoever made the item.
    std::int64_t tokens() const { return try_tokens().value(); }
    result<std::int64_t> try_tokens() const { return detail::read<std::int64_t>(cupel_item_tokens, get()); }

    std::string_view kind() const& { return try_kind().value(); }
    owned_text kind() const&& { return owned_text(kind()); }
    result<std::string_view> try_kind() const& { return text(cupel_item_kind); }
    result<std::string_view> try_kind() const&& = delete;

    std::string_view source() const& { return try_source().value(); }
    owned_text source() const&& { return owned_text(source()); }
    result<std::string_view> try_source() const& { return text(cupel_item_source); }
    result<std::string_view> try_source() const&& = delete;

    std::optional<std::int64_t> priority() const { return try_priority().value(); }
    result<std::optional<std::int64_t>> try_priority() const { return optional<std::int64_t>(cupel_item_priority); }

    std::optional<std::int64_t> original_tokens() const { return try_original_tokens().value(); }
    result<std::optional<std::int64_t>> try_original_tokens() const {
        return optional<std::int64_t>(cupel_item_original_tokens);
    }

    std::optional<time_point> timestamp() const { return try_timestamp().value(); }
    result<std::optional<time_point>> try_timestamp() const {
        auto nanoseconds = optional<std::int64_t>(cupel_item_timestamp);
        if (!nanoseconds) {
            return nanoseconds.error();
        }
        return *nanoseconds ? std::optional(detail::from_unix_nanoseconds(**nanoseconds)) : std::nullopt;
    }

    std::optional<double> future_relevance_hint() const { return try_future_relevance_hint().value(); }
    result<std::optional<double>> try_future_relevance_hint() const {
        return optional<double>(cupel_item_future_relevance_hint);
    }

    bool pinned() const { return try_pinned().value(); }
    result<bool> try_pinned() const { return detail::read<bool>(cupel_item_pinned, get()); }

    /// How many tags there are; duplicates count.
    std::size_t tag_count() const { return try_tag_count().value(); }
    result<std::size_t> try_tag_count() const { return detail::read<std::size_t>(cupel_item_tags_len, get()); }

    /// Tag `index`, in the order in which they were added.
    std::string_view tag(std::size_t index) const& { return try_tag(index).value(); }
    owned_text tag(std::size_t index) const&& { return owned_text(tag(index)); }
    result<std::string_view> try_tag(std::size_t index) const& { return text(cupel_item_tag, index); }
    result<std::string_view> try_tag(std::size_t index) const&& = delete;

    /// All tags. (Not of a temporary item, which they would outlive.)
    std::vector<std::string_view> tags() const& { return try_tags().value(); }
    std::vector<std::string_view> tags() const&& = delete;
    result<std::vector<std::string_view>> try_tags() const& {
        return list<std::string_view>(try_tag_count(), [this](std::size_t index) { return try_tag(index); });
    }
    result<std::vector<std::string_view>> try_tags() const&& = delete;

    /// How many metadata entries there are.
    std::size_t metadata_count() const { return try_metadata_count().value(); }
    result<std::size_t> try_metadata_count() const { return detail::read<std::size_t>(cupel_item_metadata_len, get()); }

    /// Metadata entry `index`. (Not of a temporary item, as for tags.)
    metadata_entry metadata(std::size_t index) const& { return try_metadata(index).value(); }
    metadata_entry metadata(std::size_t index) const&& = delete;
    result<metadata_entry> try_metadata(std::size_t index) const&& = delete;
    result<metadata_entry> try_metadata(std::size_t index) const& {
        const auto key = text(cupel_item_metadata_key, index);
        if (!key) {
            return key.error();
        }
        cupel_metadata_type type = 0;
        const char* data = nullptr;
        std::size_t size = 0;
        double number = 0;
        detail::error_out failed;
        if (!failed.ok(cupel_item_metadata_value(get(), index, &type, &data, &size, &number, failed))) {
            return failed.failure();
        }
        return metadata_entry{*key, static_cast<metadata_type>(type), std::string_view(data, size), number};
    }

    /// All metadata entries. (Not of a temporary item, as for tags.)
    std::vector<metadata_entry> metadata() const& { return try_metadata().value(); }
    std::vector<metadata_entry> metadata() const&& = delete;
    result<std::vector<metadata_entry>> try_metadata() const& {
        return list<metadata_entry>(try_metadata_count(), [this](std::size_t index) { return try_metadata(index); });
    }
    result<std::vector<metadata_entry>> try_metadata() const&& = delete;

    /// The item as a JSON object of every field that is set, which batch::append_json reads. A metadata value that is
    /// neither text nor a number is written as it is where that reads back as the same value, and elsewhere as a string
    /// of its text.
    /// @throws cupel::error status::invalid_argument for what JSON cannot say: an empty content, a double that is not
    ///         finite
    std::string to_json() const { return try_to_json().value(); }
    result<std::string> try_to_json() const {
        return detail::read_text(cupel_item_to_json, static_cast<const cupel_item*>(get()));
    }

private:
    friend handle;
    friend class item_builder;

    explicit item(empty_tag) noexcept {}

    template <class Function, class... Arguments>
    result<std::string_view> text(Function function, Arguments... arguments) const {
        const char* data = nullptr;
        std::size_t size = 0;
        detail::error_out failed;
        if (!failed.ok(function(get(), arguments..., &data, &size, failed))) {
            return failed.failure();
        }
        return std::string_view(data, size);
    }

    template <class T, class Function>
    result<std::optional<T>> optional(Function function) const {
        T value{};
        bool present = false;
        detail::error_out failed;
        if (!failed.ok(function(get(), &value, &present, failed))) {
            return failed.failure();
        }
        return present ? std::optional<T>(value) : std::nullopt;
    }

    template <class T, class Element>
    static result<std::vector<T>> list(const result<std::size_t>& count, Element element) {
        if (!count) {
            return count.error();
        }
        std::vector<T> elements;
        elements.reserve(*count);
        for (std::size_t index = 0; index < *count; ++index) {
            auto one = element(index);
            if (!one) {
                return one.error();
            }
            elements.push_back(*one);
        }
        return elements;
    }
};

/// Makes items, field by field; a setter that fails changes nothing. It may build any number of them: build copies.
///
///     auto item = cupel::item_builder("Deploy failed", 3).kind("ToolOutput").tag("urgent").build();
///
/// Used by one thread at a time.
class item_builder : public detail::handle<item_builder, cupel_item_builder> {
public:
    /// Begins an item with every other field at its default: kind Message, source Chat, the rest absent.
    /// @param content UTF-8, not empty
    /// @param tokens as counted by the caller; any value is legal
    /// @throws cupel::error status::empty_content or status::invalid_utf8
    item_builder(std::string_view content, std::int64_t tokens) : item_builder(try_create(content, tokens).value()) {}
    static result<item_builder> try_create(std::string_view content, std::int64_t tokens) {
        return make(cupel_item_builder_new, content.data(), content.size(), tokens);
    }

    /// Begins another item with this builder's memory. Fails as the constructor does, and then changes nothing.
    item_builder& reset(std::string_view content, std::int64_t tokens) & { return done(try_reset(content, tokens)); }
    item_builder reset(std::string_view content, std::int64_t tokens) && { return moved(try_reset(content, tokens)); }
    result<void> try_reset(std::string_view content, std::int64_t tokens) {
        return detail::call(cupel_item_builder_reset, get(), content.data(), content.size(), tokens);
    }

    /// What the item is: Message, Document, ToolOutput, Memory, SystemPrompt or any other text.
    /// @throws cupel::error status::empty_kind when blank
    item_builder& kind(std::string_view kind) & { return done(try_kind(kind)); }
    item_builder kind(std::string_view kind) && { return moved(try_kind(kind)); }
    result<void> try_kind(std::string_view kind) { return set_text(cupel_item_builder_set_kind, kind); }

    /// Where it came from: Chat, Tool, Rag or any other text.
    /// @throws cupel::error status::empty_source when blank
    item_builder& source(std::string_view source) & { return done(try_source(source)); }
    item_builder source(std::string_view source) && { return moved(try_source(source)); }
    result<void> try_source(std::string_view source) { return set_text(cupel_item_builder_set_source, source); }

    /// Adds a tag; order and duplicates are kept, an empty tag is legal.
    item_builder& tag(std::string_view tag) & { return done(try_tag(tag)); }
    item_builder tag(std::string_view tag) && { return moved(try_tag(tag)); }
    result<void> try_tag(std::string_view tag) { return set_text(cupel_item_builder_add_tag, tag); }

    /// Adds tags in order, from any range of texts. On failure the tags before the bad one have been added.
    template <class Texts>
    item_builder& tags(Texts&& tags) & {
        for (auto&& each : tags) {
            tag(each);
        }
        return *this;
    }
    template <class Texts>
    item_builder tags(Texts&& tags) && {
        return std::move(this->tags(std::forward<Texts>(tags)));
    }
    item_builder& tags(std::initializer_list<std::string_view> tags) & {
        return this->tags<std::initializer_list<std::string_view>&>(tags);
    }
    item_builder tags(std::initializer_list<std::string_view> tags) && { return std::move(this->tags(tags)); }

    /// Higher is more important.
    item_builder& priority(std::int64_t priority) & { return done(try_priority(priority)); }
    item_builder priority(std::int64_t priority) && { return moved(try_priority(priority)); }
    result<void> try_priority(std::int64_t priority) {
        return detail::call(cupel_item_builder_set_priority, get(), priority);
    }

    item_builder& original_tokens(std::int64_t tokens) & { return done(try_original_tokens(tokens)); }
    item_builder original_tokens(std::int64_t tokens) && { return moved(try_original_tokens(tokens)); }
    result<void> try_original_tokens(std::int64_t tokens) {
        return detail::call(cupel_item_builder_set_original_tokens, get(), tokens);
    }

    /// When it was made: any std::chrono::system_clock instant in whole ticks, rounded down to nanoseconds; one
    /// outside the years that 64-bit nanoseconds hold becomes the nearest that they do.
    template <class Duration>
    item_builder& timestamp(std::chrono::time_point<std::chrono::system_clock, Duration> instant) & {
        return done(try_timestamp(instant));
    }
    template <class Duration>
    item_builder timestamp(std::chrono::time_point<std::chrono::system_clock, Duration> instant) && {
        return moved(try_timestamp(instant));
    }
    template <class Duration>
    result<void> try_timestamp(std::chrono::time_point<std::chrono::system_clock, Duration> instant) {
        return detail::call(cupel_item_builder_set_timestamp, get(), detail::to_unix_nanoseconds(instant));
    }

    /// How relevant the caller expects it to become; any value is legal, the reflexive scorer clamps it to [0, 1].
    item_builder& future_relevance_hint(double hint) & { return done(try_future_relevance_hint(hint)); }
    item_builder future_relevance_hint(double hint) && { return moved(try_future_relevance_hint(hint)); }
    result<void> try_future_relevance_hint(double hint) {
        return detail::call(cupel_item_builder_set_future_relevance_hint, get(), hint);
    }

    item_builder& pinned(bool pinned = true) & { return done(try_pinned(pinned)); }
    item_builder pinned(bool pinned = true) && { return moved(try_pinned(pinned)); }
    result<void> try_pinned(bool pinned = true) { return detail::call(cupel_item_builder_set_pinned, get(), pinned); }

    /// Sets metadata `key`; setting a key again replaces its value. Empty keys and texts are legal.
    item_builder& metadata(std::string_view key, const metadata_value& value) & { return done(try_metadata(key, value)); }
    item_builder metadata(std::string_view key, const metadata_value& value) && {
        return moved(try_metadata(key, value));
    }
    result<void> try_metadata(std::string_view key, const metadata_value& value) {
        if (value.type() == metadata_type::number) {
            return detail::call(cupel_item_builder_set_metadata_double, get(), key.data(), key.size(), value.number());
        }
        const auto set = value.type() == metadata_type::string ? cupel_item_builder_set_metadata_string
                                                               : cupel_item_builder_set_metadata_other;
        return detail::call(set, get(), key.data(), key.size(), value.text().data(), value.text().size());
    }

    /// Sets metadata `key` to a value that is neither text nor a number, given by its text.
    item_builder& metadata_other(std::string_view key, std::string_view text) & {
        return done(try_metadata_other(key, text));
    }
    item_builder metadata_other(std::string_view key, std::string_view text) && {
        return moved(try_metadata_other(key, text));
    }
    result<void> try_metadata_other(std::string_view key, std::string_view text) {
        return try_metadata(key, metadata_value::other(text));
    }

    /// Makes the item. The builder keeps its fields.
    item build() const { return try_build().value(); }
    result<item> try_build() const { return item::make(cupel_item_builder_build, get()); }

private:
    friend handle;

    explicit item_builder(empty_tag) noexcept {}

    item_builder& done(const result<void>& outcome) {
        outcome.value();
        return *this;
    }
    item_builder moved(const result<void>& outcome) { return std::move(done(outcome)); }

    template <class Function>
    result<void> set_text(Function function, std::string_view text) {
        return detail::call(function, get(), text.data(), text.size());
    }
};

inline item_builder item::builder(std::string_view content, std::int64_t tokens) {
    return item_builder(content, tokens);
}

}  // namespace cupel

#endif
