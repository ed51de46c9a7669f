#include "tests/fake_cuda/engine/call_log.h"

#include <fcntl.h>
#include <unistd.h>

#include <stdexcept>
#include <string_view>

namespace vramlab::fake {
namespace {

/// The name without what says which stream 0 is.
std::string_view without_suffix(std::string_view name) {
  for (const std::string_view suffix : {"_ptsz", "_ptds"})
    if (name.ends_with(suffix)) return name.substr(0, name.size() - suffix.size());
  return name;
}

}  // namespace

CallLog::CallLog(const std::string& file) {
  if (file.empty()) return;
  file_ = open(file.c_str(), O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  if (file_ < 0) throw std::runtime_error("the log of the fake driver cannot be opened: " + file);
}

CallLog::~CallLog() {
  if (file_ >= 0) close(file_);
}

void CallLog::add(const AnsweredCall& call) {
  const auto found = counts_.find(std::string_view(call.name));
  ++(found == counts_.end() ? counts_[call.name] : found->second);
  if (file_ >= 0) write(call);
}

void CallLog::write(const AnsweredCall& call) const {
  std::string line = std::to_string(getpid()) + ' ' + std::to_string(call.thread) + ' ' + call.name;
  for (const std::uint64_t argument : call.arguments) line += ' ' + std::to_string(argument);
  line += " = " + std::to_string(static_cast<int>(call.result));
  if (call.output) line += ' ' + std::to_string(*call.output);
  if (!call.text.empty()) line += ' ' + call.text;
  line += '\n';
  const ssize_t written = ::write(file_, line.data(), line.size());
  if (written != static_cast<ssize_t>(line.size()))
    throw std::runtime_error("the log of the fake driver cannot be written");
}

std::uint64_t CallLog::count() const {
  std::uint64_t count = 0;
  for (const auto& [function, calls] : counts_) count += calls;
  return count;
}

std::uint64_t CallLog::count_of(const std::string& function) const {
  const auto found = counts_.find(function);
  return found == counts_.end() ? 0 : found->second;
}

std::optional<CUresult> FaultPlan::next(const char* function) {
  for (FaultRule& rule : rules_) {
    if (rule.function != without_suffix(function) || rule.count == 0) continue;
    if (rule.skipped > 0) {
      --rule.skipped;
      continue;
    }
    --rule.count;
    return rule.result;
  }
  return std::nullopt;
}

}  // namespace vramlab::fake
