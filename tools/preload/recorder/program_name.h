// What this process runs, for the header of its recording.
#pragma once

#include <string>

namespace vramlab::preload {

/// The file's name without its folders; empty where the system does not say.
std::string program_name();

}  // namespace vramlab::preload
