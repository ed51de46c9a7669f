// A file that is replayed, opened for a command. In a page, which runs command after command in one
// process, it stays open for the next one (tools/web/page/kept_source.cpp).
#pragma once

#include <memory>
#include <string>

#include "replay/replayer/replay_source.h"

namespace vramlab::tools {

std::shared_ptr<replay::ReplaySource> open_source(const std::string& path,
                                                  replay::ReplayConditions conditions,
                                                  traces::ProgressListener listener);

}  // namespace vramlab::tools
