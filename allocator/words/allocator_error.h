// AllocatorError: a call that must not be made in this state, such as freeing an address twice. It
// is thrown before anything changed, and its sentence names what was wrong.
#pragma once

#include <stdexcept>

namespace vramlab::allocator {

class AllocatorError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace vramlab::allocator
