// Which frame of a stack says where in the program something happened: the innermost one of the
// user's own code, not of PyTorch, of Python's library or of what is installed beside it.
#pragma once

#include <optional>
#include <string>

#include "traces/snapshot_tables.h"

namespace vramlab::replay {

/// Without such a frame the innermost of any Python file, then the innermost step of the backward
/// pass, which runs on threads without Python, then the innermost of any file that is named.
/// Nothing for a stack without frames.
std::optional<traces::FrameId> innermost_user_frame(traces::StackId stack,
                                                    const traces::SnapshotTables& tables);

/// Such as `train.py:12 step`: the last two parts of the path, the line, the function; of a step of
/// the backward pass such as `torch::autograd::generated::MmBackward0`.
std::string frame_text(traces::FrameId frame, const traces::SnapshotTables& tables);

}  // namespace vramlab::replay
