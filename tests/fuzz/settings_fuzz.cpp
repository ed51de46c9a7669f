// Any bytes as an option string, with the grammar of each version.
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>

#include "tests/support/fuzz/settings_fuzz_body.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* bytes, std::size_t count) {
  const std::string text(bytes, bytes + count);
  if (const auto broken = vramlab::support::broken_rule_of_settings(text)) {
    std::fprintf(stderr, "broken rule: %s\n", broken->c_str());
    std::abort();
  }
  return 0;
}
