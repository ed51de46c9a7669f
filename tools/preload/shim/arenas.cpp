#include "tools/preload/shim/arenas.h"

namespace vramlab::shim {

Arenas::~Arenas() {
  for (const Entry* entry = newest_.load(); entry != nullptr;) {
    const Entry* const older = entry->older;
    delete entry;
    entry = older;
  }
}

Arena* Arenas::current() {
  CUcontext handle = nullptr;
  if (driver_.context_current(&handle) != CUDA_SUCCESS || handle == nullptr) return nullptr;
  return of(handle);
}

Arena* Arenas::of(CUcontext handle) {
  unsigned long long id = 0;
  if (driver_.context_id != nullptr && driver_.context_id(handle, &id) != CUDA_SUCCESS)
    return nullptr;
  if (Arena* known = find(handle, id)) [[likely]]
    return known;
  const std::lock_guard lock(adding_);
  if (Arena* known = find(handle, id)) return known;
  auto* const made = new Entry(options_, recorder_, driver_, handle, id, newest_.load());
  Arena& arena = made->arena;
  arena.set_make_room(
      [this](CUdevice device, const Arena* except) { return make_room(device, except); });
  newest_.store(made, std::memory_order_release);
  return &arena;
}

bool Arenas::make_room(CUdevice device, const Arena* except) {
  for (const Patience patience : {Patience::none, Patience::waits}) {
    bool is_made = false;
    for_each([&](Arena& arena) {
      if (&arena != except && (device < 0 || arena.is_on(device)))
        is_made |= arena.give_back_idle(patience);
    });
    if (is_made) return true;
  }
  return false;
}

Arena* Arenas::find(CUcontext handle) {
  for (Entry* entry = newest_.load(std::memory_order_acquire); entry != nullptr;
       entry = entry->older) {
    const ContextRecord& context = entry->arena.context();
    if (context.handle() == handle && !context.is_gone()) return &entry->arena;
  }
  return nullptr;
}

Arena* Arenas::find(CUcontext handle, unsigned long long id) {
  Arena* known = find(handle);
  if (known == nullptr || known->context().id() == id) return known;
  // The context with this handle is another one by now, and nobody told that the first was gone.
  known->drop();
  return nullptr;
}

}  // namespace vramlab::shim
