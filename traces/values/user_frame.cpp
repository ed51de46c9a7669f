#include "traces/values/user_frame.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace vramlab::traces {
namespace {

enum class FrameKind { recording, nameless, native, backward, library, user };

std::string with_slashes(std::string_view path) {
  std::string text(path);
  std::ranges::replace(text, '\\', '/');
  return text;
}

bool is_installed(const std::string& path) {
  constexpr std::array<std::string_view, 5> places = {"/site-packages/", "/dist-packages/",
                                                      "/lib/python", "/torch/", "<frozen"};
  if (std::ranges::any_of(
          places, [&](std::string_view place) { return path.find(place) != std::string::npos; }))
    return true;
  // Python's own library on Windows: .../cpython-3.10.19/lib/copy.py
  const std::size_t python = path.find("python");
  return python != std::string::npos && path.find("/lib/", python) != std::string::npos;
}

/// The frames that every stack has: those that allocate memory and record the stack.
bool is_of_recording(std::string_view function) {
  constexpr std::array<std::string_view, 4> beginnings = {
      "torch::unwind::", "torch::CapturedTraceback",
      "torch::cuda::", "c10::cuda::CUDACachingAllocator"};
  return std::ranges::any_of(
      beginnings, [&](std::string_view beginning) { return function.starts_with(beginning); });
}

/// Such as `torch::autograd::generated::MmBackward0::apply(...)`: threads that run the backward
/// pass have no Python frames, and this one says most.
bool is_backward_node(std::string_view function) {
  return function.starts_with("torch::autograd::") &&
         function.find("::apply(") != std::string_view::npos;
}

FrameKind kind_of(const FrameValue& frame, const TextTable& texts) {
  const std::string path = with_slashes(texts.text(frame.filename));
  if (!path.ends_with(".py") && !path.starts_with('<')) {
    const std::string_view function = texts.text(frame.name);
    if (is_of_recording(function)) return FrameKind::recording;
    if (is_backward_node(function)) return FrameKind::backward;
    return path.empty() || path == "??" ? FrameKind::nameless : FrameKind::native;
  }
  return is_installed(path) ? FrameKind::library : FrameKind::user;
}

}  // namespace

std::optional<FrameId> innermost_user_frame(StackId stack, const SnapshotTables& tables) {
  std::optional<FrameId> best;
  FrameKind best_kind = FrameKind::recording;
  for (const FrameId id : tables.stacks.frames(stack)) {
    const FrameKind kind = kind_of(tables.frames.frame(id), tables.texts);
    if (best && kind <= best_kind) continue;
    best = id;
    best_kind = kind;
    if (kind == FrameKind::user) break;
  }
  return best;
}

std::string frame_text(FrameId frame, const SnapshotTables& tables) {
  const FrameValue& value = tables.frames.frame(frame);
  std::string path = with_slashes(tables.texts.text(value.filename));
  const std::size_t name = path.rfind('/');
  if (name != std::string::npos && name > 0)
    if (const std::size_t folder = path.rfind('/', name - 1); folder != std::string::npos)
      path.erase(0, folder + 1);
  std::string function = without_arguments(tables.texts.text(value.name));
  if (path.empty() || path == "??") return function;
  if (value.line > 0) path += ":" + std::to_string(value.line);
  return function.empty() ? path : path + " " + function;
}

std::vector<FrameId> frames_of(StackId stack, const SnapshotTables& tables, FrameChoice choice) {
  const auto all = tables.stacks.frames(stack);
  std::vector<FrameId> frames(all.begin(), all.end());
  if (choice == FrameChoice::all) return frames;
  const auto kind = [&](FrameId id) { return kind_of(tables.frames.frame(id), tables.texts); };
  const auto is_python = [&](FrameId id) { return kind(id) >= FrameKind::library; };
  if (std::ranges::any_of(frames, is_python))
    std::erase_if(frames, [&](FrameId id) { return !is_python(id); });
  else if (std::ranges::any_of(frames, [&](auto id) { return kind(id) != FrameKind::recording; }))
    std::erase_if(frames, [&](FrameId id) { return kind(id) == FrameKind::recording; });
  return frames;
}

std::string without_arguments(std::string_view function) {
  constexpr std::string_view const_mark = " const";
  if (function.ends_with(const_mark)) function.remove_suffix(const_mark.size());
  if (function.find("::") == std::string_view::npos && !function.ends_with(')'))
    return std::string(function);
  if (function.ends_with(')')) {
    std::size_t open = function.size();
    for (std::size_t depth = 0; open-- > 0;) {
      if (function[open] == ')') ++depth;
      if (function[open] == '(' && --depth == 0) break;
    }
    if (open > 0 && open < function.size()) function = function.substr(0, open);
  }
  // What is between angle brackets, but not operators that are written with them.
  std::string text;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    const char letter = function[i];
    const bool is_operator = i >= 8 && function.substr(0, i).find("operator", i - 8) == i - 8;
    const bool is_arrow = letter == '>' && i > 0 && function[i - 1] == '-';
    if (letter == '>' && depth > 0 && !is_arrow && --depth == 0)
      text += ">";
    else if (letter == '<' && !is_operator && depth++ == 0)
      text += "<";
    else if (depth == 0)
      text += letter;
  }
  return depth == 0 ? text : std::string(function);
}

}  // namespace vramlab::traces
