#include "tools/cuda_standins/model/contexts.h"

#include "allocator/types/check.h"

namespace vramlab::dry_run {

Contexts::Contexts(std::uint32_t device_count) : primaries_(device_count) {
  for (Primary& primary : primaries_) primary.handle = handles_.take();
}

Context* Contexts::find(CUcontext handle) {
  const auto found = live_.find(value_of(handle));
  return found == live_.end() ? nullptr : &found->second;
}

Context* Contexts::find_number(std::uint32_t number) {
  for (auto& [handle, context] : live_)
    if (context.number == number) return &context;
  return nullptr;
}

Context& Contexts::retain_primary(std::uint32_t device) {
  Primary& primary = primaries_.at(device);
  ++primary.users;
  const auto [found, is_new] = live_.try_emplace(primary.handle);
  if (is_new)
    found->second = {.number = next_number_++,
                     .id = next_id_++,
                     .device = device,
                     .handle = primary.handle,
                     .flags = primary.flags,
                     .is_primary = true,
                     .peers = {}};
  return found->second;
}

bool Contexts::release_primary(std::uint32_t device) {
  Primary& primary = primaries_.at(device);
  check(primary.users > 0, "a context is released by who holds it");
  return --primary.users == 0;
}

Context* Contexts::primary(std::uint32_t device) {
  const auto found = live_.find(primaries_.at(device).handle);
  return found == live_.end() ? nullptr : &found->second;
}

Context& Contexts::create(std::uint32_t device, unsigned flags) {
  const std::uint64_t handle = handles_.take();
  Context& made = live_[handle];
  made = {.number = next_number_++,
          .id = next_id_++,
          .device = device,
          .handle = handle,
          .flags = flags,
          .peers = {}};
  return made;
}

Context& Contexts::create_green(std::uint32_t device, unsigned flags) {
  const std::uint32_t number = primary(device)->number;
  Context& made = create(device, flags);
  made.number = number;
  made.is_green = true;
  return made;
}

void Contexts::remove_green(const Context& context) {
  check(context.is_green, "what is removed alone is a green context");
  const std::uint64_t handle = context.handle;
  handles_.give_back(handle);
  live_.erase(handle);
}

void Contexts::remove(const Context& context) {
  const std::uint64_t handle = context.handle;
  const std::uint32_t number = context.number;
  if (context.is_primary)
    primaries_.at(context.device).users = 0;
  else
    handles_.give_back(handle);
  live_.erase(handle);
  std::erase_if(live_, [&](const auto& left) {
    if (left.second.number == number) handles_.give_back(left.first);
    return left.second.number == number;
  });
  for (auto& [other, left] : live_) left.peers.erase(handle);
}

CUcontext Contexts::current(std::uint32_t thread) const {
  const auto found = stacks_.find(thread);
  return found == stacks_.end() || found->second.empty() ? nullptr : found->second.back();
}

void Contexts::set_current(std::uint32_t thread, CUcontext context) {
  std::vector<CUcontext>& stack = stacks_[thread];
  if (!stack.empty()) stack.pop_back();
  if (context != nullptr) stack.push_back(context);
}

bool Contexts::pop(std::uint32_t thread) {
  std::vector<CUcontext>& stack = stacks_[thread];
  if (stack.empty()) return false;
  stack.pop_back();
  return true;
}

}  // namespace vramlab::dry_run
