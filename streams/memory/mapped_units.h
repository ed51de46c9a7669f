// MappedUnits: which physical units stand behind one reservation. Units next to each other and of
// one size are kept as one run.
#pragma once

#include <map>

#include "allocator/words/device.h"
#include "streams/memory/address_range.h"

namespace vramlab::streams {

class MappedUnits {
 public:
  bool is_empty() const { return runs_.empty(); }
  bool has_any_in(AddressRange range) const;
  /// Requires: nothing in the range is mapped.
  void add(const UnitRange& range);
  /// Requires: the range is made of whole units that are mapped.
  void remove(const UnitRange& range);

 private:
  struct Run {
    Address end;
    Bytes unit;
  };
  using Runs = std::map<Address, Run>;
  /// The run that holds the address, or the end.
  Runs::const_iterator run_at(Address address) const;

  Runs runs_;
};

}  // namespace vramlab::streams
