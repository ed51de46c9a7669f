#include "replay/user_frame.h"

#include <algorithm>
#include <array>
#include <string_view>

namespace vramlab::replay {
namespace {

enum class FrameKind { nameless, native, backward_step, library, user };

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

/// Of a step of the backward pass, which has no Python code of its own.
bool is_backward_step(std::string_view function) {
  return function.starts_with("torch::autograd::") &&
         function.find("::apply(") != std::string_view::npos;
}

FrameKind kind_of(const traces::FrameValue& frame, const traces::TextTable& texts) {
  if (is_backward_step(texts.text(frame.name))) return FrameKind::backward_step;
  const std::string path = with_slashes(texts.text(frame.filename));
  if (path.empty() || path == "??") return FrameKind::nameless;
  if (!path.ends_with(".py") && !path.starts_with('<')) return FrameKind::native;
  return is_installed(path) ? FrameKind::library : FrameKind::user;
}

}  // namespace

std::optional<traces::FrameId> innermost_user_frame(traces::StackId stack,
                                                    const traces::SnapshotTables& tables) {
  std::optional<traces::FrameId> best;
  FrameKind best_kind = FrameKind::nameless;
  for (const traces::FrameId id : tables.stacks.frames(stack)) {
    const FrameKind kind = kind_of(tables.frames.frame(id), tables.texts);
    if (best && kind <= best_kind) continue;
    best = id;
    best_kind = kind;
    if (kind == FrameKind::user) break;
  }
  return best;
}

std::string frame_text(traces::FrameId frame, const traces::SnapshotTables& tables) {
  const traces::FrameValue& value = tables.frames.frame(frame);
  std::string path = with_slashes(tables.texts.text(value.filename));
  const std::size_t name = path.rfind('/');
  if (name != std::string::npos && name > 0)
    if (const std::size_t folder = path.rfind('/', name - 1); folder != std::string::npos)
      path.erase(0, folder + 1);
  std::string function(tables.texts.text(value.name));
  if (is_backward_step(function)) return function.substr(0, function.find("::apply("));
  if (path.empty() || path == "??") return function;
  if (value.line != 0) path += ":" + std::to_string(value.line);
  return function.empty() ? path : path + " " + function;
}

}  // namespace vramlab::replay
