// The bytes of a writer, in memory.
#pragma once

#include <string>

#include "traces/io/byte_sink.h"

namespace vramlab::support {

class CollectedBytes : public traces::ByteSink {
 public:
  void write(std::string_view piece) override { bytes += piece; }

  std::string bytes;
};

}  // namespace vramlab::support
