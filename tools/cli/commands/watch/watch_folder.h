// The folders in which running programs can be asked about their memory: sockets that only the user
// can reach. tools/python/vramlab/torch/run_folder.py looks in the same places.
#pragma once

#include <filesystem>
#include <optional>

namespace vramlab::tools {

/// A new folder for the programs of one command; it is removed with the value.
class WatchFolder {
 public:
  /// Throws InputError if no folder that is the user's alone can be made.
  WatchFolder();
  WatchFolder(const WatchFolder&) = delete;
  WatchFolder& operator=(const WatchFolder&) = delete;
  ~WatchFolder();

  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

/// The socket on which a process listens, in any folder of the user's.
std::optional<std::filesystem::path> socket_of(int process);

}  // namespace vramlab::tools
