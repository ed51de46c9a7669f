// Peak: a sum of bytes that events change, and the most that it ever came to. It counts from what
// was there before the first event, whose size it need not know: the sum may be below 0 on the way,
// and wraps where a file is nonsense.
#pragma once

#include <algorithm>
#include <cstdint>
#include <optional>

#include "allocator/types/bytes_and_ids.h"

namespace vramlab::replay {

class Peak {
 public:
  /// True where the sum is higher than ever.
  bool add(allocator::Bytes bytes, std::uint64_t moment = 0) {
    now_ += bytes.count;
    if (now() <= highest_) return false;
    highest_ = now();
    moment_ = moment;
    return true;
  }
  void subtract(allocator::Bytes bytes) { now_ -= bytes.count; }

  std::int64_t now() const { return static_cast<std::int64_t>(now_); }
  allocator::Bytes bytes_now() const { return {now_}; }
  std::int64_t now_and(allocator::Bytes more) const {
    return static_cast<std::int64_t>(now_ + more.count);
  }
  /// What was there at the start, where so much is there now.
  std::int64_t start_for(allocator::Bytes total) const {
    return static_cast<std::int64_t>(total.count - now_);
  }
  std::int64_t highest() const { return highest_; }
  /// When the peak was reached first; 0 where it was never above the start.
  std::uint64_t moment() const { return moment_; }

  /// The peak where so much was there at the start.
  allocator::Bytes above(std::int64_t start) const {
    const std::uint64_t sum =
        static_cast<std::uint64_t>(start) + static_cast<std::uint64_t>(highest_);
    return {static_cast<std::uint64_t>(std::max<std::int64_t>(0, static_cast<std::int64_t>(sum)))};
  }
  allocator::Bytes bytes() const { return above(0); }

 private:
  std::uint64_t now_ = 0;
  std::int64_t highest_ = 0;
  std::uint64_t moment_ = 0;
};

/// A moment at which more was held than ever before.
struct ReachedPeak {
  allocator::Bytes bytes;
  std::uint64_t event = 0;
  std::optional<std::uint64_t> time_ns;
};

}  // namespace vramlab::replay
