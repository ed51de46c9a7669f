// ContextRecord: what is known of one CUDA context: who it is, whether it still is, its captures,
// its spare events, and the streams that an event on the legacy stream does not cover.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <vector>

#include "streams/cuda_interface/types.h"
#include "streams/live/cuda_driver.h"

namespace vramlab::shim {

class ContextRecord;

/// Such as that a stream which nobody told of is capturing. It is over with the capture.
inline bool is_capture_error(CUresult result) {
  return result >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
         result <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

/// A capture that began out of sight shows itself here without being broken.
inline CUresult ask_for_captures(const streams::CudaDriver& driver, CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = driver.stream_is_capturing(stream, &status);
  if (result != CUDA_SUCCESS) return result;
  return status == CU_STREAM_CAPTURE_STATUS_NONE ? CUDA_SUCCESS
                                                 : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

/// Who keeps an event once it is over: the spare ones of its context, or the context, which still
/// needs it.
enum class EventOwner : std::uint8_t { spares, context };

/// An event and the context that it belongs to.
struct ContextEvent {
  ContextRecord* context = nullptr;
  CUevent event = nullptr;
  EventOwner owner = EventOwner::spares;
};

/// Keeps a context's stream captures apart from the calls that the shim makes on its own account. A
/// fence, a wait or a release inside a capture would break the capture, so they are made only while
/// none is open, and a capture begins only when none of them is under way. The two most frequent
/// ones, a fence of the context's own arena and a question about an event, are made or begun under
/// the arena's lock instead, which costs nothing more (Arena::let_calls_finish).
class CaptureGate {
 public:
  /// Whether the shim may call the driver now; if so, until leave().
  [[nodiscard]] bool try_enter() {
    inside_.fetch_add(1);
    if (captures_.load() == 0) [[likely]]
      return true;
    leave();
    return false;
  }
  void leave() {
    if (inside_.fetch_sub(1) == 1 && captures_.load() != 0) inside_.notify_all();
  }

  /// From now on try_enter() says no. Waits for those who are inside.
  void open_capture() {
    captures_.fetch_add(1);
    for (int inside = inside_.load(); inside != 0; inside = inside_.load()) inside_.wait(inside);
  }
  void close_capture() { captures_.fetch_sub(1); }
  bool is_capturing() const { return captures_.load() != 0; }

 private:
  std::atomic<int> inside_ = 0;
  std::atomic<int> captures_ = 0;
};

class ContextRecord {
 public:
  ContextRecord(const streams::CudaDriver& driver, CUcontext handle, unsigned long long id)
      : driver_(driver), handle_(handle), id_(id) {}

  const streams::CudaDriver& driver() const { return driver_; }
  CUcontext handle() const { return handle_; }
  /// 0 where the driver has no ids of contexts.
  unsigned long long id() const { return id_; }
  CaptureGate& gate() { return gate_; }

  /// Its events, streams and memory are gone with it; nothing of it is given to the driver again.
  bool is_gone() const { return is_gone_.load(std::memory_order_acquire); }
  void set_gone() { is_gone_.store(true, std::memory_order_release); }

  /// The first error that a call of the shim's own got. CUDA's errors of this kind stay, those of
  /// captures do not.
  CUresult error() const { return error_.load(std::memory_order_relaxed); }
  void keep_error(CUresult error);

  /// A spare event that takes no time stamps, or a new one.
  CUresult take_event(CUevent& event);
  void give_event(CUevent event);

  /// An event behind the stream's work; a capture error where the stream or the context captures.
  CUresult record_on(CUstream stream, std::vector<ContextEvent>& into);

  // Streams that do not wait for the legacy stream.
  void add_stream(CUstream stream);
  /// Notes what the stream still does, then forgets it.
  CUresult remove_stream(CUstream stream);
  /// Forgets the stream without a call of the driver. What it still does is not known then, and the
  /// next record_streams() waits for all that the context does.
  void lose_stream(CUstream stream);
  /// An event behind the work of each of them, and of those that were destroyed.
  /// Requires: the context is current.
  CUresult record_streams(std::vector<ContextEvent>& into);

 private:
  void forget_finished_works();

  const streams::CudaDriver& driver_;
  const CUcontext handle_;
  const unsigned long long id_;
  CaptureGate gate_;
  std::atomic<bool> is_gone_ = false;
  std::atomic<CUresult> error_ = CUDA_SUCCESS;

  std::mutex events_mutex_;
  std::vector<CUevent> spare_events_;

  std::mutex streams_mutex_;
  std::vector<CUstream> streams_;
  bool has_lost_work_ = false;
  /// Recorded just before a stream was destroyed.
  std::vector<ContextEvent> last_works_;
};

/// Makes a context current for a few calls, where it is not.
class CurrentContext {
 public:
  explicit CurrentContext(const ContextRecord& record) : driver_(record.driver()) {
    CUcontext current = nullptr;
    result_ = driver_.context_current(&current);
    if (result_ == CUDA_SUCCESS && current != record.handle()) push(record.handle());
  }
  CurrentContext(const CurrentContext&) = delete;
  CurrentContext& operator=(const CurrentContext&) = delete;
  ~CurrentContext() {
    if (is_pushed_) pop();
  }
  /// Requires looking at: the context may be gone.
  CUresult result() const { return result_; }

 private:
  void push(CUcontext context);
  void pop();

  const streams::CudaDriver& driver_;
  CUresult result_ = CUDA_SUCCESS;
  bool is_pushed_ = false;
};

}  // namespace vramlab::shim
