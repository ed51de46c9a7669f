#include "tools/cuda_standins/code/kernel_facts.h"

#include <algorithm>
#include <climits>
#include <cstdint>
#include <cstring>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/cuda_standins/code/fat_binary.h"

namespace vramlab::dry_run {
namespace {

/// The first bytes of ELF with 64 bits, and a header of a section.
struct ElfHeader {
  char magic[16];
  std::uint32_t kind[2];
  std::uint64_t entry;
  std::uint64_t segments;
  std::uint64_t sections;
  std::uint32_t flags;
  std::uint16_t sizes[4];
  std::uint16_t section_count;
  std::uint16_t names;
};
struct Section {
  std::uint32_t name;
  std::uint32_t type;
  std::uint64_t flags;
  std::uint64_t address;
  std::uint64_t offset;
  std::uint64_t bytes;
  std::uint32_t link;
  std::uint32_t info;
  std::uint64_t alignment;
  std::uint64_t entry_bytes;
};

bool is_code(const ElfHeader& header) {
  constexpr std::string_view magic = "\177ELF\2";
  return std::string_view(header.magic, magic.size()) == magic;
}

/// Reads within the bytes; bytes beyond the end are zero.
class ElfCode {
 public:
  explicit ElfCode(std::span<const char> code) : code_(code), header_(read<ElfHeader>(0)) {
    if (code.size() < sizeof(ElfHeader) || !is_code(header_)) return;
    // Counts that don't fit into the header are in the first section.
    const auto first = read<Section>(header_.sections);
    constexpr std::uint16_t elsewhere = 0xffff;
    count_ = header_.section_count != 0 ? header_.section_count : first.bytes;
    names_ = section(header_.names == elsewhere ? first.link : header_.names).offset;
    count_ = std::min<std::uint64_t>(count_, code.size() / sizeof(Section));
  }

  std::uint64_t count() const { return count_; }
  Section section(std::uint64_t place) const {
    return read<Section>(header_.sections + place * sizeof(Section));
  }
  std::string_view name_of(const Section& section) const { return text(names_ + section.name); }
  std::string_view text(std::uint64_t place) const {
    if (place >= code_.size()) return {};
    const std::string_view rest(code_.data() + place, code_.size() - place);
    return rest.substr(0, rest.find('\0'));
  }
  template <class Value>
  Value read(std::uint64_t place) const {
    Value value{};
    if (place < code_.size() && sizeof value <= code_.size() - place)
      std::memcpy(&value, code_.data() + place, sizeof value);
    return value;
  }

 private:
  std::span<const char> code_;
  ElfHeader header_;
  std::uint64_t count_ = 0;
  std::uint64_t names_ = 0;
};

/// One of a kernel's notes: either a value of 16 bits, or so many bytes behind it.
struct InfoNote {
  std::uint8_t form;
  std::uint8_t attribute;
  std::uint16_t bytes;
};

/// A note that is not of one kernel says which by the place of its symbol.
struct SymbolNote {
  std::uint32_t symbol;
  std::uint32_t value;
};
struct Symbol {
  std::uint32_t name;
  char others[20];
};

/// Calls `take(attribute, place)` for each note with bytes of its own.
template <class Take>
void for_each_note(const ElfCode& code, const Section& info, const Take& take) {
  constexpr std::uint8_t has_bytes = 4;
  for (std::uint64_t place = 0; place + sizeof(InfoNote) <= info.bytes;) {
    const auto note = code.read<InfoNote>(info.offset + place);
    place += sizeof(InfoNote);
    if (note.form != has_bytes) continue;
    take(note.attribute, info.offset + place);
    place += note.bytes;
  }
}

struct ParameterNote {
  std::uint32_t index;
  std::uint16_t number;
  std::uint16_t offset;
  /// The size is above the lowest 18 bits.
  std::uint32_t size_and_more;
};

void add_parameter(const ParameterNote& note, KernelFacts& facts) {
  constexpr std::uint16_t most_parameters = 4096;
  if (note.number >= most_parameters) return;
  if (facts.parameter_bytes.size() <= note.number) facts.parameter_bytes.resize(note.number + 1U);
  facts.parameter_bytes[note.number] = note.size_and_more >> 18U;
}

/// The product of the three sizes in the launch bounds, and the sizes of parameters.
void add_notes(const ElfCode& code, const Section& info, KernelFacts& facts) {
  constexpr std::uint8_t most_threads_note = 5;
  constexpr std::uint8_t parameter_note = 0x17;
  struct Sizes {
    std::uint32_t x, y, z;
  };
  for_each_note(code, info, [&](std::uint8_t attribute, std::uint64_t place) {
    if (attribute == parameter_note) add_parameter(code.read<ParameterNote>(place), facts);
    if (attribute != most_threads_note) return;
    const auto sizes = code.read<Sizes>(place);
    facts.most_threads = static_cast<int>(sizes.x * sizes.y * sizes.z);
  });
}

void add_stacks(const ElfCode& code, const Section& info, FactsByName& facts) {
  constexpr std::uint8_t stack_note = 0x11;
  const Section symbols = code.section(info.link);
  for_each_note(code, info, [&](std::uint8_t attribute, std::uint64_t place) {
    if (attribute != stack_note) return;
    const auto note = code.read<SymbolNote>(place);
    const auto symbol = code.read<Symbol>(symbols.offset + note.symbol * sizeof(Symbol));
    const std::string_view name = code.text(code.section(symbols.link).offset + symbol.name);
    if (!name.empty()) facts[std::string(name)].stack_bytes = note.value;
  });
}

void add_section(const ElfCode& code, const Section& section, FactsByName& facts) {
  constexpr std::string_view text = ".text.";
  constexpr std::string_view shared = ".nv.shared.";
  constexpr std::string_view info = ".nv.info.";
  constexpr unsigned registers_place = 24;
  const std::string_view name = code.name_of(section);
  if (name.starts_with(text))
    facts[std::string(name.substr(text.size()))].registers =
        static_cast<int>(section.info >> registers_place);
  else if (name.starts_with(shared))
    facts[std::string(name.substr(shared.size()))].shared_bytes = section.bytes;
  else if (name == ".nv.info")
    add_stacks(code, section, facts);
  else if (name.starts_with(info))
    add_notes(code, section, facts[std::string(name.substr(info.size()))]);
}

}  // namespace

void add_facts(std::span<const char> code, FactsByName& facts) {
  const ElfCode elf(code);
  FactsByName found;
  std::size_t constant_bytes = 0;
  for (std::uint64_t place = 0; place < elf.count(); ++place) {
    const Section section = elf.section(place);
    add_section(elf, section, found);
    // One memory for the constants of all kernels in the code.
    if (elf.name_of(section) == ".nv.constant3") constant_bytes = section.bytes;
  }
  for (auto& [name, kernel] : found) {
    kernel.constant_bytes = constant_bytes;
    facts.insert_or_assign(name, std::move(kernel));
  }
}

std::span<const char> code_at(const void* image) {
  ElfHeader header{};
  const auto* const begin = static_cast<const char*>(image);
  // Source code has no length and may be shorter than the mark: its zero ends it.
  if (image == nullptr || std::strncmp(begin, "\177ELF", 4) != 0) return {};
  std::memcpy(&header, begin, sizeof header);
  if (!is_code(header)) return {};
  const auto section = [&](std::uint64_t place) {
    Section found{};
    std::memcpy(&found, begin + header.sections + place * sizeof found, sizeof found);
    return found;
  };
  const std::uint64_t count = header.section_count != 0 ? header.section_count : section(0).bytes;
  std::uint64_t end = header.sections + count * sizeof(Section);
  constexpr std::uint32_t without_bytes = 8;
  for (std::uint64_t place = 0; place < count; ++place)
    if (const Section found = section(place); found.type != without_bytes)
      end = std::max(end, found.offset + found.bytes);
  return {begin, end};
}

FactsByName facts_of(const ChosenCode& chosen) {
  FactsByName facts;
  for (const StoredCode& stored : chosen.code) {
    const std::span bytes(stored.at, stored.stored_bytes);
    if (stored.stored_bytes == stored.unpacked_bytes)
      add_facts(bytes, facts);
    else if (const auto unpacked = unpack(bytes, stored.unpacked_bytes))
      add_facts(*unpacked, facts);
  }
  return facts;
}

namespace {

constexpr int warp_threads = 32;
constexpr int largest_block = 1024;
/// A multiprocessor has four parts with registers of their own, which warps get in whole pieces.
constexpr int parts = 4;
constexpr int register_piece = 256;

template <class Number>
Number rounded_up(Number value, Number unit) {
  return (value + unit - 1) / unit * unit;
}

int warps_of(int threads) { return rounded_up(threads, warp_threads) / warp_threads; }

/// As many warps as have their registers at once.
int warps_with_registers(const MultiprocessorLimits& limits, const KernelFacts& kernel) {
  const int of_warp = rounded_up(kernel.registers * warp_threads, register_piece);
  return of_warp == 0 ? INT_MAX : limits.registers / parts / of_warp * parts;
}

int blocks_with_registers(const MultiprocessorLimits& limits, const KernelFacts& kernel,
                          int block_warps) {
  const int warps = warps_with_registers(limits, kernel);
  return rounded_up(block_warps, parts) > warps ? 0 : warps / block_warps;
}

int blocks_with_shared_memory(const MultiprocessorLimits& limits, const KernelFacts& kernel,
                              std::size_t dynamic_bytes) {
  constexpr std::size_t new_piece = 128;
  constexpr std::size_t old_piece = 256;
  constexpr int first_with_new_piece = 80;
  const std::size_t piece = limits.capability >= first_with_new_piece ? new_piece : old_piece;
  const std::size_t used = kernel.shared_bytes + limits.reserved_shared_bytes + dynamic_bytes;
  const std::size_t taken = rounded_up(used, piece);
  if (taken > limits.shared_bytes_of_block + limits.reserved_shared_bytes) return 0;
  return taken == 0 ? INT_MAX : static_cast<int>(limits.shared_bytes / taken);
}

}  // namespace

int most_threads(const MultiprocessorLimits& limits, const KernelFacts& kernel) {
  const int promised = kernel.most_threads == 0 ? largest_block : kernel.most_threads;
  const int warps = warps_with_registers(limits, kernel);
  if (warps >= largest_block / warp_threads) return std::min(promised, largest_block);
  return std::min(promised, warps * warp_threads);
}

int blocks_at_once(const MultiprocessorLimits& limits, const KernelFacts& kernel,
                   const BlockOfThreads& block) {
  if (block.threads < 1 || block.threads > most_threads(limits, kernel)) return 0;
  const int warps = warps_of(block.threads);
  return std::min({limits.blocks, limits.threads / warp_threads / warps,
                   blocks_with_registers(limits, kernel, warps),
                   blocks_with_shared_memory(limits, kernel, block.dynamic_shared_bytes)});
}

}  // namespace vramlab::dry_run
