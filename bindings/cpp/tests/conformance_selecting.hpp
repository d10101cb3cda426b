// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file conformance_selecting.hpp
/// Runs one vector of the stages after scoring: slicing, placing, pipeline.

#ifndef CUPEL_CONFORMANCE_SELECTING_HPP
#define CUPEL_CONFORMANCE_SELECTING_HPP

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "conformance_error.hpp"

namespace conformance {

/// A value that a field names; the default without the field.
template <class Value>
Value choice(const fields& where, std::string_view name, std::initializer_list<std::pair<std::string_view, Value>> values) {
    const auto text = where.text(name);
    if (!text) {
        return values.begin()->second;
    }
    for (const auto& [known, value] : values) {
        if (known == *text) {
            return value;
        }
    }
    where.wrong(name, "a known name");
}

inline cupel::slicer slicer_of(const fields& where, std::string_view name) {
    using cupel::slicer;
    return choice<slicer>(where, name,
                          {{"greedy", slicer::greedy},
                           {"knapsack", slicer::knapsack},
                           {"ranked", slicer::ranked},
                           {"prefix", slicer::prefix},
                           {"quota", slicer::greedy},
                           {"count_quota", slicer::greedy},
                           {"count_constrained_knapsack", slicer::knapsack}});
}

inline cupel::placer placer_of(const fields& where) {
    using cupel::placer;
    return choice<placer>(where, "placer",
                          {{"chronological", placer::chronological},
                           {"u-shaped", placer::u_shaped},
                           {"ranked", placer::ranked},
                           {"batch-order", placer::batch_order}});
}

class selecting_vector {
public:
    selecting_vector(const fields& root, const fields& test, std::string stage)
        : root_(root), test_(test), stage_(std::move(stage)) {}

    /// What is wrong: nothing, when the vector passes.
    complaints run() {
        const auto name = test_.must_text("name");
        read_rows();
        const expected_error error(root_);
        const auto policy = read_policy();
        const auto request = read_request();
        complaints found;
        try {
            const auto made = cupel::selector(policy).select(batch_, request);
            if (root_.has("error")) {
                found.push_back("the call was not refused");
            } else {
                check(made, found);
            }
        } catch (const cupel::error& refused) {
            found = root_.has("error") ? error.judge(refused) : complaints{std::string("refused: ") + refused.what()};
        }
        test_.finish();
        root_.finish();
        for (auto& complaint : found) {
            complaint.insert(0, "\"" + name + "\": ");
        }
        return found;
    }

private:
    bool is(std::string_view stage) const { return stage_ == stage; }

    void read_rows() {
        for (const auto& each : root_.must_tables(is("slicing") ? "scored_items" : "items")) {
            if (!is("pipeline")) {
                scores_.push_back(each.must_number("score"));
            }
            const auto item = build_item(each);
            contents_.emplace_back(item.content());
            batch_.push(item);
        }
        if (root_.has("scores")) {
            scores_ = root_.must_numbers("scores");
        }
    }

    cupel::policy read_policy() const {
        const toml::table none;
        const auto config = root_.table("config").value_or(fields(none, ".config", root_.unknown()));
        cupel::policy policy;
        if (is("pipeline") && config.has("scorers")) {
            policy = cupel::policy(scorer_builder(root_).build("composite", config));
        }
        policy.slicer(slicer_of(config, config.has("slicer") ? "slicer" : "inner_slicer")).placer(placer_of(config));
        policy.overflow(choice<cupel::overflow>(config, "overflow_strategy",
                                                {{"throw", cupel::overflow::fail},
                                                 {"fail", cupel::overflow::fail},
                                                 {"truncate", cupel::overflow::truncate},
                                                 {"proceed", cupel::overflow::proceed}}));
        policy.scarcity(choice<cupel::scarcity>(config, "scarcity_behavior",
                                                {{"degrade", cupel::scarcity::degrade},
                                                 {"throw", cupel::scarcity::fail},
                                                 {"fail", cupel::scarcity::fail}}));
        policy.keep_duplicates(!config.boolean("deduplication").value_or(true)).pinned_first(config.flag("pinned_first"));
        if (const auto tokens = config.integer("bucket_size")) {
            policy.bucket_size(*tokens);
        }
        if (const auto key = config.text("group_key")) {
            policy.group_key(*key);
        }
        if (const auto key = config.text("duplicate_key")) {
            policy.duplicate_key(*key);
        }
        std::vector<std::string> kinds;
        std::vector<cupel::quota> quotas;
        std::vector<cupel::count_quota> count_quotas;
        const auto percentages = config.tables("quotas").value_or(std::vector<fields>{});
        const auto counts = config.tables("entries").value_or(std::vector<fields>{});
        kinds.reserve(percentages.size() + counts.size());
        for (const auto& each : percentages) {
            quotas.push_back({kinds.emplace_back(each.must_text("kind")), each.must_number("require"),
                              each.must_number("cap")});
            each.finish();
        }
        for (const auto& each : counts) {
            cupel::count_quota quota{kinds.emplace_back(each.must_text("kind")), 0};
            quota.min_count = static_cast<std::size_t>(each.must_integer("require_count"));
            if (const auto cap = each.integer("cap_count")) {
                quota.max_count = static_cast<std::size_t>(*cap);
            }
            count_quotas.push_back(quota);
            each.finish();
        }
        policy.quotas(quotas).count_quotas(count_quotas);
        if (is("slicing")) {
            policy.slicer(slicer_of(test_, "slicer")).keep_duplicates().overflow(cupel::overflow::proceed);
        } else if (is("placing")) {
            policy.slicer(cupel::slicer::ranked).placer(placer_of(test_)).keep_duplicates();
        }
        config.finish();
        return policy;
    }

    cupel::request read_request() const {
        constexpr auto unlimited = (std::numeric_limits<std::int64_t>::max)();
        const toml::table none;
        const auto budget = root_.table("budget").value_or(fields(none, ".budget", root_.unknown()));
        cupel::request request(is("pipeline") ? budget.must_integer("max_tokens") : unlimited);
        request.target(budget.integer("target_tokens").value_or(0))
            .output_reserve(budget.integer("output_reserve").value_or(0))
            .reserved(budget.integer("reserved_tokens").value_or(0))
            .safety_margin_percent(budget.number("safety_margin_percent").value_or(0))
            .max_rows(static_cast<std::size_t>(budget.integer("max_rows").value_or(0)));
        if (!scores_.empty()) {
            request.scores(scores_);
        }
        budget.finish();
        return request;
    }

    void check(const cupel::selection& made, complaints& found) const {
        std::vector<std::string> kept;
        for (const auto row : made.rows()) {
            kept.push_back(contents_[row]);
        }
        const toml::table none;
        const auto expected = root_.table("expected").value_or(fields(none, ".expected", root_.unknown()));
        std::vector<std::string> wanted;
        if (is("pipeline")) {
            for (const auto& each : root_.must_tables("expected_output")) {
                wanted.push_back(each.must_text("content"));
                each.finish();
            }
        } else {
            const auto* list = is("slicing") ? "selected_contents" : "ordered_contents";
            const auto texts = expected.texts(list);
            if (!texts) {
                expected.missing(list);
            }
            wanted = *texts;
        }
        if (is("slicing")) {
            std::sort(kept.begin(), kept.end());
            std::sort(wanted.begin(), wanted.end());
        }
        const auto show_all = [](const std::vector<std::string>& all) { return join({all.begin(), all.end()}); };
        if (kept != wanted) {
            found.push_back("kept " + show_all(kept) + ", expected " + show_all(wanted));
        }
        check_report(made, expected, found);
        if (const auto diagnostics = expected.table("diagnostics")) {
            check_diagnostics(made, *diagnostics, found);
        }
        expected.finish();
    }

    void check_report(const cupel::selection& made, const fields& expected, complaints& found) const {
        std::vector<std::string> reasons;
        std::vector<double> causes;
        std::int64_t capped = 0;
        for (std::size_t row = 0; row < made.batch_size(); ++row) {
            reasons.push_back(cupel::name(made.reason(row)));
            causes.push_back(made.cause(row) ? static_cast<double>(*made.cause(row)) : -1.0);
            capped += made.reason(row) == cupel::reason::count_cap;
        }
        if (auto wanted = expected.texts("reasons")) {
            for (auto& reason : *wanted) {
                reason.insert(0, "CUPEL_REASON_");
            }
            if (reasons != *wanted) {
                found.push_back("the reasons are " + join({reasons.begin(), reasons.end()}) + ", expected " +
                                join({wanted->begin(), wanted->end()}));
            }
        }
        if (expected.has("causes") && causes != expected.must_numbers("causes")) {
            found.push_back("the causes differ");
        }
        const std::pair<const char*, std::int64_t> sums[] = {
            {"shortfall_count", static_cast<std::int64_t>(made.shortfalls().size())},
            {"cap_excluded_count", capped},
            {"kept_tokens", made.kept_tokens()},
            {"pinned_tokens", made.pinned_tokens()},
            {"considered_tokens", made.considered_tokens()},
            {"effective_target", made.effective_target()},
            {"available_tokens", made.available_tokens()},
            {"overflow_tokens", made.overflow_tokens()},
        };
        for (const auto& [name, actual] : sums) {
            compare(found, name, expected.integer(name), actual);
        }
    }

    static void compare(complaints& found, const std::string& name, std::optional<std::int64_t> wanted,
                        std::int64_t actual) {
        if (wanted && *wanted != actual) {
            found.push_back(name + " is " + std::to_string(actual) + ", expected " + std::to_string(*wanted));
        }
    }

    void check_diagnostics(const cupel::selection& made, const fields& expected, complaints& found) const {
        if (const auto summary = expected.table("summary")) {
            compare(found, "total_candidates", summary->must_integer("total_candidates"),
                    static_cast<std::int64_t>(made.batch_size()));
            compare(found, "total_tokens_considered", summary->must_integer("total_tokens_considered"),
                    made.considered_tokens());
            summary->finish();
        }
        std::vector<bool> checked(contents_.size());
        check_rows(made, expected, "included", "inclusion_reason", checked, found);
        check_rows(made, expected, "excluded", "exclusion_reason", checked, found);
        expected.finish();
    }

    void check_rows(const cupel::selection& made, const fields& expected, std::string_view list,
                    std::string_view reason_field, std::vector<bool>& checked, complaints& found) const {
        using cupel::reason;
        for (const auto& each : expected.tables(list).value_or(std::vector<fields>{})) {
            const auto content = each.must_text("content");
            std::size_t row = 0;
            while (row < contents_.size() &&
                   (checked[row] || contents_[row] != content || made.kept(row) != (list == "included"))) {
                ++row;
            }
            if (row == contents_.size()) {
                found.push_back(each.path() + ": no row has \"" + content + "\"");
                continue;
            }
            checked[row] = true;
            const auto wanted = choice<reason>(each, reason_field,
                                               {{"Scored", reason::scored},
                                                {"Pinned", reason::pinned},
                                                {"ZeroToken", reason::zero_tokens},
                                                {"BudgetExceeded", reason::budget},
                                                {"Deduplicated", reason::duplicate},
                                                {"NegativeTokens", reason::negative_tokens},
                                                {"PinnedOverride", reason::pinned_override},
                                                {"CountCapExceeded", reason::count_cap}});
            if (made.reason(row) != wanted) {
                found.push_back("\"" + content + "\" is " + cupel::name(made.reason(row)));
            }
            if (const auto score = each.must_number("score_approx"); !(std::abs(made.score(row) - score) < 1e-9)) {
                found.push_back("\"" + content + "\" has the score " + show(made.score(row)));
            }
            for (const auto* field : {"deduplicated_against", "displaced_by"}) {
                const auto text = each.text(field);
                if (text && (!made.cause(row) || contents_[*made.cause(row)] != *text)) {
                    found.push_back("\"" + content + "\" has another cause than \"" + *text + "\"");
                }
            }
            compare(found, "available_tokens", each.integer("available_tokens"), made.available_tokens());
            // Not all that the form tells of an excluded row is part of a selection.
            static_cast<void>(each.integer("item_tokens"));
            each.finish();
        }
    }

    const fields& root_;
    const fields& test_;
    std::string stage_;
    std::vector<std::string> contents_;
    std::vector<double> scores_;
    cupel::batch batch_;
};

}  // namespace conformance

#endif
