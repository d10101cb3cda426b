// SPDX-License-Identifier: MIT OR Apache-2.0
// Built against the installed package.

#include <cupel.hpp>

int main() {
    cupel::batch batch;
    batch.push(cupel::item_builder("Deploy failed", 3).priority(3).build());
    batch.push(cupel::item_builder("Good morning!", 3).priority(1).build());
    const auto scores = cupel::scorer::priority().score(batch);
    return cupel::abi_matches() && scores == std::vector<double>{1.0, 0.0} ? 0 : 1;
}
