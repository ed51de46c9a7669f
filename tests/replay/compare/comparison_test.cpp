// Comparisons of constructed files: groups that are called grown, new or gone, groups that are one
// although their texts differ, and the values that limits look at.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "replay/compare/comparison.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::IsEmpty;
using testing::Pair;
using testing::UnorderedElementsAre;

struct Site {
  const char* key;
  std::uint64_t bytes;
  std::uint64_t blocks = 1;
  /// 0: as many as bytes.
  std::uint64_t requested = 0;
};

ComparedFile file(const std::string& name, const std::vector<Site>& sites,
                  MetricValues metrics = {}) {
  ComparedFile compared;
  compared.name = name;
  compared.kind = "a recording";
  compared.has_groups = true;
  compared.metrics = std::move(metrics);
  for (const Site& site : sites)
    compared.groups.push_back(
        {site.key,
         {allocator::Bytes{site.bytes},
          allocator::Bytes{site.requested == 0 ? site.bytes : site.requested}, site.blocks},
         {}});
  return compared;
}

ComparedFile report(const std::string& name, MetricValues metrics) {
  ComparedFile compared = file(name, {}, std::move(metrics));
  compared.has_groups = false;
  return compared;
}

std::vector<AskedLimit> asked(const std::vector<const char*>& texts) {
  std::vector<AskedLimit> limits;
  for (const char* text : texts) limits.push_back({parse_limit(text, "--fail-if"), "--fail-if"});
  return limits;
}

Comparison compared(ComparedFile base, ComparedFile now,
                    const std::vector<const char*>& limits = {}) {
  return compare(std::move(base), std::move(now), asked(limits));
}

std::string refusal(ComparedFile base, ComparedFile now, const char* limit) {
  try {
    compared(std::move(base), std::move(now), {limit});
  } catch (const traces::InputError& error) {
    return error.what();
  }
  return "none";
}

std::vector<std::pair<std::string, GroupFate>> fates(const Comparison& comparison) {
  std::vector<std::pair<std::string, GroupFate>> fates;
  for (const GroupChange& change : comparison.groups) fates.emplace_back(change.key, change.fate());
  return fates;
}

TEST(Comparison, of_equal_files_finds_nothing) {
  const MetricValues metrics = {{"peak_reserved", 100}, {"device_allocs", 3}};
  const std::vector<Site> sites = {{"a", 10}, {"b", 20, 2}};
  const Comparison same = compared(file("1", sites, metrics), file("2", sites, metrics));
  EXPECT_TRUE(same.is_same());
  EXPECT_FALSE(same.breaks_limits());
  EXPECT_THAT(same.groups, IsEmpty());
  EXPECT_EQ(same.metrics.size(), 2U);
}

TEST(Comparison, does_not_depend_on_the_order_of_groups) {
  EXPECT_TRUE(
      compared(file("1", {{"a", 10}, {"b", 20}}), file("2", {{"b", 20}, {"a", 10}})).is_same());
  // A key that comes in parts is one group.
  EXPECT_TRUE(compared(file("1", {{"a", 10}, {"a", 20}}), file("2", {{"a", 30, 2}})).is_same());
}

TEST(Comparison, of_a_call_site_that_grew_names_it_alone) {
  const Comparison grown =
      compared(file("1", {{"a", 10}, {"b", 20}}), file("2", {{"a", 10}, {"b", 21}}));
  EXPECT_THAT(fates(grown), ElementsAre(std::pair("b", GroupFate::grown)));
  EXPECT_EQ(grown.groups[0].bytes(), 1);
}

TEST(Comparison, of_work_that_moved_to_another_call_site_shows_both_equal_ones_by_name) {
  const Comparison moved =
      compared(file("1", {{"a", 10}, {"old", 20}}), file("2", {{"a", 10}, {"new", 20}}));
  EXPECT_THAT(fates(moved), ElementsAre(std::pair("new", GroupFate::appeared),
                                        std::pair("old", GroupFate::gone)));
}

TEST(Comparison, shows_the_largest_changes_first_whichever_way_they_go) {
  const Comparison mixed = compared(file("1", {{"a", 10}, {"b", 100}, {"c", 5}}),
                                    file("2", {{"a", 20}, {"b", 1}, {"c", 55}}));
  EXPECT_THAT(fates(mixed),
              ElementsAre(std::pair("b", GroupFate::shrunk), std::pair("c", GroupFate::grown),
                          std::pair("a", GroupFate::grown)));
}

TEST(Comparison, of_as_many_bytes_looks_at_what_was_requested_and_then_at_the_blocks) {
  const Comparison in_rounding =
      compared(file("1", {{"more", 1024, 2, 900}, {"less", 512, 1, 500}}),
               file("2", {{"more", 1024, 2, 950}, {"less", 512, 1, 400}}));
  EXPECT_THAT(fates(in_rounding), ElementsAre(std::pair("less", GroupFate::shrunk),
                                              std::pair("more", GroupFate::grown)));
  const Comparison in_pieces = compared(file("1", {{"more", 1024, 1}, {"less", 512, 2}}),
                                        file("2", {{"more", 1024, 2}, {"less", 512, 1}}));
  EXPECT_THAT(fates(in_pieces), ElementsAre(std::pair("less", GroupFate::shrunk),
                                            std::pair("more", GroupFate::grown)));
}

TEST(Comparison, judges_metrics_of_both_files) {
  const Comparison judged =
      compared(file("1", {}, {{"peak_reserved", 1'000}}), file("2", {}, {{"peak_reserved", 1'050}}),
               {"peak_reserved > +5%", "peak_reserved > +4.9%", "peak_reserved > 1050",
                "peak_reserved >= 1050", "peak_reserved > +49"});
  std::vector<bool> broken;
  for (const JudgedLimit& limit : judged.limits) broken.push_back(limit.is_broken);
  EXPECT_THAT(broken, ElementsAre(false, true, false, true, true));
  EXPECT_TRUE(judged.breaks_limits());
  EXPECT_FALSE(judged.is_same());
}

TEST(Comparison, has_metrics_of_its_own) {
  const Comparison judged =
      compared(file("1", {{"a", 10}, {"old", 20}, {"b", 10}}),
               file("2", {{"a", 14}, {"new", 3}, {"newer", 2}, {"b", 1}}),
               {"group_growth > 4", "group_growth >= 4", "new_groups >= 2", "gone_groups > 1"});
  std::vector<std::pair<std::int64_t, bool>> values;
  for (const JudgedLimit& limit : judged.limits) values.emplace_back(limit.now, limit.is_broken);
  EXPECT_THAT(values, ElementsAre(std::pair(4, false), std::pair(4, true), std::pair(2, true),
                                  std::pair(1, false)));
}

TEST(Comparison, of_files_that_only_shrank_has_no_growth) {
  const Comparison judged = compared(file("1", {{"a", 10}}), file("2", {{"a", 9}}),
                                     {"group_growth > 0", "new_groups > 0"});
  EXPECT_FALSE(judged.breaks_limits());
  EXPECT_EQ(judged.limits[0].now, 0);
}

TEST(Comparison, shows_a_metric_that_one_file_does_not_tell) {
  const Comparison half = compared(report("1", {}), report("2", {{"alloc_retries", 0}}));
  ASSERT_EQ(half.metrics.size(), 1U);
  EXPECT_EQ(half.metrics[0].base, std::nullopt);
  EXPECT_EQ(half.metrics[0].now, 0);
  EXPECT_FALSE(half.is_same());
}

TEST(Comparison, of_a_limit_on_what_a_file_does_not_tell_is_refused) {
  const MetricValues known = {{"stranded", 5}};
  EXPECT_EQ(refusal(report("1", known), report("2", {}), "stranded > 1"),
            "--fail-if 'stranded > 1': expected a metric that both files have, found 2 without "
            "stranded");
  EXPECT_THAT(refusal(report("1", {}), report("2", known), "stranded > +1"),
              HasSubstr("found 1 without stranded"));
  EXPECT_EQ(refusal(report("1", {}), report("2", known), "stranded > 9"), "none")
      << "a value needs the new file only";
  EXPECT_THAT(refusal(report("1", known), file("2", {}), "new_groups > 0"),
              HasSubstr("found 1 without new_groups"));
  EXPECT_THAT(refusal(file("1", {}), report("2", known), "group_growth > 0"),
              HasSubstr("found 2 without group_growth"));
}

TEST(Comparison, with_a_report_compares_no_groups) {
  const Comparison half = compared(file("1", {{"a", 10}}), report("2", {}));
  EXPECT_FALSE(half.has_groups);
  EXPECT_THAT(half.groups, IsEmpty());
}

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
