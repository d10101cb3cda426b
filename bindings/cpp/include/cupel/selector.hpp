// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file selector.hpp
/// Which rows to keep under a token budget: cupel::selector applies a cupel::policy to a batch and a cupel::request, and the
/// cupel::selection says what became of every row.

#ifndef CUPEL_SELECTOR_HPP
#define CUPEL_SELECTOR_HPP

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <iosfwd>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "batch.hpp"
#include "clock.hpp"
#include "handle.hpp"
#include "scorer.hpp"
#include "span.hpp"

namespace cupel {

/// How rows are chosen.
enum class slicer : cupel_slicer {
    greedy = CUPEL_SLICER_GREEDY,      ///< by score per token, whatever fits
    knapsack = CUPEL_SLICER_KNAPSACK,  ///< the greatest sum of scores
    ranked = CUPEL_SLICER_RANKED,      ///< by score, whatever fits
    prefix = CUPEL_SLICER_PREFIX,      ///< by score, up to the first that does not fit
};

/// The order of the rows that are kept.
enum class placer : cupel_placer {
    chronological = CUPEL_PLACER_CHRONOLOGICAL,  ///< by timestamp, rows without one last
    u_shaped = CUPEL_PLACER_U_SHAPED,            ///< the greatest scores at both ends
    ranked = CUPEL_PLACER_RANKED,                ///< by score
    batch_order = CUPEL_PLACER_BATCH_ORDER,      ///< as in the batch
};

/// What happens when the rows that must be kept exceed the target.
enum class overflow : cupel_overflow {
    fail = CUPEL_OVERFLOW_FAIL,          ///< the call fails with status::over_budget
    truncate = CUPEL_OVERFLOW_TRUNCATE,  ///< rows that are not pinned are dropped
    proceed = CUPEL_OVERFLOW_PROCEED,    ///< all stay, within the window
};

/// What happens when there are fewer rows of a kind than a count quota requires.
enum class scarcity : cupel_scarcity {
    degrade = CUPEL_SCARCITY_DEGRADE,  ///< the selection lists it among its shortfalls
    fail = CUPEL_SCARCITY_FAIL,        ///< the call fails with status::shortfall
};

/// Why a row was kept or dropped.
enum class reason : cupel_reason {
    scored = CUPEL_REASON_SCORED,
    pinned = CUPEL_REASON_PINNED,
    zero_tokens = CUPEL_REASON_ZERO_TOKENS,
    group = CUPEL_REASON_GROUP,  ///< its group has a pinned row
    budget = CUPEL_REASON_BUDGET,
    duplicate = CUPEL_REASON_DUPLICATE,  ///< of the row that is its cause
    negative_tokens = CUPEL_REASON_NEGATIVE_TOKENS,
    pinned_override = CUPEL_REASON_PINNED_OVERRIDE,  ///< it would fit but for the pinned rows
    count_cap = CUPEL_REASON_COUNT_CAP,
    row_limit = CUPEL_REASON_ROW_LIMIT,
};

/// The reason's name in C, such as "CUPEL_REASON_BUDGET". Never null.
inline const char* name(reason value) noexcept { return cupel_reason_name(static_cast<cupel_reason>(value)); }

/// Whether rows with this reason are kept.
constexpr bool is_kept(reason value) noexcept { return static_cast<cupel_reason>(value) < CUPEL_REASON_BUDGET; }

/// Writes the reason's name in C.
template <class Traits>
std::basic_ostream<char, Traits>& operator<<(std::basic_ostream<char, Traits>& out, reason value) {
    return out << name(value);
}

/// The share of the target, in percent, that goes to a kind.
struct quota {
    std::string_view kind;
    double min_percent = 0;
    double max_percent = 100;
};

/// How many rows of a kind are kept.
struct count_quota {
    std::string_view kind;
    std::size_t min_count = 0;
    std::size_t max_count = (std::numeric_limits<std::size_t>::max)();  ///< the default is no limit
};

/// A count quota that could not be met: its position in the policy, and how many rows it required and found.
using shortfall = cupel_shortfall;

/// How to select. The default is greedy and chronological, without duplicates:
///
///     auto chat = cupel::policy(cupel::scorer::recency()).slicer(cupel::slicer::prefix).group_key("cupel:group");
///
/// It is a value; the texts that it is given are copied. A scorer that has a name must live until the selector has been made.
class policy {
public:
    /// A policy without a scorer: every request brings scores.
    policy() = default;
    /// A policy with the scores of `scorer`.
    explicit policy(scorer_ref scorer) : scorer_(std::move(scorer)) {}

    policy& slicer(cupel::slicer value) noexcept { return set(raw_.slicer, value); }
    policy& placer(cupel::placer value) noexcept { return set(raw_.placer, value); }
    policy& overflow(cupel::overflow value) noexcept { return set(raw_.overflow, value); }
    policy& scarcity(cupel::scarcity value) noexcept { return set(raw_.scarcity, value); }

    /// Keeps rows of equal content side by side.
    policy& keep_duplicates(bool keep = true) noexcept { return set(raw_.keep_duplicates, keep); }

    /// Puts pinned rows before all others, whatever the placer.
    policy& pinned_first(bool first = true) noexcept { return set(raw_.pinned_first, first); }

    /// The tokens of a knapsack bucket, above 0; 100 when not set.
    policy& bucket_size(std::int64_t tokens) noexcept { return set(raw_.bucket_size, tokens); }

    /// Rows with the same text at this metadata key are a group, which is kept or dropped as one.
    policy& group_key(std::string_view key) { return set(group_key_, key); }

    /// Rows with the same text at this metadata key are duplicates, instead of those with the same content.
    policy& duplicate_key(std::string_view key) { return set(duplicate_key_, key); }

    /// The shares of the target by kind, each kind once.
    policy& quotas(span<const quota> quotas) { return set(quotas_, quotas); }
    policy& quotas(std::initializer_list<quota> quotas) {
        return this->quotas(span<const quota>(quotas.begin(), quotas.size()));
    }

    /// How many rows of each kind are kept, each kind once.
    policy& count_quotas(span<const count_quota> quotas) { return set(count_quotas_, quotas); }
    policy& count_quotas(std::initializer_list<count_quota> quotas) {
        return count_quotas(span<const count_quota>(quotas.begin(), quotas.size()));
    }

private:
    friend class selector;

    /// A quota with a kind of its own.
    template <class Quota>
    struct kept {
        Quota quota;
        std::string kind;
    };

    template <class Field, class Value>
    policy& set(Field& field, Value value) noexcept {
        field = static_cast<Field>(value);
        return *this;
    }
    policy& set(std::optional<std::string>& key, std::string_view value) {
        key.emplace(value);
        return *this;
    }
    template <class Quota>
    policy& set(std::vector<kept<Quota>>& list, span<const Quota> quotas) {
        std::vector<kept<Quota>> copies;
        copies.reserve(quotas.size());
        for (const auto& each : quotas) {
            copies.push_back({each, std::string(each.kind)});
        }
        list = std::move(copies);
        return *this;
    }

    template <class Call>
    auto with_raw(Call call) const {
        std::vector<cupel_quota> quotas;
        quotas.reserve(quotas_.size());
        for (const auto& each : quotas_) {
            quotas.push_back({each.kind.data(), each.kind.size(), each.quota.min_percent, each.quota.max_percent});
        }
        std::vector<cupel_count_quota> count_quotas;
        count_quotas.reserve(count_quotas_.size());
        for (const auto& each : count_quotas_) {
            count_quotas.push_back({each.kind.data(), each.kind.size(), each.quota.min_count, each.quota.max_count});
        }
        cupel_policy raw = raw_;
        raw.struct_size = sizeof raw;
        raw.scorer = scorer_ ? scorer_->get() : nullptr;
        raw.quotas = quotas.data();
        raw.quotas_len = quotas.size();
        raw.count_quotas = count_quotas.data();
        raw.count_quotas_len = count_quotas.size();
        if (group_key_) {
            raw.group_key = group_key_->data();
            raw.group_key_len = group_key_->size();
        }
        if (duplicate_key_) {
            raw.duplicate_key = duplicate_key_->data();
            raw.duplicate_key_len = duplicate_key_->size();
        }
        return call(static_cast<const cupel_policy*>(&raw));
    }

    cupel_policy raw_{};
    std::optional<scorer_ref> scorer_;
    std::vector<kept<quota>> quotas_;
    std::vector<kept<count_quota>> count_quotas_;
    std::optional<std::string> group_key_, duplicate_key_;
};

class selection;

/// The budget of a call, in tokens, and what else may differ from call to call. A value; scores and the previous selection are
/// borrowed.
class request {
public:
    /// A request that fills a window of `max_tokens`.
    explicit request(std::int64_t max_tokens) noexcept {
        raw_.struct_size = sizeof raw_;
        raw_.max_tokens = max_tokens;
    }

    /// A request for the `rows` best rows, whatever they cost.
    static request top(std::size_t rows) noexcept {
        return request((std::numeric_limits<std::int64_t>::max)()).max_rows(rows);
    }

    /// How much of the window to fill; when not set, all but the output reserve.
    request& target(std::int64_t tokens) noexcept { return set(raw_.target_tokens, tokens); }
    /// What the window keeps free for the output.
    request& output_reserve(std::int64_t tokens) noexcept { return set(raw_.output_reserve, tokens); }
    /// What the caller will add itself.
    request& reserved(std::int64_t tokens) noexcept { return set(raw_.reserved_tokens, tokens); }
    /// What is left free for errors in counting, from 0 to 100.
    request& safety_margin_percent(double percent) noexcept { return set(raw_.safety_margin_percent, percent); }
    /// How many rows may be kept; 0 is no limit. Not with knapsack, quotas or count quotas.
    request& max_rows(std::size_t rows) noexcept { return set(raw_.max_rows, rows); }

    /// A score for each row, instead of those of the policy's scorer.
    request& scores(span<const double> scores) noexcept {
        raw_.scores = scores.data();
        return set(raw_.scores_len, scores.size());
    }

    /// A selection over the same batch, to which rows were only appended since: its rows stay in front as they are, while the
    /// window holds them and the new rows. It may be the one that is selected into.
    request& previous(const selection& earlier) noexcept;
    request& previous(const selection&& earlier) = delete;

private:
    friend class selector;

    template <class Field, class Value>
    request& set(Field& field, Value value) noexcept {
        field = value;
        return *this;
    }

    cupel_request raw_{};
};

/// A row that was dropped.
struct dropped_row {
    std::uint32_t row;
    cupel::reason reason;
    double score;
    std::optional<std::uint32_t> cause;  ///< the row that stayed of duplicates, or the pinned row that took the room
};

/// What a selector made of a batch. Its memory is used again when something else is selected into it, which ends the life of
/// the spans that it gave out. Read by any number of threads, while none selects into it.
class selection : public detail::handle<selection, cupel_selection> {
public:
    /// A selection of nothing.
    /// @throws cupel::error status::out_of_memory
    selection() : selection(try_create().value()) {}
    static result<selection> try_create() { return make(cupel_selection_new); }

    /// The rows that are kept, in their order.
    span<const std::uint32_t> rows() const& {
        const auto all = read();
        return {all.rows, all.rows_len};
    }
    span<const std::uint32_t> rows() const&& = delete;

    /// How many groups there were: 1 after selector::select, 0 of a selection of nothing.
    std::size_t group_count() const {
        const auto all = read();
        return all.offsets_len == 0 ? 0 : all.offsets_len - 1;
    }

    /// Where the rows of each group begin among rows(), and where those of the last one end: group_count() + 1 entries;
    /// none of a selection of nothing.
    span<const std::int64_t> offsets() const& {
        const auto all = read();
        return {all.offsets, all.offsets_len};
    }
    span<const std::int64_t> offsets() const&& = delete;

    /// The rows of one group that are kept, in their order, numbered as in the batch.
    /// @throws cupel::error status::out_of_range when there is no such group
    span<const std::uint32_t> rows(std::size_t group) const& {
        const auto all = read_group(group);
        return part(all.rows, all.offsets, group);
    }
    span<const std::uint32_t> rows(std::size_t group) const&& = delete;

    /// The same rows as items. @param batch the batch that was selected from
    std::vector<item> items(batch_view batch) const {
        std::vector<item> items;
        const auto all = read();
        items.reserve(all.rows_len);
        for (std::size_t index = 0; index < all.rows_len; ++index) {
            items.push_back(batch.item(all.rows[index]));
        }
        return items;
    }

    /// The rows that are not kept, as they come in the batch.
    std::vector<dropped_row> dropped() const {
        std::vector<dropped_row> rows;
        const auto all = read();
        rows.reserve(all.batch_len - all.rows_len);
        for (std::size_t row = 0; row < all.batch_len; ++row) {
            const auto why = static_cast<cupel::reason>(all.reasons[row]);
            if (!is_kept(why)) {
                rows.push_back({static_cast<std::uint32_t>(row), why, all.scores[row], cause_in(all, row)});
            }
        }
        return rows;
    }

    /// How many rows the batch had.
    std::size_t batch_size() const { return read().batch_len; }

    /// Of a row of the batch: whether it is kept, why, its score, and the row that caused the reason, if one did.
    /// @throws cupel::error status::out_of_range when there is no such row
    bool kept(std::size_t row) const { return is_kept(reason(row)); }
    cupel::reason reason(std::size_t row) const { return static_cast<cupel::reason>(read(row).reasons[row]); }
    double score(std::size_t row) const { return read(row).scores[row]; }
    std::optional<std::uint32_t> cause(std::size_t row) const { return cause_in(read(row), row); }

    /// The scores of all rows of the batch.
    span<const double> scores() const& {
        const auto all = read();
        return {all.scores, all.batch_len};
    }
    span<const double> scores() const&& = delete;

    /// The count quotas that could not be met.
    span<const shortfall> shortfalls() const& {
        const auto all = read();
        return {all.shortfalls, all.shortfalls_len};
    }
    span<const shortfall> shortfalls() const&& = delete;

    /// Those of one group. @throws cupel::error status::out_of_range when there is no such group
    span<const shortfall> shortfalls(std::size_t group) const& {
        const auto all = read_group(group);
        return part(all.shortfalls, all.shortfall_offsets, group);
    }
    span<const shortfall> shortfalls(std::size_t group) const&& = delete;

    std::int64_t kept_tokens() const { return read().kept_tokens; }
    std::int64_t pinned_tokens() const { return read().pinned_tokens; }
    std::int64_t considered_tokens() const { return read().considered_tokens; }  ///< of all rows
    std::int64_t effective_target() const { return read().effective_target; }    ///< what the slicer had to fill
    std::int64_t available_tokens() const { return read().available_tokens; }    ///< what it left of that
    std::int64_t overflow_tokens() const { return read().overflow_tokens; }

    /// Whether the rows of the previous selection were left as they were.
    bool stable() const { return read().stable != 0; }

private:
    friend handle;

    explicit selection(empty_tag) noexcept {}

    cupel_selection_view read() const {
        cupel_selection_view all{};
        all.struct_size = sizeof all;
        detail::call(cupel_selection_read, static_cast<const cupel_selection*>(get()), &all).value();
        return all;
    }

    cupel_selection_view read(std::size_t row) const {
        const auto all = read();
        check("row", row, all.batch_len);
        return all;
    }

    cupel_selection_view read_group(std::size_t group) const {
        const auto all = read();
        check("group", group, all.offsets_len == 0 ? 0 : all.offsets_len - 1);
        return all;
    }

    static void check(const char* what, std::size_t index, std::size_t count) {
        if (index >= count) {
            detail::raise(error(status::out_of_range, (what + (" is " + std::to_string(index)) + ": there are " +
                                                       std::to_string(count) + ", counted from 0")
                                                          .c_str()));
        }
    }

    /// What an array has of a group.
    template <class T>
    static span<const T> part(const T* array, const std::int64_t* offsets, std::size_t group) {
        const auto begin = offsets[group], end = offsets[group + 1];
        return begin == end ? span<const T>() : span<const T>(array + begin, static_cast<std::size_t>(end - begin));
    }

    static std::optional<std::uint32_t> cause_in(const cupel_selection_view& all, std::size_t row) {
        const auto cause = all.causes[row];
        return cause == (std::numeric_limits<std::uint32_t>::max)() ? std::nullopt : std::optional(cause);
    }
};

inline request& request::previous(const selection& earlier) noexcept { return set(raw_.previous, earlier.get()); }

/// Chooses the rows of a batch to keep. It never changes; any number of threads may select with it at once, each into a
/// selection of its own.
class selector : public detail::handle<selector, cupel_selector> {
public:
    /// @throws cupel::error with the field of the policy, and the entry, that breaks its rule
    explicit selector(const policy& policy) : selector(try_create(policy).value()) {}
    static result<selector> try_create(const policy& policy) {
        return policy.with_raw([](const cupel_policy* raw) { return make(cupel_selector_new, raw); });
    }

    /// The selector that a JSON text describes, decay by the system's clock.
    /// @throws cupel::error status::invalid_json, with path, line and column
    static selector from_json(std::string_view json) { return try_from_json(json).value(); }
    static result<selector> try_from_json(std::string_view json) {
        return make(cupel_selector_from_json, json.data(), json.size(), static_cast<const cupel_clock*>(nullptr));
    }

    /// The same, decay by `clock`.
    static selector from_json(std::string_view json, const clock& clock) { return try_from_json(json, clock).value(); }
    static result<selector> try_from_json(std::string_view json, const clock& clock) {
        return make(cupel_selector_from_json, json.data(), json.size(), static_cast<const cupel_clock*>(clock.get()));
    }

    /// What from_json reads. @throws cupel::error status::invalid_argument when a custom scorer is part of it
    std::string to_json() const { return try_to_json().value(); }
    result<std::string> try_to_json() const {
        return detail::read_text(cupel_selector_to_json, static_cast<const cupel_selector*>(get()));
    }

    /// Selects into memory that is there: nothing is allocated while the batch does not grow. A failed call changes nothing.
    /// @throws cupel::error status::over_budget when the rows that must be kept exceed the budget; status::invalid_argument
    ///         with the field of the request; or what a custom scorer or clock threw
    void select(batch_view batch, const request& request, selection& into) const {
        try_select(batch, request, into).value();
    }
    result<void> try_select(batch_view batch, const request& request, selection& into) const {
        return detail::call(cupel_selector_select, static_cast<const cupel_selector*>(get()), batch.get(), &request.raw_,
                            into.get());
    }

    /// The same into a new selection.
    selection select(batch_view batch, const request& request) const { return try_select(batch, request).value(); }
    result<selection> try_select(batch_view batch, const request& request) const {
        auto made = selection::try_create();
        if (made) {
            const auto done = try_select(batch, request, *made);
            if (!done) {
                return done.error();
            }
        }
        return made;
    }

    /// Selects among the rows of each group, in one call: each group gets the selection that it would have in a batch
    /// of its own, with `request` as the budget of each. A clock is read once. The selection has the rows of one group
    /// after those of another; see selection::rows(group). Tokens are summed over all groups. A failed call changes
    /// nothing.
    /// @param batch    the rows of a group next to each other
    /// @param groups   where each group begins and the last one ends, as in scorer::score_groups
    /// @param request  without a previous selection; its scores are for all rows of the batch
    /// @throws cupel::error status::invalid_argument for other offsets, for a previous selection, and for a custom
    ///         scorer unless the request brings scores; else as select, with the group
    void select_groups(batch_view batch, span<const std::int64_t> groups, const request& request,
                       selection& into) const {
        try_select_groups(batch, groups, request, into).value();
    }
    result<void> try_select_groups(batch_view batch, span<const std::int64_t> groups, const request& request,
                                   selection& into) const {
        // There is one offset more than groups; without any the address is what is wrong.
        const std::int64_t* const offsets = groups.empty() ? nullptr : groups.data();
        const std::size_t count = groups.empty() ? 0 : groups.size() - 1;
        return detail::call(cupel_selector_select_groups, static_cast<const cupel_selector*>(get()), batch.get(),
                            offsets, count, &request.raw_, into.get());
    }

    /// The same into a new selection.
    selection select_groups(batch_view batch, span<const std::int64_t> groups, const request& request) const {
        return try_select_groups(batch, groups, request).value();
    }
    selection select_groups(batch_view batch, std::initializer_list<std::int64_t> groups,
                            const request& request) const {
        return try_select_groups(batch, groups, request).value();
    }
    result<selection> try_select_groups(batch_view batch, span<const std::int64_t> groups,
                                        const request& request) const {
        auto made = selection::try_create();
        if (made) {
            const auto done = try_select_groups(batch, groups, request, *made);
            if (!done) {
                return done.error();
            }
        }
        return made;
    }
    result<selection> try_select_groups(batch_view batch, std::initializer_list<std::int64_t> groups,
                                        const request& request) const {
        return try_select_groups(batch, span<const std::int64_t>(groups.begin(), groups.size()), request);
    }

    /// For each row the least effective target from which on it is always kept: 0 for pinned rows, -1 for rows that
    /// took no part. Only with greedy, ranked and prefix without quotas, and not of a selection of groups.
    /// @param made what this selector made of the batch
    std::vector<std::int64_t> needed(batch_view batch, const selection& made) const {
        return try_needed(batch, made).value();
    }
    result<std::vector<std::int64_t>> try_needed(batch_view batch, const selection& made) const {
        std::vector<std::int64_t> tokens(batch.size());
        const auto done =
            detail::call(cupel_selector_needed, static_cast<const cupel_selector*>(get()), batch.get(),
                         static_cast<const cupel_selection*>(made.get()), tokens.data(), tokens.size());
        if (!done) {
            return done.error();
        }
        return tokens;
    }

private:
    friend handle;

    explicit selector(empty_tag) noexcept {}
};

/// The `count` best rows of a batch, best first, ties in the order of the batch. Pinned rows are always among them, with the
/// score 1; rows with negative tokens never are.
inline std::vector<std::uint32_t> top(const scorer& scorer, batch_view batch, std::size_t count) {
    const auto ranking = policy(scorer).slicer(slicer::ranked).placer(placer::ranked).keep_duplicates();
    const auto best = selector(ranking).select(batch, request::top(count));
    const auto rows = best.rows();
    return {rows.begin(), rows.end()};
}

}  // namespace cupel

#endif
