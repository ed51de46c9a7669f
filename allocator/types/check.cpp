#include "allocator/types/check.h"

#include <cstdio>
#include <cstdlib>

namespace vramlab {

void check_failed(const char* sentence, const char* file, int line) {
  std::fprintf(stderr, "vramlab: internal error at %s:%d: %s\n", file, line, sentence);
  std::abort();
}

}  // namespace vramlab
