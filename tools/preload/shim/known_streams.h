// KnownStreams: which context a stream belongs to, and which captures are open.
#pragma once

#include <pthread.h>

#include <mutex>
#include <unordered_map>
#include <vector>

#include "streams/cuda_interface/types.h"
#include "tools/preload/segments/context_record.h"

namespace vramlab::shim {

class KnownStreams {
 public:
  void created(CUstream stream, ContextRecord& context);
  /// Null where it was created out of sight.
  ContextRecord* destroyed(CUstream stream);
  ContextRecord* context_of(CUstream stream) const;

  /// A capture is about to begin; ends with capture_over(), also where it did not begin. The
  /// context may be null.
  void capture_begins(CUstream stream, ContextRecord* context);
  /// Whether one is known.
  bool capture_over(CUstream stream);
  /// The context is gone with its streams. Says how many of its captures are over with it.
  std::size_t forget(const ContextRecord& context);

 private:
  struct Capture {
    CUstream stream;
    /// The per-thread default stream is another one on each thread.
    pthread_t thread;
    ContextRecord* context;
  };

  mutable std::mutex mutex_;
  std::unordered_map<CUstream, ContextRecord*> contexts_;
  std::vector<Capture> captures_;
};

}  // namespace vramlab::shim
