// RaceOracle: which memory work on the device still uses, and whether somebody was given memory, or
// memory was given back, while earlier work still used it.
//
// It hears of every piece of work with the memory that it touches, and is told by test programs
// which block is handed out to whom. What is handed out is new to its owner: whatever still uses it
// then is an earlier owner's.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/cuda_standins/model/driver_watcher.h"

namespace vramlab::fake {

using namespace dry_run;

struct RaceCounts {
  /// Memory handed out while work of an earlier owner was pending on it.
  std::uint64_t handed_out_in_use = 0;
  /// Memory handed out of which somebody else still has a part.
  std::uint64_t handed_out_twice = 0;
  /// Given back to the driver under pending work, by a call that does not wait for it.
  std::uint64_t released_in_use = 0;
  /// The same by one that does: a program may lean on that, a cache that knows no better should
  /// not.
  std::uint64_t freed_in_use_but_waited = 0;
  /// Work on memory that is not there.
  std::uint64_t used_without_memory = 0;

  std::uint64_t all() const {
    return handed_out_in_use + handed_out_twice + released_in_use + used_without_memory;
  }
};

class RaceOracle {
 public:
  // Work, by its number, from when it was put on a stream until it has ended.
  void use_begins(std::uint64_t work, const std::vector<MemoryUse>& uses);
  void use_ends(std::uint64_t work);
  bool is_in_use(std::uint64_t at, std::uint64_t bytes) const;
  void note_use_without_memory(const MemoryUse& use);

  // Calls of the test program.
  void handed_out(std::uint64_t at, std::uint64_t bytes);
  void given_back(std::uint64_t at);

  // Calls of the driver.
  void released(std::uint64_t at, std::uint64_t bytes, ReleaseKind kind);

  const RaceCounts& counts() const { return counts_; }
  /// One sentence; empty while nothing was found.
  const std::string& first() const { return first_; }

 private:
  struct PendingUse {
    std::uint64_t end = 0;
    std::uint64_t work = 0;
    UseMode mode = UseMode::writes;
  };
  using Uses = std::multimap<std::uint64_t, PendingUse>;

  const Uses::value_type* find_use(std::uint64_t at, std::uint64_t bytes) const;
  void report(std::uint64_t& count, const std::string& what);

  Uses uses_;
  /// No use is longer: a search need not begin further before its range.
  std::uint64_t longest_use_ = 0;
  std::unordered_map<std::uint64_t, std::vector<Uses::iterator>> uses_of_work_;
  /// End by begin.
  std::map<std::uint64_t, std::uint64_t> handed_out_;
  RaceCounts counts_;
  std::string first_;
};

}  // namespace vramlab::fake
