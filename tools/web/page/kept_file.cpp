// A page updates its figures at each key press. So the recording that was opened last stays open
// between commands, as long as the file and the version of the rules stay the same.
#include <sys/stat.h>

#include "tools/cli/kit/input_files.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

/// The page mounts files anew when others are opened, and each gets a number then.
struct FileIdentity {
  std::string path;
  std::uint64_t number = 0;
  std::int64_t size = 0;
  std::int64_t changed_s = 0;
  std::int64_t changed_ns = 0;
  bool operator==(const FileIdentity&) const = default;
};

FileIdentity identity_of(const std::string& path) {
  struct stat found = {};
  if (stat(path.c_str(), &found) != 0) return {};
  return {path, found.st_ino, found.st_size, found.st_mtim.tv_sec, found.st_mtim.tv_nsec};
}

struct KeptFile {
  FileIdentity file;
  const ReferenceVersion* version = nullptr;
  std::shared_ptr<ReplayedFile> opened;
};

}  // namespace

std::shared_ptr<ReplayedFile> open_kept(const std::string& path, traces::ProgressListener listener,
                                        replay::OpenConditions conditions) {
  // The kept recording lives as long as the page's worker; no other object outlives a command.
  static KeptFile kept;
  const FileIdentity file = identity_of(path);
  const ReferenceVersion* const version = conditions.version;
  if (kept.opened && !file.path.empty() && kept.file == file && kept.version == version)
    return kept.opened;
  kept = {};
  const auto open = [&](replay::Passes passes) {
    replay::OpenConditions of_open = conditions;
    of_open.passes = passes;
    return std::make_shared<ReplayedFile>(open_replayed(path, listener, std::move(of_open)));
  };
  try {
    kept = {file, version, open(replay::Passes::many)};
    return kept.opened;
  } catch (const traces::InputError&) {
    if (conditions.passes == replay::Passes::many) throw;
  }
  // A command that replays while it reads may find another fault first, and names that one.
  return open(conditions.passes);
}

}  // namespace vramlab::tools
