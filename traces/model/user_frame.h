// The frame of a stack that says where in the program something happened: the innermost frame of
// the user's own code, not of PyTorch, of Python's library or of packages that are installed beside
// it. Beside it: frames as text for people, and PyTorch's own frames without the folders of a
// machine.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/model/snapshot_tables.h"

namespace vramlab::traces {

/// A stack without a user's frame has instead, in this order: the innermost frame of any Python
/// file, a node of a backward pass, the outermost operation of PyTorch, the innermost frame of any
/// named file, a frame of the allocator or of the code that records stacks. Null for a stack
/// without frames.
std::optional<FrameId> innermost_user_frame(StackId stack, const SnapshotTables& tables);

/// The frames of the user's own code, innermost first.
std::vector<FrameId> user_frames(StackId stack, const SnapshotTables& tables);

/// Such as `train.py:12 step`: the last two parts of the path, the line, the function. A function
/// of C++ stands without its arguments.
std::string frame_text(FrameId frame, const SnapshotTables& tables);

enum class FrameChoice : std::uint8_t {
  /// Python's frames, without those of C and C++ between and below them. A stack without such
  /// frames
  /// gives all but those of the allocator and of the code that records stacks.
  readable,
  all,
};

/// Innermost first.
std::vector<FrameId> frames_of(StackId stack, const SnapshotTables& tables, FrameChoice choice);

/// The file of a frame of PyTorch itself, without the folders that PyTorch was installed or built
/// in, such as `torch/nn/modules/linear.py`; null for every other frame. A function of C++ is
/// PyTorch's if all parts of its name are PyTorch's or of a common library, template arguments too.
std::optional<std::string> file_in_pytorch(const FrameValue& frame, const TextTable& texts);

/// `at::Tensor at::f<int>(long, at::Tensor const&) const` becomes `at::Tensor at::f<>`. Names that
/// are not of C++ stay as they are.
std::string without_arguments(std::string_view function);

}  // namespace vramlab::traces
