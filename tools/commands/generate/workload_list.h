// What `vramlab generate --list` prints.
#pragma once

#include <string>

namespace vramlab::tools {

std::string workload_list_text();
std::string workload_list_json();

}  // namespace vramlab::tools
