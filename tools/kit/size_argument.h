// Sizes on the command line: 80GiB, 80GB, 1048576, and 23.69GiB, as PyTorch's messages say them.
#pragma once

#include <CLI/CLI.hpp>

namespace vramlab::tools {

/// Makes bytes of a size, parts of a byte left out.
CLI::Validator size_in_bytes();

}  // namespace vramlab::tools
