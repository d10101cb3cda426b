// SPDX-License-Identifier: MIT OR Apache-2.0
/// @file span.hpp
/// cupel::span: std::span where the standard library has it, else the little of it that this binding needs.

#ifndef CUPEL_SPAN_HPP
#define CUPEL_SPAN_HPP

#include <cstddef>
#include <iterator>
#include <type_traits>

#if __has_include(<version>)
#include <version>
#endif
#if defined(__cpp_lib_span)
#include <span>
#endif

namespace cupel {

#if defined(__cpp_lib_span)

/// A borrowed run of T.
template <class T>
using span = std::span<T>;

#else

/// A borrowed run of T: a pointer and a length, as in std::span.
template <class T>
class span {
    // Only T(*)[] from U(*)[]: a qualification may be added, a derived class may not stand for its base.
    template <class U>
    using if_compatible = std::enable_if_t<std::is_convertible_v<U (*)[], T (*)[]>, int>;

public:
    using element_type = T;
    using value_type = std::remove_cv_t<T>;
    using size_type = std::size_t;
    using iterator = T*;

    constexpr span() noexcept = default;
    constexpr span(T* data, std::size_t size) noexcept : data_(data), size_(size) {}

    template <class U, std::size_t N, if_compatible<U> = 0>
    constexpr span(U (&array)[N]) noexcept : data_(array), size_(N) {}

    /// From whatever has data() and size(): std::vector, std::array, std::string, another span.
    template <class Container, class U = std::remove_pointer_t<decltype(std::data(std::declval<Container&>()))>,
              if_compatible<U> = 0,
              std::enable_if_t<!std::is_array_v<std::remove_reference_t<Container> > &&
                                   (std::is_lvalue_reference_v<Container> || std::is_const_v<T>),
                               int> = 0>
    constexpr span(Container&& container) : data_(std::data(container)), size_(std::size(container)) {}

    constexpr T* data() const noexcept { return data_; }
    constexpr std::size_t size() const noexcept { return size_; }
    constexpr bool empty() const noexcept { return size_ == 0; }
    constexpr T* begin() const noexcept { return data_; }
    constexpr T* end() const noexcept { return data_ + size_; }
    constexpr T& operator[](std::size_t index) const { return data_[index]; }

private:
    T* data_ = nullptr;
    std::size_t size_ = 0;
};

#endif

}  // namespace cupel

#endif
