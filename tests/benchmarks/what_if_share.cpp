#include "tests/benchmarks/benchmarks.h"

#include <algorithm>
#include <chrono>
#include <cstdio>

#include "allocator/caching_allocator.h"
#include "replay/replayer/replayer.h"
#include "tests/support/devices/free_of_charge_device.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

using replay::CompactKind;

constexpr int replay_count = 200;

struct AllocatorCall {
  allocator::Bytes bytes;
  allocator::StreamId stream;
  std::uint32_t slot = 0;
  bool is_malloc = false;
};

std::vector<AllocatorCall> calls_of(const replay::CompactProgram& program) {
  std::vector<AllocatorCall> calls;
  replay::CompactReader reader(program);
  for (std::size_t i = 0; i < program.event_count(); ++i) {
    const replay::CompactEvent event = reader[i];
    const bool is_malloc = event.kind() == CompactKind::malloc;
    if (!is_malloc && event.kind() != CompactKind::free) continue;
    const replay::EventShape& shape = program.shape(event);
    calls.push_back({shape.bytes, shape.stream, event.slot(), is_malloc});
  }
  return calls;
}

/// On a device whose calls cost nothing.
void run_engine(const std::vector<AllocatorCall>& calls, std::size_t slots) {
  FreeOfChargeDevice device;
  allocator::CountingAllocator engine(device, allocator::default_reference_version(), {});
  std::vector<allocator::Address> addresses(slots);
  for (const AllocatorCall& call : calls) {
    allocator::Address& address = addresses[call.slot];
    if (call.is_malloc)
      address = engine.malloc(call.bytes, call.stream).address;
    else
      engine.free(address);
  }
}

template <class Run>
double best_ns(const Run& run) {
  using Clock = std::chrono::steady_clock;
  double best = 1e18;
  for (int i = 0; i < replay_count; ++i) {
    const auto begin = Clock::now();
    run();
    best = std::min(best, std::chrono::duration<double, std::nano>(Clock::now() - begin).count());
  }
  return best;
}

void print_row(const char* name) {
  replay::Recording recording(
      traces::open_trace(support::source_dir() + "/traces/samples/" + std::string(name)));
  const replay::Replayer replayer(recording);
  const replay::CompactProgram& program = recording.program()->program;
  const std::vector<AllocatorCall> calls = calls_of(program);
  replay::ReplayConditions conditions;
  conditions.options = "";
  const auto count = static_cast<double>(calls.size());
  const double engine = best_ns([&] { run_engine(calls, program.slot_count()); }) / count;
  const double replay = best_ns([&] { replayer.figures(conditions); }) / count;
  std::printf("%-24s engine %7.1f ns/call   replay %7.1f ns/call   replay/engine %5.2f\n", name,
              engine, replay, replay / engine);
}

}  // namespace

void print_what_if_share() {
  for (const char* name : {"diffusion.vtrace", "fragments.vtrace"}) print_row(name);
}

}  // namespace vramlab::tests
