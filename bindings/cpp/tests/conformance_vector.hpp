// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file conformance_vector.hpp
/// Runs one conformance vector: the form is described beside the vectors themselves.

#ifndef CUPEL_CONFORMANCE_VECTOR_HPP
#define CUPEL_CONFORMANCE_VECTOR_HPP

#include <algorithm>
#include <charconv>
#include <cstring>
#include <deque>
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

inline std::string describe(metadata_list entries) {
    // The order of the entries of a batch's row is open.
    std::sort(entries.begin(), entries.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    std::string all;
    for (const auto& [key, value] : entries) {
        all += key + "=" + std::to_string(static_cast<int>(value.type)) + ":" + value.text + ":" + show(value.number) +
               ";";
    }
    return all;
}

inline metadata_list metadata_of(const cupel::item& item) {
    metadata_list all;
    for (const auto& entry : item.metadata()) {
        all.emplace_back(entry.key, metadata_value{entry.type, std::string(entry.text), entry.number});
    }
    return all;
}

/// Compares the fields of an item with those that an expectation names.
inline complaints compare_fields(const cupel::item& item, const fields& fields) {
    complaints found;
    const auto compare = [&found](std::string_view name, const std::string& wanted, const std::string& actual) {
        if (wanted != actual) {
            found.push_back(std::string(name) + " is " + actual + ", expected " + wanted);
        }
    };
    if (const auto kind = fields.text("kind")) {
        compare("kind", *kind, std::string(item.kind()));
    }
    if (const auto source = fields.text("source")) {
        compare("source", *source, std::string(item.source()));
    }
    if (const auto tokens = fields.integer("tokens")) {
        compare("tokens", std::to_string(*tokens), std::to_string(item.tokens()));
    }
    if (const auto pinned = fields.boolean("pinned")) {
        compare("pinned", std::to_string(*pinned), std::to_string(item.pinned()));
    }
    if (const auto tags = fields.texts("tags")) {
        compare("tags", join({tags->begin(), tags->end()}), join(item.tags()));
    }
    if (const auto metadata = read_metadata(fields)) {
        compare("metadata", describe(*metadata), describe(metadata_of(item)));
    }
    const auto absent = fields.texts("absent").value_or(std::vector<std::string>{});
    const auto optional = [&](const std::string& name, const auto& wanted, const auto& actual, auto text) {
        if (wanted || std::find(absent.begin(), absent.end(), name) != absent.end()) {
            compare(name, wanted ? text(*wanted) : "absent", actual ? text(*actual) : "absent");
        }
    };
    const auto integer = [](std::int64_t number) { return std::to_string(number); };
    optional("priority", fields.integer("priority"), item.priority(), integer);
    optional("originalTokens", fields.integer("originalTokens"), item.original_tokens(), integer);
    std::optional<std::int64_t> timestamp;
    if (const auto actual = item.timestamp()) {
        timestamp = actual->time_since_epoch().count();
    }
    optional("timestamp", fields.instant("timestamp"), timestamp, integer);
    // Hints are compared by their bits: a NaN keeps its payload, a zero its sign.
    optional("futureRelevanceHint", fields.number("futureRelevanceHint"), item.future_relevance_hint(), show);
    return found;
}

/// One test case.
class vector {
public:
    /// None when the file tests something else than scoring.
    static std::optional<vector> read(const toml::table& table, unknown_fields unknown) {
        fields root(table, "", unknown);
        const auto test = root.table("test");
        if (!test) {
            throw form_error("there is no [test] table");
        }
        if (test->must_text("stage") != "scoring") {
            return std::nullopt;
        }
        vector read(std::move(root));
        const auto refused = [&](std::string_view name) { return test->flag(name) + read.root_.flag(name) > 0; };
        const bool item = refused("expect_item_error");
        const bool construction = refused("expect_construction_error");
        const bool scoring = refused("expect_scoring_error");
        if (item + construction + scoring > 1) {
            throw form_error("more than one error is expected");
        }
        read.refusal_ = item           ? refusal::item
                        : construction ? refusal::construction
                        : scoring      ? refusal::scoring
                                       : refusal::never;
        read.name_ = test->must_text("name");
        read.scorer_ = item ? test->text("scorer").value_or("") : test->must_text("scorer");
        test->finish();
        return read;
    }

    /// What is wrong: nothing, when the test case passes.
    complaints run() const {
        complaints found;
        try {
            found = check();
        } catch (const cupel::error& error) {
            found.push_back(std::string("refused: ") + cupel::status_name(error.status()) + ": " + error.what());
        }
        for (auto& complaint : found) {
            complaint.insert(0, "\"" + name_ + "\": ");
        }
        return found;
    }

private:
    enum class refusal { never, item, construction, scoring };

    struct expectation {
        std::size_t row;
        fields where;
        double score;
        bool by_bits;  ///< then the tolerance does not matter
    };

    explicit vector(fields root) : root_(std::move(root)) {}

    complaints check() const {
        const expected_error error(root_);

        std::vector<cupel::item> items;
        try {
            items = build_items();
        } catch (const cupel::error& refused) {
            if (refusal_ != refusal::item) {
                throw;
            }
            return error.judge(refused);
        }
        if (refusal_ == refusal::item) {
            return {"no item was refused"};
        }

        std::optional<cupel::scorer> scorer;
        try {
            scorer = build_scorer();
        } catch (const cupel::error& refused) {
            if (refusal_ != refusal::construction) {
                throw;
            }
            root_.finish();
            return error.judge(refused);
        }
        if (refusal_ == refusal::construction) {
            return {"the scorer was not refused"};
        }

        cupel::batch batch;
        for (const auto& item : items) {
            batch.push(item);
        }
        const auto scored = scorer->try_score(batch);
        if (refusal_ == refusal::scoring) {
            root_.finish();
            return scored ? complaints{"scoring was not refused"} : error.judge(scored.error());
        }
        const auto& scores = scored.value();

        complaints found;
        const auto tolerance = read_tolerance(root_);
        const auto expected = read_expected(items);
        root_.finish();
        cupel::batch by_columns;
        by_columns.append(to_columns(items));
        for (const auto& [row, where, score, by_bits] : expected) {
            const std::string place = "row " + std::to_string(row) + " (" + std::string(items[row].content()) + "): ";
            if (!(by_bits ? exactly : tolerance).accepts(scores[row], score)) {
                found.push_back(place + "expected " + show(score) + ", scored " + show(scores[row]));
            }
            const auto own = batch.item(row);
            const auto column = by_columns.item(row);
            for (const cupel::item* item : {static_cast<const cupel::item*>(&items[row]), &own, &column}) {
                for (const auto& complaint : compare_fields(*item, where)) {
                    found.push_back(place + complaint);
                }
            }
            where.finish();
        }
        if (!clock_moves()) {
            compare_bits(found, "again", scores, scorer->score(batch));
            compare_bits(found, "by columns", scores, scorer->score(by_columns));
            for (std::size_t row = 0; row < scores.size(); ++row) {
                compare_bits(found, "on its own", {scores[row]}, {scorer->score_row(batch, row)});
            }
        }
        return found;
    }

    static void compare_bits(complaints& found, const std::string& how, const std::vector<double>& first,
                             const std::vector<double>& other) {
        for (std::size_t row = 0; row < first.size(); ++row) {
            if (!exactly.accepts(other.at(row), first[row])) {
                found.push_back("a row scored " + show(first[row]) + ", but " + how + " " + show(other[row]));
            }
        }
    }

    bool clock_moves() const {
        const auto clock = root_.table("clock");
        return clock && clock->text("type") == "callback";
    }

    std::vector<cupel::item> build_items() const {
        const auto tables = root_.tables("items");
        if (!tables && refusal_ != refusal::construction) {
            throw form_error("there are no [[items]] (an empty batch is written `items = []`)");
        }
        std::vector<cupel::item> items;
        for (const auto& each : tables.value_or(std::vector<fields>{})) {
            items.push_back(build_item(each));
        }
        return items;
    }

    cupel::scorer build_scorer() const {
        const scorer_builder builder(root_);
        const toml::table none;
        const auto config = root_.table("config").value_or(fields(none, ".config", root_.unknown()));
        auto scorer = builder.build(scorer_, config);
        config.finish();
        return scorer;
    }

    /// An item's content is its name; of items with the same content the first expectation means the first.
    std::vector<expectation> read_expected(const std::vector<cupel::item>& items) const {
        const auto tables = root_.tables("expected");
        if (!tables) {
            throw form_error("there are no [[expected]] scores");
        }
        if (tables->size() != items.size()) {
            throw form_error(std::to_string(items.size()) + " items and " + std::to_string(tables->size()) +
                             " expected");
        }
        std::map<std::string, std::deque<std::size_t>, std::less<>> rows;
        for (std::size_t row = 0; row < items.size(); ++row) {
            rows[std::string(items[row].content())].push_back(row);
        }
        std::vector<expectation> expected;
        for (const auto& entry : *tables) {
            auto& left = rows[entry.must_text("content")];
            if (left.empty()) {
                throw form_error(entry.path() + ": no item has the content \"" + entry.must_text("content") + "\"");
            }
            const auto bits = read_bits(entry);
            const auto approximate = entry.number("score_approx");
            if (!bits && !approximate) {
                entry.missing("score_approx");
            }
            if (bits && approximate && !where_nothing_is_said.accepts(*approximate, *bits)) {
                throw form_error(entry.path() + ": score_approx and score_bits differ");
            }
            expected.push_back({left.front(), entry, bits ? *bits : *approximate, bits.has_value()});
            left.pop_front();
        }
        return expected;
    }

    static std::optional<double> read_bits(const fields& entry) {
        const auto text = entry.text("score_bits");
        if (!text) {
            return std::nullopt;
        }
        std::uint64_t bits = 0;
        const char* end = text->data() + text->size();
        const bool prefixed = text->size() == 18 && text->compare(0, 2, "0x") == 0;
        if (!prefixed || std::from_chars(text->data() + 2, end, bits, 16).ptr != end) {
            entry.wrong("score_bits", "\"0x\" and 16 hexadecimal digits");
        }
        return from_bits(bits);
    }

    fields root_;
    std::string name_, scorer_;
    refusal refusal_ = refusal::never;
};

/// Runs the vector in a text. None when it tests something else than scoring.
inline std::optional<complaints> run(std::string_view text, unknown_fields unknown) {
    try {
        const toml::table table = toml::parse(text);
        const auto read = vector::read(table, unknown);
        return read ? std::optional(read->run()) : std::nullopt;
    } catch (const toml::parse_error& error) {
        return complaints{"not TOML: " + std::string(error.description())};
    } catch (const form_error& error) {
        return complaints{error.what()};
    }
}

}  // namespace conformance

#endif
