#include "tools/cli/kit/opened_source.h"

namespace vramlab::tools {

std::shared_ptr<replay::ReplaySource> open_source(const std::string& path,
                                                  replay::ReplayConditions conditions,
                                                  traces::ProgressListener listener) {
  return std::make_shared<replay::ReplaySource>(path, std::move(conditions), std::move(listener));
}

}  // namespace vramlab::tools
