#include "tools/preload/behind.h"

#include <cstdlib>
#include <string>

#include "tools/preload/real_calls.h"
#include "tools/preload/recorder/recorder.h"
#include "tools/preload/said.h"

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

}  // namespace

MemoryCalls* make_behind(PreloadMode mode) {
  switch (mode) {
    case PreloadMode::record:
      return make_recorder();
    case PreloadMode::deferred:
    case PreloadMode::sync:
    case PreloadMode::nosplit:
      say({"this build has no caching behind the driver's functions: nothing is replaced"});
      return new RealCalls();
    case PreloadMode::off:
      break;
  }
  return nullptr;
}

}  // namespace vramlab::preload
