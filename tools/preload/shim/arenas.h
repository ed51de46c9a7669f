// Arenas: the arena of each context, found by the current context and by address. A context is the
// number that the driver gives it; its handle alone may be that of another one by now.
//
// Looking for one needs no lock: arenas are added in front. Those whose contexts are gone are taken
// out, so that they cost nothing, but what is left of them stays: somebody may just look at it.
#pragma once

#include <atomic>
#include <mutex>
#include <vector>

#include "tools/preload/shim/arena.h"

namespace vramlab::shim {

class Arenas {
 public:
  Arenas(const ShimOptions& options, FenceRecorder& recorder, const streams::CudaDriver& driver)
      : driver_(driver), stacks_(options.stacks), parts_{options, recorder, driver,
                                                         gate_,   stacks_,  callbacks_} {}
  Arenas(const Arenas&) = delete;
  Arenas& operator=(const Arenas&) = delete;
  ~Arenas();

  /// The arena of the current context; null without one.
  [[gnu::flatten]] Arena* current();
  /// Made where there is none. Null where the driver does not know the context.
  Arena* of(CUcontext handle);
  /// Null where there is none.
  Arena* find(CUcontext handle);
  /// Gives back what is idle on the device, on all of them below 0; only what is awaited as well is
  /// waited for. Whether it was anything.
  bool make_room(CUdevice device, const Arena* except = nullptr);
  /// What contexts left behind that are gone. Whether it was anything.
  bool give_up_rests(CUdevice device);
  /// One count for the process.
  CaptureGate& gate() { return gate_; }
  const TakenStacks& stacks() const { return stacks_; }
  /// What is asked for memory when no cached block fits.
  FreeMemoryCallbacks& callbacks() { return callbacks_; }
  /// Memory that is allocated in the context of a green context is its primary one's.
  void add_green(ContextName green, CUcontext primary);
  void forget_green(ContextName green);
  /// Those whose contexts are gone are not looked at any more.
  void take_out_gone();
  bool are_none() const { return newest_.load(std::memory_order_acquire) == nullptr; }

  /// What the first arena says that knows the address; nothing where none does.
  template <class Ask>
  auto ask_owner(CUdeviceptr at, const Ask& ask) -> decltype(ask(std::declval<Arena&>()));
  template <class Look>
  void for_each(const Look& look);

 private:
  struct Entry {
    Entry(const ArenaParts& parts, ContextName name, Entry* before)
        : arena(parts, name), older(before) {}
    Arena arena;
    /// Changes when those that come after it are taken out.
    std::atomic<Entry*> older;
  };
  struct Green {
    ContextName name;
    Arena* arena;
  };

  Arena* find(CUcontext handle, unsigned long long id);

  /// The arena of a green context's primary one; null where it is no green context's.
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
  /// Taken out, but perhaps still looked at.
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
