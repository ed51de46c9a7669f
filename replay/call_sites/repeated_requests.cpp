#include "replay/call_sites/repeated_requests.h"

#include <iterator>
#include <map>

namespace vramlab::replay {
namespace {

/// Rounds show in their first hundred thousand different marks, or not at all.
constexpr std::size_t most_marks = 100'000;
constexpr std::uint64_t least_rounds = 4;

std::uint64_t mixed(std::uint64_t a, std::uint64_t b) {
  std::uint64_t value = (a ^ (b + 0x9e3779b97f4a7c15ULL + (a << 6) + (a >> 2)));
  value ^= value >> 31;
  value *= 0xbf58476d1ce4e5b9ULL;
  return value ^ (value >> 29);
}

/// Bit 63 of a mark keeps stacks and sizes apart.
constexpr std::uint64_t of_stack = std::uint64_t{1} << 63;

/// All marks that were seen the same number of times.
struct RoundCount {
  std::uint64_t even = 0;
  std::uint64_t even_stacks = 0;
  std::uint64_t uneven = 0;
  /// The first even one in the history.
  std::uint64_t first = 0;
  RequestMark mark{};

  void add(const RoundCount& other) {
    if (other.even > 0 && (even == 0 || other.first < first)) {
      first = other.first;
      mark = other.mark;
    }
    even += other.even;
    even_stacks += other.even_stacks;
    uneven += other.uneven;
  }
};

/// Whether the marks show rounds: chance makes some marks even, rounds make nearly all of them
/// even. Sizes come together by chance more often than stacks do.
bool is_trusted(const RoundCount& rounds) {
  constexpr std::uint64_t least_sizes = 5;
  return rounds.even * 10 >= (rounds.even + rounds.uneven) * 7 &&
         (rounds.even_stacks > 0 || rounds.even >= least_sizes);
}

}  // namespace

RequestMark RequestMarks::next(const LiveBlock& block) {
  if (block.stack != traces::StackId{}) return {of_stack | block.stack.value};
  std::uint64_t mark = block.requested.count;
  for (const std::uint64_t size : last_sizes_) mark = mixed(mark, size);
  last_sizes_[2] = last_sizes_[1];
  last_sizes_[1] = last_sizes_[0];
  last_sizes_[0] = block.requested.count;
  return {mark & ~of_stack};
}

void RepeatedRequests::add(const LiveBlock& block) {
  const RequestMark mark = marks_.next(block);
  const std::uint64_t at = requests_++;
  auto found = seen_.find(mark.value);
  if (found == seen_.end()) {
    if (seen_.size() < most_marks) seen_[mark.value] = {1, at, at, 0, block.stack, block.requested};
    return;
  }
  Occurrences& seen = found->second;
  const auto distance = static_cast<double>(at - seen.last);
  seen.sum_of_squares += distance * distance;
  seen.last = at;
  ++seen.count;
}

/// Whether the mark comes at even distances: over at least three quarters of the history, and with
/// distances that differ by at most half of their mean.
bool RepeatedRequests::is_even(const Occurrences& seen) const {
  const std::uint64_t span = seen.last - seen.first;
  const auto distances = static_cast<double>(seen.count - 1);
  const double rounds_share = distances / static_cast<double>(seen.count);
  if (static_cast<double>(span) < static_cast<double>(requests_) * rounds_share * 3 / 4)
    return false;
  const double mean = static_cast<double>(span) / distances;
  const double variance = seen.sum_of_squares / distances - mean * mean;
  return mean >= 2 && variance <= mean * mean / 4;
}

std::optional<RepeatedRequest> RepeatedRequests::find() const {
  std::map<std::uint64_t, RoundCount> by_count;
  for (const auto& [mark, seen] : seen_) {
    if (seen.count < least_rounds) continue;
    RoundCount rounds{.uneven = 1};
    if (is_even(seen)) rounds = {1, (mark & of_stack) != 0 ? 1U : 0U, 0, seen.first, {mark}};
    by_count[seen.count].add(rounds);
  }
  std::optional<RepeatedRequest> best;
  std::uint64_t most = 0;
  for (auto at = by_count.begin(); at != by_count.end(); ++at) {
    RoundCount rounds = at->second;
    // A mark that straddles two rounds comes once less often.
    if (const auto next = std::next(at); next != by_count.end() && next->first == at->first + 1)
      rounds.add(next->second);
    if (rounds.even <= most || !is_trusted(rounds)) continue;
    most = rounds.even;
    const Occurrences& first = seen_.at(rounds.mark.value);
    best = {rounds.mark, first.count, first.stack, first.requested};
  }
  return best;
}

}  // namespace vramlab::replay
