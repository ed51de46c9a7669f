// PackingCore: the buffers that decide how high a packing is: those that are there while the load
// is near its peak. Searches place these; the others are put around them.
#pragma once

#include <optional>
#include <vector>

#include "replay/packing/buffer.h"

namespace vramlab::replay {

class PackingCore {
 public:
  /// Keeps references to both.
  PackingCore(const std::vector<Buffer>& buffers, const Sections& sections);

  const std::vector<Buffer>& buffers() const { return is_all_ ? all_ : buffers_; }
  const Sections& sections() const { return is_all_ ? all_sections_ : sections_; }
  /// The others at the lowest offsets that this packing of the core leaves free. Empty if that
  /// takes more looks at what is taken.
  std::optional<Packing> complete(Packing packing, std::uint64_t most_work) const;

 private:
  const std::vector<Buffer>& all_;
  const Sections& all_sections_;
  bool is_all_ = false;
  /// What is in it, by index.
  std::vector<std::uint32_t> indices_;
  std::vector<std::uint32_t> others_;
  std::vector<Buffer> buffers_;
  Sections sections_;
};

}  // namespace vramlab::replay
