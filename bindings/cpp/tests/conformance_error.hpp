// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file conformance_error.hpp
/// How near a score must be, and what an error must say.

#ifndef CUPEL_CONFORMANCE_ERROR_HPP
#define CUPEL_CONFORMANCE_ERROR_HPP

#include <algorithm>
#include <cstring>
#include <sstream>

#include "conformance_scorers.hpp"

namespace conformance {

using complaints = std::vector<std::string>;

inline std::uint64_t bits_of(double number) {
    std::uint64_t bits = 0;
    std::memcpy(&bits, &number, sizeof bits);
    return bits;
}

inline double from_bits(std::uint64_t bits) {
    double number = 0;
    std::memcpy(&number, &bits, sizeof number);
    return number;
}

inline std::string show(double number) {
    std::ostringstream out;
    out.precision(17);
    out << number << " (" << std::hex << std::showbase << bits_of(number) << ")";
    return out.str();
}

/// How near a score must be.
struct tolerance {
    enum { exact, absolute, ulps } kind;
    double epsilon;
    std::uint64_t distance;

    bool accepts(double actual, double expected) const {
        if (bits_of(actual) == bits_of(expected) || (std::isnan(actual) && std::isnan(expected))) {
            return true;
        }
        switch (kind) {
            case absolute:
                return std::abs(actual - expected) < epsilon;
            case ulps:
                return distance_between(position(actual), position(expected)) <= distance;
            default:
                return false;
        }
    }

private:
    /// Where a double stands among all doubles in order; both zeros stand at 0.
    static std::int64_t position(double number) {
        const auto magnitude = static_cast<std::int64_t>(bits_of(number) & ~(std::uint64_t{1} << 63));
        return std::signbit(number) ? -magnitude : magnitude;
    }
    static std::uint64_t distance_between(std::int64_t a, std::int64_t b) {
        const auto difference = static_cast<std::uint64_t>(a) - static_cast<std::uint64_t>(b);
        return a > b ? difference : 0 - difference;
    }
};

constexpr tolerance exactly{tolerance::exact, 0, 0};
constexpr tolerance where_nothing_is_said{tolerance::absolute, 1e-9, 0};

inline tolerance read_tolerance(const fields& root) {
    const auto fields = root.table("tolerance");
    if (!fields) {
        if (root.unknown() == unknown_fields::refuse) {
            throw form_error("there is no [tolerance]");
        }
        return where_nothing_is_said;
    }
    const bool exact = fields->flag("exact");
    const auto ulps = fields->integer("score_ulps");
    const auto long_epsilon = fields->number("score_epsilon");
    const auto short_epsilon = fields->number("epsilon");
    if (exact + ulps.has_value() + long_epsilon.has_value() + short_epsilon.has_value() > 1) {
        throw form_error("tolerance: more than one is given");
    }
    fields->finish();
    if (exact) {
        return exactly;
    }
    if (ulps) {
        return {tolerance::ulps, 0, static_cast<std::uint64_t>(std::abs(*ulps))};
    }
    if (long_epsilon || short_epsilon) {
        return {tolerance::absolute, long_epsilon ? *long_epsilon : *short_epsilon, 0};
    }
    return where_nothing_is_said;
}

/// What an error must say.
class expected_error {
public:
    explicit expected_error(const fields& root) {
        const auto fields = root.table("error");
        if (!fields) {
            return;
        }
        status_ = fields->text("status");
        argument_ = fields->text("argument");
        position_ = fields->integer("position");
        if (const auto* value = fields->node("value")) {
            text_ = value->value<std::string>();
            number_ = as_number(*value);
            if (!text_ && !number_) {
                fields->wrong("value", "a string or a number");
            }
        }
        contains_ = fields->texts("message_contains").value_or(std::vector<std::string>{});
        fields->finish();
    }

    complaints judge(const cupel::error& error) const {
        complaints found;
        const std::string message = error.what();
        const std::string name = cupel::status_name(error.status());
        const auto words = split(message);
        const auto complain = [&](const std::string& what) {
            found.push_back("the error does not have " + what + ": " + name + ": " + message);
        };
        const auto has_word = [&](const std::string& wanted) {
            return std::find(words.begin(), words.end(), wanted) != words.end();
        };
        if (status_ && name != "CUPEL_STATUS_" + *status_) {
            complain("status " + *status_);
        }
        if (argument_ && !has_word(*argument_)) {
            complain("the argument " + *argument_);
        }
        if (position_ && !has_word(std::to_string(*position_))) {
            complain("the position " + std::to_string(*position_));
        }
        if (text_ && message.find(*text_) == std::string::npos) {
            complain("the value \"" + *text_ + "\"");
        }
        if (number_ && std::none_of(words.begin(), words.end(), [&](const auto& word) { return is_number(word); })) {
            complain("the value " + show(*number_));
        }
        for (const auto& text : contains_) {
            if (message.find(text) == std::string::npos) {
                complain("the text \"" + text + "\"");
            }
        }
        return found;
    }

private:
    static std::vector<std::string> split(const std::string& message) {
        std::vector<std::string> words(1);
        for (const char c : message) {
            const bool part_of_word = std::isalnum(static_cast<unsigned char>(c)) || static_cast<signed char>(c) < 0 ||
                                      std::strchr("_.+-", c) != nullptr;
            if (part_of_word) {
                words.back().push_back(c);
            } else {
                words.emplace_back();
            }
        }
        for (auto& word : words) {
            word.erase(word.find_last_not_of('.') + 1);
        }
        return words;
    }

    bool is_number(const std::string& word) const {
        if (word.empty()) {
            return false;
        }
        char* end = nullptr;
        const double found = std::strtod(word.c_str(), &end);
        return *end == '\0' && exactly.accepts(found, *number_);
    }

    std::optional<std::string> status_, argument_, text_;
    std::optional<std::int64_t> position_;
    std::optional<double> number_;
    std::vector<std::string> contains_;
};

inline std::string join(const std::vector<std::string_view>& texts) {
    std::string all;
    for (const auto text : texts) {
        all.append("[").append(text).append("]");
    }
    return all;
}

}  // namespace conformance

#endif
