#include "traces/io/output_file.h"

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "allocator/types/check.h"
#include "traces/io/input_error.h"

namespace vramlab::traces {
namespace {

namespace fs = std::filesystem;

/// A link stays a link: what it points to is replaced.
std::string behind_links(const std::string& path) {
  std::error_code error;
  const fs::path target = fs::canonical(path, error);
  return error ? path : target.string();
}

}  // namespace

OutputFile::OutputFile(const std::string& path, Overwrite overwrite)
    : name_(path), path_(behind_links(path)), overwrite_(overwrite) {
  std::error_code error;
  const fs::file_status status = fs::status(path_, error);
  if (fs::exists(status) && !fs::is_regular_file(status)) fail("something that is no file");
  refuse_to_overwrite();
  open_temporary();
}

OutputFile::~OutputFile() {
  if (file_ == nullptr) return;
  std::fclose(file_);
  std::error_code ignored;
  fs::remove(temporary_path_, ignored);
}

void OutputFile::fail(const std::string& found) const {
  throw InputError({name_, "", "a file that can be written", found});
}

void OutputFile::refuse_to_overwrite() const {
  std::error_code error;
  if (overwrite_ == Overwrite::refused && fs::exists(path_, error))
    throw InputError({name_, "", "no file of this name (or --force)", "one"});
}

/// Opened only where no file is: somebody else may be writing the same output.
void OutputFile::open_temporary() {
  constexpr int most_tries = 100;
  const fs::path path(path_);
  for (int i = 0; i < most_tries && file_ == nullptr; ++i) {
    const std::string name = "." + path.filename().string() + "." + std::to_string(i) + ".part";
    temporary_path_ = (path.parent_path() / name).string();
    file_ = std::fopen(temporary_path_.c_str(), "wbx");
    if (file_ == nullptr && errno != EEXIST) break;
  }
  if (file_ == nullptr) fail(std::strerror(errno));
}

void OutputFile::write(std::string_view bytes) {
  check(file_ != nullptr, "a finished file is not written to");
  if (std::fwrite(bytes.data(), 1, bytes.size(), file_) != bytes.size()) fail(std::strerror(errno));
}

void OutputFile::finish() {
  check(file_ != nullptr, "a file is finished once");
  if (std::fflush(file_) != 0) fail(std::strerror(errno));
  refuse_to_overwrite();
  std::error_code error;
  fs::rename(temporary_path_, path_, error);
  if (error) fail(error.message());
  if (std::fclose(std::exchange(file_, nullptr)) != 0) fail(std::strerror(errno));
}

}  // namespace vramlab::traces
