// ContextRecord: one CUDA context: its identity, whether it is still alive, its captures, its spare
// events, and the streams that an event on the legacy stream does not cover.
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>
#include <mutex>
#include <vector>

#include "streams/cuda_interface/types.h"
#include "streams/live/cuda_driver.h"

namespace vramlab::shim {

class ContextRecord;

/// An error of a capture, for instance of an unknown stream that is capturing. It is over with the
/// capture.
inline bool is_capture_error(CUresult result) {
  return result >= CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED &&
         result <= CUDA_ERROR_STREAM_CAPTURE_WRONG_THREAD;
}

/// An error that is over by itself: a capture ends, and so does the host's callback from which a
/// driver takes no calls. The same call is made again later.
inline bool is_passing_error(CUresult result) {
  return is_capture_error(result) || result == CUDA_ERROR_NOT_PERMITTED;
}

/// True for errors after which the context answers nothing else.
bool is_lasting(CUresult error);

/// A capture that began out of sight shows itself here without being broken.
inline CUresult ask_for_captures(const streams::CudaDriver& driver, CUstream stream) {
  CUstreamCaptureStatus status = CU_STREAM_CAPTURE_STATUS_NONE;
  const CUresult result = driver.stream_is_capturing(stream, &status);
  if (result != CUDA_SUCCESS) return result;
  return status == CU_STREAM_CAPTURE_STATUS_NONE ? CUDA_SUCCESS
                                                 : CUDA_ERROR_STREAM_CAPTURE_UNSUPPORTED;
}

/// The owner of a complete event: the spare ones of its context, or the context, which still needs
/// it.
enum class EventOwner : std::uint8_t { spares, context };

/// An event and the context that it belongs to.
struct ContextEvent {
  ContextRecord* context = nullptr;
  CUevent event = nullptr;
  EventOwner owner = EventOwner::spares;
  /// The stream whose work it is behind, if it is one that a context knows.
  CUstream stream = nullptr;
};

/// Keeps all stream captures of the process apart from the calls that the shim makes on its own
/// account: a capture that began in one context reaches every context whose streams join it. A
/// fence, a wait or a release inside a capture would break the capture, so they are made only while
/// none is open, and a capture begins only when none of them is under way. The two most frequent
/// ones, a fence of the context's own arena and a question about an event, are made or begun under
/// the arena's lock instead, which costs nothing more (Arena::let_calls_finish).
class CaptureGate {
 public:
  /// While it lives, this thread may do in spite of captures what does not break them: ask about
  /// work from before, wait for it, give memory back that nothing uses.
  class Passing {
   public:
    explicit Passing(const streams::CudaDriver& driver);
    Passing(const Passing&) = delete;
    Passing& operator=(const Passing&) = delete;
    ~Passing();

   private:
    const streams::CudaDriver& driver_;
    CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
    bool is_exchanged_ = false;
  };

  /// Whether the shim may call the driver now; if so, until leave().
  [[nodiscard]] bool try_enter() {
    inside_.fetch_add(1);
    if (captures_.load() == 0) [[likely]]
      return true;
    leave();
    return false;
  }
  /// The same for what Passing allows.
  [[nodiscard]] bool try_enter_passing() {
    inside_.fetch_add(1);
    if (captures_.load() == 0 || this_thread_passes) [[likely]]
      return true;
    leave();
    return false;
  }
  void leave() {
    if (inside_.fetch_sub(1) == 1 && captures_.load() != 0) inside_.notify_all();
  }

  /// From now on try_enter() says no. Waits for those who are inside.
  void open_capture() {
    if (captures_.fetch_add(1) == 0) open_since_.store(std::chrono::steady_clock::now());
    for (int inside = inside_.load(); inside != 0; inside = inside_.load()) inside_.wait(inside);
  }
  void close_capture() { captures_.fetch_sub(1); }
  bool is_capturing() const { return captures_.load() != 0; }
  /// Since there was no capture last. Requires: there is one.
  std::chrono::nanoseconds open_for() const {
    return std::chrono::steady_clock::now() - open_since_.load();
  }
  /// A call that Passing allows is not allowed.
  bool forbids() const { return is_capturing() && !this_thread_passes; }

 private:
  static thread_local bool this_thread_passes;
  std::atomic<int> inside_ = 0;
  std::atomic<int> captures_ = 0;
  std::atomic<std::chrono::steady_clock::time_point> open_since_{};
};

struct ContextName {
  CUcontext handle = nullptr;
  /// 0 where the driver has no ids of contexts.
  unsigned long long id = 0;
};

class ContextRecord {
 public:
  /// Requires: the driver and the gate outlive it.
  ContextRecord(const streams::CudaDriver& driver, CaptureGate& gate, ContextName name)
      : driver_(driver), gate_(gate), handle_(name.handle), id_(name.id) {}

  const streams::CudaDriver& driver() const { return driver_; }
  CUcontext handle() const { return handle_; }
  /// 0 where the driver has no ids of contexts.
  unsigned long long id() const { return id_; }
  CaptureGate& gate() { return gate_; }

  /// Its events, streams and memory are gone with it; nothing of it is given to the driver again.
  bool is_gone() const { return is_gone_.load(std::memory_order_acquire); }
  void set_gone() { is_gone_.store(true, std::memory_order_release); }

  /// The driver is asked to end it, and has not answered: others may have its addresses already.
  bool is_ending() const { return endings_.load(std::memory_order_acquire) != 0; }
  void begin_ending() { endings_.fetch_add(1); }
  void stop_ending() {
    if (endings_.fetch_sub(1) == 1) endings_.notify_all();
  }
  void wait_for_ending() const {
    for (int count = endings_.load(); count != 0; count = endings_.load()) endings_.wait(count);
  }

  /// The first error that the context has for good.
  CUresult error() const { return error_.load(std::memory_order_relaxed); }
  void keep_error(CUresult error);
  /// Keeps an error that lasts. Others are told once: the call is made again later, or another way.
  void note_error(CUresult error);
  /// The last error that does not last and was not told; CUDA_SUCCESS without one.
  CUresult take_refusal() {
    if (refusal_.load(std::memory_order_relaxed) == CUDA_SUCCESS) [[likely]]
      return CUDA_SUCCESS;
    return refusal_.exchange(CUDA_SUCCESS);
  }

  /// The driver would not say of an event whether it is over. After a few of them events are not
  /// trusted any more, and fences wait instead.
  void note_doubt() {
    doubts_.fetch_add(1, std::memory_order_relaxed);
    has_new_doubt_.store(true, std::memory_order_relaxed);
  }
  bool trusts_events() const { return doubts_.load(std::memory_order_relaxed) < 3; }
  bool has_new_doubt() const { return has_new_doubt_.load(std::memory_order_relaxed); }
  bool take_new_doubt() { return has_new_doubt_.exchange(false); }

  /// A spare event that takes no time stamps, or a new one.
  CUresult take_event(CUevent& event);
  void give_event(CUevent event);
  /// The events that it keeps.
  std::size_t event_count();

  /// An event behind the stream's work; a capture error where the stream or the context captures.
  CUresult record_on(CUstream stream, std::vector<ContextEvent>& into);

  // Streams that do not wait for the legacy stream.
  void add_stream(CUstream stream);
  /// Notes what the stream still does, then forgets it.
  CUresult remove_stream(CUstream stream);
  /// Forgets the stream without a call of the driver. What it still does is not known then, and the
  /// next record_streams() waits for all that the context does.
  void lose_stream(CUstream stream);
  /// Work of a stream is under way that no event tells of: only waiting for the context covers it.
  bool has_lost_work() const { return has_lost_work_.load(); }
  /// Waits for all that the context does. Requires: the context is current.
  CUresult wait_for_all();
  /// An event behind the work of each of them that may have some, and of those that were destroyed.
  /// A stream that had none at the last fences is asked first whether it has; so each takes two
  /// calls, and a third one when it begins to have work or has no more. Requires: the context is
  /// current, and has_lost_work() is false.
  CUresult record_streams(std::vector<ContextEvent>& into);
  /// The stream's event was complete at the first question.
  void note_idle(CUstream stream);
  /// Some stream's event was not.
  void note_work();

 private:
  struct KnownStream {
    CUstream stream;
    /// So many fences in a row found it without work; after the second one it is asked first.
    int idle_fences = 0;
  };
  void forget_finished_works();
  CUresult record_known(KnownStream& known, std::vector<ContextEvent>& into);
  /// As record_on(), of a stream that does not capture.
  CUresult record_outside_of_captures(CUstream stream, std::vector<ContextEvent>& into);

  const streams::CudaDriver& driver_;
  CaptureGate& gate_;
  const CUcontext handle_;
  const unsigned long long id_;
  std::atomic<bool> is_gone_ = false;
  std::atomic<int> endings_ = 0;
  std::atomic<CUresult> error_ = CUDA_SUCCESS;
  std::atomic<CUresult> refusal_ = CUDA_SUCCESS;
  std::atomic<int> doubts_ = 0;
  std::atomic<bool> has_new_doubt_ = false;

  std::mutex events_mutex_;
  std::vector<CUevent> spare_events_;

  std::mutex streams_mutex_;
  std::vector<KnownStream> streams_;
  std::atomic<bool> has_lost_work_ = false;
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
