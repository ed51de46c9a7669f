#include "tests/support/cases/device_answers.h"

#include <algorithm>

namespace vramlab::tests {

std::vector<std::int64_t> device_figures(const StreamCall& call, const StreamAnswer& answer) {
  if (call.kind != StreamCallKind::capture_of) return answer.figures;
  if (answer.figures.empty()) return {0, 0};
  // The name of the capture, then its ends; dependences of the ends are negative.
  const auto names =
      std::ranges::count_if(answer.figures, [](std::int64_t name) { return name > 0; });
  return {1, static_cast<std::int64_t>(names) - 1};
}

std::string work_run_text(WorkRun run) {
  return "work " + std::to_string(run.tag) + ", run " + std::to_string(run.number);
}

}  // namespace vramlab::tests
