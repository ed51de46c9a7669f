// AddressRange: the half-open range [begin, end) of addresses.
#pragma once

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::streams {

struct AddressRange {
  Address begin;
  Address end;

  Bytes size() const { return end - begin; }
  bool is_empty() const { return begin == end; }
  friend bool operator==(const AddressRange&, const AddressRange&) = default;
};

}  // namespace vramlab::streams
