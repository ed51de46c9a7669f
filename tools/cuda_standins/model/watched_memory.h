// WatchedMemory: parts of the devices' memory whose values somebody knows, and which of them were
// written since, as far as calls of the driver tell: copies, memsets, and kernels whose place of
// writing is known. Code that is not PyTorch's own may write anywhere. A part that was written is
// told once and watched no more.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <map>
#include <type_traits>

namespace vramlab::dry_run {

/// The beginnings of the parts that were written: of more than have a place here, the last ones.
/// It may be read at any time, without a call too: programs in other languages know how it lies.
class WrittenParts {
 public:
  static constexpr std::uint64_t kept = 1 << 14;

  void add(std::uint64_t beginning) {
    const std::uint64_t count = count_.load(std::memory_order_relaxed);
    beginnings_[count % kept] = beginning;
    count_.store(count + 1, std::memory_order_release);
  }
  std::uint64_t count() const { return count_.load(std::memory_order_acquire); }
  /// Requires: it is one of the last `kept`.
  std::uint64_t beginning(std::uint64_t number) const { return beginnings_[number % kept]; }

 private:
  std::atomic<std::uint64_t> count_ = 0;
  std::array<std::uint64_t, kept> beginnings_ = {};
};
static_assert(std::is_standard_layout_v<WrittenParts>);
static_assert(sizeof(WrittenParts) == (1 + WrittenParts::kept) * sizeof(std::uint64_t));

class WatchedMemory {
 public:
  /// Parts do not overlap: older ones in the way are watched no more.
  void watch(std::uint64_t at, std::uint64_t bytes) {
    take_out(at, bytes, nullptr);
    if (bytes > 0) parts_[at] = bytes;
  }
  void unwatch(std::uint64_t at) { parts_.erase(at); }
  void note_write(std::uint64_t at, std::uint64_t bytes) {
    if (!parts_.empty() && bytes > 0) take_out(at, bytes, &written_);
  }
  void note_write_anywhere() {
    for (const auto& [at, bytes] : parts_) written_.add(at);
    parts_.clear();
  }
  const WrittenParts& written() const { return written_; }

 private:
  /// `told` may be null.
  void take_out(std::uint64_t at, std::uint64_t bytes, WrittenParts* told) {
    auto part = parts_.upper_bound(at);
    if (part != parts_.begin()) {
      const auto before = std::prev(part);
      if (before->first + before->second > at) part = before;
    }
    while (part != parts_.end() && part->first < at + bytes) {
      if (told != nullptr) told->add(part->first);
      part = parts_.erase(part);
    }
  }

  /// Bytes by address.
  std::map<std::uint64_t, std::uint64_t> parts_;
  WrittenParts written_;
};

}  // namespace vramlab::dry_run
