#include "replay/busy_time.h"

#include <algorithm>

namespace vramlab::replay {

using streams::Duration;

void BusyTime::add(BusySpan span) {
  if (span.begin < span.end) merge(once_, span, &twice_);
}

void BusyTime::merge(std::vector<BusySpan>& spans, BusySpan span, std::vector<BusySpan>* twice) {
  std::vector<BusySpan> common;
  while (!spans.empty() && spans.back().end >= span.begin) {
    const BusySpan& last = spans.back();
    const BusySpan both{std::max(last.begin, span.begin), std::min(last.end, span.end)};
    if (both.begin < both.end) common.push_back(both);
    span.begin = std::min(span.begin, last.begin);
    span.end = std::max(span.end, last.end);
    spans.pop_back();
  }
  spans.push_back(span);
  if (twice == nullptr) return;
  for (auto it = common.rbegin(); it != common.rend(); ++it) merge(*twice, *it, nullptr);
}

Duration BusyTime::total(const std::vector<BusySpan>& spans) {
  Duration sum;
  for (const BusySpan& span : spans) sum.ns += (span.end - span.begin).ns;
  return sum;
}

}  // namespace vramlab::replay
