// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file plugin.hpp
/// What the plugins of this test show to their host.

#ifndef CUPEL_TESTS_PLUGIN_HPP
#define CUPEL_TESTS_PLUGIN_HPP

#include <cupel.h>

struct plugin_functions {
    cupel_scorer* (*make_throwing_scorer)();
    cupel_scorer* (*make_scorer_with_throwing_clock)();
    cupel_scorer* (*make_refusing_scorer)();
    const void* (*object_thrown_by)(const cupel_scorer*, const cupel_batch*);  ///< scores within the plugin
    const void* (*last_thrown)();                                              ///< by this plugin's scorers
};

extern "C" __attribute__((visibility("default"))) plugin_functions plugin();

#endif
