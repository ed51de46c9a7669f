// BusyTime: for how long at least one of many spans lasted, and at least two. Spans come in the
// order of their ends.
#pragma once

#include <vector>

#include "streams/virtual_time.h"

namespace vramlab::replay {

struct TimeSpan {
  streams::Time begin;
  streams::Time end;
};

class BusyTime {
 public:
  /// Requires: no earlier end than those before.
  void add(TimeSpan span);

  streams::Duration at_least_one() const { return total(once_); }
  streams::Duration at_least_two() const { return total(twice_); }

 private:
  static streams::Duration total(const std::vector<TimeSpan>& spans);
  /// Spans apart from each other, in order; the last ones are eaten up by what is added. What both
  /// had goes to `twice`, where that is wanted.
  static void merge(std::vector<TimeSpan>& spans, TimeSpan span, std::vector<TimeSpan>* twice);

  std::vector<TimeSpan> once_;
  std::vector<TimeSpan> twice_;
};

}  // namespace vramlab::replay
