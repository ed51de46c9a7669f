// CallLog: which functions of the driver were called, how often, and with what; and which calls are
// made to fail. A line is written as a whole, so that it survives the end of the process:
// `pid thread name arguments = result [output] [text]`, numbers in decimal.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "tests/fake_cuda/engine/fake_options.h"
#include "tools/cuda_standins/model/driver_watcher.h"

namespace vramlab::fake {

using namespace dry_run;

class CallLog {
 public:
  /// Throws std::runtime_error where the file can't be opened. Lines are put behind what is there.
  explicit CallLog(const std::string& file);
  CallLog(const CallLog&) = delete;
  CallLog& operator=(const CallLog&) = delete;
  ~CallLog();

  void add(const AnsweredCall& call);
  std::uint64_t count_of(const std::string& function) const;
  /// All functions together.
  std::uint64_t count() const;

 private:
  void write(const AnsweredCall& call) const;

  int file_ = -1;
  std::map<std::string, std::uint64_t, std::less<>> counts_;
};

class FaultPlan {
 public:
  explicit FaultPlan(std::vector<FaultRule> rules) : rules_(std::move(rules)) {}

  void add(FaultRule rule) { rules_.push_back(std::move(rule)); }
  void clear() { rules_.clear(); }
  /// The answer that this call is made to give. It counts as a call.
  std::optional<CUresult> next(const char* function);

 private:
  std::vector<FaultRule> rules_;
};

}  // namespace vramlab::fake
