// WatchedMemory: parts of the devices' memory whose values somebody knows, and which of them were
// written since, as far as calls of the driver tell: copies, memsets, and kernels whose place of
// writing is known. Code that is not PyTorch's own may write anywhere. A part that was written is
// told once and watched no more.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <utility>
#include <vector>

namespace vramlab::dry_run {

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
    for (const auto& [at, bytes] : parts_) written_.push_back(at);
    written_count_ += parts_.size();
    parts_.clear();
  }
  /// The beginnings of the parts that were written.
  std::vector<std::uint64_t> take_written() { return std::exchange(written_, {}); }
  /// How many parts were written. It may be read at any time.
  const std::atomic<std::uint64_t>& written_count() const { return written_count_; }

 private:
  /// `told` may be null.
  void take_out(std::uint64_t at, std::uint64_t bytes, std::vector<std::uint64_t>* told) {
    auto part = parts_.upper_bound(at);
    if (part != parts_.begin()) {
      const auto before = std::prev(part);
      if (before->first + before->second > at) part = before;
    }
    while (part != parts_.end() && part->first < at + bytes) {
      if (told != nullptr) {
        told->push_back(part->first);
        ++written_count_;
      }
      part = parts_.erase(part);
    }
  }

  /// Bytes by address.
  std::map<std::uint64_t, std::uint64_t> parts_;
  std::vector<std::uint64_t> written_;
  std::atomic<std::uint64_t> written_count_ = 0;
};

}  // namespace vramlab::dry_run
