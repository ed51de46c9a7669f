// PinnedCalls: which pinned host memory a process obtained and gave back, in order, for the report
// of a dry run. The memory itself is real and lies elsewhere.
#pragma once

#include <algorithm>
#include <cstdint>
#include <vector>

namespace vramlab::dry_run {

enum class PinnedCallKind : std::uint8_t { host_alloc, host_free, host_register, host_unregister };

struct PinnedCall {
  PinnedCallKind kind;
  std::uint64_t bytes;
};

class PinnedCalls {
 public:
  /// Later calls are counted only.
  static constexpr std::size_t most_calls = 100'000;

  void add(PinnedCall call) {
    const bool obtains =
        call.kind == PinnedCallKind::host_alloc || call.kind == PinnedCallKind::host_register;
    pinned_bytes_ = obtains ? pinned_bytes_ + call.bytes : pinned_bytes_ - call.bytes;
    peak_bytes_ = std::max(peak_bytes_, pinned_bytes_);
    ++count_;
    if (calls_.size() < most_calls) calls_.push_back(call);
  }

  std::uint64_t peak_bytes() const { return peak_bytes_; }
  std::uint64_t count() const { return count_; }
  const std::vector<PinnedCall>& first_calls() const { return calls_; }

 private:
  std::uint64_t pinned_bytes_ = 0;
  std::uint64_t peak_bytes_ = 0;
  std::uint64_t count_ = 0;
  std::vector<PinnedCall> calls_;
};

}  // namespace vramlab::dry_run
