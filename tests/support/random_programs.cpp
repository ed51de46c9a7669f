#include "tests/support/random_programs.h"

#include <algorithm>
#include <array>
#include <sstream>

#include "allocator/check.h"
#include "tests/support/program_writer.h"

namespace vramlab::tests {
namespace {

using traces::Call;
using traces::CallKind;
using traces::ScopeStreams;

bool has_family(const allocator::ReferenceVersion& version, const RandomFamily& family) {
  return family.since == Since::every_version || has_pools_as_objects(version);
}

std::string_view name_of(CallKind kind) {
  static constexpr std::array<std::string_view, 22> names = {
      "malloc",       "free",        "record_stream", "work",
      "complete",     "external",    "empty_cache",   "snapshot",
      "reset_peak_stats", "reset_accumulated_stats", "set_config", "set_fraction",
      "begin_pool",   "end_pool",    "release_pool",  "create_pool",
      "destroy_pool", "checkpoint",  "restore",       "capture_begin",
      "capture_end",  "wait"};
  return names.at(static_cast<std::size_t>(kind));
}

std::string details(const Call& call) {
  std::ostringstream text;
  switch (call.kind) {
    case CallKind::malloc:
      text << " id " << call.id << ", " << call.bytes.count << " bytes, stream "
           << call.stream.value;
      break;
    case CallKind::free:
      text << " id " << call.id;
      break;
    case CallKind::record_stream:
      text << " id " << call.id << ", stream " << call.stream.value;
      break;
    case CallKind::external:
      text << ' ' << call.bytes.count << " bytes";
      break;
    case CallKind::set_config:
      text << " \"" << call.text << '"';
      break;
    case CallKind::set_fraction:
      text << ' ' << call.fraction;
      break;
    case CallKind::begin_pool:
      text << ' ' << call.pool;
      if (call.scope == ScopeStreams::one_stream) text << ", stream " << call.stream.value;
      if (call.scope == ScopeStreams::capturing_streams) text << ", capturing streams";
      break;
    case CallKind::create_pool:
      text << ' ' << call.pool << (call.use_on_oom ? ", use_on_oom" : "")
           << (call.no_split ? ", no_split" : "");
      break;
    case CallKind::empty_cache:
    case CallKind::end_pool:
    case CallKind::release_pool:
    case CallKind::destroy_pool:
      text << ' ' << call.pool;
      break;
    case CallKind::checkpoint:
      text << ' ' << call.pool << " as " << call.text;
      break;
    case CallKind::restore:
      text << ' ' << call.text << ", ids from " << call.id;
      break;
    case CallKind::work:
    case CallKind::complete:
    case CallKind::capture_begin:
    case CallKind::capture_end:
      text << " stream " << call.stream.value;
      break;
    case CallKind::wait:
      text << ": stream " << call.stream.value << " for " << call.waited_stream.value;
      break;
    case CallKind::snapshot:
    case CallKind::reset_peak_stats:
    case CallKind::reset_accumulated_stats:
      break;
  }
  return text.str();
}

}  // namespace

std::vector<std::string_view> random_families(const allocator::ReferenceVersion& version) {
  std::vector<std::string_view> names;
  for (const RandomFamily& family : all_random_families())
    if (has_family(version, family)) names.push_back(family.name);
  return names;
}

RandomProgram make_random_program(const ProgramWish& wish) {
  const auto families = all_random_families();
  const auto family = std::ranges::find(families, wish.family, &RandomFamily::name);
  check(family != families.end(), "a random family is one of the table");
  RandomNumbers numbers(wish.seed);
  RandomProgram program;
  program.seed = wish.seed;
  program.family = family->name;
  program.version = wish.version;
  program.device_total = allocator::Bytes{numbers.pick(family->device_sizes) << 20};
  if (!numbers.one_in(4)) program.config = random_options(numbers, *family, *wish.version);
  if (family->options.fraction > 0 && numbers.one_in(family->options.fraction))
    program.memory_fraction = random_fraction(numbers);
  ProgramWriter(numbers, *family, program).write(wish.call_count);
  return program;
}

RandomProgram make_random_program(std::uint64_t seed, std::size_t call_count) {
  RandomNumbers numbers(seed ^ 0x5eed);
  const allocator::ReferenceVersion& version = numbers.pick(allocator::reference_versions());
  const auto families = random_families(version);
  return make_random_program(
      {.family = numbers.pick(families), .version = &version, .seed = seed, .call_count = call_count});
}

std::string describe(const RandomProgram& program) {
  std::ostringstream text;
  text << "seed " << program.seed << ", family " << program.family << ", version "
       << program.version->name << ", device of " << format_bytes(program.device_total)
       << ", options \"" << program.config << '"';
  if (program.memory_fraction) text << ", memory fraction " << *program.memory_fraction;
  text << ", " << program.calls.size() << " calls";
  return text.str();
}

std::string describe(const Call& call) { return std::string(name_of(call.kind)) + details(call); }

}  // namespace vramlab::tests
