// Keeps the rows of a conversation that are worth most, in 40 tokens.
#include <cupel.hpp>

#include <chrono>
#include <cstdio>

int main() {
    using cupel::item_builder, cupel::scorer;
    const auto at = [](int second) { return std::chrono::system_clock::time_point(std::chrono::seconds(second)); };

    cupel::batch batch;
    batch.push(item_builder("You are a careful engineer.", 8).kind("SystemPrompt").pinned().timestamp(at(0)).build());
    batch.push(item_builder("Why does the build fail?", 7).timestamp(at(60)).build());
    batch.push(item_builder("cc app.c -lcupel and 900 tokens more", 900).kind("ToolOutput").timestamp(at(120)).build());
    batch.push(item_builder("The linker needs -L and the library's folder.", 12).timestamp(at(180)).build());
    batch.push(item_builder("And at run time?", 6).timestamp(at(240)).build());

    const auto recent = scorer::composite({{scorer::recency(), 3}, {scorer::kind_default(), 1}});
    const cupel::selector selector{cupel::policy(recent)};
    const cupel::selection kept = selector.select(batch, cupel::request(40));

    for (const auto row : kept.rows()) {
        std::printf("%.3f  %s\n", kept.scores()[row], std::string(batch[row].content()).c_str());
    }
    std::printf("%lld of 40 tokens\n", static_cast<long long>(kept.kept_tokens()));
}
