// Pinned host memory of any bytes as a native trace in text form.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/fuzz/host_memory_fuzz_body.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  const std::string input(bytes, bytes + count);
  if (const auto broken = vramlab::support::broken_rule_of_host_memory(input)) {
    std::fprintf(stderr, "broken rule: %s\n", broken->c_str());
    std::abort();
  }
  return 0;
}
