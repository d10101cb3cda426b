// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file conformance_vector.hpp
/// Runs one conformance vector: the form is described beside the vectors themselves.

#ifndef CUPEL_CONFORMANCE_VECTOR_HPP
#define CUPEL_CONFORMANCE_VECTOR_HPP

#include <algorithm>
#include <charconv>
#include <deque>

#include "conformance_selecting.hpp"

namespace conformance {

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
    /// None when the vector is of another stage than scoring.
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

/// Runs a vector of a stage after scoring. None when it is of no stage that is known.
inline std::optional<complaints> run_after_scoring(const toml::table& table, unknown_fields unknown) {
    const fields root(table, "", unknown);
    const auto test = root.must_table("test");
    const auto stage = test.must_text("stage");
    if (stage != "slicing" && stage != "placing" && stage != "pipeline") {
        return std::nullopt;
    }
    return selecting_vector(root, test, stage).run();
}

/// Runs the vector in a text. None when it is of no stage that is known.
inline std::optional<complaints> run(std::string_view text, unknown_fields unknown) {
    try {
        const toml::table table = toml::parse(text);
        if (const auto read = vector::read(table, unknown)) {
            return read->run();
        }
        return run_after_scoring(table, unknown);
    } catch (const toml::parse_error& error) {
        return complaints{"not TOML: " + std::string(error.description())};
    } catch (const form_error& error) {
        return complaints{error.what()};
    }
}

}  // namespace conformance

#endif
