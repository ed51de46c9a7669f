// A program on a terminal of its own.
#pragma once

#include <string>
#include <vector>

namespace vramlab::tests {

/// Everything that the program prints on a terminal, up to a text or its end. It is killed then.
std::string printed_on_terminal(const std::vector<std::string>& command, const std::string& until);

}  // namespace vramlab::tests
