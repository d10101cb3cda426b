// SPDX-License-Identifier: MIT OR Apache-2.0
// A shared object that uses the binding on its own, built such that it shows nothing but what plugin.hpp declares.

#include "plugin.hpp"

#include <stdexcept>

#include <cupel.hpp>

namespace {

const void* last_thrown = nullptr;

[[noreturn]] void throw_noted() {
    try {
        throw std::domain_error("thrown in a plugin");
    } catch (const std::exception& thrown) {
        last_thrown = &thrown;
        throw;
    }
}

const void* last_thrown_here() { return last_thrown; }

cupel_scorer* make_throwing_scorer() {
    return cupel::scorer::custom([](cupel::batch_view, cupel::span<double>) { throw_noted(); }).release();
}

cupel_scorer* make_scorer_with_throwing_clock() {
    const auto clock = cupel::clock::custom([]() -> cupel::time_point { throw_noted(); });
    return cupel::scorer::decay_window(clock, std::chrono::hours(1)).release();
}

cupel_scorer* make_refusing_scorer() {
    return cupel::scorer::custom([](cupel::batch_view, cupel::span<double>) {
               throw cupel::error(cupel::status::out_of_range, "refused in a plugin");
           })
        .release();
}

const void* object_thrown_by(const cupel_scorer* raw, const cupel_batch* batch) {
    const cupel::batch_view rows(batch);
    auto scorer = cupel::scorer::from_raw(const_cast<cupel_scorer*>(raw));
    const void* caught = nullptr;
    try {
        scorer.score(rows);
    } catch (const std::domain_error& thrown) {
        caught = &thrown;
    }
    static_cast<void>(scorer.release());
    return caught;
}

}  // namespace

plugin_functions plugin() {
    return {make_throwing_scorer, make_scorer_with_throwing_clock, make_refusing_scorer, object_thrown_by,
            last_thrown_here};
}
