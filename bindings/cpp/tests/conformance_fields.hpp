// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file conformance_fields.hpp
/// Reads the tables of a conformance vector, and refuses fields that nobody asked for.

#ifndef CUPEL_CONFORMANCE_FIELDS_HPP
#define CUPEL_CONFORMANCE_FIELDS_HPP

#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <set>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include <toml++/toml.h>

namespace conformance {

/// The file is not of the form.
struct form_error : std::runtime_error {
    explicit form_error(const std::string& what) : std::runtime_error("not a vector: " + what) {}
};

/// Fields that the form does not know are a slip in the project's own vectors; elsewhere the form may have grown.
enum class unknown_fields { refuse, ignore };

inline std::optional<double> as_number(const toml::node& node) {
    if (const auto* number = node.as_floating_point()) {
        return number->get();
    }
    if (const auto* number = node.as_integer()) {
        return static_cast<double>(number->get());
    }
    return std::nullopt;
}

/// Days since the Unix epoch of a date of the proleptic Gregorian calendar, after Howard Hinnant's derivation: the
/// year begins in March, so that the leap day is its last.
inline std::int64_t days_since_epoch(std::int64_t year, std::int64_t month, std::int64_t day) {
    year -= month <= 2;
    month += month <= 2 ? 9 : -3;
    const std::int64_t leap_days = year / 4 - year / 100 + year / 400;  // TOML knows no year below 0
    return 365 * year + leap_days + (153 * month + 2) / 5 + day - 719469;
}

/// None where the datetime has no offset, or lies outside of 64-bit nanoseconds.
inline std::optional<std::int64_t> unix_nanoseconds(const toml::date_time& instant) {
    if (!instant.offset) {
        return std::nullopt;
    }
    const std::int64_t days = days_since_epoch(instant.date.year, instant.date.month, instant.date.day);
    const std::int64_t minutes = (days * 24 + instant.time.hour) * 60 + instant.time.minute - instant.offset->minutes;
    const std::int64_t seconds = minutes * 60 + instant.time.second;
    std::int64_t nanoseconds = 0;
    // From the second that follows, when negative: the lowest instant's own second begins below the range.
    const bool negative = seconds < 0;
    const std::int64_t part = static_cast<std::int64_t>(instant.time.nanosecond) - (negative ? 1'000'000'000 : 0);
    if (__builtin_mul_overflow(seconds + negative, std::int64_t{1'000'000'000}, &nanoseconds) ||
        __builtin_add_overflow(nanoseconds, part, &nanoseconds)) {
        return std::nullopt;
    }
    return nanoseconds;
}

/// One table, where it stands, and which of its fields were asked for.
class fields {
public:
    fields(const toml::table& table, std::string path, unknown_fields unknown)
        : table_(&table), path_(std::move(path)), unknown_(unknown) {}

    const std::string& path() const { return path_; }
    unknown_fields unknown() const { return unknown_; }
    const toml::table& raw() const { return *table_; }

    [[noreturn]] void wrong(std::string_view name, std::string_view wanted) const {
        throw form_error(path_ + "." + std::string(name) + ": " + std::string(wanted) + " wanted");
    }
    [[noreturn]] void missing(std::string_view name) const {
        throw form_error(path_ + "." + std::string(name) + " is missing");
    }

    const toml::node* node(std::string_view name) const {
        asked_.emplace(name);
        return table_->get(name);
    }
    bool has(std::string_view name) const { return node(name) != nullptr; }

    std::optional<std::string> text(std::string_view name) const {
        const auto* found = node(name);
        return found ? std::optional(convert<std::string>(*found, name, "a string")) : std::nullopt;
    }
    std::optional<std::int64_t> integer(std::string_view name) const {
        const auto* found = node(name);
        return found ? std::optional(convert<std::int64_t>(*found, name, "an integer")) : std::nullopt;
    }
    std::optional<bool> boolean(std::string_view name) const {
        const auto* found = node(name);
        return found ? std::optional(convert<bool>(*found, name, "true or false")) : std::nullopt;
    }
    bool flag(std::string_view name) const { return boolean(name).value_or(false); }

    std::optional<double> number(std::string_view name) const {
        const auto* found = node(name);
        if (!found) {
            return std::nullopt;
        }
        if (const auto number = as_number(*found)) {
            return number;
        }
        wrong(name, "a number");
    }

    std::string must_text(std::string_view name) const {
        if (auto found = text(name)) {
            return *found;
        }
        missing(name);
    }
    double must_number(std::string_view name) const {
        if (auto found = number(name)) {
            return *found;
        }
        missing(name);
    }
    std::int64_t must_integer(std::string_view name) const {
        if (auto found = integer(name)) {
            return *found;
        }
        missing(name);
    }

    std::optional<std::vector<std::string>> texts(std::string_view name) const {
        const auto* found = array(name, "an array of strings");
        if (!found) {
            return std::nullopt;
        }
        std::vector<std::string> all;
        for (const auto& each : *found) {
            all.push_back(convert<std::string>(each, name, "an array of strings"));
        }
        return all;
    }
    std::vector<double> must_numbers(std::string_view name) const {
        const auto* found = array(name, "an array of numbers");
        if (!found) {
            missing(name);
        }
        std::vector<double> all;
        for (const auto& each : *found) {
            const auto number = as_number(each);
            if (!number) {
                wrong(name, "an array of numbers");
            }
            all.push_back(*number);
        }
        return all;
    }

    std::optional<fields> table(std::string_view name) const {
        const auto* found = node(name);
        if (!found) {
            return std::nullopt;
        }
        if (const auto* table = found->as_table()) {
            return fields(*table, path_ + "." + std::string(name), unknown_);
        }
        wrong(name, "a table");
    }
    fields must_table(std::string_view name) const {
        if (auto found = table(name)) {
            return *found;
        }
        missing(name);
    }

    std::optional<std::vector<fields>> tables(std::string_view name) const {
        const auto* found = array(name, "an array of tables");
        if (!found) {
            return std::nullopt;
        }
        std::vector<fields> all;
        for (const auto& each : *found) {
            const auto* table = each.as_table();
            if (!table) {
                wrong(name, "an array of tables");
            }
            all.emplace_back(*table, path_ + "." + std::string(name) + "[" + std::to_string(all.size()) + "]",
                             unknown_);
        }
        return all;
    }
    std::vector<fields> must_tables(std::string_view name) const {
        if (auto found = tables(name)) {
            return *found;
        }
        missing(name);
    }

    /// An instant in Unix nanoseconds: `name` as a datetime, or `name_ns` as an integer.
    std::optional<std::int64_t> instant(std::string_view name) const {
        const auto nanoseconds = integer(std::string(name) + "_ns");
        const auto* found = node(name);
        if (!found) {
            return nanoseconds;
        }
        if (nanoseconds) {
            throw form_error(path_ + "." + std::string(name) + " is given twice");
        }
        const auto* datetime = found->as_date_time();
        const auto converted = datetime ? unix_nanoseconds(datetime->get()) : std::nullopt;
        if (!converted) {
            wrong(name, "a datetime with an offset, in the range of 64-bit nanoseconds,");
        }
        return converted;
    }

    /// A duration in nanoseconds: `name_ns`, or `name_secs` in seconds.
    std::int64_t duration(std::string_view name) const {
        const auto nanoseconds = integer(std::string(name) + "_ns");
        const auto seconds = number(std::string(name) + "_secs");
        if (nanoseconds && seconds) {
            throw form_error(path_ + "." + std::string(name) + " is given twice");
        }
        if (nanoseconds) {
            return *nanoseconds;
        }
        if (!seconds) {
            missing(std::string(name) + "_secs");
        }
        const double scaled = std::round(*seconds * 1e9);
        if (!(std::abs(scaled) < 9223372036854775808.0)) {
            return scaled < 0 ? (std::numeric_limits<std::int64_t>::min)() : (std::numeric_limits<std::int64_t>::max)();
        }
        return static_cast<std::int64_t>(scaled);
    }

    /// Refuses fields that nobody asked for.
    void finish() const {
        for (const auto& [key, value] : *table_) {
            if (unknown_ == unknown_fields::refuse && asked_.find(key.str()) == asked_.end()) {
                throw form_error(path_ + "." + std::string(key.str()) + " is not a field of the form here");
            }
        }
    }

private:
    template <class T>
    T convert(const toml::node& node, std::string_view name, std::string_view wanted) const {
        const auto* value = node.as<T>();
        if (!value) {
            wrong(name, wanted);
        }
        return value->get();
    }

    const toml::array* array(std::string_view name, std::string_view wanted) const {
        const auto* found = node(name);
        if (found && !found->as_array()) {
            wrong(name, wanted);
        }
        return found ? found->as_array() : nullptr;
    }

    const toml::table* table_;
    std::string path_;
    unknown_fields unknown_;
    mutable std::set<std::string, std::less<>> asked_;
};

}  // namespace conformance

#endif
