// Which of CUDA's runtimes this library is. Each has its own source for it, in a folder of its own
// beside the functions that mean something else in the other.
#pragma once

namespace vramlab::dry_run {

inline constexpr int first_version_13 = 13000;

/// As cudaRuntimeGetVersion tells it.
int runtime_version();
/// As it is found and versioned, for instance libcudart.so.12.
const char* runtime_library();

}  // namespace vramlab::dry_run
