#include "replay/recording/emptying_rhythm.h"

#include <algorithm>
#include <optional>

namespace vramlab::replay {
namespace {

/// Shorter steps, and fewer of them, may have the same length by chance.
constexpr std::size_t shortest_step = 16;
constexpr std::size_t fewest_emptied = 4;
/// Most of the beats are there.
constexpr std::size_t emptied_for_a_missing_one = 4;

/// How many requests and frees came before each emptied cache.
std::vector<std::size_t> calls_before(const RecordedCalls& calls,
                                      const std::vector<std::size_t>& emptied) {
  std::vector<std::size_t> counts;
  std::size_t count = 0;
  auto next = emptied.begin();
  for (const RecordedCall& call : calls) {
    for (; next != emptied.end() && *next < call.end; ++next)
      if (counts.empty() || counts.back() != count) counts.push_back(count);
    if (call.kind != RecordedCallKind::release) ++count;
  }
  return counts;
}

/// Counts between those that are there; nothing if the steps are no multiples of the shortest one.
std::optional<std::vector<std::size_t>> between(const std::vector<std::size_t>& counts) {
  std::size_t step = ~std::size_t{0};
  for (std::size_t i = 1; i < counts.size(); ++i) step = std::min(step, counts[i] - counts[i - 1]);
  if (step < shortest_step) return std::nullopt;
  std::vector<std::size_t> missing;
  for (std::size_t i = 1; i < counts.size(); ++i) {
    if ((counts[i] - counts[i - 1]) % step != 0) return std::nullopt;
    for (std::size_t count = counts[i - 1] + step; count < counts[i]; count += step) {
      missing.push_back(count);
      if (emptied_for_a_missing_one * missing.size() > counts.size()) return std::nullopt;
    }
  }
  return missing;
}

}  // namespace

std::vector<std::size_t> missing_in_rhythm(const RecordedCalls& calls,
                                           const std::vector<std::size_t>& emptied) {
  const std::vector<std::size_t> counts = calls_before(calls, emptied);
  if (counts.size() < fewest_emptied) return {};
  const auto missing = between(counts);
  if (!missing) return {};
  std::vector<std::size_t> firsts;
  std::size_t count = 0;
  auto next = missing->begin();
  for (const RecordedCall& call : calls) {
    if (next == missing->end()) break;
    if (call.kind == RecordedCallKind::release) continue;
    if (count == *next) {
      firsts.push_back(call.first);
      ++next;
    }
    ++count;
  }
  return firsts;
}

}  // namespace vramlab::replay
