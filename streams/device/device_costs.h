// DeviceCosts: what the calls of a device cost its host, by size: a table for each GPU, and the
// time that a tally of calls comes to. Time in the calls alone: work that a call waits for is no
// part of it.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "streams/device/device_calls.h"

namespace vramlab::streams {

struct CallCost {
  DeviceCall call = DeviceCall::allocate;
  /// 0 of calls without a size.
  Bytes bytes;
  std::uint64_t nanoseconds = 0;
  friend bool operator==(const CallCost&, const CallCost&) = default;
};

class DeviceCosts {
 public:
  /// `origin` says where the figures come from. Rows in any order, of one call and size one at
  /// most; a call without rows costs nothing.
  DeviceCosts(std::string origin, std::vector<CallCost> rows);

  /// Between two sizes on the line through them, beyond the last on the same line, below the first
  /// as much as the first.
  std::uint64_t nanoseconds_of(DeviceCall call, Bytes bytes) const;
  /// All calls together.
  std::uint64_t nanoseconds_of(const DeviceCallTally& tally) const;

  const std::string& origin() const { return origin_; }
  /// By call, then by size.
  const std::vector<CallCost>& rows() const { return rows_; }

 private:
  std::string origin_;
  std::vector<CallCost> rows_;
};

/// What a call is taken to cost where nobody measured: estimates, the same for every GPU, of the
/// order that public reports have. Good enough to tell ten calls from a thousand.
const DeviceCosts& estimated_costs();

}  // namespace vramlab::streams
