#include "tools/preload/exports/exports.h"

namespace vramlab::preload {

void* replacement(Hook hook) {
  switch (hook) {
#define VRAMLAB_REPLACEMENT(symbol, type, use) \
  case Hook::symbol:                           \
    return reinterpret_cast<void*>(&::symbol);
    VRAMLAB_HOOKS(VRAMLAB_REPLACEMENT)
#undef VRAMLAB_REPLACEMENT
  }
  return nullptr;
}

}  // namespace vramlab::preload
