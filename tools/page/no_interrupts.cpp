// A page has no signals: who does not want to wait ends the worker, and its files end with it.
#include "tools/kit/interrupts.h"

namespace vramlab::tools {

RemovalOnInterrupt::RemovalOnInterrupt() = default;
RemovalOnInterrupt::~RemovalOnInterrupt() = default;
void RemovalOnInterrupt::begin(std::vector<std::string> paths) { paths_ = std::move(paths); }

}  // namespace vramlab::tools
