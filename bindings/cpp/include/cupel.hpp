// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file cupel.hpp
/// Scores the pieces of context that compete for a language model's window: C++17, header only, over the C library.
///
///     #include <cupel.hpp>
///
///     cupel::batch batch;
///     batch.push(cupel::item_builder("Deploy failed at 10:02", 7).kind("ToolOutput").priority(3).build());
///     batch.push(cupel::item_builder("Good morning!", 3).build());
///     std::vector<double> scores = cupel::scorer::priority().score(batch);   // higher: more worth keeping
///
/// **Errors.** Every function that can fail comes twice: `f` throws cupel::error, `try_f` returns a cupel::result.
/// Both carry the status and the message of the C library.
///
/// **Ownership.** item, item_builder, batch, scorer and clock own one handle of the C library each: the size of a
/// pointer, move-only, freed by the destructor. A composite keeps its own share of its children, so objects may be
/// destroyed in any order. `get`, `release` and `from_raw` lead to and from the C handle. An object that was moved from
/// may be assigned to or destroyed; whatever else is asked of it fails with status::null_argument.
///
/// **Threads.** `const` member functions may be called by any number of threads at once, others by one at a time.
/// Nothing is tied to the thread that made it. A custom scorer or clock is called by every thread that scores.
///
/// **Text** is UTF-8 in std::string_view; texts that go in are copied, texts that come out live as long as their item.

#ifndef CUPEL_HPP
#define CUPEL_HPP

#if !(__cplusplus >= 201703L || (defined(_MSVC_LANG) && _MSVC_LANG >= 201703L))
#error "cupel.hpp needs C++17 or later"
#endif

#include "cupel/arrow.hpp"
#include "cupel/batch.hpp"
#include "cupel/batch_reader.hpp"
#include "cupel/clock.hpp"
#include "cupel/column_set.hpp"
#include "cupel/columns.hpp"
#include "cupel/error.hpp"
#include "cupel/item.hpp"
#include "cupel/metadata.hpp"
#include "cupel/result.hpp"
#include "cupel/scorer.hpp"
#include "cupel/selector.hpp"
#include "cupel/span.hpp"
#include "cupel/time.hpp"
#include "cupel/values.hpp"
#include "cupel/version.hpp"

#endif
