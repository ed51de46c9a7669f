// The errors of CUDA's runtime: those that are answered here, and the names and texts of all.
#pragma once

#include <span>

namespace vramlab::dry_run {

namespace error {

constexpr int success = 0;
constexpr int invalid_value = 1;
constexpr int invalid_configuration = 9;
constexpr int invalid_symbol = 13;
constexpr int invalid_channels = 20;
constexpr int invalid_direction = 21;
constexpr int no_driver = 35;
constexpr int missing_configuration = 52;
constexpr int invalid_function = 98;
constexpr int no_device = 100;
constexpr int invalid_device = 101;
constexpr int invalid_handle = 400;
constexpr int not_ready = 600;
constexpr int already_registered = 712;
constexpr int not_supported = 801;

}  // namespace error

/// As programs see and compare them.
struct ErrorText {
  int code;
  const char* name;
  const char* text;
};
std::span<const ErrorText> error_texts();

}  // namespace vramlab::dry_run
