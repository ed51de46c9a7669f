// RequestShapes: the sizes that a recording asks for, to tell options that change none of them.
#pragma once

#include <set>

#include "replay/run/recording.h"

namespace vramlab::replay {

class RequestShapes {
 public:
  explicit RequestShapes(const Recording& recording);

  /// Whether any request gets another block than without the options.
  bool are_rounded_by(const allocator::Settings& settings) const;
  /// Whether a segment can be as large, with the next power of two for each request at most.
  bool reach(allocator::Bytes size) const;
  /// Whether any is of the sizes that share segments of the large pool.
  bool has_medium() const;

 private:
  std::set<allocator::Bytes> sizes_;
  allocator::Bytes largest_;
};

}  // namespace vramlab::replay
