#include "tests/support/devices/probed_run.h"

#include <algorithm>

#include "allocator/types/answers.h"

namespace vramlab::tests {
namespace {

using allocator::Bytes;

/// Options before an error in the string take effect, as everywhere.
allocator::Settings starting_settings(const traces::RecordedProgram& program) {
  if (program.config.empty()) return {};
  return parse_settings({}, program.config, *program.version).settings;
}

}  // namespace

ProbedRun::ProbedRun(const traces::RecordedProgram& program, std::size_t call_count)
    : device_(program.device_total),
      subject_(device_, *program.version, starting_settings(program)),
      runner_(program.calls, program.texts, {subject_, device_}) {
  if (program.memory_fraction) subject_.set_memory_fraction(*program.memory_fraction);
  for (std::size_t call = 0; call < call_count; ++call) try {
      runner_.step(call);
    } catch (const allocator::AllocatorError&) {
      // The state is as before, and the program goes on.
    }
}

replay::FragmentationRules ProbedRun::rules() {
  return replay::rules_of(engine(), device_.memory_info().free);
}

bool ProbedRun::has_open_scope() {
  const auto& pools = engine().core().private_pools;
  return std::any_of(pools.begin(), pools.end(),
                     [](const auto& named) { return named.second->has_open_scope; });
}

std::optional<Bytes> ProbedRun::released_by_emptying() {
  if (has_open_scope()) return std::nullopt;
  const Bytes before = reserved();
  engine().empty_cache();
  return before - reserved();
}

ProbedRun::Served ProbedRun::request(Bytes bytes, allocator::StreamId stream) {
  const auto got = [this] { return statistics().reserved_bytes.all.allocated; };
  const std::int64_t before = got();
  if (engine().malloc(bytes, stream).outcome != allocator::MallocOutcome::allocated)
    return Served::no;
  return got() == before ? Served::from_the_cache : Served::with_new_memory;
}

}  // namespace vramlab::tests
