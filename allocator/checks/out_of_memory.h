// The text of an out-of-memory: the figures of a failed request as sentences for people. The
// figures and their order are the reference's, the words are ours.
#pragma once

#include <string>

#include "allocator/types/answers.h"

namespace vramlab::allocator {

std::string out_of_memory_message(const OutOfMemory& failure);

}  // namespace vramlab::allocator
