// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file conformance_scorers.hpp
/// Builds items, clocks and scorers from the tables of a conformance vector, through the binding.

#ifndef CUPEL_CONFORMANCE_SCORERS_HPP
#define CUPEL_CONFORMANCE_SCORERS_HPP

#include <atomic>
#include <map>
#include <memory>

#include <cupel.hpp>

#include "conformance_fields.hpp"

namespace conformance {

inline cupel::time_point instant(std::int64_t unix_nanoseconds) {
    return cupel::time_point(std::chrono::nanoseconds(unix_nanoseconds));
}

/// A metadata value with texts of its own.
struct metadata_value {
    cupel::metadata_type type;
    std::string text;
    double number;

    bool operator==(const metadata_value& other) const {
        return type == other.type && text == other.text &&
               (number == other.number || (std::isnan(number) && std::isnan(other.number)));
    }
};

using metadata_list = std::vector<std::pair<std::string, metadata_value>>;

/// Metadata as a table, or as a list of { key, value } where the order or a key set twice matters.
inline std::optional<metadata_list> read_metadata(const fields& item) {
    const auto* node = item.node("metadata");
    if (!node) {
        return std::nullopt;
    }
    const auto value = [&item](const toml::node* found) -> metadata_value {
        if (found) {
            if (const auto* text = found->as_string()) {
                return {cupel::metadata_type::string, text->get(), 0};
            }
            if (const auto number = as_number(*found)) {
                return {cupel::metadata_type::number, "", *number};
            }
            if (const auto* table = found->as_table(); table && table->size() == 1) {
                if (const auto* text = table->get_as<std::string>("other")) {
                    return {cupel::metadata_type::other, text->get(), 0};
                }
            }
        }
        item.wrong("metadata", "a string, a number or { other = string }");
    };
    metadata_list all;
    if (const auto* table = node->as_table()) {
        for (const auto& [key, entry] : *table) {
            all.emplace_back(std::string(key.str()), value(&entry));
        }
    } else if (const auto* entries = node->as_array()) {
        for (const auto& entry : *entries) {
            const auto* pair = entry.as_table();
            const auto* key = pair ? pair->get_as<std::string>("key") : nullptr;
            if (!key) {
                item.wrong("metadata", "a list of { key, value }");
            }
            all.emplace_back(key->get(), value(pair->get("value")));
        }
    } else {
        item.wrong("metadata", "a table of metadata");
    }
    return all;
}

inline cupel::item build_item(const fields& fields) {
    auto builder = cupel::item::builder(fields.must_text("content"), fields.must_integer("tokens"));
    if (const auto kind = fields.text("kind")) {
        builder.kind(*kind);
    }
    if (const auto source = fields.text("source")) {
        builder.source(*source);
    }
    if (const auto priority = fields.integer("priority")) {
        builder.priority(*priority);
    }
    if (const auto tags = fields.texts("tags")) {
        builder.tags(*tags);
    }
    for (const auto& [key, value] : read_metadata(fields).value_or(metadata_list{})) {
        switch (value.type) {
            case cupel::metadata_type::string:
                builder.metadata(key, value.text);
                break;
            case cupel::metadata_type::number:
                builder.metadata(key, value.number);
                break;
            case cupel::metadata_type::other:
                builder.metadata_other(key, value.text);
                break;
        }
    }
    if (const auto timestamp = fields.instant("timestamp")) {
        builder.timestamp(instant(*timestamp));
    }
    if (const auto hint = fields.number("futureRelevanceHint")) {
        builder.future_relevance_hint(*hint);
    }
    if (const auto pinned = fields.boolean("pinned")) {
        builder.pinned(*pinned);
    }
    if (const auto tokens = fields.integer("originalTokens")) {
        builder.original_tokens(*tokens);
    }
    fields.finish();
    return builder.build();
}

/// The same items as columns.
inline cupel::columns to_columns(const std::vector<cupel::item>& items) {
    cupel::columns rows;
    rows.reserve(items.size());
    for (const auto& item : items) {
        rows.add(item.content(), item.tokens()).kind(item.kind()).source(item.source()).tags(item.tags());
        rows.pinned(item.pinned());
        if (const auto priority = item.priority()) {
            rows.priority(*priority);
        }
        if (const auto tokens = item.original_tokens()) {
            rows.original_tokens(*tokens);
        }
        if (const auto timestamp = item.timestamp()) {
            rows.timestamp(*timestamp);
        }
        if (const auto hint = item.future_relevance_hint()) {
            rows.future_relevance_hint(*hint);
        }
        for (const auto& entry : item.metadata()) {
            switch (entry.type) {
                case cupel::metadata_type::string:
                    rows.metadata(entry.key, entry.text);
                    break;
                case cupel::metadata_type::number:
                    rows.metadata(entry.key, entry.number);
                    break;
                case cupel::metadata_type::other:
                    rows.metadata_other(entry.key, entry.text);
                    break;
            }
        }
    }
    return rows;
}

/// A clock that fails with any number: the C interface knows numbers that cupel::status does not.
inline cupel::clock failing_clock(cupel_status status) {
    const auto fail = [](void* user_data, std::int64_t*) { return *static_cast<const cupel_status*>(user_data); };
    const auto destroy = [](void* user_data) { delete static_cast<cupel_status*>(user_data); };
    auto owned = std::make_unique<cupel_status>(status);
    cupel_clock* raw = nullptr;
    if (cupel_clock_custom_new(fail, owned.get(), destroy, &raw, nullptr) != CUPEL_STATUS_OK) {
        throw std::runtime_error("a clock could not be made");
    }
    static_cast<void>(owned.release());
    return cupel::clock::from_raw(raw);
}

inline cupel::clock build_clock(const fields& fields) {
    const auto type = fields.must_text("type");
    if (type == "system") {
        return cupel::clock::system();
    }
    if (const auto status = fields.integer("fails_with")) {
        return failing_clock(static_cast<cupel_status>(*status));
    }
    const auto now = fields.instant("reference_time");
    if (!now) {
        fields.missing("reference_time");
    }
    if (type == "fixed") {
        return cupel::clock::fixed(instant(*now));
    }
    if (type != "callback") {
        fields.wrong("type", "\"fixed\", \"system\" or \"callback\"");
    }
    const auto advance = fields.integer("advance_ns").value_or(0);
    // A move-only callable, as a clock may be.
    return cupel::clock::custom([next = std::make_unique<std::atomic<std::int64_t>>(*now), advance] {
        return instant(next->fetch_add(advance));
    });
}

/// Builds scorers from [config] and the tables inside it.
class scorer_builder {
public:
    explicit scorer_builder(const fields& root) {
        if (const auto clock = root.table("clock")) {
            clock_ = build_clock(*clock);
            clock->finish();
        }
        if (const auto shared = root.table("shared")) {
            for (const auto& [key, value] : shared->raw()) {
                const auto fields = shared->must_table(key.str());
                auto scorer = build(fields.must_text("type"), fields);
                fields.finish();
                shared_.emplace(std::string(key.str()), std::move(scorer));
            }
        }
    }

    cupel::scorer build(const std::string& type, const fields& fields) const {
        using cupel::scorer;
        if (type == "recency") {
            return scorer::recency();
        }
        if (type == "priority") {
            return scorer::priority();
        }
        if (type == "frequency") {
            return scorer::frequency();
        }
        if (type == "reflexive") {
            return scorer::reflexive();
        }
        if (type == "kind") {
            if (fields.flag("use_default_weights") || !fields.has("weights")) {
                return scorer::kind_default();
            }
            return with_weights(fields, "weights", "kind", [](auto weights) { return scorer::kind(weights); });
        }
        if (type == "tag") {
            const auto match = text_match(fields);
            return with_weights(fields, "tag_weights", "tag",
                                [match](auto weights) { return scorer::tag(weights, match); });
        }
        if (type == "metadata_trust") {
            const auto score = fields.number("default_score");
            return score ? scorer::metadata_trust(*score) : scorer::metadata_trust();
        }
        if (type == "metadata_key") {
            return scorer::metadata_key(fields.must_text("key"), fields.must_text("value"),
                                        fields.must_number("boost"));
        }
        if (type == "decay") {
            return decay(fields);
        }
        if (type == "composite") {
            return composite(fields);
        }
        if (type == "scaled") {
            return scaled(fields);
        }
        if (type == "custom") {
            return custom(fields);
        }
        throw form_error(fields.path() + ": unknown scorer type \"" + type + "\"");
    }

private:
    static cupel::text_match text_match(const fields& fields) {
        const auto name = fields.text("match").value_or("exact");
        if (name == "exact") {
            return cupel::text_match::exact;
        }
        if (name != "ascii_case_insensitive") {
            fields.wrong("match", "\"exact\" or \"ascii_case_insensitive\"");
        }
        return cupel::text_match::ascii_case_insensitive;
    }

    template <class Make>
    static cupel::scorer with_weights(const fields& fields, std::string_view list, std::string_view name, Make make) {
        std::vector<std::string> names;
        std::vector<double> values;
        for (const auto& entry : fields.must_tables(list)) {
            names.push_back(entry.must_text(name));
            values.push_back(entry.must_number("weight"));
            entry.finish();
        }
        std::vector<cupel::weight> weights;
        for (std::size_t index = 0; index < names.size(); ++index) {
            weights.push_back({names[index], values[index]});
        }
        return make(cupel::span<const cupel::weight>(weights));
    }

    cupel::scorer decay(const fields& fields) const {
        std::optional<cupel::clock> own;
        if (const auto now = fields.instant("reference_time")) {
            own = cupel::clock::fixed(instant(*now));
        }
        if (!own && !clock_) {
            fields.missing("reference_time");
        }
        const cupel::clock& clock = own ? *own : *clock_;
        const double null_score = fields.number("null_timestamp_score").value_or(0.5);
        const auto curve = fields.must_table("curve");
        const auto scorer = [&]() -> cupel::scorer {
            const auto type = curve.must_text("type");
            if (type == "exponential") {
                return cupel::scorer::decay_exponential(clock, std::chrono::nanoseconds(curve.duration("half_life")),
                                                        null_score);
            }
            if (type == "window") {
                return cupel::scorer::decay_window(clock, std::chrono::nanoseconds(curve.duration("max_age")),
                                                   null_score);
            }
            if (type != "step") {
                curve.wrong("type", "\"exponential\", \"window\" or \"step\"");
            }
            std::vector<cupel::decay_step> steps;
            for (const auto& step : curve.must_tables("windows")) {
                steps.emplace_back(std::chrono::nanoseconds(step.duration("max_age")), step.must_number("score"));
                step.finish();
            }
            return cupel::scorer::decay_step(clock, steps, null_score);
        };
        auto built = scorer();
        curve.finish();
        return built;
    }

    /// A scorer built for its parent, or one of [shared].
    struct child {
        std::optional<cupel::scorer> own;
        const cupel::scorer* shared;

        const cupel::scorer& get() const { return own ? *own : *shared; }
    };

    child build_child(const fields& fields) const {
        const auto type = fields.must_text("type");
        if (type != "shared") {
            return {build(type, fields), nullptr};
        }
        const auto found = shared_.find(fields.must_text("name"));
        if (found == shared_.end()) {
            throw form_error(fields.path() + ": there is no such [shared] table before it");
        }
        return {std::nullopt, &found->second};
    }

    cupel::scorer composite(const fields& fields) const {
        std::vector<child> children;
        std::vector<double> weights;
        for (const auto& entry :
             fields.has("scorers") ? fields.must_tables("scorers") : fields.must_tables("children")) {
            weights.push_back(entry.must_number("weight"));
            children.push_back(build_child(entry));
            entry.finish();
        }
        std::vector<cupel::weighted_scorer> weighted;
        for (std::size_t index = 0; index < children.size(); ++index) {
            weighted.emplace_back(children[index].get(), weights[index]);
        }
        return cupel::scorer::composite(weighted);
    }

    cupel::scorer scaled(const fields& fields) const {
        if (const auto* node = fields.node("inner_scorer"); node && node->is_string()) {
            const toml::table none;
            return cupel::scorer::scaled(
                build(*fields.text("inner_scorer"), conformance::fields(none, fields.path(), fields.unknown())));
        }
        const auto inner = fields.must_table("inner_scorer");
        const auto built = build_child(inner);
        inner.finish();
        return cupel::scorer::scaled(built.get());
    }

    static cupel::scorer custom(const fields& fields) {
        if (const auto status = fields.integer("fails_with")) {
            return cupel::scorer::custom([status = static_cast<cupel::status>(*status)](
                                             cupel::batch_view, cupel::span<double>) { return status; });
        }
        return cupel::scorer::custom(
            [scores = fields.must_numbers("scores")](cupel::batch_view rows, cupel::span<double> out) {
                if (rows.size() != scores.size() || out.size() != scores.size()) {
                    throw form_error("as many scores as rows wanted");
                }
                std::copy(scores.begin(), scores.end(), out.begin());
            });
    }

    std::optional<cupel::clock> clock_;
    std::map<std::string, cupel::scorer> shared_;
};

}  // namespace conformance

#endif
