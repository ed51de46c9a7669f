// Any bytes as a script.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/fuzz/native_fuzz_bodies.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  const std::string input(bytes, bytes + count);
  if (const auto broken = vramlab::support::broken_rule_of_native_script(input)) {
    std::fprintf(stderr, "broken rule: %s\n", broken->c_str());
    std::abort();
  }
  return 0;
}
