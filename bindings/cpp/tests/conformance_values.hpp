// SPDX-License-Identifier: MIT OR Apache-2.0
// The shared cases of metadata values: what a value of C++, or of JSON, becomes.

#ifndef CUPEL_TESTS_CONFORMANCE_VALUES_HPP
#define CUPEL_TESTS_CONFORMANCE_VALUES_HPP

#include <charconv>
#include <fstream>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include <nlohmann/json.hpp>

#include "support.hpp"

namespace conformance {

using nlohmann::json;

template <class Integer>
std::optional<Integer> integer_of(const std::string& text) {
    Integer value = 0;
    const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), value);
    return failed == std::errc() && end == text.data() + text.size() ? std::optional(value) : std::nullopt;
}

/// Adds to `batch` a row for each way in which C++ can give the value; its metadata is the value at "key".
inline void push_host_value(cupel::batch& batch, const json& host) {
    const auto push = [&batch](const auto& value) {
        batch.push(cupel::item_builder("host", 1).metadata("key", value).build());
        cupel::columns rows;
        rows.add("host", 1).metadata("key", value);
        batch.append(rows);
    };
    const std::string type = host.at("type");
    const std::string text = host.at("value");
    if (type == "null") {
        push(nullptr);
    } else if (type == "bool") {
        push(text == "true");
    } else if (type == "string") {
        push(text);
    } else if (type == "int") {
        if (const auto value = integer_of<std::int64_t>(text)) {
            push(*value);
        }
        if (const auto value = integer_of<std::uint64_t>(text)) {
            push(*value);
        }
        if (const auto value = integer_of<int>(text)) {
            push(*value);
        }
    } else if (type == "double") {
        push(std::strtod(text.c_str(), nullptr));
    } else if (type == "datetime" && text.back() == 'Z') {
        cupel::batch read;
        read.append_json(json{{"content", "now"}, {"tokens", 1}, {"timestamp", text}}.dump());
        push(read.item(0).timestamp().value());
    }
}

/// Runs the cases of the file. Gives how many ways of giving a value were tried.
inline std::size_t run_values(const std::string& path) {
    std::ifstream file(path);
    const auto cases = json::parse(file).at("cases");
    std::size_t tried = 0;
    for (const auto& one : cases) {
        const std::string name = one.at("name");
        CAPTURE(name);
        cupel::batch batch;
        if (one.contains("host")) {
            push_host_value(batch, one.at("host"));
        }
        if (one.contains("json")) {
            batch.append_json(R"({"content": "json", "tokens": 1, "metadata": {"key": )" +
                              one.at("json").get<std::string>() + "}}");
        }
        const std::string type = one.at("type");
        const std::string text = one.at("text");
        const bool is_number = type == "double";
        for (const auto& item : batch) {
            ++tried;
            REQUIRE(item.metadata_count() == 1);
            const auto entry = item.metadata(0);
            CHECK(entry.type == (is_number            ? cupel::metadata_type::number
                                 : type == "string" ? cupel::metadata_type::string
                                                    : cupel::metadata_type::other));
            CHECK(entry.text == (is_number ? "" : text));
            if (one.contains("bits")) {
                CHECK(tests::bits_of(entry.number) == std::stoull(one.at("bits").get<std::string>(), nullptr, 16));
            }
        }
        CHECK(cupel::scorer::metadata_key("key", text, 2).score(batch) == std::vector<double>(batch.size(), 2));
    }
    return tried;
}

}  // namespace conformance

#endif
