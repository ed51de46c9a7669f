#include "tools/preload/exports/behind.h"

#include <cstdlib>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <variant>

#include "tools/preload/driver/driver_library.h"
#include "tools/preload/driver/real_calls.h"
#include "tools/preload/ground/said.h"
#include "tools/preload/recorder/recorder.h"
#include "tools/preload/shim/caching_shim.h"

namespace vramlab::preload {
namespace {

MemoryCalls* make_recorder() {
  const char* const file = std::getenv("VRAMLAB_RECORD");
  const char* const stacks = std::getenv("VRAMLAB_RECORD_STACKS");
  const bool has_file = file != nullptr && *file != '\0';
  const bool has_stacks = stacks != nullptr && std::string_view(stacks) == "1";
  return new Recorder(
      {has_file ? file : "vramlab-recording", has_stacks ? RecordStacks::yes : RecordStacks::no});
}

/// From any thread.
std::function<void(const std::string&)> say_each_once() {
  struct Said {
    std::mutex mutex;
    std::set<std::string> sentences;
  };
  return [said = std::make_shared<Said>()](const std::string& sentence) {
    const std::lock_guard lock(said->mutex);
    if (said->sentences.insert(sentence).second) say({sentence});
  };
}

MemoryCalls* make_caching_shim() {
  const auto driver =
      streams::find_cuda_driver(driver_symbol, streams::DriverNeeds::all_but_mapping);
  if (const auto* const none = std::get_if<streams::NoCudaDriver>(&driver)) {
    say({none->reason, ": nothing is replaced"});
    return new RealCalls();
  }
  shim::ShimOptions options =
      shim::read_shim_options([](const char* name) { return std::getenv(name); });
  for (const std::string& complaint : options.complaints) say({complaint});
  options.say = say_each_once();
  return new shim::CachingShim(std::get<streams::CudaDriver>(driver), std::move(options));
}

}  // namespace

MemoryCalls* make_behind(PreloadMode mode) {
  switch (mode) {
    case PreloadMode::record:
      return make_recorder();
    case PreloadMode::deferred:
    case PreloadMode::sync:
    case PreloadMode::nosplit:
      return make_caching_shim();
    case PreloadMode::off:
      break;
  }
  return nullptr;
}

}  // namespace vramlab::preload
