// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file readme.hpp
/// What the fragments of the README take for granted.

#ifndef CUPEL_TESTS_README_HPP
#define CUPEL_TESTS_README_HPP

#include <iostream>
#include <thread>

#include <cupel.hpp>

using namespace std::chrono_literals;

inline cupel::batch make_batch() {
    cupel::batch batch;
    batch.push(cupel::item_builder("Deploy failed", 3).kind("ToolOutput").priority(3).build());
    batch.push(cupel::item_builder("Good morning!", 3).build());
    return batch;
}

static cupel::batch batch = make_batch();
static const cupel::scorer scorer = cupel::scorer::recency();

#endif
