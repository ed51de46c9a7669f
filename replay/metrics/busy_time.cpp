#include "replay/metrics/busy_time.h"

#include <algorithm>

namespace vramlab::replay {

using streams::Duration;

void BusyTime::add(BusySpan span) {
  if (span.begin < span.end) merge(once_, span, &twice_);
}

void BusyTime::merge(std::vector<BusySpan>& spans, BusySpan span, std::vector<BusySpan>* twice) {
  std::vector<BusySpan> common;
  std::vector<BusySpan> later;
  while (!spans.empty() && spans.back().end >= span.begin) {
    const BusySpan last = spans.back();
    spans.pop_back();
    if (last.begin > span.end) {
      later.push_back(last);
      continue;
    }
    const BusySpan both{std::max(last.begin, span.begin), std::min(last.end, span.end)};
    if (both.begin < both.end) common.push_back(both);
    span.begin = std::min(span.begin, last.begin);
    span.end = std::max(span.end, last.end);
  }
  spans.push_back(span);
  spans.insert(spans.end(), later.rbegin(), later.rend());
  if (twice == nullptr) return;
  for (auto it = common.rbegin(); it != common.rend(); ++it) merge(*twice, *it, nullptr);
}

Duration BusyTime::total(const std::vector<BusySpan>& spans) {
  Duration sum;
  for (const BusySpan& span : spans) sum.ns += (span.end - span.begin).ns;
  return sum;
}

}  // namespace vramlab::replay
