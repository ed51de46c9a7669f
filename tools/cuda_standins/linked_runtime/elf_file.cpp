#include "tools/cuda_standins/linked_runtime/elf_file.h"

#include <elf.h>

#include <algorithm>
#include <bit>
#include <cctype>
#include <cstring>
#include <set>

namespace vramlab::linked_runtime {
namespace {

/// Files need not keep anything at multiples of its size.
template <class Value>
Value value_at(ByteView bytes, std::size_t index) {
  Value value;
  std::memcpy(&value, bytes.data() + index * sizeof(Value), sizeof(Value));
  return value;
}

bool is_readable(const Elf64_Ehdr& header) {
  constexpr auto order = std::endian::native == std::endian::little ? ELFDATA2LSB : ELFDATA2MSB;
  return std::memcmp(header.e_ident, ELFMAG, SELFMAG) == 0 &&
         header.e_ident[EI_CLASS] == ELFCLASS64 && header.e_ident[EI_DATA] == order &&
         header.e_shentsize == sizeof(Elf64_Shdr);
}

std::string_view text_at(ByteView texts, std::uint32_t offset) {
  if (offset >= texts.size()) return {};
  const ByteView left = texts.subspan(offset);
  const void* const end = std::memchr(left.data(), '\0', left.size());
  if (end == nullptr) return {};
  const char* const begin = reinterpret_cast<const char*>(left.data());
  return {begin, static_cast<const char*>(end)};
}

/// As `cudaMalloc` and `__cudaRegisterVar`; not as `cudart_internal` and `cuda_helper`.
bool is_like_the_runtimes(std::string_view name) {
  if (name.starts_with("__")) name.remove_prefix(2);
  return name.size() > 4 && name.starts_with("cuda") &&
         std::isupper(static_cast<unsigned char>(name[4])) != 0;
}

bool is_function_here(const Elf64_Sym& symbol) {
  return ELF64_ST_TYPE(symbol.st_info) == STT_FUNC && symbol.st_shndx != SHN_UNDEF &&
         symbol.st_shndx < SHN_LORESERVE;
}

}  // namespace

/// A table of symbols and the section of their names.
struct ElfFile::Symbols {
  ByteView entries;
  ByteView texts;

  std::size_t size() const { return entries.size() / sizeof(Elf64_Sym); }
  Elf64_Sym at(std::size_t index) const { return value_at<Elf64_Sym>(entries, index); }
};

ElfFile::ElfFile(ByteView bytes) : bytes_(bytes) {
  if (bytes.size() < sizeof(Elf64_Ehdr)) return;
  const auto header = value_at<Elf64_Ehdr>(bytes, 0);
  if (!is_readable(header)) return;
  const std::uint64_t table_bytes = std::uint64_t{header.e_shnum} * sizeof(Elf64_Shdr);
  const ByteView table = part(header.e_shoff, table_bytes);
  for (std::size_t index = 0; index < table.size() / sizeof(Elf64_Shdr); ++index) {
    const auto entry = value_at<Elf64_Shdr>(table, index);
    const bool has_bytes = entry.sh_type != SHT_NOBITS;
    sections_.push_back({entry.sh_type, entry.sh_flags, entry.sh_addr,
                         has_bytes ? part(entry.sh_offset, entry.sh_size) : ByteView{},
                         entry.sh_link});
  }
}

ByteView ElfFile::part(std::uint64_t offset, std::uint64_t bytes) const {
  if (offset > bytes_.size() || bytes > bytes_.size() - offset) return {};
  return bytes_.subspan(offset, bytes);
}

std::optional<std::uint64_t> ElfFile::dynamic_address() const {
  const auto found = std::ranges::find(sections_, std::uint32_t{SHT_DYNAMIC}, &Section::type);
  return found == sections_.end() ? std::nullopt : std::optional(found->address);
}

std::optional<ElfFile::Symbols> ElfFile::symbols_of(std::uint32_t section_type) const {
  const auto table = std::ranges::find(sections_, section_type, &Section::type);
  if (table == sections_.end() || table->link >= sections_.size()) return std::nullopt;
  return Symbols{table->bytes, sections_[table->link].bytes};
}

ByteView ElfFile::code_at(std::size_t section, std::uint64_t address) const {
  if (section >= sections_.size()) return {};
  const Section& holder = sections_[section];
  if ((holder.flags & SHF_EXECINSTR) == 0 || address < holder.address ||
      address - holder.address > holder.bytes.size())
    return {};
  return holder.bytes.subspan(address - holder.address);
}

std::vector<NamedFunction> ElfFile::exported_functions() const {
  std::vector<NamedFunction> functions;
  const auto symbols = symbols_of(SHT_DYNSYM);
  for (std::size_t index = 0; symbols && index < symbols->size(); ++index) {
    const Elf64_Sym symbol = symbols->at(index);
    if (!is_function_here(symbol)) continue;
    functions.push_back({text_at(symbols->texts, symbol.st_name), symbol.st_value, symbol.st_size,
                         code_at(symbol.st_shndx, symbol.st_value)});
  }
  return functions;
}

std::optional<ExportedPlace> ElfFile::exported(std::string_view name) const {
  const auto symbols = symbols_of(SHT_DYNSYM);
  for (std::size_t index = 0; symbols && index < symbols->size(); ++index) {
    const Elf64_Sym symbol = symbols->at(index);
    if (symbol.st_shndx != SHN_UNDEF && text_at(symbols->texts, symbol.st_name) == name)
      return ExportedPlace{symbol.st_value, symbol.st_size};
  }
  return std::nullopt;
}

std::vector<NamedFunction> ElfFile::own_cuda_functions() const {
  std::vector<NamedFunction> functions;
  const auto symbols = symbols_of(SHT_SYMTAB);
  for (std::size_t index = 0; symbols && index < symbols->size(); ++index) {
    const Elf64_Sym symbol = symbols->at(index);
    if (!is_function_here(symbol)) continue;
    const std::string_view name = text_at(symbols->texts, symbol.st_name);
    if (!is_like_the_runtimes(name)) continue;
    const ByteView code = code_at(symbol.st_shndx, symbol.st_value);
    if (!code.empty()) functions.push_back({name, symbol.st_value, symbol.st_size, code});
  }
  if (functions.empty()) return functions;
  std::set<std::string_view> exported;
  for (const NamedFunction& function : exported_functions()) exported.insert(function.name);
  std::erase_if(functions,
                [&](const NamedFunction& function) { return exported.contains(function.name); });
  return functions;
}

}  // namespace vramlab::linked_runtime
