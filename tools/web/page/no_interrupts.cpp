// A page has no signals. A user who does not want to wait ends the worker, and its files end with
// it.
#include "tools/cli/kit/interrupts.h"

namespace vramlab::tools {

HeldInterrupts::HeldInterrupts() = default;
HeldInterrupts::~HeldInterrupts() = default;
void HeldInterrupts::answer_with(std::function<void(int signal)> answer) {
  answer_ = std::move(answer);
}

void RemovalOnInterrupt::begin(std::vector<std::string>) {}

StopOnInterrupt::StopOnInterrupt() = default;

Ticker::Ticker(std::chrono::milliseconds, std::function<void()>) {}
Ticker::~Ticker() = default;

}  // namespace vramlab::tools
