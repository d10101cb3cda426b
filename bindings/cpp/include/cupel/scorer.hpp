// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file scorer.hpp
/// The scorers, and the job: a batch in, a score per row out.

#ifndef CUPEL_SCORER_HPP
#define CUPEL_SCORER_HPP

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <type_traits>
#include <utility>
#include <vector>

#include "arrow.hpp"
#include "batch.hpp"
#include "clock.hpp"
#include "column_set.hpp"
#include "detail/callback.hpp"
#include "handle.hpp"
#include "span.hpp"
#include "time.hpp"

namespace cupel {

/// The weight of a kind or of a tag: finite and not negative.
struct weight {
    std::string_view name;
    double value;
};

/// How the tag scorer compares tags.
enum class text_match : cupel_text_match {
    exact = CUPEL_TEXT_MATCH_EXACT,
    ascii_case_insensitive = CUPEL_TEXT_MATCH_ASCII_CASE_INSENSITIVE,
};

/// One step of a decay: rows younger than `max_age` have `score`. See scorer::decay_step.
struct decay_step {
    template <class Rep, class Period>
    decay_step(std::chrono::duration<Rep, Period> younger_than, double step_score) noexcept
        : max_age(detail::to_nanoseconds(younger_than)), score(step_score) {}

    std::chrono::nanoseconds max_age;
    double score;
};

class weighted_scorer;
struct scorer_child;

/// Gives every row of a batch a score: higher is more worth keeping. It never changes; any number of threads may score
/// with it at once.
///
/// The static functions make scorers. Each throws cupel::error, and its `try_` twin returns one, with
/// status::invalid_argument where an argument breaks the rule given here; the message names the argument, its position
/// in a list and the offending value. Durations are in whole ticks of any unit, rounded down to nanoseconds, and what
/// does not fit in 64 bits of those counts as the longest that does.
class scorer : public detail::handle<scorer, cupel_scorer> {
public:
    // ---- Scorers that compare a row with its peers ----------------------------------------------------------------

    /// The share of the other rows with a timestamp that are strictly older. 0 without timestamp; 1 for the only one.
    static scorer recency() { return try_recency().value(); }
    static result<scorer> try_recency() { return make(cupel_scorer_recency_new); }

    /// The same rank over the priority.
    static scorer priority() { return try_priority().value(); }
    static result<scorer> try_priority() { return make(cupel_scorer_priority_new); }

    /// The share of the other rows that have a tag in common with the row (ASCII case-insensitive).
    static scorer frequency() { return try_frequency().value(); }
    static result<scorer> try_frequency() { return make(cupel_scorer_frequency_new); }

    // ---- Scorers that look at one row -----------------------------------------------------------------------------

    /// The row's future_relevance_hint within [0, 1]; 0 where it is absent or not finite.
    static scorer reflexive() { return try_reflexive().value(); }
    static result<scorer> try_reflexive() { return make(cupel_scorer_reflexive_new); }

    /// SystemPrompt 1.0, Memory 0.8, ToolOutput 0.6, Document 0.4, Message 0.2, any other kind 0.
    static scorer kind_default() { return try_kind_default().value(); }
    static result<scorer> try_kind_default() { return make(cupel_scorer_kind_default_new); }

    /// The weight given for the row's kind, else 0. A kind, compared ASCII case-insensitively, may be given once.
    static scorer kind(span<const weight> weights) { return try_kind(weights).value(); }
    static scorer kind(std::initializer_list<weight> weights) { return kind(borrow(weights)); }
    static result<scorer> try_kind(span<const weight> weights) {
        const auto raw = raw_weights(weights);
        return make(cupel_scorer_kind_new, raw.data(), raw.size());
    }
    static result<scorer> try_kind(std::initializer_list<weight> weights) { return try_kind(borrow(weights)); }

    /// The sum of the weights of the row's tags over the sum of all weights, at most 1. A tag may be given once.
    static scorer tag(span<const weight> weights, text_match match = text_match::exact) {
        return try_tag(weights, match).value();
    }
    static scorer tag(std::initializer_list<weight> weights, text_match match = text_match::exact) {
        return tag(borrow(weights), match);
    }
    static result<scorer> try_tag(span<const weight> weights, text_match match = text_match::exact) {
        const auto raw = raw_weights(weights);
        return make(cupel_scorer_tag_new, raw.data(), raw.size(), static_cast<cupel_text_match>(match));
    }
    static result<scorer> try_tag(std::initializer_list<weight> weights, text_match match = text_match::exact) {
        return try_tag(borrow(weights), match);
    }

    /// The number at metadata key `cupel:trust`, within [0, 1]; `default_score`, in [0, 1], where there is none.
    static scorer metadata_trust(double default_score = 0.5) { return try_metadata_trust(default_score).value(); }
    static result<scorer> try_metadata_trust(double default_score = 0.5) {
        return make(cupel_scorer_metadata_trust_new, default_score);
    }

    /// `boost`, finite and above 0, where the text of the row's metadata `key` is `value`, else 1.
    static scorer metadata_key(std::string_view key, std::string_view value, double boost) {
        return try_metadata_key(key, value, boost).value();
    }
    static result<scorer> try_metadata_key(std::string_view key, std::string_view value, double boost) {
        return make(cupel_scorer_metadata_key_new, key.data(), key.size(), value.data(), value.size(), boost);
    }

    /// Halves with every `half_life`, above 0, of the row's age: 1 at age 0. Ages below 0 count as 0, and rows without
    /// timestamp score `null_timestamp_score`, in [0, 1]; both hold for every decay.
    template <class Rep, class Period>
    static scorer decay_exponential(const clock& clock, std::chrono::duration<Rep, Period> half_life,
                                    double null_timestamp_score = 0.5) {
        return try_decay_exponential(clock, half_life, null_timestamp_score).value();
    }
    template <class Rep, class Period>
    static result<scorer> try_decay_exponential(const clock& clock, std::chrono::duration<Rep, Period> half_life,
                                                double null_timestamp_score = 0.5) {
        return make(cupel_scorer_decay_exponential_new, raw_clock(clock), detail::to_nanoseconds(half_life),
                    null_timestamp_score);
    }

    /// 1 for rows younger than `max_age`, above 0, else 0.
    template <class Rep, class Period>
    static scorer decay_window(const clock& clock, std::chrono::duration<Rep, Period> max_age,
                               double null_timestamp_score = 0.5) {
        return try_decay_window(clock, max_age, null_timestamp_score).value();
    }
    template <class Rep, class Period>
    static result<scorer> try_decay_window(const clock& clock, std::chrono::duration<Rep, Period> max_age,
                                           double null_timestamp_score = 0.5) {
        return make(cupel_scorer_decay_window_new, raw_clock(clock), detail::to_nanoseconds(max_age),
                    null_timestamp_score);
    }

    /// The score of the first step with a `max_age` above the row's age, else the last step's. At least one step,
    /// youngest first, with finite scores.
    static scorer decay_step(const clock& clock, span<const cupel::decay_step> steps,
                             double null_timestamp_score = 0.5) {
        return try_decay_step(clock, steps, null_timestamp_score).value();
    }
    static scorer decay_step(const clock& clock, std::initializer_list<cupel::decay_step> steps,
                             double null_timestamp_score = 0.5) {
        return decay_step(clock, borrow(steps), null_timestamp_score);
    }
    static result<scorer> try_decay_step(const clock& clock, span<const cupel::decay_step> steps,
                                         double null_timestamp_score = 0.5) {
        std::vector<cupel_decay_step> raw;
        raw.reserve(steps.size());
        for (const auto& step : steps) {
            raw.push_back({step.max_age.count(), step.score});
        }
        return make(cupel_scorer_decay_step_new, raw_clock(clock), raw.data(), raw.size(), null_timestamp_score);
    }
    static result<scorer> try_decay_step(const clock& clock, std::initializer_list<cupel::decay_step> steps,
                                         double null_timestamp_score = 0.5) {
        return try_decay_step(clock, borrow(steps), null_timestamp_score);
    }

    // ---- Scorers made of scorers ----------------------------------------------------------------------------------

    /// The weighted mean of its children, in the order given: at least one, weights finite and above 0. A child may
    /// have many parents, and may be destroyed before them.
    static scorer composite(span<const weighted_scorer> children);
    static scorer composite(std::initializer_list<weighted_scorer> children);
    static result<scorer> try_composite(span<const weighted_scorer> children);
    static result<scorer> try_composite(std::initializer_list<weighted_scorer> children);

    /// The inner scores stretched over [0, 1] across the batch; 0.5 where they are all equal, or one is not finite.
    static scorer scaled(const scorer& inner) { return try_scaled(inner).value(); }
    static result<scorer> try_scaled(const scorer& inner) {
        return make(cupel_scorer_scaled_new, static_cast<const cupel_scorer*>(inner.get()));
    }

    /// Scores with `score(batch_view rows, span<double> scores)`: any callable that fills `scores`, one per row, and
    /// returns nothing, a cupel::status, or a result<void>. Scores pass through untouched, NaN too.
    ///
    /// An exception that it throws comes out of the scoring call, the same object. It is called by every thread that
    /// scores, at the same time, and destroyed with the last scorer that it is part of. It may score, also the same
    /// rows, and must not change the batch.
    template <class Score>
    static scorer custom(Score&& score) {
        return try_custom(std::forward<Score>(score)).value();
    }
    template <class Score>
    static result<scorer> try_custom(Score&& score) {
        return detail::keep_callback(std::forward<Score>(score), [](void* user_data, cupel_destroy_callback destroy) {
            return make(cupel_scorer_custom_fallible_new, &scorer::run<std::decay_t<Score>>, user_data, destroy);
        });
    }

    // ---- JSON -----------------------------------------------------------------------------------------------------

    /// The scorer that a JSON text describes, decay by the system's clock.
    /// @throws cupel::error status::invalid_json, with path, line and column
    static scorer from_json(std::string_view json) { return try_from_json(json).value(); }
    static result<scorer> try_from_json(std::string_view json) {
        return make(cupel_scorer_from_json, json.data(), json.size(), static_cast<const cupel_clock*>(nullptr));
    }

    /// The same, decay by `clock`.
    static scorer from_json(std::string_view json, const clock& clock) { return try_from_json(json, clock).value(); }
    static result<scorer> try_from_json(std::string_view json, const clock& clock) {
        return make(cupel_scorer_from_json, json.data(), json.size(), raw_clock(clock));
    }

    /// What from_json reads. @throws cupel::error status::invalid_argument when a custom scorer is part of it
    std::string to_json() const { return try_to_json().value(); }
    result<std::string> try_to_json() const {
        return detail::read_text(cupel_scorer_to_json, static_cast<const cupel_scorer*>(get()));
    }

    // ---- Scoring --------------------------------------------------------------------------------------------------

    /// The scores of all rows, in their order.
    /// @throws cupel::error, or what a custom scorer or clock threw
    std::vector<double> score(batch_view rows) const { return try_score(rows).value(); }
    result<std::vector<double>> try_score(batch_view rows) const {
        std::vector<double> scores(rows.size());
        const auto done = try_score_into(rows, scores);
        if (!done) {
            return done.error();
        }
        return scores;
    }

    /// The same into memory of the caller's: nothing is allocated here.
    /// @throws cupel::error status::length_mismatch when `scores` is not as long as the batch; else as score
    void score_into(batch_view rows, span<double> scores) const { try_score_into(rows, scores).value(); }
    result<void> try_score_into(batch_view rows, span<double> scores) const {
        detail::error_out failed;
        if (!failed.ok(cupel_scorer_score_batch(get(), rows.get(), scores.data(), scores.size(), failed))) {
            return failed.failure();
        }
        return {};
    }

    /// The score of one row among its batch. A relative scorer needs the whole batch for it: to score all rows, use
    /// score. @throws cupel::error status::out_of_range when there is no such row; else as score
    double score_row(batch_view rows, std::size_t row) const { return try_score_row(rows, row).value(); }
    result<double> try_score_row(batch_view rows, std::size_t row) const {
        double score = 0;
        detail::error_out failed;
        if (!failed.ok(cupel_scorer_score_row(get(), rows.get(), row, &score, failed))) {
            return failed.failure();
        }
        return score;
    }

    /// The score of each row among the rows of its group, as in a batch of its group alone, to the bit; in one call,
    /// with one reading of the clock.
    /// @param rows    the rows of a group next to each other
    /// @param groups  where each group begins and the last one ends: from 0 to the number of rows, never going down,
    ///                one entry more than groups; a group may be empty
    /// @throws cupel::error status::invalid_argument for other offsets, and for a custom scorer or one that combines
    ///         custom scorers
    std::vector<double> score_groups(batch_view rows, span<const std::int64_t> groups) const {
        return try_score_groups(rows, groups).value();
    }
    std::vector<double> score_groups(batch_view rows, std::initializer_list<std::int64_t> groups) const {
        return score_groups(rows, borrow(groups));
    }
    result<std::vector<double>> try_score_groups(batch_view rows, span<const std::int64_t> groups) const {
        std::vector<double> scores(rows.size());
        const auto done = try_score_groups_into(rows, groups, scores);
        if (!done) {
            return done.error();
        }
        return scores;
    }
    result<std::vector<double>> try_score_groups(batch_view rows, std::initializer_list<std::int64_t> groups) const {
        return try_score_groups(rows, borrow(groups));
    }

    /// The same into memory of the caller's. A call that fails writes no score.
    /// @throws cupel::error status::length_mismatch when `scores` is not as long as the batch; else as score_groups
    void score_groups_into(batch_view rows, span<const std::int64_t> groups, span<double> scores) const {
        try_score_groups_into(rows, groups, scores).value();
    }
    result<void> try_score_groups_into(batch_view rows, span<const std::int64_t> groups, span<double> scores) const {
        // There is one offset more than groups; without any the address is what is wrong.
        const std::int64_t* const offsets = groups.empty() ? nullptr : groups.data();
        const std::size_t count = groups.empty() ? 0 : groups.size() - 1;
        return detail::call(cupel_scorer_score_groups, raw_self(), rows.get(), offsets, count, scores.data(),
                            scores.size());
    }

    // ---- Tables ---------------------------------------------------------------------------------------------------

    /// The columns that this scorer reads, with those that it combines; all of them where a custom scorer is part of
    /// it. No scorer of the library reads the content.
    column_set columns() const { return try_columns().value(); }
    result<column_set> try_columns() const {
        const auto bits = detail::read<std::uint32_t>(cupel_scorer_columns, raw_self());
        if (!bits) {
            return bits.error();
        }
        return column_set(*bits);
    }

    /// The scores of an Arrow table, one for each row, among the rows of its group. The table is a struct array, as for
    /// batch::append_arrow, of which only the columns of this scorer and the group column are read; or an array of
    /// lists of structs, where each list is a group and each struct from the first offset to the last has a score. Both
    /// structs stay the caller's to release.
    /// @throws cupel::error as batch::append_arrow, and status::invalid_argument for a custom scorer, a group column
    ///         that is not there, and a group that comes back after another
    std::vector<double> score_arrow(const ArrowSchema& schema, const ArrowArray& array,
                                    const arrow_options& options = {}) const {
        return try_score_arrow(schema, array, options).value();
    }
    result<std::vector<double>> try_score_arrow(const ArrowSchema& schema, const ArrowArray& array,
                                                const arrow_options& options = {}) const {
        std::vector<double> scores(detail::table_rows(schema, array));
        const auto done = try_score_arrow_into(schema, array, options, scores);
        if (!done) {
            return done.error();
        }
        return scores;
    }

    /// The same into memory of the caller's. A call that fails writes no score.
    /// @throws cupel::error status::length_mismatch when `scores` is not as long as the table; else as score_arrow
    void score_arrow_into(const ArrowSchema& schema, const ArrowArray& array, const arrow_options& options,
                          span<double> scores) const {
        try_score_arrow_into(schema, array, options, scores).value();
    }
    result<void> try_score_arrow_into(const ArrowSchema& schema, const ArrowArray& array, const arrow_options& options,
                                      span<double> scores) const {
        const auto raw = options.raw();
        return detail::call(cupel_scorer_score_arrow, raw_self(), &schema, &array, &raw, scores.data(), scores.size());
    }

    // ---- Why a score ----------------------------------------------------------------------------------------------

    /// The type, as in JSON: "recency", "composite"; "custom" of a scorer of the caller's own. "" when moved from.
    std::string_view type() const noexcept { return cupel_scorer_type(get()); }

    /// How many scorers this one combines: those of a composite, 1 of scaled, else 0.
    std::size_t child_count() const noexcept { return cupel_scorer_children_len(get()); }

    /// One of them. Scored over the same rows, the children of a composite give ((0 + s0 * w0) + s1 * w1) + ... = its score.
    /// @throws cupel::error status::out_of_range when there is no such child
    scorer_child child(std::size_t index) const;
    result<scorer_child> try_child(std::size_t index) const;

private:
    friend handle;

    explicit scorer(empty_tag) noexcept {}

    template <class Score>
    static cupel_status run(void* user_data, const cupel_batch* batch, double* out_scores,
                            std::size_t out_scores_len, cupel_error** out_error) noexcept {
        return detail::guarded(out_error, *static_cast<Score*>(user_data), batch_view(batch),
                               span<double>(out_scores, out_scores_len));
    }

    template <class T>
    static span<const T> borrow(std::initializer_list<T> list) noexcept {
        return span<const T>(list.begin(), list.size());
    }

    static std::vector<cupel_weight> raw_weights(span<const weight> weights) {
        std::vector<cupel_weight> raw;
        raw.reserve(weights.size());
        for (const auto& each : weights) {
            raw.push_back({each.name.data(), each.name.size(), each.value});
        }
        return raw;
    }

    const cupel_scorer* raw_self() const noexcept { return get(); }

    static const cupel_clock* raw_clock(const clock& clock) noexcept { return clock.get(); }
};

/// A scorer that another object is to be made with. It keeps a scorer that was moved into it, and refers to any other, which
/// must live until that object has been made. Copies share what they keep.
class scorer_ref {
public:
    scorer_ref(const scorer& named) noexcept : referred_(named.get()) {}
    scorer_ref(scorer&& nameless) : owned_(nameless.release(), detail::free_handle()) {}

    const cupel_scorer* get() const noexcept { return owned_ ? owned_.get() : referred_; }

private:
    std::shared_ptr<cupel_scorer> owned_;
    const cupel_scorer* referred_ = nullptr;
};

/// A child of a composite and its weight.
class weighted_scorer {
public:
    weighted_scorer(const scorer& child, double weight) noexcept : child_(child), weight_(weight) {}
    weighted_scorer(scorer&& child, double weight) : child_(std::move(child)), weight_(weight) {}

    const cupel_scorer* get() const noexcept { return child_.get(); }
    double weight() const noexcept { return weight_; }

private:
    scorer_ref child_;
    double weight_;
};

/// A scorer that another one combines, and its weight: in a composite its share of the sum of all weights, else 1.
struct scorer_child {
    cupel::scorer scorer;
    double weight;
};

inline scorer_child scorer::child(std::size_t index) const { return try_child(index).value(); }

inline result<scorer_child> scorer::try_child(std::size_t index) const {
    cupel_scorer* raw = nullptr;
    double weight = 0;
    detail::error_out failed;
    if (!failed.ok(cupel_scorer_child(get(), index, &raw, &weight, failed))) {
        return failed.failure();
    }
    return scorer_child{from_raw(raw), weight};
}

inline scorer scorer::composite(span<const weighted_scorer> children) { return try_composite(children).value(); }

inline scorer scorer::composite(std::initializer_list<weighted_scorer> children) { return composite(borrow(children)); }

inline result<scorer> scorer::try_composite(span<const weighted_scorer> children) {
    std::vector<const cupel_scorer*> scorers;
    std::vector<double> weights;
    scorers.reserve(children.size());
    weights.reserve(children.size());
    for (const auto& child : children) {
        scorers.push_back(child.get());
        weights.push_back(child.weight());
    }
    return make(cupel_scorer_composite_new, scorers.data(), static_cast<const double*>(weights.data()), scorers.size());
}

inline result<scorer> scorer::try_composite(std::initializer_list<weighted_scorer> children) {
    return try_composite(borrow(children));
}

}  // namespace cupel

#endif
