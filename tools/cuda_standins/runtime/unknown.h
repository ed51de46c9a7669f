// Functions of the runtime that nobody wrote by hand: they answer that they are not supported, and
// each use is noted, so that the report of a run can name them.
#pragma once

#include <atomic>
#include <string>

namespace vramlab::dry_run {

/// The calls of one function; after this many it is silent.
struct UnknownFunction {
  static constexpr int most_notes = 100;
  const char* name;
  std::atomic<int> calls = 0;
};

/// For the report, where the driver is ours.
void note(const char* kind, const std::string& subject);

/// cudaErrorNotSupported.
int call_unknown(UnknownFunction& function);

}  // namespace vramlab::dry_run
