// Reads arguments of a launch, which need not be aligned.
#pragma once

#include <cstddef>
#include <cstring>

namespace vramlab::dry_run {

/// The value in this place of an array.
template <class Value>
Value value_at(const void* array, std::size_t place = 0) {
  Value value{};
  std::memcpy(&value, static_cast<const char*>(array) + place * sizeof value, sizeof value);
  return value;
}

}  // namespace vramlab::dry_run
