#include "tests/support/fuzz/log_fuzz_bodies.h"

#include <algorithm>
#include <set>

#include "tests/support/fuzz/log_listing.h"
#include "tests/support/kit/collected_bytes.h"
#include "tests/support/kit/memory_source.h"
#include "traces/formats/trace_formats.h"
#include "traces/io/input_error.h"
#include "traces/native/native_text.h"

namespace vramlab::support {
namespace {

using Broken = std::optional<std::string>;
using traces::ProgramEvent;
using traces::ProgramEventKind;
constexpr std::size_t few_bytes = 3;

/// True for a program that can have been run: ids live from malloc to free, time goes on.
class ProgramRules : public traces::ProgramSink {
 public:
  void program_event(const ProgramEvent& event) override {
    if (event.time_ns && *event.time_ns < last_time_ns_) broken = "time does not go on";
    last_time_ns_ = event.time_ns.value_or(last_time_ns_);
    if (event.kind == ProgramEventKind::malloc && !live_.insert(event.id).second)
      broken = "an id is given twice";
    if (event.kind == ProgramEventKind::use && !live_.contains(event.id))
      broken = "something is used that is not there";
    if (event.kind == ProgramEventKind::free && live_.erase(event.id) == 0)
      broken = "something is freed that is not there";
  }
  Broken broken;

 private:
  std::set<std::uint64_t> live_;
  std::uint64_t last_time_ns_ = 0;
};

std::string native_text_of(const LogListing& listing) {
  return listing.header + listing.lines + "{\"end\":true}\n";
}

template <typename Use>
void read_program(const LogListing& listing, const Use& use) {
  const auto source = support::make_memory_source(native_text_of(listing));
  traces::SnapshotTables tables;
  use(*source, tables);
}

Broken broken_rule_of_program(const LogListing& listing) {
  ProgramRules rules;
  traces::SnapshotSink recorded;
  read_program(listing, [&](traces::ByteSource& source, traces::SnapshotTables& tables) {
    traces::read_native_text(source, "file", tables, {recorded, rules});
  });
  return rules.broken;
}

/// The program as a log of RMM, which has a place for all events that come from such a log.
Broken broken_rule_of_rewriting(const LogListing& listing) {
  CollectedBytes output;
  read_program(listing, [&](traces::ByteSource& source, traces::SnapshotTables& tables) {
    const auto writer = make_trace_writer(traces::TraceFormat::rmm_log, output, tables);
    traces::read_native_text(source, "file", tables, writer->sinks());
    writer->finish();
  });
  const LogListing again = read_rmm_bytes(output.bytes);
  if (!again.error.empty()) return "what was written is refused: " + again.error;
  if (std::ranges::count(again.lines, '\n') != std::ranges::count(listing.lines, '\n'))
    return "what was written has another number of events";
  return std::nullopt;
}

template <typename Read>
Broken broken_rule_of_log(const std::string& bytes, const LogListing& whole, const Read& read) {
  const LogListing dribbled = read(bytes, few_bytes);
  if (whole.error != dribbled.error || whole.lines != dribbled.lines ||
      whole.facts != dribbled.facts)
    return "the answer depends on how the bytes arrive";
  if (!whole.error.empty() && whole.error.find("byte ") == std::string::npos)
    return "an error names no byte";
  return whole.error.empty() ? broken_rule_of_program(whole) : std::nullopt;
}

}  // namespace

Broken broken_rule_of_profiler_json(const std::string& bytes) {
  return broken_rule_of_log(bytes, read_profiler_bytes(bytes), read_profiler_bytes);
}

Broken broken_rule_of_rmm_log(const std::string& bytes) {
  const LogListing whole = read_rmm_bytes(bytes);
  if (auto broken = broken_rule_of_log(bytes, whole, read_rmm_bytes)) return broken;
  if (auto broken = broken_rule_of_log(bytes, whole, read_piped_rmm_bytes)) return broken;
  return whole.error.empty() ? broken_rule_of_rewriting(whole) : std::nullopt;
}

Broken broken_rule_of_bfc_log(const std::string& bytes) {
  const LogListing whole = read_bfc_bytes(bytes);
  if (auto broken = broken_rule_of_log(bytes, whole, read_bfc_bytes)) return broken;
  return broken_rule_of_log(bytes, whole, read_piped_bfc_bytes);
}

}  // namespace vramlab::support
