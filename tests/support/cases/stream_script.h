// StreamScript: a stream program written call by call. Streams and events are small numbers: 1, 2
// and 3 are non-blocking streams, 4 and 5 are blocking ones, 1 and 2 are events with timing, made
// at the beginning; 0 is the legacy stream. Work is known by the number of its call, from 1.
#pragma once

#include <cstdint>

#include "tests/support/programs/stream_program.h"

namespace vramlab::tests {

class StreamScript {
 public:
  StreamScript();

  /// Makes the calls that follow.
  StreamScript& by_thread(std::uint32_t thread);

  StreamScript& work(std::uint64_t stream, std::uint64_t duration = 20);
  StreamScript& work_of(streams::WorkKind kind, std::uint64_t stream, std::uint64_t duration = 20);
  /// To pageable memory: the host waits for it.
  StreamScript& pageable_copy(std::uint64_t stream);
  StreamScript& faulty_kernel(std::uint64_t stream, streams::CudaStatus fault);
  StreamScript& record(std::uint64_t event, std::uint64_t stream);
  StreamScript& wait(std::uint64_t stream, std::uint64_t event);
  /// The other stream goes on behind this one, by event 1.
  StreamScript& fork(std::uint64_t from, std::uint64_t to);
  StreamScript& begin(std::uint64_t stream,
                      streams::CaptureMode mode = streams::CaptureMode::relaxed);
  /// The graph has the name 1 unless another is given.
  StreamScript& end(std::uint64_t stream, std::uint64_t graph = 1);
  StreamScript& launch(std::uint64_t stream, std::uint64_t graph = 1);
  StreamScript& exchange_mode(streams::CaptureMode mode);
  StreamScript& create_stream(std::uint64_t stream, streams::StreamTraits traits);
  StreamScript& create_event(std::uint64_t event, bool has_timing);
  StreamScript& elapsed(std::uint64_t from, std::uint64_t to);
  StreamScript& on_stream(StreamCallKind kind, std::uint64_t stream);
  StreamScript& on_event(StreamCallKind kind, std::uint64_t event);
  /// A call that names nothing: synchronize_device, check_unsafe_call.
  StreamScript& call(StreamCallKind kind);

  const StreamProgram& program() const { return program_; }

 private:
  StreamCall& add(StreamCallKind kind);

  streams::ThreadId thread_;
  StreamProgram program_;
};

inline StreamScript script() { return {}; }

}  // namespace vramlab::tests
