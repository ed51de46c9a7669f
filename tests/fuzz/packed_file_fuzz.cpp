// Any bytes as a packed file: gzip, zstd, a zip archive, a page of PyTorch's viewer.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/fuzz/file_fuzz_bodies.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  const std::string input(bytes, bytes + count);
  if (const auto broken = vramlab::support::broken_rule_of_packed_file(input)) {
    std::fprintf(stderr, "broken rule: %s\n", broken->c_str());
    std::abort();
  }
  return 0;
}
