// The names that --gpu takes: the list of them, and the question about a name that is none or means
// several.
#pragma once

#include <string>
#include <string_view>

namespace vramlab::tools {

/// The GPUs in groups, each with its memory and the source of the figure.
std::string gpu_list_text();

/// Empty if a GPU has this name, in upper or lower case.
std::string refusal_of_gpu(std::string_view name);

}  // namespace vramlab::tools
