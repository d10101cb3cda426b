// SPDX-License-Identifier: MIT OR Apache-2.0
// What it costs to cross into the library: building and scoring 1,000 and 100,000 items, by item and by columns,
// beside the same calls of the C interface; a batch of 20 rows from its making to its end; and a custom scorer beside a
// scorer of the library. Medians of several rounds.

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdio>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include <cupel.hpp>

namespace {

struct source_item {
    std::string content;
    std::int64_t tokens;
    std::string_view kind;
    std::vector<std::string> tags;
    std::int64_t priority;
    cupel::time_point timestamp;
    double trust;
    std::string topic;
};

/// An agent's context: 5 kinds, up to 3 of 50 tags, priorities 0 to 9, a month of timestamps, two metadata entries.
std::vector<source_item> make_items(std::size_t count) {
    constexpr std::string_view kinds[] = {"Message", "Document", "ToolOutput", "Memory", "SystemPrompt"};
    std::mt19937_64 random(20260101);
    const auto below = [&random](std::uint64_t limit) { return random() % limit; };
    std::vector<source_item> items;
    items.reserve(count);
    for (std::size_t row = 0; row < count; ++row) {
        source_item item;
        item.content = "What was said, found or remembered, number " + std::to_string(row);
        item.tokens = static_cast<std::int64_t>(below(500));
        item.kind = kinds[below(5)];
        for (std::uint64_t tag = below(4); tag > 0; --tag) {
            item.tags.push_back("tag-" + std::to_string(below(50)));
        }
        item.priority = static_cast<std::int64_t>(below(10));
        item.timestamp = cupel::time_point(std::chrono::milliseconds(1767225600000 + below(2592000000)));
        item.trust = static_cast<double>(below(101)) / 100;
        item.topic = "topic-" + std::to_string(below(20));
        items.push_back(std::move(item));
    }
    return items;
}

void check(cupel_status status) {
    if (status != CUPEL_STATUS_OK) {
        std::fprintf(stderr, "bench: %s\n", cupel_status_name(status));
        std::exit(EXIT_FAILURE);
    }
}

void build_in_c(const std::vector<source_item>& items, cupel_batch* batch) {
    cupel_item_builder* builder = nullptr;
    check(cupel_item_builder_new("-", 1, 0, &builder, nullptr));
    for (const auto& item : items) {
        check(cupel_item_builder_reset(builder, item.content.data(), item.content.size(), item.tokens, nullptr));
        check(cupel_item_builder_set_kind(builder, item.kind.data(), item.kind.size(), nullptr));
        for (const auto& tag : item.tags) {
            check(cupel_item_builder_add_tag(builder, tag.data(), tag.size(), nullptr));
        }
        check(cupel_item_builder_set_priority(builder, item.priority, nullptr));
        check(cupel_item_builder_set_timestamp(builder, item.timestamp.time_since_epoch().count(), nullptr));
        check(cupel_item_builder_set_metadata_double(builder, "cupel:trust", 11, item.trust, nullptr));
        check(
            cupel_item_builder_set_metadata_string(builder, "topic", 5, item.topic.data(), item.topic.size(), nullptr));
        cupel_item* built = nullptr;
        check(cupel_item_builder_build(builder, &built, nullptr));
        check(cupel_batch_push(batch, built, nullptr));
        cupel_item_free(built);
    }
    cupel_item_builder_free(builder);
}

void build_by_item(const std::vector<source_item>& items, cupel::batch& batch) {
    cupel::item_builder builder("-", 0);
    for (const auto& item : items) {
        builder.reset(item.content, item.tokens).kind(item.kind).tags(item.tags).priority(item.priority);
        builder.timestamp(item.timestamp).metadata("cupel:trust", item.trust).metadata("topic", item.topic);
        batch.push(builder.build());
    }
}

void fill_columns(const std::vector<source_item>& items, cupel::columns& rows) {
    for (const auto& item : items) {
        rows.add(item.content, item.tokens).kind(item.kind).tags(item.tags).priority(item.priority);
        rows.timestamp(item.timestamp).metadata("cupel:trust", item.trust).metadata("topic", item.topic);
    }
}

/// Nanoseconds per item: of all rounds, and of the one that was disturbed least.
struct timing {
    double median;
    double fastest;
    timing scaled(double factor) const { return {median * factor, fastest * factor}; }
    operator double() const { return median; }
};

/// The median of several rounds, in nanoseconds per item; `prepare` is not timed.
template <class Prepare, class Run>
timing measure(std::size_t items, Prepare prepare, Run run) {
    const std::size_t rounds = items < 10'000 ? 201 : 9;
    std::vector<double> times;
    for (std::size_t round = 0; round < rounds; ++round) {
        prepare();
        const auto begin = std::chrono::steady_clock::now();
        run();
        const std::chrono::duration<double, std::nano> time = std::chrono::steady_clock::now() - begin;
        times.push_back(time.count() / static_cast<double>(items));
    }
    std::nth_element(times.begin(), times.begin() + static_cast<std::ptrdiff_t>(times.size() / 2), times.end());
    return {times[times.size() / 2], *std::min_element(times.begin(), times.end())};
}

void print(const char* what, double nanoseconds) { std::printf("  %-44s %9.1f ns per item\n", what, nanoseconds); }

cupel::scorer composite_of_four() {
    return cupel::scorer::composite({{cupel::scorer::recency(), 0.4},
                                     {cupel::scorer::kind_default(), 0.3},
                                     {cupel::scorer::frequency(), 0.2},
                                     {cupel::scorer::metadata_trust(), 0.1}});
}

void bench(std::size_t count) {
    const auto items = make_items(count);
    cupel::batch batch;
    cupel::columns rows;
    const auto clear = [&] {
        batch.clear();
        rows.clear();
    };
    std::printf("%zu items\n", count);
    print("build by item, C calls", measure(count, clear, [&] { build_in_c(items, batch.get()); }));
    print("build by item, cupel::item_builder", measure(count, clear, [&] { build_by_item(items, batch); }));
    print("build by columns, cupel::columns and append", measure(count, clear, [&] {
              fill_columns(items, rows);
              batch.append(rows);
          }));
    print("  of which append, arrays ready", measure(count, [&] { batch.clear(); }, [&] { batch.append(rows); }));

    const auto recency = cupel::scorer::recency();
    const auto composite = composite_of_four();
    const auto custom = cupel::scorer::custom(
        [](cupel::batch_view, cupel::span<double> out) { std::fill(out.begin(), out.end(), 0.5); });
    std::vector<double> scores(batch.size());
    const auto nothing = [] {};
    print("score kind, score_into",
          measure(count, nothing, [&, kind = cupel::scorer::kind_default()] { kind.score_into(batch, scores); }));
    print("score custom, score_into", measure(count, nothing, [&] { custom.score_into(batch, scores); }));
    print("score recency, score_into", measure(count, nothing, [&] { recency.score_into(batch, scores); }));
    print("score composite of four, C call", measure(count, nothing, [&] {
              check(cupel_scorer_score_batch(composite.get(), batch.get(), scores.data(), scores.size(), nullptr));
          }));
    print("score composite of four, score_into", measure(count, nothing, [&] { composite.score_into(batch, scores); }));
    print("score composite of four, score", measure(count, nothing, [&] { scores = composite.score(batch); }));
}

/// A row of the report of all benchmarks: name, median and fastest, with tabs between them.
bool report_only = false;
void report(const char* name, timing time) { std::printf("C++, %s\t%g\t%g\n", name, time.median, time.fastest); }

/// A batch that does not outlive the turn that it is made for: nanoseconds for the whole batch.
void bench_small(std::size_t count) {
    const auto items = make_items(count);
    const auto composite = composite_of_four();
    std::vector<double> scores(count);
    cupel::columns rows;
    fill_columns(items, rows);
    const auto raw = rows.raw();
    const auto print_batch = [&](const char* what, double nanoseconds) {
        std::printf("  %-60s %9.0f ns per batch\n", what, nanoseconds * static_cast<double>(count));
    };
    // One round is too short for the clock: a hundred are measured at a time.
    const auto measure_many = [&](auto run) {
        constexpr int times = 100;
        return measure(
                   count, [] {},
                   [&] {
                       for (int time = 0; time < times; ++time) {
                           run();
                       }
                   })
            .scaled(1.0 / times);
    };
    if (report_only) {
        const timing time = measure_many([&] {
            cupel::batch batch;
            batch.append(rows);
            composite.score_into(batch, scores);
        });
        report("20 rows: make by columns, score by the composite, free; ns a batch",
               time.scaled(static_cast<double>(count)));
        return;
    }
    std::printf("%zu rows\n", count);
    print_batch("make by columns, score by the composite, free; C calls", measure_many([&] {
                    cupel_batch* batch = nullptr;
                    check(cupel_batch_new(0, &batch, nullptr));
                    check(cupel_batch_append_columns(batch, &raw, nullptr));
                    check(cupel_scorer_score_batch(composite.get(), batch, scores.data(), count, nullptr));
                    cupel_batch_free(batch);
                }));
    print_batch("make by columns, score by the composite, free", measure_many([&] {
                    cupel::batch batch;
                    batch.append(rows);
                    composite.score_into(batch, scores);
                }));
    print_batch("fill columns, make, score by the composite, free", measure_many([&] {
                    rows.clear();
                    fill_columns(items, rows);
                    cupel::batch batch;
                    batch.append(rows);
                    composite.score_into(batch, scores);
                }));
    print_batch("make by item, score by the composite, free", measure_many([&] {
                    cupel::batch batch;
                    build_by_item(items, batch);
                    composite.score_into(batch, scores);
                }));
}

/// Scorers of the caller's own that read one field, beside the scorer of the library that reads it.
void bench_custom(std::size_t count) {
    cupel::batch batch;
    cupel::columns rows;
    fill_columns(make_items(count), rows);
    batch.append(rows);
    std::vector<double> scores(count);
    const auto cost = [&](const cupel::scorer& scorer) {
        return measure(
                   count, [] {},
                   [&] {
                       for (int time = 0; time < 10; ++time) {
                           scorer.score_into(batch, scores);
                       }
                   })
            .scaled(1.0 / 10);
    };
    const cupel::scorer by_column = cupel::scorer::custom([](cupel::batch_view view, cupel::span<double> out) {
        std::array<std::int64_t, 256> priorities;
        for (std::size_t first = 0; first < out.size(); first += priorities.size()) {
            const std::size_t part = std::min(priorities.size(), out.size() - first);
            view.read_priority_into(first, {priorities.data(), part});
            for (std::size_t row = 0; row < part; ++row) {
                out[first + row] = 0.1 * static_cast<double>(priorities[row]);
            }
        }
    });
    const cupel::scorer by_item = cupel::scorer::custom([](cupel::batch_view view, cupel::span<double> out) {
        for (std::size_t row = 0; row < out.size(); ++row) {
            out[row] = 0.1 * static_cast<double>(view.item(row).priority().value_or(0));
        }
    });
    if (report_only) {
        report("custom scorer that reads a field item by item, 10k; ns a row", cost(by_item));
        report("custom scorer that reads a field by column, 10k; ns a row", cost(by_column));
        report("priority, 10k; ns a row", cost(cupel::scorer::priority()));
        return;
    }
    std::printf("%zu rows, one field\n", count);
    const double priority = cost(cupel::scorer::priority());
    const auto print_custom = [&](const char* what, const cupel::scorer& scorer) {
        const double nanoseconds = cost(scorer);
        std::printf("  %-44s %9.2f ns per row, %6.2f of priority\n", what, nanoseconds, nanoseconds / priority);
    };
    std::printf("  %-44s %9.2f ns per row\n", "priority", priority);
    print_custom("custom, read_priority_into, a part at a time", by_column);
    print_custom("custom, read_priority", cupel::scorer::custom([](cupel::batch_view view, cupel::span<double> out) {
                     const auto priorities = view.read_priority();
                     for (std::size_t row = 0; row < out.size(); ++row) {
                         out[row] = 0.1 * static_cast<double>(priorities.values[row]);
                     }
                 }));
    print_custom("custom, read_metadata_numbers",
                 cupel::scorer::custom([](cupel::batch_view view, cupel::span<double> out) {
                     const auto trust = view.read_metadata_numbers("cupel:trust");
                     std::copy(trust.begin(), trust.end(), out.begin());
                 }));
    print_custom("custom, item by item", by_item);
}

}  // namespace

/// With the argument `small` only small batches and custom scorers are measured; with `report` some of these, as rows
/// of the report of all benchmarks.
int main(int argc, char** argv) {
    const std::string_view only = argc < 2 ? "" : argv[1];
    if (only == "report") {
        report_only = true;
        bench_small(20);
        bench_custom(10'000);
        return 0;
    }
    std::printf("cupel %s, C++%ld\n", cupel::version(), __cplusplus / 100 % 100);
    bench_small(20);
    bench_custom(10'000);
    if (only != "small") {
        bench(1'000);
        bench(100'000);
    }
}
