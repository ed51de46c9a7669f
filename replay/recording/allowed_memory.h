// How much memory a fraction allowed a program, inferred from garbage collection: it begins where
// more than a threshold's share of the allowed memory is reserved, and goes on until less is.
#pragma once

#include <optional>

#include "allocator/options/settings.h"

namespace vramlab::replay {

/// The allowed memory lies between the two, both included.
struct AllowedMemory {
  Bytes at_least;
  Bytes at_most;

  /// The share of this device's memory that stands for it in a replay.
  double fraction_of(Bytes device_memory) const;
  friend bool operator==(const AllowedMemory&, const AllowedMemory&) = default;
};

/// Collects what each miss of a request says of the limit above which garbage is collected.
class GarbageLimits {
 public:
  /// So much was reserved, and no garbage (any more) was collected although there was some.
  void was_enough(Bytes reserved);
  /// So much was reserved, and garbage was collected.
  void was_too_much(Bytes reserved);

  /// Empty if no garbage was collected, or if no single limit explains all that was seen, as when
  /// the program changed it. The allowed memory held `peak_reserved`.
  std::optional<AllowedMemory> allowed(double threshold, Bytes peak_reserved) const;

 private:
  Bytes at_least_;
  Bytes below_ = allocator::unlimited;
};

}  // namespace vramlab::replay
