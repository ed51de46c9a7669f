// StreamNumbers: streams by number, in the order in which they are first seen. 0 is the legacy
// default stream; each thread's own default stream is one of its own.
#pragma once

#include <cstdint>
#include <map>
#include <unordered_map>

#include "tools/preload/ground/memory_calls.h"

namespace vramlab::preload {

class StreamNumbers {
 public:
  std::uint64_t number_of(StreamHandle stream, std::uint32_t thread);
  /// Its handle may come again for another stream.
  void forget(CUstream stream) { numbers_.erase(stream); }

 private:
  std::uint64_t last_ = 0;
  std::unordered_map<CUstream, std::uint64_t> numbers_;
  std::map<std::uint32_t, std::uint64_t> of_threads_;
};

}  // namespace vramlab::preload
