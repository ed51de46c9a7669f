// The ends of a program's iterations: told by the user, or found by the names that the program has
// for iterations (ranges, markers, annotations), otherwise by requests that come again
// (RepeatedRequests). IterationFinder looks at all events and makes a rule; IterationEnds follows
// the rule on a second way through the file.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <utility>
#include <vector>

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

/// Whether a program's requests come in rounds, found from the requests alone. A mark of a round is
/// a request that comes again at even distances: from the same call stack, or, where a file has no
/// stacks, of the same size after the same three others. Most requests made once in a round agree
/// on the number of rounds; that number is taken. Requests alone can't tell steps from repetitions
/// inside a step, such as its layers. So rounds are a guess, and must be shown as a guess.
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

enum class IterationSource : std::uint8_t {
  none,
  events,
  every,
  ranges,
  markers,
  annotations,
  requests
};

struct IterationRule {
  IterationSource source = IterationSource::none;
  /// The last events of iterations, ascending.
  std::vector<std::uint64_t> events{};
  /// The number of events in each iteration.
  std::uint64_t every = 0;
  /// The name of ranges, markers or annotations, with `#` in place of its number.
  std::string name{};
  /// Ranges and markers of this name are on one device, and count for all.
  bool is_for_all_devices = false;
  /// The ends of annotations, ascending.
  std::vector<std::uint64_t> times_ns{};
  /// By device, where each iteration begins.
  std::map<std::int64_t, RepeatedRequest> requests{};
};

/// A name with `#` for the last number in it, and that number.
struct NumberedName {
  std::string name;
  std::optional<std::uint64_t> number;
};
NumberedName numbered_name(std::string_view text);

class IterationFinder : public MemoryEventSink {
 public:
  /// The tables must outlive it.
  explicit IterationFinder(const traces::SnapshotTables& tables) : tables_(tables) {}

  void memory_event(const MemoryEvent& event) override;
  void annotation(const RecordedAnnotation& annotation) override;

  IterationRule rule() const;

 private:
  struct Name {
    std::uint64_t count = 0;
    std::optional<std::uint64_t> last_number;
    /// Each number is larger than the one before.
    bool counts_up = true;
    std::vector<std::uint64_t> ends_ns;
    std::optional<std::int64_t> device;
    bool is_on_one_device = true;

    void add(const NumberedName& name, std::int64_t on_device);
  };
  using Names = std::map<std::string, Name>;
  static void add(Names& names, std::string_view text, std::int64_t device);
  static const Names::value_type* best(const Names& names);

  const traces::SnapshotTables& tables_;
  Names ranges_;
  Names markers_;
  Names annotations_;
  std::map<std::int64_t, RepeatedRequests> requests_;
};

class IterationEnds {
 public:
  /// The tables and the rule must outlive it.
  IterationEnds(const IterationRule& rule, const traces::SnapshotTables& tables)
      : rule_(rule), tables_(tables) {}

  enum class Place : std::uint8_t { none, before, after };
  /// Whether an iteration of the event's device ends before or after it. Asked of each event once,
  /// in order.
  Place place(const MemoryEvent& event);

  /// Whether an iteration that ends on one device ends on all.
  bool is_for_all_devices() const { return rule_.is_for_all_devices; }

  /// Whether an iteration ends right after the last event of the device with this number.
  bool ends_with_history(std::int64_t number);

 private:
  struct Device {
    std::uint64_t events = 0;
    /// Index into the rule's events or times.
    std::size_t next = 0;
    RequestMarks marks;
  };
  bool begins_by_request(Device& device, const MemoryEvent& event) const;
  static bool passes(Device& device, const std::vector<std::uint64_t>& limits, std::uint64_t at);

  const IterationRule& rule_;
  const traces::SnapshotTables& tables_;
  std::map<std::int64_t, Device> devices_;
};

/// Finds the ends of a program's iterations.
IterationRule find_iterations(Recording& recording);

/// A device and an event of it.
using RequestName = std::pair<std::int64_t, std::uint64_t>;

struct RequestPosition {
  /// Before the first iteration ended, positions count from the beginning of the file.
  bool is_in_first = true;
  /// Counted from 0.
  std::uint64_t number = 0;
};

/// The positions of requests in a program's iterations. A program that does the same again asks for
/// the same at the same positions, whatever its addresses and call sites are.
class RequestPositions : public MemoryEventSink {
 public:
  /// All must outlive it.
  RequestPositions(const std::set<RequestName>& requests, const IterationRule& rule,
                   const traces::SnapshotTables& tables)
      : requests_(requests), ends_(rule, tables) {}

  void memory_event(const MemoryEvent& event) override;
  const std::map<RequestName, RequestPosition>& found() const { return found_; }

 private:
  const std::set<RequestName>& requests_;
  IterationEnds ends_;
  /// By device: where its next request stands.
  std::map<std::int64_t, RequestPosition> next_;
  std::map<RequestName, RequestPosition> found_;
};

/// Such as `request 12 of an iteration`.
std::string position_text(const RequestPosition& position);

}  // namespace vramlab::replay
