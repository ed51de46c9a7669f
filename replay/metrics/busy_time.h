// BusyTime: for how long at least one of many spans lasted, and at least two. Spans come in the
// order of their ends.
#pragma once

#include <vector>

#include "streams/stream_model/work.h"

namespace vramlab::replay {

struct BusySpan {
  streams::Time begin;
  streams::Time end;
};

class BusyTime {
 public:
  /// Requires: no earlier end than those before.
  void add(BusySpan span);

  streams::Duration at_least_one() const { return total(once_); }
  streams::Duration at_least_two() const { return total(twice_); }

 private:
  static streams::Duration total(const std::vector<BusySpan>& spans);
  /// Spans apart from each other, in order; the last ones are eaten up by what is added. What both
  /// had goes to `twice`, where that is wanted.
  static void merge(std::vector<BusySpan>& spans, BusySpan span, std::vector<BusySpan>* twice);

  std::vector<BusySpan> once_;
  std::vector<BusySpan> twice_;
};

}  // namespace vramlab::replay
