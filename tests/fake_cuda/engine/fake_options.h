// FakeOptions: what the fake driver is like.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "streams/cuda_interface/types.h"
#include "tools/cuda_standins/model/driver_options.h"

namespace vramlab::fake {

using dry_run::Backing;
using dry_run::FreeRule;

/// The function's calls answer `result`, but for the first `skipped` ones, and at most `count`
/// times.
struct FaultRule {
  /// The symbol, such as `cuMemAlloc_v2`. Both stream variants go by the name without a suffix.
  std::string function;
  CUresult result = CUDA_SUCCESS;
  std::uint64_t skipped = 0;
  std::uint64_t count = ~0ULL;
};

struct FakeOptions : dry_run::DriverOptions {
  /// Each call takes twice this at most, drawn by the seed. 0: only waiting and advance() take
  /// time.
  std::uint64_t mean_call_ns = 0;
  std::uint64_t seed = 1;
  /// One line for each call; empty for none.
  std::string log_file;
  std::vector<FaultRule> faults;
};

/// `name=code[@skipped][xcount]`, several with `,` between. Throws std::runtime_error.
std::vector<FaultRule> parse_faults(const std::string& text);

/// Changes `options` by the environment: FAKE_CUDA_DEVICES, _MEMORY (bytes, or with K, M, G),
/// _DRIVER_VERSION, _MAPPING (0 or 1), _BACKING (0 or 1), _FREE (`waits` or `at_once`), _CALL_NS,
/// _SEED, _LOG and _FAIL. Throws std::runtime_error.
FakeOptions options_from_environment(FakeOptions options);

}  // namespace vramlab::fake
