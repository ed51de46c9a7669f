// Any bytes as a native trace, binary form: as they are, and with lengths and checksums put right.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

#include "tests/support/fuzz/native_fuzz_bodies.h"

namespace {

void stop_if(const std::optional<std::string>& broken) {
  if (!broken) return;
  std::fprintf(stderr, "broken rule: %s\n", broken->c_str());
  std::abort();
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  const std::string input(bytes, bytes + count);
  stop_if(vramlab::support::broken_rule_of_native_binary(input));
  stop_if(
      vramlab::support::broken_rule_of_native_binary(vramlab::support::assembled_binary(input)));
  return 0;
}
