// StreamProgram: a program's events about streams, events, captures and host threads, as calls on
// TimedStreams. Work and marks are tagged with the number of their event in the program.
//
// A program that creates no streams may use any: those but 0 are non-blocking and there from the
// start. One that creates some must create what it uses. Its events likewise.
#pragma once

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <stdexcept>
#include <unordered_map>
#include <vector>

#include "replay/replayer/program_accesses.h"
#include "streams/happens_before/free_order.h"
#include "streams/stream_model/timed_streams.h"
#include "traces/model/program_event.h"

namespace vramlab::replay {

/// The program can't mean this; says what is wrong.
class ProgramError : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

/// A call that CUDA would have refused.
struct RefusedCall {
  std::uint64_t event = 0;
  traces::ProgramEventKind kind = traces::ProgramEventKind::work;
  streams::CudaStatus status = streams::CudaStatus::success;
};

/// Questions of a program and their answers.
struct QueryAnswer {
  std::uint64_t event = 0;
  traces::ProgramEventKind kind = traces::ProgramEventKind::stream_query;
  streams::CudaStatus status = streams::CudaStatus::success;
  std::int64_t elapsed_ns = 0;
};

struct StuckCall {
  streams::ThreadId thread;
  /// The call that waits for ever.
  std::uint64_t event = 0;
  streams::Time since;
};

struct Deadlock {
  std::vector<StuckCall> threads;
  std::vector<streams::StuckWork> work;
  bool is_one() const { return !threads.empty() || !work.empty(); }
};

class StreamProgram final {
 public:
  /// Watcher and accesses must outlive it.
  StreamProgram(const streams::StreamModel& model, streams::StreamWatcher& watcher,
                ProgramAccesses& accesses)
      : streams_(model, watcher), accesses_(accesses) {}

  /// The event's thread gets to it. False where it never does; nothing that follows is reached
  /// then.
  [[nodiscard]] bool begin(const traces::ProgramEvent& event, std::uint64_t number);
  /// Kinds that are not about streams change nothing. Requires: begin() came first.
  void apply(const traces::ProgramEvent& event);
  /// Until nothing more can happen.
  Deadlock finish();

  streams::TimedStreams& streams() { return streams_; }
  /// The same. Made where the program declares no streams; throws ProgramError where it does, and
  /// not this one.
  streams::StreamAt known_stream(streams::StreamAt stream);
  std::uint64_t number() const { return number_; }
  const std::vector<RefusedCall>& refused() const { return refused_; }
  const std::vector<QueryAnswer>& answers() const { return answers_; }

 private:
  using Event = traces::ProgramEvent;
  using Kind = traces::ProgramEventKind;

  streams::StreamAt stream_of(const Event& event);
  void know_event(const Event& event, EventId id);
  void note(const Event& event, streams::CudaStatus status);
  streams::BlockNumber accessed_block(const Event& event) const;
  void submit(const Event& event);
  streams::Work work_of(const Event& event) const;
  streams::CudaStatus apply_to_stream(const Event& event);
  streams::CudaStatus apply_to_event(const Event& event);
  streams::CudaStatus apply_to_graph(const Event& event);
  streams::CudaStatus wait_for_stream(const Event& event);
  void ask_elapsed(const Event& event);

  streams::TimedStreams streams_;
  ProgramAccesses& accesses_;
  std::uint64_t number_ = 0;
  bool declares_streams_ = false;
  bool declares_events_ = false;
  std::set<streams::StreamAt> declared_;
  std::set<EventId> declared_events_;
  /// For those that are not declared: where they were recorded last.
  std::map<EventId, std::uint32_t> event_devices_;
  std::unordered_map<std::uint32_t, std::uint64_t> last_call_;
  std::vector<RefusedCall> refused_;
  std::vector<QueryAnswer> answers_;
};

// WorkGates: work of a program that says itself when its streams are done, on streams in virtual
// time. Each piece waits for a flag of its stream; when the program says that a stream, an event or
// a device is done, all that this was behind is let go, on whatever stream it is.

class WorkGates {
 public:
  /// Both must outlive it, and the order is to watch the streams.
  WorkGates(StreamProgram& streams, streams::TimedFreeOrder& order)
      : streams_(streams), order_(order) {}

  /// Requires: the stream does not capture.
  void hold_back(streams::StreamAt stream);

  void stream_is_done(streams::StreamAt stream);
  void event_is_done(EventId event);
  void device_is_done(std::uint32_t device);

 private:
  struct Piece {
    std::uint64_t value = 0;
    streams::Epoch epoch;
  };
  struct Pieces {
    streams::FlagId flag;
    std::uint64_t submitted = 0;
    std::deque<Piece> held;
  };
  using Clocks = std::vector<const streams::VectorClock*>;

  void let_go_before(const Clocks& clocks);
  void let_go(streams::StreamAt stream, std::uint64_t value);

  StreamProgram& streams_;
  streams::TimedFreeOrder& order_;
  std::map<streams::StreamAt, Pieces> pieces_;
};

}  // namespace vramlab::replay
