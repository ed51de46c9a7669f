#include "replay/kinds/guessed_kinds.h"

#include <string>
#include <string_view>
#include <unordered_map>

#include "traces/model/user_frame.h"

namespace vramlab::replay {
namespace {

using traces::Phase;

/// The calls that a stack is in.
struct StackFlags {
  bool step = false;
  bool backward = false;
  bool module_call = false;
  bool setup = false;
};

void note_python_frame(std::string_view file, std::string_view function, StackFlags& flags) {
  const bool is_module = file == "torch/nn/modules/module.py";
  if (is_module && (function == "_call_impl" || function == "_wrapped_call_impl"))
    flags.module_call = true;
  const bool makes = function == "__init__" || function == "reset_parameters";
  if ((is_module && function == "_apply") || (file.starts_with("torch/nn/modules/") && makes))
    flags.setup = true;
  const bool is_optimizer = file.starts_with("torch/optim/");
  if (is_optimizer && function != "zero_grad" && function != "__init__") flags.step = true;
  const bool runs_backward =
      function == "_engine_run_backward" || function == "backward" || function == "grad";
  if (file.starts_with("torch/autograd/") && runs_backward) flags.backward = true;
}

StackFlags flags_of(traces::StackId stack, const traces::SnapshotTables& tables) {
  StackFlags flags;
  for (const traces::FrameId id : tables.stacks.frames(stack)) {
    const traces::FrameValue& frame = tables.frames.frame(id);
    const std::string_view function = tables.texts.text(frame.name);
    if (function.find("autograd::Engine::") != std::string_view::npos) flags.backward = true;
    if (const auto file = traces::file_in_pytorch(frame, tables.texts))
      note_python_frame(*file, function, flags);
  }
  return flags;
}

/// Requests of the backward come from a thread of C++ alone: without a stack, or with the engine's
/// frames.
Phase phase_of(const StackFlags& flags, bool is_empty, bool had_forward) {
  if (is_empty) return had_forward ? Phase::backward : Phase::other;
  if (flags.backward) return flags.module_call ? Phase::recomputed : Phase::backward;
  if (flags.step) return Phase::step;
  if (flags.module_call) return Phase::forward;
  return flags.setup ? Phase::setup : Phase::other;
}

}  // namespace

traces::DeviceKindsNotes guessed_notes(const DeviceHistory& history,
                                       const traces::SnapshotTables& tables) {
  traces::DeviceKindsNotes notes;
  notes.device = history.device;
  std::unordered_map<std::uint32_t, StackFlags> known;
  bool had_forward = false;
  for (std::size_t i = 0; i < history.events.size(); ++i) {
    const Action action = history.events[i].action;
    if (action != Action::alloc && action != Action::oom) continue;
    const traces::StackId stack = stack_of(history, i);
    const auto [flags, is_new] = known.try_emplace(stack.value);
    if (is_new) flags->second = flags_of(stack, tables);
    const Phase phase = phase_of(flags->second, stack == traces::StackId{}, had_forward);
    had_forward = had_forward || phase == Phase::forward;
    if (notes.marks.empty() || notes.marks.back().phase != phase)
      notes.marks.push_back({i, phase, 0});
  }
  return notes;
}

}  // namespace vramlab::replay
