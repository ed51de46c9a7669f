// Arenas: the arena of each context, found by the current context and by address. KnownStreams: the
// context of each stream, and the open captures.
#pragma once

#include <pthread.h>

#include <atomic>
#include <mutex>
#include <unordered_map>
#include <vector>

#include "streams/cuda_interface/types.h"
#include "tools/preload/segments/context_record.h"
#include "tools/preload/shim/arena.h"

namespace vramlab::shim {

class KnownStreams {
 public:
  void created(CUstream stream, ContextRecord& context);
  /// Null if its creation was not seen.
  ContextRecord* destroyed(CUstream stream);
  ContextRecord* context_of(CUstream stream) const;

  /// A capture is about to begin; ends with capture_over(), also where it did not begin. The
  /// context may be null.
  void capture_begins(CUstream stream, ContextRecord* context);
  /// Returns whether a capture was known.
  bool capture_over(CUstream stream);
  /// The context is gone with its streams. Returns how many of its captures are over with it.
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

// Arenas: a context is the number that the driver gives it; its handle alone may be that of another
// one by now.
//
// Looking for one needs no lock: arenas are added in front. Arenas of contexts that are gone are
// taken out, so that they cost nothing, but the objects stay: another thread may just look at them.

class Arenas {
 public:
  Arenas(const ShimOptions& options, FenceRecorder& recorder, const streams::CudaDriver& driver)
      : driver_(driver),
        stacks_(options.stacks),
        parts_{options, recorder, driver, gate_, stacks_, callbacks_} {}
  Arenas(const Arenas&) = delete;
  Arenas& operator=(const Arenas&) = delete;
  ~Arenas();

  /// The arena of the current context; null without one.
  [[gnu::flatten]] Arena* current();
  /// Makes the arena if it is missing. Null if the driver does not know the context.
  Arena* of(CUcontext handle);
  /// Null without one.
  Arena* find(CUcontext handle);
  /// Gives back the idle memory of the device (below 0: of all devices), and waits for freed memory
  /// only if that is wanted too. Returns whether it was any.
  bool make_room(CUdevice device, const Arena* except = nullptr);
  /// Gives back memory that contexts left behind when they went. Returns whether it was any.
  bool give_up_rests(CUdevice device);
  /// The gate of the process: one for all contexts.
  CaptureGate& gate() { return gate_; }
  const TakenStacks& stacks() const { return stacks_; }
  /// The callbacks that are asked for memory when no cached block fits.
  FreeMemoryCallbacks& callbacks() { return callbacks_; }
  /// Memory that is allocated in the context of a green context is its primary one's.
  void add_green(ContextName green, CUcontext primary);
  void forget_green(ContextName green);
  /// Takes out the arenas whose contexts are gone.
  void take_out_gone();
  bool are_none() const { return newest_.load(std::memory_order_acquire) == nullptr; }

  /// The answer of the first arena that knows the address; nothing if none does.
  template <class Ask>
  auto ask_owner(CUdeviceptr at, const Ask& ask) -> decltype(ask(std::declval<Arena&>()));
  template <class Look>
  void for_each(const Look& look);

 private:
  struct Entry {
    Entry(const ArenaParts& parts, ContextName name, Entry* before)
        : arena(parts, name), older(before) {}
    Arena arena;
    /// The next one; it changes when arenas behind are taken out.
    std::atomic<Entry*> older;
  };
  struct Green {
    ContextName name;
    Arena* arena;
  };

  Arena* find(CUcontext handle, unsigned long long id);

  /// The arena of a green context's primary one; null if it is no green context.
  Arena* find_green(ContextName name);
  Arena* add(ContextName name);

  const streams::CudaDriver& driver_;
  CaptureGate gate_;
  TakenStacks stacks_;
  FreeMemoryCallbacks callbacks_;
  const ArenaParts parts_;
  std::atomic<Entry*> newest_ = nullptr;
  std::atomic<bool> has_green_ = false;
  std::mutex adding_;
  std::vector<Green> green_;
  /// Entries that were taken out, but perhaps another thread looks at them.
  std::vector<Entry*> taken_out_;
};

template <class Ask>
auto Arenas::ask_owner(CUdeviceptr at, const Ask& ask) -> decltype(ask(std::declval<Arena&>())) {
  for (Entry* entry = newest_.load(std::memory_order_acquire); entry != nullptr;
       entry = entry->older.load(std::memory_order_acquire)) {
    if (!entry->arena.may_own(at)) continue;
    if (auto answer = ask(entry->arena)) return answer;
  }
  return {};
}

template <class Look>
void Arenas::for_each(const Look& look) {
  for (Entry* entry = newest_.load(std::memory_order_acquire); entry != nullptr;
       entry = entry->older.load(std::memory_order_acquire))
    look(entry->arena);
}

}  // namespace vramlab::shim
