// RequestSizes: which sizes a workload asks for on which stream, and how often.
#pragma once

#include <cstdint>
#include <map>

#include "allocator/options/settings.h"
#include "allocator/words/allocator_event.h"
#include "traces/files/long_sequence.h"

namespace vramlab::replay {

class RequestSizes {
 public:
  /// Sizes are kept as the settings round them.
  explicit RequestSizes(const allocator::Settings& settings) : settings_(settings) {}

  void add(allocator::Bytes request, allocator::StreamId stream);
  /// Those of a history that were given something.
  void add_all(const traces::LongSequence<allocator::AllocatorEvent>& history);

  struct Of {
    allocator::StreamId stream;
    /// Rounded.
    allocator::Bytes size;
    friend auto operator<=>(const Of&, const Of&) = default;
  };
  /// How often.
  const std::map<Of, std::uint64_t>& counts() const { return counts_; }

 private:
  allocator::Settings settings_;
  std::map<Of, std::uint64_t> counts_;
};

}  // namespace vramlab::replay
