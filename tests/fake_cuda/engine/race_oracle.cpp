#include "tests/fake_cuda/engine/race_oracle.h"

#include <algorithm>
#include <array>
#include <cstdio>

namespace vramlab::fake {
namespace {

std::string range_text(std::uint64_t at, std::uint64_t bytes) {
  std::array<char, 64> text{};
  std::snprintf(text.data(), text.size(), "%llu bytes at 0x%llx",
                static_cast<unsigned long long>(bytes), static_cast<unsigned long long>(at));
  return text.data();
}

}  // namespace

void RaceOracle::use_begins(std::uint64_t work, const std::vector<MemoryUse>& uses) {
  for (const MemoryUse& use : uses) {
    if (use.bytes == 0) continue;
    longest_use_ = std::max(longest_use_, use.bytes);
    uses_of_work_[work].push_back(
        uses_.emplace(use.at, PendingUse{use.at + use.bytes, work, use.mode}));
  }
}

void RaceOracle::use_ends(std::uint64_t work) {
  const auto found = uses_of_work_.find(work);
  if (found == uses_of_work_.end()) return;
  for (const Uses::iterator use : found->second) uses_.erase(use);
  uses_of_work_.erase(found);
}

const RaceOracle::Uses::value_type* RaceOracle::find_use(std::uint64_t at,
                                                         std::uint64_t bytes) const {
  const std::uint64_t earliest = at - std::min(at, longest_use_);
  for (auto use = uses_.lower_bound(earliest); use != uses_.end() && use->first < at + bytes; ++use)
    if (use->second.end > at) return &*use;
  return nullptr;
}

bool RaceOracle::is_in_use(std::uint64_t at, std::uint64_t bytes) const {
  return find_use(at, bytes) != nullptr;
}

void RaceOracle::report(std::uint64_t& count, const std::string& what) {
  ++count;
  if (first_.empty()) first_ = what;
}

void RaceOracle::note_use_without_memory(const MemoryUse& use) {
  report(counts_.used_without_memory, "work was put on a stream that uses " +
                                          range_text(use.at, use.bytes) +
                                          ", where there is no memory");
}

void RaceOracle::handed_out(std::uint64_t at, std::uint64_t bytes) {
  if (const auto* use = find_use(at, bytes))
    report(counts_.handed_out_in_use,
           range_text(at, bytes) + " were handed out while work " +
               std::to_string(use->second.work) + " of an earlier owner still " +
               (use->second.mode == UseMode::writes ? "writes" : "reads") + " " +
               range_text(use->first, use->second.end - use->first));
  auto other = handed_out_.lower_bound(at + bytes);
  while (other != handed_out_.begin() && (--other)->second > at) {
    report(counts_.handed_out_twice, range_text(at, bytes) +
                                         " were handed out while somebody still has " +
                                         range_text(other->first, other->second - other->first));
    other = handed_out_.erase(other);
  }
  handed_out_[at] = at + bytes;
}

void RaceOracle::given_back(std::uint64_t at) { handed_out_.erase(at); }

void RaceOracle::released(std::uint64_t at, std::uint64_t bytes, ReleaseKind kind) {
  const auto* use = find_use(at, bytes);
  if (use == nullptr) return;
  if (kind == ReleaseKind::waits) {
    ++counts_.freed_in_use_but_waited;
    return;
  }
  report(counts_.released_in_use, range_text(at, bytes) + " were released while work " +
                                      std::to_string(use->second.work) + " still uses " +
                                      range_text(use->first, use->second.end - use->first));
}

}  // namespace vramlab::fake
