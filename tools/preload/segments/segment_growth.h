// SegmentGrowth: how expandable segments get addresses and memory in the middle of a request: the
// driver is called without the arena's lock, as for a segment of its own (SegmentSupply). The
// allocator keeps what is being mapped out of the reach of others meanwhile.
#pragma once

#include <optional>

#include "tools/preload/segments/segment_supply.h"

namespace vramlab::shim {

class SegmentGrowth {
 public:
  explicit SegmentGrowth(SegmentSupply& supply) : supply_(supply) {}

  // Requires the lock, in a call that began. DeviceError where a capture forbids the calls, and
  // where the context answers nothing else any more. Whatever else the driver has against it
  // counts as no room: it may still have memory that need not be mapped.
  std::optional<allocator::Address> reserve(allocator::Bytes size);
  bool map(const allocator::UnitRange& range);

 private:
  template <class Work>
  CUresult outside_of_captures(const Work& work);
  bool has_succeeded(CUresult result);

  SegmentSupply& supply_;
};

}  // namespace vramlab::shim
