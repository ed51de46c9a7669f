// The out-of-memory message: the figures of a failed request as sentences for people. The figures
// and their order are the reference's, the words are ours.
#pragma once

#include <string>

#include "allocator/words/malloc_result.h"

namespace vramlab::allocator {

/// Requests of this size or more fail at once, without figures.
inline constexpr Bytes absurd_request{1ULL << 60};

std::string out_of_memory_message(const OutOfMemory& failure);

}  // namespace vramlab::allocator
