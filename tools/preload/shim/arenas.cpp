#include "tools/preload/shim/arenas.h"

#include <algorithm>

namespace vramlab::shim {

void KnownStreams::created(CUstream stream, ContextRecord& context) {
  const std::lock_guard lock(mutex_);
  contexts_[stream] = &context;
}

ContextRecord* KnownStreams::destroyed(CUstream stream) {
  const std::lock_guard lock(mutex_);
  const auto found = contexts_.find(stream);
  if (found == contexts_.end()) return nullptr;
  ContextRecord* const context = found->second;
  contexts_.erase(found);
  return context;
}

ContextRecord* KnownStreams::context_of(CUstream stream) const {
  const std::lock_guard lock(mutex_);
  const auto found = contexts_.find(stream);
  return found == contexts_.end() ? nullptr : found->second;
}

void KnownStreams::capture_begins(CUstream stream, ContextRecord* context) {
  const std::lock_guard lock(mutex_);
  captures_.push_back({stream, pthread_self(), context});
}

bool KnownStreams::capture_over(CUstream stream) {
  const std::lock_guard lock(mutex_);
  const auto is_it = [&](const Capture& capture) {
    return capture.stream == stream &&
           (stream != CU_STREAM_PER_THREAD || pthread_equal(capture.thread, pthread_self()) != 0);
  };
  const auto newest = std::find_if(captures_.rbegin(), captures_.rend(), is_it);
  if (newest == captures_.rend()) return false;
  captures_.erase(std::next(newest).base());
  return true;
}

std::size_t KnownStreams::forget(const ContextRecord& context) {
  const std::lock_guard lock(mutex_);
  std::erase_if(contexts_, [&](const auto& known) { return known.second == &context; });
  return std::erase_if(captures_,
                       [&](const Capture& capture) { return capture.context == &context; });
}

Arenas::~Arenas() {
  for (const Entry* entry = newest_.load(); entry != nullptr;) {
    const Entry* const older = entry->older.load();
    delete entry;
    entry = older;
  }
  for (const Entry* entry : taken_out_) delete entry;
}

Arena* Arenas::current() {
  CUcontext handle = nullptr;
  if (driver_.context_current(&handle) != CUDA_SUCCESS || handle == nullptr) return nullptr;
  return of(handle);
}

Arena* Arenas::of(CUcontext handle) {
  ContextName name{handle};
  if (driver_.context_id != nullptr && driver_.context_id(handle, &name.id) != CUDA_SUCCESS)
    return nullptr;
  if (Arena* known = find(handle, name.id)) [[likely]]
    return known;
  if (Arena* primary = find_green(name)) return primary;
  return add(name);
}

Arena* Arenas::add(ContextName name) {
  const std::lock_guard lock(adding_);
  if (Arena* known = find(name.handle, name.id)) return known;
  auto* const made = new Entry(parts_, name, newest_.load());
  made->arena.set_make_room(
      [this](CUdevice device, const Arena* except) { return make_room(device, except); });
  newest_.store(made, std::memory_order_release);
  return &made->arena;
}

Arena* Arenas::find(CUcontext handle) {
  for (Entry* entry = newest_.load(std::memory_order_acquire); entry != nullptr;
       entry = entry->older.load(std::memory_order_acquire)) {
    const ContextRecord& context = entry->arena.context();
    if (context.handle() == handle && !context.is_gone()) return &entry->arena;
  }
  return nullptr;
}

Arena* Arenas::find(CUcontext handle, unsigned long long id) {
  Arena* known = find(handle);
  if (known == nullptr || known->context().id() == id) return known;
  // The handle is another context's by now, and the end of the first was not told.
  known->drop();
  return nullptr;
}

Arena* Arenas::find_green(ContextName name) {
  if (!has_green_.load(std::memory_order_acquire)) return nullptr;
  const std::lock_guard lock(adding_);
  for (const Green& green : green_)
    if (green.name.handle == name.handle && green.name.id == name.id &&
        !green.arena->context().is_gone())
      return green.arena;
  return nullptr;
}

void Arenas::add_green(ContextName green, CUcontext primary) {
  Arena* const arena = of(primary);
  if (arena == nullptr) return;
  const std::lock_guard lock(adding_);
  green_.push_back({green, arena});
  has_green_.store(true, std::memory_order_release);
}

void Arenas::forget_green(ContextName green) {
  const std::lock_guard lock(adding_);
  std::erase_if(green_, [&](const Green& known) {
    return known.name.handle == green.handle && known.name.id == green.id;
  });
}

void Arenas::take_out_gone() {
  const std::lock_guard lock(adding_);
  std::erase_if(green_, [](const Green& green) { return green.arena->context().is_gone(); });
  std::atomic<Entry*>* place = &newest_;
  while (Entry* const entry = place->load()) {
    if (!entry->arena.context().is_gone()) {
      place = &entry->older;
      continue;
    }
    // A thread that stands on it still finds the way on.
    place->store(entry->older.load(), std::memory_order_release);
    taken_out_.push_back(entry);
  }
}

bool Arenas::give_up_rests(CUdevice device) {
  const std::lock_guard lock(adding_);
  bool is_made = false;
  for (Entry* const entry : taken_out_)
    if (device < 0 || entry->arena.is_on(device)) is_made |= entry->arena.give_up_rest();
  return is_made;
}

bool Arenas::make_room(CUdevice device, const Arena* except) {
  bool is_made = give_up_rests(device);
  for (const Patience patience : {Patience::none, Patience::waits}) {
    for_each([&](Arena& arena) {
      if (&arena != except && (device < 0 || arena.is_on(device)))
        is_made |= arena.give_back_idle(patience);
    });
    if (is_made) return true;
  }
  return false;
}

}  // namespace vramlab::shim
