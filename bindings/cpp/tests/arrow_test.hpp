// SPDX-License-Identifier: MIT OR Apache-2.0
// Arrow tables made by hand, and scores of groups.

#include <array>
#include <deque>
#include <memory>

#include "support.hpp"

namespace tests {

/// A node of an Arrow table with its children, on the heap, its buffers exactly as long as they need to be. It counts
/// what is released by others.
class arrow_node {
public:
    arrow_node(const char* format, std::string_view name, std::int64_t length) : name_(name) {
        schema.format = format;
        schema.name = name_.c_str();
        schema.flags = ARROW_FLAG_NULLABLE;
        schema.release = [](ArrowSchema* released) {
            ++*static_cast<int*>(released->private_data);
            released->release = nullptr;
        };
        schema.private_data = &schemas_released;
        array.length = length;
        array.null_count = -1;
        array.release = [](ArrowArray* released) {
            ++*static_cast<int*>(released->private_data);
            released->release = nullptr;
        };
        array.private_data = &arrays_released;
    }
    arrow_node(const arrow_node&) = delete;
    arrow_node& operator=(const arrow_node&) = delete;

    /// Adds a buffer with these values; none makes a NULL.
    template <class T>
    arrow_node& buffer(std::initializer_list<T> values) {
        auto& bytes = memory_.emplace_back(values.size() * sizeof(T));
        if (values.size() != 0) {
            std::memcpy(bytes.data(), values.begin(), bytes.size());
        }
        buffers_.push_back(values.size() == 0 ? nullptr : bytes.data());
        array.buffers = buffers_.data();
        array.n_buffers = static_cast<std::int64_t>(buffers_.size());
        return *this;
    }
    arrow_node& no_validity() { return buffer<std::uint8_t>({}); }

    arrow_node& child(const char* format, std::string_view name, std::int64_t length) {
        auto& made = *children_.emplace_back(std::make_unique<arrow_node>(format, name, length));
        schemas_.push_back(&made.schema);
        arrays_.push_back(&made.array);
        schema.children = schemas_.data();
        array.children = arrays_.data();
        schema.n_children = array.n_children = static_cast<std::int64_t>(children_.size());
        return made;
    }

    ArrowSchema schema{};
    ArrowArray array{};
    int schemas_released = 0;
    int arrays_released = 0;

private:
    std::string name_;
    std::deque<std::vector<char>> memory_;
    std::vector<const void*> buffers_;
    std::vector<std::unique_ptr<arrow_node>> children_;
    std::vector<ArrowSchema*> schemas_;
    std::vector<ArrowArray*> arrays_;
};

/// Five rows in two conversations, "a" and "b": the columns of a struct.
inline void add_five_rows(arrow_node& table) {
    table.no_validity();
    table.child("u", "conversation", 5)
        .no_validity()
        .buffer<std::int32_t>({0, 1, 2, 3, 4, 5})
        .buffer<char>({'a', 'a', 'b', 'b', 'b'});
    table.child("l", "priority", 5).buffer<std::uint8_t>({0x1E}).buffer<std::int64_t>({1, 2, 5, 4, 3});
    table.child("g", "futureRelevanceHint", 5).no_validity().buffer<double>({0.5, 0.25, 1, -1, 0.75});
    auto& tags = table.child("+l", "tags", 5).no_validity().buffer<std::int32_t>({0, 1, 2, 2, 3, 4});
    tags.child("u", "item", 4).no_validity().buffer<std::int32_t>({0, 1, 2, 3, 4}).buffer<char>({'x', 'x', 'y', 'y'});
}

inline std::unique_ptr<arrow_node> five_rows() {
    auto table = std::make_unique<arrow_node>("+s", "", 5);
    add_five_rows(*table);
    return table;
}

/// The same rows by columns.
inline cupel::batch five_rows_by_columns() {
    cupel::columns rows;
    rows.add_score_only().future_relevance_hint(0.5).tag("x");
    rows.add_score_only().priority(2).future_relevance_hint(0.25).tag("x");
    rows.add_score_only().priority(5).future_relevance_hint(1);
    rows.add_score_only().priority(4).future_relevance_hint(-1).tag("y");
    rows.add_score_only().priority(3).future_relevance_hint(0.75).tag("y");
    cupel::batch batch;
    batch.append(rows);
    return batch;
}

/// A stream of tables, which fails where there is a null among them.
struct arrow_stream {
    explicit arrow_stream(std::vector<arrow_node*> tables) : tables_(std::move(tables)) {
        raw.get_schema = [](ArrowArrayStream* stream, ArrowSchema* out) {
            auto& self = *static_cast<arrow_stream*>(stream->private_data);
            *out = self.tables_.front()->schema;
            return 0;
        };
        raw.get_next = [](ArrowArrayStream* stream, ArrowArray* out) {
            auto& self = *static_cast<arrow_stream*>(stream->private_data);
            *out = ArrowArray{};
            if (self.next_ == self.tables_.size()) {
                return 0;
            }
            const auto* const table = self.tables_[self.next_++];
            if (table == nullptr) {
                return 5;
            }
            *out = table->array;
            return 0;
        };
        raw.get_last_error = [](ArrowArrayStream*) { return "the disk is gone"; };
        raw.release = [](ArrowArrayStream* stream) { stream->release = nullptr; };
        raw.private_data = this;
    }

    ArrowArrayStream raw{};

private:
    std::vector<arrow_node*> tables_;
    std::size_t next_ = 0;
};

/// Scorers of every sort, and a composite of them.
inline std::vector<cupel::scorer> scorers_of_all_sorts() {
    using cupel::scorer;
    std::vector<scorer> all;
    all.push_back(scorer::recency());
    all.push_back(scorer::priority());
    all.push_back(scorer::frequency());
    all.push_back(scorer::reflexive());
    all.push_back(scorer::kind_default());
    all.push_back(scorer::tag({{"x", 1}, {"y", 0.5}}));
    all.push_back(scorer::metadata_trust());
    all.push_back(scorer::decay_exponential(cupel::clock::fixed(at(1000)), std::chrono::nanoseconds(100)));
    all.push_back(scorer::scaled(scorer::reflexive()));
    all.push_back(scorer::composite({{all[1], 0.7}, {all[2], 0.2}, {all[3], 0.4}, {all[8], 0.1}}));
    return all;
}

}  // namespace tests

TEST_SUITE("arrow") {
    using cupel::arrow_options;
    using cupel::scorer;
    using tests::arrow_node;
    using tests::arrow_stream;
    using tests::bits_of;
    using scores = std::vector<double>;

    static void check_same_bits(const scores& actual, const scores& expected) {
        REQUIRE(actual.size() == expected.size());
        for (std::size_t row = 0; row < actual.size(); ++row) {
            CAPTURE(row);
            CHECK(bits_of(actual[row]) == bits_of(expected[row]));
        }
    }

    static bool same_rows(const cupel::batch& batch, std::size_t first, const cupel::batch& expected) {
        const auto priority = batch.read_priority(first, expected.size());
        const auto hint = batch.read_future_relevance_hint(first, expected.size());
        const auto tags = batch.read_tags(first, expected.size());
        const auto others = expected.read_tags();
        return priority.values == expected.read_priority().values &&
               priority.validity == expected.read_priority().validity &&
               hint.values == expected.read_future_relevance_hint().values &&
               tags.values().bytes() == others.values().bytes();
    }

    TEST_CASE("tables are read as columns are, and stay the caller's") {
        const auto table = tests::five_rows();
        const auto expected = tests::five_rows_by_columns();
        cupel::batch batch;
        batch.append_arrow(table->schema, table->array);
        CHECK(batch.size() == 5);
        CHECK(same_rows(batch, 0, expected));
        CHECK((table->schemas_released == 0 && table->arrays_released == 0));
        batch.append_arrow(table->schema, table->array, arrow_options().group("no such column"));
        CHECK(batch.size() == 10);
        CHECK(same_rows(batch, 5, expected));

        // A slice.
        table->array.offset = 2;
        table->array.length = 3;
        batch.clear();
        batch.append_arrow(table->schema, table->array);
        CHECK(batch.read_priority().values == std::vector<std::int64_t>{5, 4, 3});
    }

    TEST_CASE("streams are read to their end, all or nothing") {
        const auto first = tests::five_rows(), second = tests::five_rows();
        cupel::batch batch;
        arrow_stream good({first.get(), second.get()});
        batch.append_arrow_stream(good.raw);
        CHECK(batch.size() == 10);
        CHECK(same_rows(batch, 5, tests::five_rows_by_columns()));
        CHECK(first->schemas_released == 1);
        CHECK((first->arrays_released == 1 && second->arrays_released == 1));
        CHECK(static_cast<bool>(good.raw.release));

        for (int round = 0; round < 2; ++round) {
            arrow_stream broken({first.get(), nullptr});
            const auto done = round == 0 ? batch.try_append_arrow_stream(broken.raw) : [&]() -> cupel::result<void> {
                try {
                    batch.append_arrow_stream(broken.raw);
                    return {};
                } catch (const cupel::error& error) {
                    return error;
                }
            }();
            REQUIRE_FALSE(done);
            CHECK(done.error().status() == cupel::status::callback_failed);
            CHECK(std::string(done.error().what()).find("the disk is gone") != std::string::npos);
            CHECK(batch.size() == 10);
        }
        CHECK(first->arrays_released == 3);
        arrow_stream released({first.get()});
        released.raw.release(&released.raw);
        CHECK_FAILS_AS_C(invalid_argument,
                         cupel_batch_append_arrow_stream(batch.get(), &released.raw, nullptr, out_error), batch.,
                         append_arrow_stream, released.raw);
        CHECK(batch.size() == 10);
    }

    TEST_CASE("a table that cannot be read is refused with the words of the C interface, the batch as before") {
        auto batch = tests::batch_at({1, 2});
        const auto refused = [&](cupel::status status, const arrow_node& table, const char* what) {
            CAPTURE(what);
            const auto in_c = tests::reported_by([&](cupel_error** out_error) {
                return cupel_batch_append_arrow(batch.get(), &table.schema, &table.array, nullptr, out_error);
            });
            tests::check_fails(status, tests::thrown_by([&] { batch.append_arrow(table.schema, table.array); }),
                               tests::returned_by(batch.try_append_arrow(table.schema, table.array)), &in_c);
            CHECK(in_c->second.find(what) != std::string::npos);
            CHECK(batch.read_timestamp().values == std::vector{tests::at(1), tests::at(2)});
        };
        const auto table = tests::five_rows();
        table->array.length = 6;
        refused(cupel::status::length_mismatch, *table, "5");
        table->array.length = 5;
        table->array.release = nullptr;
        refused(cupel::status::invalid_argument, *table, "released");

        arrow_node naive("+s", "", 1);
        naive.no_validity().child("tsn:", "timestamp", 1).no_validity().buffer<std::int64_t>({7});
        refused(cupel::status::invalid_argument, naive, "timestamp");
        batch.append_arrow(naive.schema, naive.array, arrow_options().naive_is_utc());
        CHECK(batch.item(2).timestamp() == tests::at(7));
        batch.keep_last(0);
        batch.push(cupel::item_builder("text", 1).timestamp(tests::at(1)).build());
        batch.push(cupel::item_builder("text", 1).timestamp(tests::at(2)).build());

        arrow_node binary("+s", "", 1);
        binary.no_validity().child("z", "kind", 1).no_validity().buffer<std::int32_t>({0, 1}).buffer<char>({'a'});
        refused(cupel::status::invalid_argument, binary, "kind");
        arrow_node unknown("+s", "", 1);
        unknown.no_validity().child("l", "weight", 1).no_validity().buffer<std::int64_t>({7});
        refused(cupel::status::invalid_argument, unknown, "known");
        arrow_node twice("+s", "", 1);
        twice.no_validity().child("l", "tokens", 1).no_validity().buffer<std::int64_t>({7});
        twice.child("l", "tokens", 1).no_validity().buffer<std::int64_t>({7});
        refused(cupel::status::invalid_argument, twice, "tokens");
        arrow_node null_tokens("+s", "", 1);
        null_tokens.no_validity().child("l", "tokens", 1).buffer<std::uint8_t>({0}).buffer<std::int64_t>({7});
        refused(cupel::status::invalid_argument, null_tokens, "tokens");

        auto gone = tests::batch_at({1});
        const auto moved = std::move(gone);
        const auto good = tests::five_rows();
        CHECK_FAILS(null_argument, gone., append_arrow, good->schema, good->array);
    }

    TEST_CASE("a table is scored as a batch for each group would be, to the bit") {
        const auto table = tests::five_rows();
        const auto batch = tests::five_rows_by_columns();
        const std::int64_t groups[] = {0, 2, 5};
        for (const auto& scorer : tests::scorers_of_all_sorts()) {
            CAPTURE(scorer.type());
            scores expected;
            for (std::size_t group = 0; group < 2; ++group) {
                auto part = tests::five_rows_by_columns();
                std::vector<bool> keep(5);
                std::fill(keep.begin() + groups[group], keep.begin() + groups[group + 1], true);
                part.retain(keep);
                for (const double score : scorer.score(part)) {
                    expected.push_back(score);
                }
            }
            check_same_bits(scorer.score_groups(batch, groups), expected);
            scores into(5);
            scorer.score_groups_into(batch, groups, into);
            check_same_bits(into, expected);
            check_same_bits(scorer.score_arrow(table->schema, table->array, arrow_options().group("conversation")),
                            expected);
            scorer.score_arrow_into(table->schema, table->array, arrow_options().group("conversation"), into);
            check_same_bits(into, expected);
            // Without a group column all rows are peers.
            check_same_bits(scorer.score_arrow(table->schema, table->array), scorer.score(batch));
            check_same_bits(scorer.score_groups(batch, {0, 5}), scorer.score(batch));

            scores in_c(5);
            REQUIRE(cupel_scorer_score_groups(scorer.get(), batch.get(), groups, 2, in_c.data(), 5, nullptr) ==
                    CUPEL_STATUS_OK);
            check_same_bits(in_c, expected);
        }
        CHECK((table->schemas_released == 0 && table->arrays_released == 0));
    }

    TEST_CASE("a list of structs has a group for each list, in every layout") {
        const auto priority = scorer::priority();
        const scores expected{0, 1, 1, 0.5, 0};
        const auto check = [&](arrow_node& lists, const scores& wanted) {
            CAPTURE(lists.schema.format);
            check_same_bits(priority.score_arrow(lists.schema, lists.array), wanted);
        };
        const auto with_rows = [](arrow_node& lists) { tests::add_five_rows(lists.child("+s", "item", 5)); };
        arrow_node list("+l", "", 3), large("+L", "", 3), view("+vl", "", 3), large_view("+vL", "", 3),
            fixed("+w:5", "", 1);
        list.no_validity().buffer<std::int32_t>({0, 2, 2, 5});
        large.no_validity().buffer<std::int64_t>({0, 2, 2, 5});
        view.no_validity().buffer<std::int32_t>({0, 5, 2}).buffer<std::int32_t>({2, 0, 3});
        large_view.no_validity().buffer<std::int64_t>({0, 0, 2}).buffer<std::int64_t>({2, 0, 3});
        fixed.no_validity();
        for (auto* const lists : {&list, &large, &view, &large_view, &fixed}) {
            with_rows(*lists);
        }
        check(list, expected);
        check(large, expected);
        check(view, expected);
        check(large_view, expected);
        check(fixed, priority.score(tests::five_rows_by_columns()));

        // The structs between the first offset and the last.
        list.array.offset = 2;
        list.array.length = 1;
        check(list, {1, 0.5, 0});
        large_view.array.offset = 1;
        large_view.array.length = 2;
        check(large_view, {1, 0.5, 0});

        // More than there are, or nothing to be read.
        arrow_node lying("+L", "", 1);
        lying.no_validity().buffer<std::int64_t>({0, std::int64_t{1} << 60});
        with_rows(lying);
        CHECK_FALSE(priority.try_score_arrow(lying.schema, lying.array));
        arrow_node wide("+w:1000000000000", "", 5);
        wide.no_validity();
        with_rows(wide);
        CHECK_FALSE(priority.try_score_arrow(wide.schema, wide.array));
        arrow_node empty("+l", "", 0);
        empty.no_validity().buffer<std::int32_t>({0});
        with_rows(empty);
        check(empty, {});
        list.array.release = nullptr;
        CHECK_FALSE(priority.try_score_arrow(list.schema, list.array));
    }

    TEST_CASE("scoring a table is refused with the words of the C interface, and writes no score") {
        const auto table = tests::five_rows();
        const auto priority = scorer::priority();
        scores into(5, 7);
        const auto refused = [&](const scorer& scorer, const arrow_options& options, cupel::status status,
                                 std::size_t len = 5) {
            const auto raw = options.raw();
            const auto in_c = tests::reported_by([&](cupel_error** out_error) {
                return cupel_scorer_score_arrow(scorer.get(), &table->schema, &table->array, &raw, into.data(), len,
                                                out_error);
            });
            const cupel::span<double> out(into.data(), len);
            tests::check_fails(
                status, tests::thrown_by([&] { scorer.score_arrow_into(table->schema, table->array, options, out); }),
                tests::returned_by(scorer.try_score_arrow_into(table->schema, table->array, options, out)), &in_c);
            CHECK(into == scores(5, 7));
        };
        refused(priority, arrow_options(), cupel::status::length_mismatch, 4);
        refused(priority, arrow_options().group("no such column"), cupel::status::invalid_argument);
        refused(priority, arrow_options().group("tags"), cupel::status::invalid_argument);
        const auto custom = scorer::scaled(scorer::custom([](cupel::batch_view, cupel::span<double>) {}));
        refused(custom, arrow_options(), cupel::status::invalid_argument);
        // A group that comes back: "a" is the third row as well.
        arrow_node back("+s", "", 3);
        back.no_validity().child("l", "priority", 3).no_validity().buffer<std::int64_t>({1, 2, 3});
        back.child("i", "conversation", 3).no_validity().buffer<std::int32_t>({4, 5, 4});
        CHECK_THROWS_WITH_AS(priority.score_arrow(back.schema, back.array, arrow_options().group("conversation")),
                             doctest::Contains("comes back"), cupel::error);
        table->schema.release = nullptr;
        refused(priority, arrow_options(), cupel::status::invalid_argument);
        CHECK_FAILS(invalid_argument, priority., score_arrow, table->schema, table->array);
        auto gone = scorer::priority();
        const auto moved = std::move(gone);
        CHECK_FAILS(null_argument, gone., score_arrow, back.schema, back.array);
    }

    TEST_CASE("groups that are wrong are refused with the words of the C interface, and nothing is written") {
        const auto batch = tests::five_rows_by_columns();
        const auto priority = scorer::priority();
        const auto refused = [&](const scorer& scorer, cupel::status status, std::vector<std::int64_t> groups,
                                 std::size_t len = 5) {
            scores into(len, 7);
            const auto in_c = tests::reported_by([&](cupel_error** out_error) {
                return cupel_scorer_score_groups(scorer.get(), batch.get(), groups.empty() ? nullptr : groups.data(),
                                                 groups.empty() ? 0 : groups.size() - 1, into.data(), len, out_error);
            });
            tests::check_fails(status, tests::thrown_by([&] { scorer.score_groups_into(batch, groups, into); }),
                               tests::returned_by(scorer.try_score_groups_into(batch, groups, into)), &in_c);
            CHECK(into == scores(len, 7));
        };
        refused(priority, cupel::status::invalid_argument, {0, 2, 4});
        refused(priority, cupel::status::invalid_argument, {1, 5});
        refused(priority, cupel::status::invalid_argument, {0, 3, 2, 5});
        refused(priority, cupel::status::invalid_argument, {0, 6});
        refused(priority, cupel::status::null_argument, {});
        refused(priority, cupel::status::length_mismatch, {0, 5}, 4);
        refused(priority, cupel::status::length_mismatch, {0, 5}, 6);
        const auto custom = scorer::custom([](cupel::batch_view, cupel::span<double>) {});
        refused(custom, cupel::status::invalid_argument, {0, 5});
        refused(scorer::composite({{scorer::priority(), 1}, {custom, 1}}), cupel::status::invalid_argument, {0, 5});
        CHECK_FAILS(invalid_argument, priority., score_groups, batch, {0, 4});
        CHECK(priority.try_score_groups(batch, {0, 0, 5}).has_value());
        CHECK(priority.score_groups(cupel::batch(), {0, 0}).empty());
    }

    TEST_CASE("a clock is read once for all groups") {
        int readings = 0;
        const auto decay = scorer::decay_window(cupel::clock::custom([&] {
                                                    ++readings;
                                                    return tests::at(2);
                                                }),
                                                std::chrono::nanoseconds(1));
        CHECK(decay.score_groups(tests::batch_at({1, 2, 3}), {0, 1, 2, 3}) == scores{0, 1, 1});
        CHECK(readings == 1);
        const auto failing = scorer::decay_window(
            cupel::clock::custom([]() -> cupel::time_point { throw std::domain_error("no time"); }),
            std::chrono::hours(1));
        CHECK_THROWS_WITH_AS(failing.score_groups(tests::batch_at({1}), {0, 1}), "no time", std::domain_error);
    }

    TEST_CASE("a scorer names the columns that it reads") {
        using cupel::column;
        const auto names = [](const scorer& scorer) { return scorer.columns().names(); };
        using texts = std::vector<std::string_view>;
        CHECK(names(scorer::recency()) == texts{"timestamp"});
        CHECK(names(scorer::composite({{scorer::reflexive(), 1}, {scorer::frequency(), 1}})) ==
              texts{"tags", "future_relevance_hint"});
        const auto kind = scorer::kind_default().columns();
        CHECK(kind.contains(column::kind));
        CHECK_FALSE(kind.contains(column::source));
        CHECK(kind == cupel::column_set(CUPEL_COLUMN_KIND));
        CHECK(kind != cupel::column_set());
        CHECK(cupel::column_set().empty());
        CHECK(names(scorer::custom([](cupel::batch_view, cupel::span<double>) {})) ==
              texts{"content", "tokens", "kind", "source", "priority", "tags", "metadata", "timestamp",
                    "future_relevance_hint", "pinned", "original_tokens"});
        CHECK(cupel::name(static_cast<column>(1U << 31U)).empty());
        auto gone = scorer::recency();
        const auto moved = std::move(gone);
        CHECK_FAILS(null_argument, gone., columns, );
    }
}
