#include "tests/support/fuzz/file_fuzz_bodies.h"

#include <memory>

#include "tests/support/kit/dribbling_source.h"
#include "traces/io/byte_source.h"
#include "traces/io/input_error.h"
#include "traces/logs/memory_timeline.h"

namespace vramlab::support {
namespace {

using Broken = std::optional<std::string>;
constexpr std::size_t few_bytes_at_a_time = 3;
constexpr std::size_t many_bytes_at_a_time = std::size_t{1} << 20;

/// The bytes in the file as often as it can be read, or the error.
std::string unpacked_or_error(std::unique_ptr<traces::ByteSource> source) {
  try {
    traces::OpenBytes first = traces::open_bytes(std::move(source), "file");
    std::string found = traces::read_all(first);
    if (auto again = first.source->reopen())
      found += traces::read_all({"file", {}, std::move(again), {}});
    return found;
  } catch (const traces::InputError& error) {
    return error.what();
  }
}

std::string timeline_or_error(const std::string& bytes, std::size_t bytes_at_a_time) {
  DribblingSource source(bytes, bytes_at_a_time);
  try {
    const traces::MemoryTimeline timeline = traces::read_memory_timeline(source, "file");
    std::string found = std::to_string(timeline.moment_count) + " moments, peak " +
                        std::to_string(timeline.peak_us) + ": " +
                        std::to_string(traces::sum_of(timeline.at_peak));
    for (const std::int64_t most : timeline.most) found += " " + std::to_string(most);
    return found;
  } catch (const traces::InputError& error) {
    return error.what();
  }
}

Broken broken_rule_of_answers(const std::string& whole, const std::string& dribbled) {
  if (whole != dribbled) return "the answer depends on how the bytes arrive";
  return std::nullopt;
}

}  // namespace

Broken broken_rule_of_packed_file(const std::string& bytes) {
  return broken_rule_of_answers(
      unpacked_or_error(std::make_unique<DribblingSource>(bytes, many_bytes_at_a_time)),
      unpacked_or_error(std::make_unique<DribblingSource>(bytes, few_bytes_at_a_time)));
}

Broken broken_rule_of_memory_timeline(const std::string& bytes) {
  const std::string whole = timeline_or_error(bytes, many_bytes_at_a_time);
  if (whole.starts_with("file") && whole.find("byte ") == std::string::npos)
    return "an error names no byte";
  return broken_rule_of_answers(whole, timeline_or_error(bytes, few_bytes_at_a_time));
}

}  // namespace vramlab::support
