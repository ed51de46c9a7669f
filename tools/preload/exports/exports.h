// The functions that the preload exports under the driver's names. Each is declared with the
// driver's type for it, so one with other arguments does not compile.
#pragma once

#include <type_traits>

#include "tools/preload/ground/hook_table.h"

// NOLINTBEGIN(bugprone-macro-parentheses): a declaration has its name without them.
#define VRAMLAB_DECLARE_EXPORT(symbol, type, use) \
  extern "C" __attribute__((visibility("default"))) std::remove_pointer_t<type> symbol;
// NOLINTEND(bugprone-macro-parentheses)
VRAMLAB_HOOKS(VRAMLAB_DECLARE_EXPORT)
#undef VRAMLAB_DECLARE_EXPORT
