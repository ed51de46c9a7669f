// A program written as lines of a native trace, in a file of the test's own.
#pragma once

#include <gtest/gtest.h>

#include <cstdio>
#include <fstream>
#include <string>

#include "tests/support/kit/own_folder.h"

namespace vramlab::support {

class ProgramFile {
 public:
  /// `name` is the test's own; `header` is more of the header's line, such as `,"settings":"..."`.
  ProgramFile(const std::string& name, const std::string& lines, const std::string& header = "")
      : path_(own_folder() + name + ".vtrace.jsonl") {
    std::ofstream(path_) << "{\"format\":\"vramlab-trace\",\"version\":1" << header << "}\n"
                         << lines;
  }
  ProgramFile(const ProgramFile&) = delete;
  ProgramFile& operator=(const ProgramFile&) = delete;
  ~ProgramFile() { std::remove(path_.c_str()); }

  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

}  // namespace vramlab::support
