// OutputFile: a file that is there as a whole or not at all. It is written under a temporary name
// beside its own and gets its name at the end.
#pragma once

#include <cstdint>
#include <cstdio>
#include <string>

#include "traces/io/byte_sink.h"

namespace vramlab::traces {

enum class Overwrite : std::uint8_t { refused, allowed };

class OutputFile : public ByteSink {
 public:
  /// Throws InputError where the file can't be written, or is there and must not be overwritten.
  OutputFile(const std::string& path, Overwrite overwrite);
  /// Removes what was not finished.
  ~OutputFile() override;

  void write(std::string_view bytes) override;
  /// Gives the file its name. It can't be written to afterwards.
  void finish();

  /// As it was given.
  const std::string& name() const { return name_; }
  /// What has to be removed by whoever ends the program before this does.
  const std::string& temporary_path() const { return temporary_path_; }

 private:
  void refuse_to_overwrite() const;
  void open_temporary();
  [[noreturn]] void fail(const std::string& found) const;

  /// As the user wrote it, for messages.
  std::string name_;
  std::string path_;
  Overwrite overwrite_;
  std::string temporary_path_;
  std::FILE* file_ = nullptr;
};

}  // namespace vramlab::traces
