// No two types share a name.
#include "tests/layout/type_homes.h"
#include "tests/support/processes/places.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;
using testing::ElementsAre;
using testing::IsEmpty;

std::vector<TypesOfFile> types_of_tree() {
  std::vector<TypesOfFile> files;
  for (const char* folder : {"allocator", "streams", "traces", "replay", "tools", "tests"})
    for (const auto& entry :
         fs::recursive_directory_iterator(fs::path(support::source_dir()) / folder)) {
      if (entry.path().extension() != ".h" && entry.path().extension() != ".cpp") continue;
      const std::string path = entry.path();
      files.push_back({path, types_defined_in(support::content_of(path))});
    }
  return files;
}

TEST(TypeHomes, every_type_of_the_tree_has_one) {
  const auto files = types_of_tree();
  std::size_t count = 0;
  for (const TypesOfFile& file : files) count += file.types.size();
  EXPECT_GT(count, 200U);
  EXPECT_THAT(types_with_two_homes(files), IsEmpty());
}

TEST(TypeHomes, types_are_found_in_text) {
  EXPECT_THAT(types_defined_in("namespace vramlab::replay {\n"
                               "struct Forward;\n"
                               "struct A {\n"
                               "  struct Inner {\n"
                               "};\n"
                               "namespace {\n"
                               "struct Own {\n"
                               "}  // namespace\n"
                               "class B : public A {\n"
                               "enum class C : std::uint8_t { one };\n"
                               "struct A::Nested {\n"
                               "}  // namespace vramlab::replay\n"),
              ElementsAre("vramlab::replay::A", "vramlab::replay::B", "vramlab::replay::C"));
}

TEST(TypeHomes, two_of_one_name_are_named) {
  EXPECT_THAT(types_with_two_homes({{"a.h", {"x::A", "x::B"}}, {"b.h", {"y::A", "x::B"}}}),
              ElementsAre("x::B is in a.h and in b.h"));
}

}  // namespace
}  // namespace vramlab::tests
