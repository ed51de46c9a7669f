#include "tests/support/twin/side_by_side.h"

#include <algorithm>
#include <memory>
#include <sstream>
#include <vector>

#include "allocator/types/answers.h"
#include "replay/replayer/program_runner.h"
#include "streams/device/simulated_device.h"
#include "tests/support/programs/random_programs.h"
#include "tests/support/twin/answers_text.h"
#include "traces/model/call_forms.h"

namespace vramlab::tests {
namespace {

using Call = traces::ProgramEvent;
using Kind = traces::ProgramEventKind;
using traces::RecordedProgram;

std::string text_of_call(const RecordedProgram& program, std::size_t index) {
  return call_text(program.calls[index], program.text_of(program.calls[index]));
}

/// A side: an allocator, its device and the program's runner on both.
struct Side {
  streams::SimulatedDevice device;
  std::optional<allocator::SettingsError> config_error;
  std::unique_ptr<replay::AllocatorSubject> subject;
  replay::ProgramRunner runner;
  /// The refusal of the last call.
  std::optional<std::string> error;

  Side(const RecordedProgram& program, const replay::SubjectFactory& make)
      : device(program.device_total),
        subject(make(device, *program.version, program.config, config_error)),
        runner(program.calls, program.texts, {*subject, device}) {
    if (program.memory_fraction) subject->set_memory_fraction(*program.memory_fraction);
  }

  void step(std::size_t index) {
    error.reset();
    try {
      runner.step(index);
    } catch (const allocator::AllocatorError& refused) {
      error = refused.what();
    }
  }
};

/// The frequency of the long comparisons.
enum class Care : std::uint8_t { now_and_then, after_every_call };

class Comparison {
 public:
  Comparison(const RecordedProgram& program, const Pairing& pairing)
      : program_(program), left_(program, pairing.left), right_(program, pairing.right) {}

  std::optional<std::string> run(RuleChecks checks, Care care) {
    if (!agree(left_.config_error.has_value(), right_.config_error.has_value()))
      return differs("the start options");
    for (std::size_t index = 0; index < program_.calls.size(); ++index) {
      left_.step(index);
      right_.step(index);
      if (auto difference = compare_answer(program_.calls[index]))
        return at_call(index, *difference);
      if (due(checks == RuleChecks::after_every_call, checks != RuleChecks::none, index))
        if (const std::string broken = left_.subject->find_broken_rule(); !broken.empty())
          return at_call(index, "the left side breaks a rule: " + broken);
      if (due(care == Care::after_every_call, true, index))
        if (auto difference = compare_state()) return at_call(index, *difference);
    }
    return compare_end();
  }

 private:
  static bool due(bool always, bool sometimes, std::size_t index) {
    return always || (sometimes && index % 64 == 63);
  }

  template <typename Value>
  bool agree(const Value& left, const Value& right) {
    if (left == right) return true;
    left_text_ = text_of(left);
    right_text_ = text_of(right);
    return false;
  }

  std::string differs(const std::string& what) const {
    return what + " differ\n  left:  " + left_text_ + "\n  right: " + right_text_;
  }

  std::string at_call(std::size_t index, const std::string& difference) const {
    return "call " + std::to_string(index) + ", " + text_of_call(program_, index) + ": " +
           difference;
  }

  std::optional<std::string> compare_answer(const Call& call) {
    if (left_.error.has_value() != right_.error.has_value()) {
      left_text_ = left_.error.value_or("accepted");
      right_text_ = right_.error.value_or("accepted");
      return differs("refusals");
    }
    const replay::Answers& left = left_.runner.answers();
    const replay::Answers& right = right_.runner.answers();
    if (left_.error) return std::nullopt;
    switch (call.kind) {
      case Kind::malloc:
        return compare_malloc(left.results.back(), right.results.back());
      case Kind::snapshot:
        if (!agree(left.snapshots.back(), right.snapshots.back())) return differs("snapshots");
        return std::nullopt;
      case Kind::restore:
        if (!agree(left.restores.back(), right.restores.back())) return differs("restores");
        return std::nullopt;
      case Kind::options:
        if (!agree(left.config_failures.size(), right.config_failures.size()))
          return differs("refused option strings");
        return std::nullopt;
      default:
        return std::nullopt;
    }
  }

  std::optional<std::string> compare_malloc(const allocator::MallocResult& left,
                                            const allocator::MallocResult& right) {
    if (!agree(left, right)) return differs("results");
    const bool failed = left.outcome == allocator::MallocOutcome::out_of_memory ||
                        left.outcome == allocator::MallocOutcome::rejected;
    if (failed && !agree(left_.subject->last_failure(), right_.subject->last_failure()))
      return differs("figures of the failed request");
    return std::nullopt;
  }

  std::optional<std::string> compare_state() {
    if (!agree(left_.subject->statistics(), right_.subject->statistics()))
      return differs("statistics");
    if (!agree(left_.device.call_counts(), right_.device.call_counts()))
      return differs("device calls");
    if (!agree(left_.device.used_memory(), right_.device.used_memory()))
      return differs("used bytes of the devices");
    return compare_history();
  }

  std::optional<std::string> compare_history() {
    const auto left = left_.subject->history();
    const auto right = right_.subject->history();
    for (; compared_entries_ < std::min(left.size(), right.size()); ++compared_entries_)
      if (!agree(left[compared_entries_], right[compared_entries_]))
        return differs("history entries " + std::to_string(compared_entries_));
    if (!agree(left.size(), right.size())) return differs("lengths of the histories");
    return std::nullopt;
  }

  std::optional<std::string> compare_end() {
    if (!agree(left_.subject->take_snapshot(), right_.subject->take_snapshot()))
      return "at the end: " + differs("snapshots");
    if (auto difference = compare_state()) return "at the end: " + *difference;
    return std::nullopt;
  }

  const RecordedProgram& program_;
  Side left_;
  Side right_;
  std::size_t compared_entries_ = 0;
  std::string left_text_;
  std::string right_text_;
};

std::optional<std::string> run_carefully(const RecordedProgram& program, RuleChecks checks,
                                         const Pairing& pairing) {
  return Comparison(program, pairing).run(checks, Care::after_every_call);
}

/// Calls about pools and captures stay: without one, those that follow might not be allowed.
bool may_be_left_out(const Call& call) {
  switch (call.kind) {
    case Kind::pool_begin:
    case Kind::pool_end:
    case Kind::pool_release:
    case Kind::pool_create:
    case Kind::pool_destroy:
    case Kind::capture_begin:
    case Kind::capture_end:
      return false;
    default:
      return true;
  }
}

RecordedProgram without(const RecordedProgram& program, std::size_t at, std::size_t count) {
  RecordedProgram shorter = program;
  shorter.calls.clear();
  for (std::size_t i = 0; i < program.calls.size(); ++i)
    if (i < at || i >= at + count || !may_be_left_out(program.calls[i]))
      shorter.calls.push_back(program.calls[i]);
  return shorter;
}

/// Leaves out pieces of the program, large ones first, as long as a difference remains.
void shorten(RecordedProgram& program, RuleChecks checks, const Pairing& pairing) {
  for (std::size_t piece = program.calls.size(); piece > 0; piece /= 2) {
    for (std::size_t at = 0; at < program.calls.size();) {
      RecordedProgram shorter = without(program, at, piece);
      if (shorter.calls.size() < program.calls.size() && run_carefully(shorter, checks, pairing))
        program = std::move(shorter);
      else
        at += piece;
    }
  }
}

}  // namespace

std::optional<std::string> first_difference(const RecordedProgram& program, RuleChecks checks,
                                            const Pairing& pairing) {
  const auto found = Comparison(program, pairing).run(checks, Care::now_and_then);
  if (!found) return std::nullopt;
  // Once more, looking after every call, to name the call that did it.
  const auto exact = run_carefully(program, checks, pairing);
  return describe(program) + "\n" + exact.value_or(*found);
}

std::string explain_difference(RecordedProgram program, RuleChecks checks, const Pairing& pairing) {
  shorten(program, checks, pairing);
  std::ostringstream text;
  text << describe(program) << '\n';
  for (std::size_t i = 0; i < program.calls.size(); ++i)
    text << "  " << i << ": " << text_of_call(program, i) << '\n';
  text << run_carefully(program, checks, pairing).value_or("no difference any more");
  return text.str();
}

}  // namespace vramlab::tests
