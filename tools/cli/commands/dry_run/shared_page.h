// The processes that shared the GPUs of a dry run (--shared) as a page of HTML: a lane for each
// one, all on one scale of memory and of time, and one for their sum. It needs no other file and no
// script.
#pragma once

#include <string>

#include "tools/cli/commands/dry_run/shared_memory.h"

namespace vramlab::tools {

/// `room`: the memory of a GPU. A lane is as high, or higher where contexts made the sum larger.
std::string shared_page(const SharedMemory& shared, Bytes room);

}  // namespace vramlab::tools
