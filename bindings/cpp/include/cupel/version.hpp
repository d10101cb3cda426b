// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file version.hpp
/// The version of the library at run time, and whether it fits the header that this program was built with.

#ifndef CUPEL_VERSION_HPP
#define CUPEL_VERSION_HPP

#include <cstdint>

#include <cupel.h>

namespace cupel {

/// The loaded library's version, such as "0.1.0". Never null. Any thread.
inline const char* version() noexcept { return cupel_version(); }

/// The loaded library's ABI version; CUPEL_ABI_VERSION is the header's. Any thread.
inline std::uint32_t abi_version() noexcept { return cupel_abi_version(); }

/// Whether the loaded library speaks the ABI of the header that this program was compiled with.
inline bool abi_matches() noexcept { return cupel_abi_version() == CUPEL_ABI_VERSION; }

}  // namespace cupel

#endif
