#include "tools/cli/kit/input_files.h"

namespace vramlab::tools {

std::shared_ptr<ReplayedFile> open_kept(const std::string& path, traces::ProgressListener listener,
                                        replay::OpenConditions conditions) {
  return std::make_shared<ReplayedFile>(
      open_replayed(path, std::move(listener), std::move(conditions)));
}

}  // namespace vramlab::tools
