// ScriptedStreams: TimedStreams for tests that script every call. Times are nanoseconds, work
// is known by its tag, streams and events by small numbers; thread 0 and device 0 unless said.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <utility>

#include "streams/stream_model/timed_streams.h"

namespace vramlab::tests {

/// The times when work began and ended.
using Span = std::pair<std::uint64_t, std::uint64_t>;

constexpr streams::StreamAt legacy{0, {0}};
constexpr streams::StreamAt stream_number(std::uint64_t number, std::uint32_t device = 0) {
  return {device, {number}};
}
// The streams that most scripts need.
constexpr streams::StreamAt first = stream_number(1);
constexpr streams::StreamAt second = stream_number(2);
constexpr streams::StreamAt outside = stream_number(3);
constexpr streams::StreamAt elsewhere = stream_number(1, 1);
constexpr allocator::EventId event{1};
constexpr allocator::EventId other_event{2};
constexpr streams::GraphId graph{1};
constexpr streams::StreamTraits blocking{.is_blocking = true};
constexpr streams::StreamTraits non_blocking{.is_blocking = false};

constexpr streams::Work work_of(streams::WorkKind kind, std::uint64_t ns, std::uint64_t tag) {
  streams::Work work;
  work.kind = kind;
  work.duration = {ns};
  work.tag = tag;
  return work;
}
constexpr streams::Work kernel(std::uint64_t ns, std::uint64_t tag) {
  return work_of(streams::WorkKind::kernel, ns, tag);
}
constexpr streams::Work flag_work(streams::WorkKind kind, std::uint64_t value, std::uint64_t tag) {
  streams::Work work = work_of(kind, 0, tag);
  work.flag = {7};
  work.value = value;
  return work;
}
constexpr streams::Work write_flag(std::uint64_t value, std::uint64_t tag) {
  return flag_work(streams::WorkKind::write_flag, value, tag);
}
constexpr streams::Work await_flag(std::uint64_t value, std::uint64_t tag) {
  return flag_work(streams::WorkKind::await_flag, value, tag);
}
constexpr streams::Work faulty_kernel(std::uint64_t ns, std::uint64_t tag) {
  streams::Work work = kernel(ns, tag);
  work.fault = streams::CudaStatus::illegal_address;
  return work;
}

class ScriptedStreams : private streams::StreamWatcher {
 public:
  explicit ScriptedStreams(const streams::StreamModel& model = {}) : timed_(model, *this) {}

  /// Makes the thread's next call not before this time.
  streams::TimedStreams& at(std::uint64_t ns, std::uint32_t thread = 0) {
    is_made_ = timed_.begin_call({thread}, streams::Time{ns});
    return timed_;
  }
  /// As soon as the thread gets to it.
  streams::TimedStreams& next(std::uint32_t thread = 0) { return at(0, thread); }
  /// True if the last call was ever made.
  bool is_made() const { return is_made_; }
  streams::TimedStreams& timed() { return timed_; }
  std::uint64_t now() const { return timed_.now().ns; }

  /// The times of the work with this tag; null where it did not end. All other events happen first.
  std::optional<Span> span_of(std::uint64_t tag) {
    timed_.finish();
    return ended_so_far(tag);
  }
  std::optional<Span> ended_so_far(std::uint64_t tag) const {
    const auto found = spans_.find(tag);
    return found == spans_.end() ? std::nullopt : std::optional(found->second);
  }

 private:
  void ended(const streams::EndedItem& item) override {
    spans_[item.tag] = {item.begin.ns, item.end.ns};
  }

  std::map<std::uint64_t, Span> spans_;
  streams::TimedStreams timed_;
  bool is_made_ = false;
};

}  // namespace vramlab::tests
