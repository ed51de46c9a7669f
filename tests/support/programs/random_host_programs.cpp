#include "tests/support/programs/random_host_programs.h"

#include <algorithm>
#include <array>
#include <string_view>

#include "tests/support/kit/random_numbers.h"

namespace vramlab::tests {
namespace {

using traces::HostCall;
using HostKind = traces::HostCallKind;

constexpr std::array<std::string_view, 3> pinned_flags = {
    "pinned_use_cuda_host_register:", "pinned_use_background_threads:", "pinned_free_catch_all:"};
constexpr std::array<std::string_view, 3> pinned_sizes = {
    "pinned_reserve_segment_size_mb:", "pinned_max_round_threshold_mb:",
    "pinned_max_cached_size_mb:"};
constexpr std::array<std::string_view, 4> pinned_mib = {"1", "2", "5", "16"};
constexpr std::array<PoolId, 3> random_host_pools = {PoolId{0, 1}, PoolId{0, 2}, PoolId{1, 0}};

class HostProgramWriter {
 public:
  explicit HostProgramWriter(std::uint64_t seed) : numbers_(seed) {}

  traces::HostProgram write(std::uint64_t seed) {
    traces::HostProgram program;
    program.name = "host seed " + std::to_string(seed);
    program.version = &numbers_.pick(allocator::reference_versions());
    knows_limits_ = program.version->grammar >= allocator::OptionGrammar::three_passes_with_limits;
    knows_reserve_ = program.version->grammar != allocator::OptionGrammar::single_pass;
    has_pools_ = numbers_.below(2) == 0;
    has_failures_ = numbers_.below(3) == 0;
    has_history_ = numbers_.below(2) == 0;
    changes_options_ = numbers_.below(2) == 0;
    program.config = options();
    for (std::uint64_t left = 50 + numbers_.below(400); left > 0; --left)
      program.calls.push_back(next());
    return program;
  }

 private:
  std::string options() {
    std::string text;
    const auto add = [&](std::string_view name, std::string_view value) {
      text += (text.empty() ? "" : ",") + std::string(name) + std::string(value);
    };
    for (const std::string_view name : pinned_flags) {
      if (name.starts_with("pinned_free") && !knows_reserve_) continue;
      if (numbers_.below(3) == 0) add(name, numbers_.below(2) == 0 ? "True" : "False");
    }
    for (const std::string_view name : pinned_sizes) {
      const bool is_limit = name.starts_with("pinned_max");
      if (is_limit ? !knows_limits_ : !knows_reserve_) continue;
      if (numbers_.below(3) == 0) add(name, numbers_.pick(pinned_mib));
    }
    return text;
  }

  Bytes size() {
    const std::uint64_t power = numbers_.below(25);
    const std::uint64_t around = std::uint64_t{1} << power;
    return {numbers_.below(40) == 0 ? 0 : around + numbers_.below(around + 1)};
  }

  std::uint64_t some_id() { return numbers_.below(next_id_ + 1); }
  StreamId some_stream() { return {numbers_.below(4)}; }

  HostCall next() {
    const std::uint64_t chance = numbers_.below(100);
    if (chance < 30) return {.kind = HostKind::malloc, .id = next_id_++, .bytes = size()};
    if (chance < 50) return {.kind = HostKind::free, .id = some_id()};
    if (chance < 62) return {.kind = HostKind::use, .id = some_id(), .stream = some_stream()};
    if (chance < 65) return use_by_address();
    if (chance < 72) return {.kind = HostKind::work, .stream = some_stream()};
    if (chance < 82) return {.kind = HostKind::complete, .stream = some_stream()};
    if (chance < 84) return {.kind = HostKind::empty_cache};
    if (chance < 86) return {.kind = HostKind::background};
    return seldom();
  }

  HostCall use_by_address() {
    static constexpr std::array<std::uint64_t, 4> offsets = {0, 1, 4096, 65536};
    return {.kind = HostKind::use_address,
            .id = some_id(),
            .bytes = {numbers_.pick(offsets)},
            .stream = some_stream()};
  }

  HostCall seldom() {
    const std::uint64_t chance = numbers_.below(10);
    if (chance < 4 && has_pools_) return about_pools();
    if (chance < 6 && has_history_) return about_history();
    if (chance == 6 && has_failures_) return about_failures();
    if (chance == 7 && changes_options_) return {.kind = HostKind::options, .text = options()};
    if (chance == 8)
      return {.kind = numbers_.below(2) == 0 ? HostKind::reset_peak : HostKind::reset_accumulated};
    return {.kind = numbers_.below(2) == 0 ? HostKind::statistics : HostKind::snapshot};
  }

  HostCall about_pools() {
    const PoolId pool = numbers_.pick(random_host_pools);
    switch (numbers_.below(6)) {
      case 0:
        return {.kind = HostKind::current_stream, .stream = some_stream()};
      case 1:
        return {.kind = HostKind::capture, .stream = some_stream(), .on = numbers_.below(2) == 0};
      case 2:
        return {.kind = HostKind::pool_end, .pool = pool};
      case 3:
        return {.kind = HostKind::pool_release, .pool = pool};
      default:
        return {.kind = HostKind::pool_begin,
                .stream = some_stream(),
                .pool = pool,
                .scope = static_cast<traces::ScopeStreams>(numbers_.below(3))};
    }
  }

  HostCall about_failures() {
    if (numbers_.below(2) == 0)
      return {.kind = HostKind::poison, .stream = some_stream(), .on = numbers_.below(2) == 0};
    return {.kind = HostKind::host_limit, .bytes = {numbers_.below(64) << 20}};
  }

  /// A limit below the number of entries is defined only with an empty ring.
  HostCall about_history() {
    const Address at{4096 * (1 + numbers_.below(3))};
    if (numbers_.below(4) == 0)
      return {.kind = HostKind::register_external, .bytes = size(), .address = at};
    if (numbers_.below(4) == 0) return {.kind = HostKind::unregister_external, .address = at};
    HostCall call{.kind = HostKind::record_history, .on = numbers_.below(4) != 0};
    call.level = static_cast<HostStackLevel>(numbers_.below(4));
    call.clear = numbers_.below(3) == 0;
    const std::uint64_t limit = numbers_.below(60);
    call.limit = call.clear ? limit : std::max(limit, history_limit_);
    if (call.on) history_limit_ = call.limit;
    return call;
  }

  RandomNumbers numbers_;
  bool knows_limits_ = false;
  bool knows_reserve_ = false;
  bool has_pools_ = false;
  bool has_failures_ = false;
  bool has_history_ = false;
  bool changes_options_ = false;
  std::uint64_t next_id_ = 0;
  std::uint64_t history_limit_ = 0;
};

}  // namespace

traces::HostProgram make_random_host_program(std::uint64_t seed) {
  return HostProgramWriter(seed).write(seed);
}

}  // namespace vramlab::tests
