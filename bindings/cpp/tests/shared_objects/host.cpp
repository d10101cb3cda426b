// SPDX-License-Identifier: MIT OR Apache-2.0
// A program and two plugins that each have the binding to themselves: what a scorer of one throws reaches a caller in
// another, the same object.

#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <string>

#include <dlfcn.h>

#include <cupel.hpp>

#include "plugin.hpp"

namespace {

int failures = 0;

void check(bool holds, const char* what) {
    if (!holds) {
        std::fprintf(stderr, "shared_objects: %s\n", what);
        ++failures;
    }
}

plugin_functions load(const char* path) {
    void* const library = dlopen(path, RTLD_NOW | RTLD_LOCAL);
    if (library == nullptr) {
        std::fprintf(stderr, "shared_objects: %s\n", dlerror());
        std::exit(2);
    }
    return reinterpret_cast<decltype(&plugin)>(dlsym(library, "plugin"))();
}

}  // namespace

int main(int argc, char** argv) {
    if (argc != 3) {
        std::fprintf(stderr, "usage: host PLUGIN PLUGIN\n");
        return 2;
    }
    const plugin_functions first = load(argv[1]);
    const plugin_functions second = load(argv[2]);
    cupel::batch batch;
    batch.push(cupel::item_builder("text", 1).timestamp(std::chrono::system_clock::now()).build());

    for (const auto make : {first.make_throwing_scorer, first.make_scorer_with_throwing_clock}) {
        const auto scorer = cupel::scorer::from_raw(make());
        const auto tree = cupel::scorer::composite({{scorer, 1}});
        // In the program.
        for (const auto* failing : {&scorer, &tree}) {
            try {
                failing->score(batch);
                check(false, "nothing was thrown");
            } catch (const std::domain_error& caught) {
                check(&caught == first.last_thrown(), "it is another object");
            } catch (const std::exception&) {
                check(false, "the exception was lost");
            }
        }
        // In the other plugin, and in the program through it.
        check(second.object_thrown_by(tree.get(), batch.get()) == first.last_thrown(), "the other plugin lost it");
        const auto outer = cupel::scorer::custom(
            [&](cupel::batch_view rows, cupel::span<double> out) { tree.score_into(rows, out); });
        check(second.object_thrown_by(outer.get(), batch.get()) == first.last_thrown(), "it was lost on the way");
    }

    const auto refusing = cupel::scorer::from_raw(second.make_refusing_scorer());
    try {
        refusing.score(batch);
        check(false, "nothing was refused");
    } catch (const cupel::error& caught) {
        check(caught.status() == cupel::status::out_of_range, "the status was lost");
        check(std::string(caught.what()) == "refused in a plugin", "the message was lost");
    }

    std::printf("shared_objects: %d failures\n", failures);
    return failures == 0 ? 0 : 1;
}
