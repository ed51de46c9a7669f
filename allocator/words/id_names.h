// How addresses and pools are written in sentences.
#pragma once

#include <string>

#include "allocator/words/ids.h"

namespace vramlab::allocator {

/// Such as "0x7f0000000200".
std::string name_of(Address address);
/// Such as "(0, 3)".
std::string name_of(PoolId pool);

}  // namespace vramlab::allocator
