// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file readme.hpp
/// What the fragments of the README take for granted.

#ifndef CUPEL_TESTS_README_HPP
#define CUPEL_TESTS_README_HPP

#include <algorithm>
#include <array>
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

/// An Arrow table of two columns and three rows, which nobody needs to free.
struct example_table {
    example_table() {
        const auto describe = [](ArrowSchema& field, ArrowArray& column, const char* format, const char* name) {
            field.format = format;
            field.name = name;
            field.release = [](ArrowSchema* released) { released->release = nullptr; };
            column.length = 3;
            column.release = [](ArrowArray* released) { released->release = nullptr; };
        };
        describe(schema, array, "+s", "");
        describe(fields[0], columns[0], "l", "conversation");
        describe(fields[1], columns[1], "tsn:UTC", "timestamp");
        for (std::size_t column = 0; column < 2; ++column) {
            columns[column].buffers = buffers[column];
            columns[column].n_buffers = 2;
        }
        array.buffers = none;
        array.n_buffers = 1;
        schema.children = field_list;
        array.children = column_list;
        schema.n_children = array.n_children = 2;
    }

    ArrowSchema schema{}, fields[2]{}, *field_list[2] = {&fields[0], &fields[1]};
    ArrowArray array{}, columns[2]{}, *column_list[2] = {&columns[0], &columns[1]};
    const std::int64_t conversations[3] = {1, 1, 2}, timestamps[3] = {7, 8, 5};
    const void* buffers[2][2] = {{nullptr, conversations}, {nullptr, timestamps}};
    const void* none[1] = {nullptr};
};

static example_table example;
static ArrowSchema& schema = example.schema;
static ArrowArray& array = example.array;

#endif
