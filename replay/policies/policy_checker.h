// PolicyChecker: what holds for every policy, whatever its idea is. It keeps a book of its own of
// what is live and where.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "replay/policies/policy.h"

namespace vramlab::replay {

class PolicyChecker {
 public:
  /// The next request was served, with this memory. Each gives a sentence about the first fault:
  /// memory that is too small, that another block has, or
  /// more than the device gave.
  std::optional<std::string> served(const PolicyRequest& request,
                                    const std::vector<streams::AddressRange>& memory,
                                    allocator::Bytes taken_of_device);
  /// The block is freed.
  std::optional<std::string> freed(std::uint64_t id);

  std::size_t live_count() const { return blocks_.size(); }

 private:
  std::optional<std::string> fault_of(std::uint64_t id, streams::AddressRange range) const;

  struct Owned {
    std::uint64_t end = 0;
    std::uint64_t id = 0;
  };
  /// By first address.
  std::map<std::uint64_t, Owned> taken_;
  std::uint64_t taken_bytes_ = 0;
  /// Looked up only.
  std::unordered_map<std::uint64_t, std::vector<streams::AddressRange>> blocks_;
};

}  // namespace vramlab::replay
