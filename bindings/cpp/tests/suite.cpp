// SPDX-License-Identifier: MIT OR Apache-2.0
// The tests of the binding, one program: built for each compiler and each edition of C++, so as one translation unit,
// and linked with second_unit.cpp.

#define DOCTEST_CONFIG_IMPLEMENT_WITH_MAIN
#include <doctest/doctest.h>

#include "arrow_test.hpp"
#include "batch_test.hpp"
#include "binding_test.hpp"
#include "callback_test.hpp"
#include "item_test.hpp"
#include "memory_test.hpp"
#include "reading_test.hpp"
#include "scorer_test.hpp"
#include "selector_test.hpp"

std::vector<double> score_in_second_unit(const cupel::scorer& scorer, const cupel::batch& batch);
cupel::scorer throwing_in_second_unit();

TEST_CASE("two translation units include the binding and share what they make") {
    const auto batch = tests::batch_at({1, 2});
    CHECK(score_in_second_unit(cupel::scorer::recency(), batch) == std::vector<double>{0, 1});
    CHECK_THROWS_WITH_AS(throwing_in_second_unit().score(batch), "thrown in the second unit", std::logic_error);
}
