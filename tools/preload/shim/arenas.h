// Arenas: the arena of each context, found by the current context and by address. A context is the
// number that the driver gives it; its handle alone may be that of another one by now.
//
// Arenas are added and never taken away, so looking for one needs no lock.
#pragma once

#include <atomic>
#include <mutex>

#include "tools/preload/shim/arena.h"

namespace vramlab::shim {

class Arenas {
 public:
  Arenas(const ShimOptions& options, FenceRecorder& recorder, const streams::CudaDriver& driver)
      : options_(options), recorder_(recorder), driver_(driver) {}
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
  bool are_none() const { return newest_.load(std::memory_order_acquire) == nullptr; }

  /// What the first arena says that knows the address; nothing where none does.
  template <class Ask>
  auto ask_owner(CUdeviceptr at, const Ask& ask) -> decltype(ask(std::declval<Arena&>()));
  template <class Look>
  void for_each(const Look& look);

 private:
  struct Entry {
    Entry(const ShimOptions& options, FenceRecorder& recorder, const streams::CudaDriver& driver,
          CUcontext handle, unsigned long long id, Entry* before)
        : arena(options, recorder, driver, handle, id), older(before) {}
    Arena arena;
    Entry* const older;
  };

  Arena* find(CUcontext handle, unsigned long long id);

  const ShimOptions& options_;
  FenceRecorder& recorder_;
  const streams::CudaDriver& driver_;
  std::atomic<Entry*> newest_ = nullptr;
  std::mutex adding_;
};

template <class Ask>
auto Arenas::ask_owner(CUdeviceptr at, const Ask& ask) -> decltype(ask(std::declval<Arena&>())) {
  for (Entry* entry = newest_.load(std::memory_order_acquire); entry != nullptr;
       entry = entry->older) {
    if (!entry->arena.may_own(at)) continue;
    if (auto answer = ask(entry->arena)) return answer;
  }
  return {};
}

template <class Look>
void Arenas::for_each(const Look& look) {
  for (Entry* entry = newest_.load(std::memory_order_acquire); entry != nullptr;
       entry = entry->older)
    look(entry->arena);
}

}  // namespace vramlab::shim
