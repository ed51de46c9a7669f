// LiveStreams: which stream of the driver a StreamId means. LiveEvents: events on them, made once
// and used again.
//
// Requires of all calls: a scope of the session is open.
#pragma once

#include <map>
#include <unordered_map>
#include <vector>

#include "streams/live/driver_session.h"

namespace vramlab::streams {

enum class StreamNames : std::uint8_t {
  /// A StreamId is the driver's handle: streams are the caller's.
  handles,
  /// Each gets a stream of its own that waits for no other by itself; 0 is the legacy stream.
  made,
  /// Number 0 too: the legacy stream can take part in no capture.
  made_for_0_too,
};

class LiveStreams {
 public:
  LiveStreams(const DriverSession& session, StreamNames names) : session_(session), names_(names) {}
  LiveStreams(const LiveStreams&) = delete;
  LiveStreams& operator=(const LiveStreams&) = delete;

  CUstream handle_of(StreamId stream);
  /// Whether a stream takes part in a capture now. Of the caller's streams nobody knows: they may
  /// be gone, and must not be asked.
  bool may_be_capturing() const;
  void destroy_all();

 private:
  CUstream make();

  const DriverSession& session_;
  StreamNames names_;
  std::map<StreamId, CUstream> handles_;
};

class LiveEvents {
 public:
  explicit LiveEvents(const DriverSession& session) : session_(session) {}
  LiveEvents(const LiveEvents&) = delete;
  LiveEvents& operator=(const LiveEvents&) = delete;

  EventId record(CUstream stream);
  bool is_complete(EventId event);
  void wait(EventId event);
  void forget(EventId event);
  CUevent handle_of(EventId event) const { return at(event); }
  /// Recorded and not yet forgotten.
  std::size_t count() const { return recorded_.size(); }
  void destroy_all();

 private:
  CUevent take_idle();
  CUevent at(EventId event) const;

  const DriverSession& session_;
  std::unordered_map<std::uint64_t, CUevent> recorded_;
  std::vector<CUevent> idle_;
  std::uint64_t next_ = 1;
};

}  // namespace vramlab::streams
