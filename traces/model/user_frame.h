// Which frame of a stack says where in the program something happened: the innermost one of the
// user's own code, not of PyTorch, of Python's library or of what is installed beside it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "traces/model/snapshot_tables.h"

namespace vramlab::traces {

/// Without such a frame the innermost of any Python file, then a node of a backward pass, then the
/// outermost operation of PyTorch, then the innermost of any file that is named, that of the
/// allocator and of what records stacks last.
/// Null for a stack without frames.
std::optional<FrameId> innermost_user_frame(StackId stack, const SnapshotTables& tables);

/// Such as `train.py:12 step`: the last two parts of the path, the line, the function. One of C++
/// without its arguments.
std::string frame_text(FrameId frame, const SnapshotTables& tables);

enum class FrameChoice : std::uint8_t {
  /// Python's, without those of C and C++ between and below them; of a stack that has none, all but
  /// those of the allocator and of what records stacks.
  readable,
  all,
};

/// Innermost first.
std::vector<FrameId> frames_of(StackId stack, const SnapshotTables& tables, FrameChoice choice);

/// If the frame is PyTorch's own: its file, without the folders that PyTorch was installed or built
/// in, such as `torch/nn/modules/linear.py`. A function of C++ is PyTorch's if everything that its
/// name consists of is PyTorch's or of a common library, template arguments too. Null otherwise.
std::optional<std::string> file_in_pytorch(const FrameValue& frame, const TextTable& texts);

/// `at::Tensor at::f<int>(long, at::Tensor const&) const` becomes `at::Tensor at::f<>`. Names that
/// are not of C++ stay as they are.
std::string without_arguments(std::string_view function);

}  // namespace vramlab::traces
