// Verifies the bundled cases with this program's engine. The exit status is 0 when a difference was
// found and located, 1 when the broken rule went unnoticed.
#include <algorithm>
#include <cstdio>
#include <filesystem>

#include "tests/support/processes/places.h"
#include "tests/support/recordings/case_history.h"

namespace {

namespace fs = std::filesystem;
using vramlab::replay::DeviceFidelity;
using vramlab::replay::FidelityLabel;

std::vector<std::string> case_names() {
  std::vector<std::string> names;
  for (const auto& entry :
       fs::directory_iterator(vramlab::support::source_dir() + "/tests/conformance"))
    if (entry.path().extension() == ".gz") names.push_back(entry.path().stem().stem().string());
  std::ranges::sort(names);
  return names;
}

}  // namespace

int main() {
  std::size_t located = 0;
  std::size_t verified = 0;
  for (const std::string& name : case_names()) {
    const auto recorded = vramlab::tests::bundled_case(name);
    if (!vramlab::tests::is_replayable(recorded)) continue;
    ++verified;
    const DeviceFidelity fidelity =
        vramlab::tests::fidelity_of(vramlab::tests::history_of(recorded), recorded);
    if (fidelity.label == FidelityLabel::exact || !fidelity.first_difference) continue;
    if (located++ == 0)
      std::printf("%s, event %zu: %s\n", name.c_str(), fidelity.first_difference->event,
                  fidelity.first_difference->text.c_str());
  }
  std::printf("%zu of %zu replays differ\n", located, verified);
  return located > 0 ? 0 : 1;
}
