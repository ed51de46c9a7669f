#include "traces/model/user_frame.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <span>
#include <string_view>

namespace vramlab::traces {
namespace {

enum class FrameKind { recording, nameless, native, operation, backward, library, user };

std::string with_slashes(std::string_view path) {
  std::string text(path);
  std::ranges::replace(text, '\\', '/');
  return text;
}

bool is_unknown_file(std::string_view path) { return path.empty() || path == "??"; }

bool is_installed(const std::string& path) {
  // Files that torch.compile writes lie in a folder of their own, or in none.
  constexpr std::array<std::string_view, 7> places = {
      "/site-packages/", "/dist-packages/", "/lib/python",    "/torch/",
      "<frozen",         "/torchinductor_", "<eval_with_key>"};
  // file_in_pytorch() spells files of PyTorch like this.
  if (path.starts_with("torch/")) return true;
  if (std::ranges::any_of(
          places, [&](std::string_view place) { return path.find(place) != std::string::npos; }))
    return true;
  // Python's own library on Windows: .../cpython-3.10.19/lib/copy.py
  const std::size_t python = path.find("python");
  return python != std::string::npos && path.find("/lib/", python) != std::string::npos;
}

/// The frames that allocate memory and record the stack, which every stack has.
bool is_of_recording(std::string_view function) {
  constexpr std::array<std::string_view, 4> beginnings = {
      "torch::unwind::", "torch::CapturedTraceback",
      "torch::cuda::", "c10::cuda::CUDACachingAllocator"};
  return std::ranges::any_of(
      beginnings, [&](std::string_view beginning) { return function.starts_with(beginning); });
}

/// Such as `torch::autograd::generated::MmBackward0::apply(...)`: threads that run the backward
/// pass have no Python frames, and this frame says most.
bool is_backward_node(std::string_view function) {
  return function.starts_with("torch::autograd::") &&
         function.find("::apply(") != std::string_view::npos;
}

/// Such as `at::_ops::sum_dim_IntList::call(...)`: autograd asks for these between backward nodes.
/// Every build of PyTorch exports them, and the functions that they call have names in some builds
/// only.
bool is_operation(std::string_view function) {
  return function.starts_with("at::_ops::") && function.find("::call(") != std::string_view::npos;
}

/// PyTorch 2.15 and later choose the kernels of some operations in Python, in every thread.
bool chooses_kernels(const std::string& path) {
  return path.find("torch/_native/") != std::string::npos && is_installed(path);
}

FrameKind kind_of(const FrameValue& frame, const TextTable& texts) {
  const std::string path = with_slashes(texts.text(frame.filename));
  if (!path.ends_with(".py") && !path.starts_with('<')) {
    const std::string_view function = texts.text(frame.name);
    if (is_of_recording(function)) return FrameKind::recording;
    if (is_backward_node(function)) return FrameKind::backward;
    if (is_operation(function)) return FrameKind::operation;
    return is_unknown_file(path) ? FrameKind::nameless : FrameKind::native;
  }
  if (chooses_kernels(path)) return FrameKind::nameless;
  return is_installed(path) ? FrameKind::library : FrameKind::user;
}

bool is_letter_of_name(char letter) {
  return letter == '_' || std::isalnum(static_cast<unsigned char>(letter)) != 0;
}

/// Namespaces and words that may stand in the name of any library's function.
bool is_common_word(std::string_view word) {
  constexpr std::array<std::string_view, 30> words = {
      "std",       "cub",      "thrust",   "void",     "bool",       "char",   "short",     "int",
      "long",      "unsigned", "signed",   "float",    "double",     "const",  "volatile",  "true",
      "false",     "auto",     "decltype", "operator", "anonymous",  "lambda", "namespace", "clone",
      "constprop", "isra",     "cold",     "part",     "localalias", "_object"};
  return word.starts_with("__") || word == "CUstream_st" || std::ranges::count(words, word) > 0;
}

/// True if all names that are no members of others are PyTorch's or common, and at least one is
/// PyTorch's.
bool is_pytorch_function(std::string_view function) {
  constexpr std::array<std::string_view, 4> namespaces = {"at::", "c10::", "torch::", "caffe2::"};
  bool is_pytorch = false;
  for (std::size_t begin = 0, end = 0; begin < function.size(); begin = std::max(end, begin + 1)) {
    const auto stop = std::find_if_not(function.begin() + begin, function.end(), is_letter_of_name);
    end = static_cast<std::size_t>(stop - function.begin());
    const std::string_view word = function.substr(begin, end - begin);
    const std::string_view before = function.substr(0, begin);
    const bool is_number = !word.empty() && word.front() >= '0' && word.front() <= '9';
    if (word.empty() || is_number || before.ends_with("::") || before.ends_with("::~")) continue;
    const std::string_view from_here = function.substr(begin);
    const bool is_its_own =
        word.starts_with("THP") || std::ranges::any_of(namespaces, [&](std::string_view name) {
          return from_here.starts_with(name);
        });
    if (!is_its_own && !is_common_word(word)) return false;
    is_pytorch = is_pytorch || is_its_own;
  }
  return is_pytorch;
}

struct PytorchFolder {
  std::string_view around;
  std::string_view folder;
};
constexpr std::array<PytorchFolder, 2> installed_folders = {
    {{"/site-packages/", "torch/"}, {"/dist-packages/", "torch/"}}};
constexpr std::array<PytorchFolder, 3> source_folders = {
    {{"/", "aten/src/"}, {"/", "c10/"}, {"/", "torch/csrc/"}}};

/// The path from the first of these folders on; null for a path without one.
std::optional<std::string> path_from(const std::string& path,
                                     std::span<const PytorchFolder> folders) {
  for (const auto& [around, folder] : folders)
    if (const auto found = path.find(std::string(around).append(folder));
        found != std::string::npos)
      return path.substr(found + around.size());
  return std::nullopt;
}

}  // namespace

std::optional<std::string> file_in_pytorch(const FrameValue& frame, const TextTable& texts) {
  std::string path = with_slashes(texts.text(frame.filename));
  auto installed = path_from(path, installed_folders);
  if (path.ends_with(".py")) return installed;
  if (!is_pytorch_function(texts.text(frame.name))) return std::nullopt;
  if (is_unknown_file(path) || path.find('/') == std::string::npos) return path;
  return installed ? installed : path_from(path, source_folders);
}

std::optional<FrameId> innermost_user_frame(StackId stack, const SnapshotTables& tables) {
  std::optional<FrameId> best;
  FrameKind best_kind = FrameKind::recording;
  for (const FrameId id : tables.stacks.frames(stack)) {
    const FrameKind kind = kind_of(tables.frames.frame(id), tables.texts);
    // An operation calls others: the program asked for the outermost.
    const bool is_better = kind > best_kind || (kind == best_kind && kind == FrameKind::operation);
    if (best && !is_better) continue;
    best = id;
    best_kind = kind;
    if (kind == FrameKind::user) break;
  }
  return best;
}

std::vector<FrameId> user_frames(StackId stack, const SnapshotTables& tables) {
  std::vector<FrameId> frames;
  for (const FrameId id : tables.stacks.frames(stack))
    if (kind_of(tables.frames.frame(id), tables.texts) == FrameKind::user) frames.push_back(id);
  return frames;
}

std::string frame_text(FrameId frame, const SnapshotTables& tables) {
  const FrameValue& value = tables.frames.frame(frame);
  std::string path = with_slashes(tables.texts.text(value.filename));
  const std::size_t name = path.rfind('/');
  if (name != std::string::npos && name > 0)
    if (const std::size_t folder = path.rfind('/', name - 1); folder != std::string::npos)
      path.erase(0, folder + 1);
  std::string function = without_arguments(tables.texts.text(value.name));
  if (is_unknown_file(path)) return function;
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
  // Drops the letters between angle brackets, but not operators that are written with them.
  std::string text;
  std::size_t depth = 0;
  for (std::size_t i = 0; i < function.size(); ++i) {
    const char letter = function[i];
    const bool is_operator = i >= 8 && function.substr(0, i).find("operator", i - 8) == i - 8;
    const bool is_arrow = letter == '>' && i > 0 && function[i - 1] == '-';
    const bool closes = letter == '>' && depth > 0 && !is_arrow;
    const bool opens = letter == '<' && !is_operator;
    if (closes) --depth;
    if (depth == 0) text += letter;
    if (opens) ++depth;
  }
  return depth == 0 ? text : std::string(function);
}

}  // namespace vramlab::traces
