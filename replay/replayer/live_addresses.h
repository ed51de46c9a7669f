// LiveAddresses: which id of a program names which address now.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "allocator/types/snapshot.h"

namespace vramlab::replay {

class LiveAddresses {
 public:
  /// The id names this address from now on.
  void note(std::uint64_t id, Address address) { addresses_[id] = address; }
  void forget(std::uint64_t id) { addresses_.erase(id); }
  std::optional<Address> find(std::uint64_t id) const;
  /// Found and forgotten.
  std::optional<Address> take(std::uint64_t id);
  /// What a restored checkpoint freed has no id any more; what it created is named from `first_id`
  /// on, by ascending address.
  void restore(const allocator::RestoreResult& result, std::uint64_t first_id);
  std::size_t size() const { return addresses_.size(); }

 private:
  std::unordered_map<std::uint64_t, Address> addresses_;
};

}  // namespace vramlab::replay
