// SPDX-License-Identifier: MIT OR Apache-2.0
// A second translation unit that includes the binding, twice.

#include <cupel.hpp>

#include <stdexcept>

std::vector<double> score_in_second_unit(const cupel::scorer& scorer, const cupel::batch& batch);
std::vector<double> score_in_second_unit(const cupel::scorer& scorer, const cupel::batch& batch) {
    return scorer.score(batch);
}

cupel::scorer throwing_in_second_unit();
cupel::scorer throwing_in_second_unit() {
    return cupel::scorer::custom(
        [](cupel::batch_view, cupel::span<double>) { throw std::logic_error("thrown in the second unit"); });
}
