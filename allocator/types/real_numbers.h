// read_real(): std::from_chars() for double, which not every standard library has.
#pragma once

#include <charconv>
#include <type_traits>

namespace vramlab {

/// The same as std::from_chars() for these arguments, in digits that no locale changes.
std::from_chars_result read_real(const char* begin, const char* end, double& number,
                                 std::chars_format format = std::chars_format::general);

/// The same by the C library's reader, which finds the nearest number too. For libraries without
/// the other one, and for the test that compares the two.
std::from_chars_result read_real_as_c(const char* begin, const char* end, double& number,
                                      std::chars_format format);

/// Whole numbers and others alike.
template <class Number>
std::from_chars_result read_number(const char* begin, const char* end, Number& number) {
  if constexpr (std::is_floating_point_v<Number>)
    return read_real(begin, end, number);
  else
    return std::from_chars(begin, end, number);
}

}  // namespace vramlab
