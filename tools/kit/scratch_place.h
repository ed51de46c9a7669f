// Where the program may put scratch files: TMPDIR, or else /tmp.
#pragma once

#include "traces/files/scratch_file.h"

namespace vramlab::tools {

traces::ScratchPlace scratch_place();

}  // namespace vramlab::tools
