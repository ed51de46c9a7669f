#include "tools/preload/exports/hooked.h"

#include <array>
#include <atomic>

namespace vramlab::preload {
namespace {

using HookFlags = std::array<std::atomic<bool>, hook_count>;

constinit HookFlags functions_given{};
constinit HookFlags functions_called{};

/// Written once, so that calls from many threads do not take it from each other.
void note(HookFlags& flags, Hook hook) {
  std::atomic<bool>& flag = flags[static_cast<std::size_t>(hook)];
  if (!flag.load(std::memory_order_relaxed)) [[unlikely]]
    flag.store(true, std::memory_order_relaxed);
}

}  // namespace

void note_given(Hook hook) { note(functions_given, hook); }
void note_called(Hook hook) { note(functions_called, hook); }

std::string hooked_text() {
  int count = 0;
  std::string names;
  for (const HookRow& row : hook_rows()) {
    const auto index = static_cast<std::size_t>(row.hook);
    if (functions_given[index].load() || functions_called[index].load()) ++count;
    if (functions_called[index].load()) names.append(" ").append(row.symbol);
  }
  if (count == 0)
    return "nothing was hooked: the program asked for none of the driver's functions that are "
           "replaced";
  return "hooked " + std::to_string(count) + " functions of the driver, called" +
         (names.empty() ? " none" : ":" + names);
}

}  // namespace vramlab::preload
