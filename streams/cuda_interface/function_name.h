// The name that cuGetProcAddress is asked for, of a function that the list has by its symbol alone.
#pragma once

#include <string_view>

namespace vramlab {

/// `cuMemFree` of `cuMemFree_v2`; both mean the same function in different versions of CUDA.
constexpr std::string_view driver_name(std::string_view symbol) {
  const auto version = symbol.rfind("_v");
  return symbol.substr(0, version);
}

}  // namespace vramlab
