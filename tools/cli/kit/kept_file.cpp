// In a process that ends with its command no file is kept open. tools/web/page/kept_file.cpp stands
// in place of this source in the page.
#include "tools/cli/kit/input_files.h"

namespace vramlab::tools {

std::shared_ptr<ReplayedFile> open_kept(const std::string& path, traces::ProgressListener listener,
                                        replay::OpenConditions conditions) {
  return std::make_shared<ReplayedFile>(
      open_replayed(path, std::move(listener), std::move(conditions)));
}

}  // namespace vramlab::tools
