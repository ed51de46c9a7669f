// ElfFile: the functions that a program or a library names, read from the bytes of its file.
//
// Places and sizes that do not lie within the file count as missing, so a damaged file has fewer
// functions or none. Only files of 64 bits in the byte order of this machine are read.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

namespace vramlab::linked_runtime {

using ByteView = std::span<const unsigned char>;

struct NamedFunction {
  std::string_view name;
  /// As the file was linked: without the place at which it is loaded.
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
  /// From the function's first byte to the end of its section.
  ByteView code;
};

struct ExportedPlace {
  std::uint64_t address = 0;
  std::uint64_t bytes = 0;
};

class ElfFile {
 public:
  /// Requires: the bytes outlive it and all that it returns.
  explicit ElfFile(ByteView bytes);

  /// The address of the dynamic section, by which a loaded file is known again.
  std::optional<std::uint64_t> dynamic_address() const;
  /// The functions that other files may use.
  std::vector<NamedFunction> exported_functions() const;
  /// The function or variable of this name that other files may use.
  std::optional<ExportedPlace> exported(std::string_view name) const;
  /// The functions whose names begin as those of CUDA's runtime do, and that only the file itself
  /// uses. Others may stand in for the runtime on purpose.
  std::vector<NamedFunction> own_cuda_functions() const;

 private:
  struct Section {
    std::uint32_t type = 0;
    std::uint64_t flags = 0;
    std::uint64_t address = 0;
    ByteView bytes;
    std::uint32_t link = 0;
  };
  struct Symbols;

  std::optional<Symbols> symbols_of(std::uint32_t section_type) const;
  ByteView code_at(std::size_t section, std::uint64_t address) const;
  ByteView part(std::uint64_t offset, std::uint64_t bytes) const;

  ByteView bytes_;
  std::vector<Section> sections_;
};

}  // namespace vramlab::linked_runtime
