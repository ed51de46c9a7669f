// Groups of two files that are one although their texts differ.
#include "replay/compare/same_groups.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

namespace vramlab::replay {
namespace {

using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

std::vector<HeldGroup> groups(const std::vector<std::string>& keys) {
  std::vector<HeldGroup> made;
  for (const std::string& key : keys) made.push_back({key, {allocator::Bytes{512}, {}, 1}, {}});
  return made;
}

GroupNames names(const std::vector<std::string>& base, const std::vector<std::string>& now) {
  return same_groups(groups(base), groups(now));
}

TEST(SameGroups, are_those_of_a_program_in_another_folder) {
  EXPECT_THAT(names({"laptop/train.py:12 step < laptop/main.py:3 <module>"},
                    {"workspace/train.py:12 step < workspace/main.py:3 <module>"})
                  .base,
              UnorderedElementsAre(Pair("laptop/train.py:12 step < laptop/main.py:3 <module>",
                                        "workspace/train.py:12 step < workspace/main.py:3 "
                                        "<module>")));
}

TEST(SameGroups, are_not_those_of_another_line_or_function) {
  const GroupNames found = names({"a/train.py:12 step", "a/train.py:20 load"},
                                 {"b/train.py:13 step", "b/train.py:20 save"});
  EXPECT_THAT(found.base, IsEmpty());
  EXPECT_THAT(found.now, IsEmpty());
}

TEST(SameGroups, are_not_guessed_where_two_folders_have_such_a_file) {
  EXPECT_THAT(
      names({"models/layer.py:1 make"}, {"old/layer.py:1 make", "new/layer.py:1 make"}).base,
      IsEmpty());
  EXPECT_THAT(names({"old/layer.py:1 make", "new/layer.py:1 make"}, {"old/layer.py:1 make"}).base,
              IsEmpty());
}

TEST(SameGroups, are_stacks_of_libraries_with_and_without_symbols) {
  const std::string stripped = "?? < at::empty < ?? < Node::apply";
  const std::string named =
      "RegisterCUDA.cpp at::(anonymous namespace)::create_out < Functions.cpp:12 at::empty [clone "
      ".cold] < VariableType.cpp at::(anonymous namespace)::mm < Node::apply";
  const std::string common = "at::empty < Node::apply";
  const GroupNames found = names({stripped}, {named});
  EXPECT_THAT(found.base, UnorderedElementsAre(Pair(stripped, common)));
  EXPECT_THAT(found.now, UnorderedElementsAre(Pair(named, common)));
}

TEST(SameGroups, that_one_file_cannot_tell_apart_are_one) {
  const GroupNames found =
      names({"?? < at::empty"}, {"local_1 < at::empty", "local_2 < at::empty"});
  EXPECT_THAT(found.now, UnorderedElementsAre(Pair("local_1 < at::empty", "at::empty"),
                                              Pair("local_2 < at::empty", "at::empty")));
}

TEST(SameGroups, are_not_stacks_that_differ_by_what_both_could_name) {
  const GroupNames found = names({"at::empty < at::mm"}, {"at::empty < at::add"});
  EXPECT_THAT(found.base, IsEmpty());
  // Each is named in its own file, and the other file lacks no names.
  EXPECT_THAT(names({"local < at::empty"}, {"at::empty"}).base, IsEmpty());
}

TEST(SameGroups, of_no_call_sites_keep_their_names) {
  const std::vector<std::string> keys = {"over 1 MiB to 2 MiB", "up to 512 B", "0.5 GiB"};
  const GroupNames found = names(keys, keys);
  for (const auto& [key, name] : found.base) EXPECT_EQ(key, name);
  for (const auto& [key, name] : found.now) EXPECT_EQ(key, name);
}

}  // namespace
}  // namespace vramlab::replay
