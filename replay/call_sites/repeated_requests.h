// RepeatedRequests: whether a program's requests come in rounds, found from the requests alone. A
// mark of a round is a request that comes again at even distances: from the same call stack, or,
// where a file has no stacks, of the same size after the same three others. Most requests made once
// in a round agree on the number of rounds; that number is taken.
//
// Requests alone can't tell steps from repetitions inside a step, such as its layers. So rounds are
// a guess, and must be shown as a guess.
#pragma once

#include <cstdint>
#include <optional>
#include <unordered_map>

#include "replay/call_sites/memory_events.h"

namespace vramlab::replay {

/// The mark by which a request is recognised.
struct RequestMark {
  std::uint64_t value = 0;
  friend constexpr auto operator<=>(RequestMark, RequestMark) = default;
};

/// The marks of one device's requests, one after the other.
class RequestMarks {
 public:
  RequestMark next(const LiveBlock& block);

 private:
  /// Sizes of the last requests without a stack.
  std::uint64_t last_sizes_[3] = {};
};

struct RepeatedRequest {
  RequestMark mark;
  std::uint64_t count = 0;
  /// The stack of the first one.
  traces::StackId stack;
  Bytes requested;
};

class RepeatedRequests {
 public:
  void add(const LiveBlock& block);
  /// The first request of the rounds; empty where no rounds are found.
  std::optional<RepeatedRequest> find() const;

 private:
  struct Occurrences {
    std::uint64_t count = 0;
    std::uint64_t first = 0;
    std::uint64_t last = 0;
    /// The sum of the squared distances between occurrences.
    double sum_of_squares = 0;
    traces::StackId stack;
    Bytes requested;
  };
  bool is_even(const Occurrences& seen) const;

  RequestMarks marks_;
  std::uint64_t requests_ = 0;
  /// Results do not depend on its order.
  std::unordered_map<std::uint64_t, Occurrences> seen_;
};

}  // namespace vramlab::replay
