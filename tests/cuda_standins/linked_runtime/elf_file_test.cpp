// The test's own file has the functions below, as a linked runtime has.
#include "tools/cuda_standins/linked_runtime/elf_file.h"

#include <elf.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstring>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

extern "C" {
__attribute__((visibility("hidden"), used, noinline)) int cudaTestOfElfFile() { return 7; }
__attribute__((visibility("hidden"), used, noinline)) int __cudaTestOfElfFile() { return 8; }
__attribute__((visibility("hidden"), used, noinline)) int cuda_test_of_elf_file() { return 9; }
}

namespace vramlab::linked_runtime {
namespace {

std::vector<unsigned char> own_file() {
  std::ifstream file("/proc/self/exe", std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> names_in(const ElfFile& file) {
  std::vector<std::string> names;
  for (const NamedFunction& function : file.own_cuda_functions()) names.emplace_back(function.name);
  std::ranges::sort(names);
  return names;
}

TEST(ElfFile, names_own_functions_that_begin_like_the_runtimes) {
  const auto bytes = own_file();
  EXPECT_EQ(names_in(ElfFile(bytes)),
            (std::vector<std::string>{"__cudaTestOfElfFile", "cudaTestOfElfFile"}));
}

TEST(ElfFile, code_of_a_function_is_that_in_memory) {
  const auto bytes = own_file();
  const ElfFile file(bytes);
  const auto functions = file.own_cuda_functions();
  const auto found = std::ranges::find(functions, "cudaTestOfElfFile", &NamedFunction::name);
  ASSERT_NE(found, functions.end());
  ASSERT_LE(found->bytes, found->code.size());
  EXPECT_EQ(std::memcmp(reinterpret_cast<const void*>(&cudaTestOfElfFile), found->code.data(),
                        found->bytes),
            0);
}

TEST(ElfFile, stripped_file_names_nothing) {
  auto bytes = own_file();
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  for (int index = 0; index < header.e_shnum; ++index) {
    Elf64_Shdr section;
    unsigned char* const at = bytes.data() + header.e_shoff + index * sizeof section;
    std::memcpy(&section, at, sizeof section);
    if (section.sh_type == SHT_SYMTAB) section.sh_type = SHT_NULL;
    std::memcpy(at, &section, sizeof section);
  }
  const ElfFile file(bytes);
  EXPECT_TRUE(file.dynamic_address().has_value());
  EXPECT_TRUE(file.own_cuda_functions().empty());
}

TEST(ElfFile, file_that_is_cut_anywhere_is_read_without_harm) {
  const auto bytes = own_file();
  for (std::size_t parts = 0; parts < 200; ++parts) {
    const std::vector<unsigned char> cut(bytes.begin(), bytes.begin() + bytes.size() * parts / 200);
    const ElfFile file(cut);
    file.dynamic_address();
    file.exported("main");
    file.own_cuda_functions();
  }
}

TEST(ElfFile, sections_with_wrong_numbers_are_read_without_harm) {
  const auto bytes = own_file();
  Elf64_Ehdr header;
  std::memcpy(&header, bytes.data(), sizeof header);
  const std::size_t table_bytes = header.e_shnum * sizeof(Elf64_Shdr);
  for (std::size_t place = 0; place + 8 <= table_bytes; place += 8) {
    auto damaged = bytes;
    std::memset(damaged.data() + header.e_shoff + place, 0xf3, 8);
    const ElfFile file(damaged);
    file.dynamic_address();
    file.exported("main");
    file.own_cuda_functions();
  }
}

TEST(ElfFile, other_files_have_nothing) {
  const std::vector<unsigned char> text(5'000, 'x');
  for (const ByteView bytes : {ByteView(), ByteView(text)}) {
    const ElfFile file(bytes);
    EXPECT_FALSE(file.dynamic_address().has_value());
    EXPECT_TRUE(file.exported_functions().empty());
    EXPECT_TRUE(file.own_cuda_functions().empty());
  }
}

}  // namespace
}  // namespace vramlab::linked_runtime
