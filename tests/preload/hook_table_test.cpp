// The table of hooks: which function a program gets when it asks for one, and that no version of a
// hooked function is forgotten.
#include "tools/preload/ground/hook_table.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <map>
#include <set>
#include <string>
#include <string_view>

#include "streams/cuda_interface/function_name.h"

namespace vramlab::tests {
namespace {

using preload::DefaultStream;
using preload::Hook;
using preload::hook_of_query;
using preload::hook_of_symbol;
using preload::hook_rows;
using preload::HookRow;
using testing::IsEmpty;

/// name -> versions, of one meaning of stream 0.
using Versions = std::map<std::string, std::set<int>, std::less<>>;

struct KnownFunctions {
  Versions legacy;
  Versions per_thread;
};

KnownFunctions known_functions() {
  KnownFunctions functions;
  const auto add = [&](std::string_view name, int since) {
    functions.legacy[std::string(name)].insert(since);
  };
  const auto add_twin = [&](std::string_view name, int since) {
    functions.per_thread[std::string(name)].insert(since);
  };
#define ADD_ONE(name, symbol, since, ...) add(#name, since);
#define ADD_TWO(name, symbol, since, suffix, other, ...) \
  add(#name, since);                                     \
  add_twin(#name, other);
#define ADD_BARE_ONE(symbol, since, ...) add(driver_name(#symbol), since);
#define ADD_BARE_TWO(symbol, since, suffix, other, ...) \
  add(driver_name(#symbol), since);                     \
  add_twin(driver_name(#symbol), other);
  VRAMLAB_CUDA_FUNCTIONS(ADD_ONE, ADD_TWO, ADD_BARE_ONE, ADD_BARE_TWO)
  return functions;
}

const Versions& of_meaning(const KnownFunctions& functions, DefaultStream if_null) {
  return if_null == DefaultStream::per_thread ? functions.per_thread : functions.legacy;
}

TEST(HookTable, no_version_of_a_hooked_name_is_missing_but_older_ones) {
  const KnownFunctions functions = known_functions();
  std::vector<std::string> missing;
  for (const HookRow& oldest : hook_rows()) {
    for (const int version : of_meaning(functions, oldest.if_null).at(std::string(oldest.name))) {
      bool is_there = version < oldest.since;
      for (const HookRow& row : hook_rows())
        is_there |=
            row.name == oldest.name && row.since == version && row.if_null == oldest.if_null;
      if (!is_there) missing.push_back(std::string(oldest.name) + " v" + std::to_string(version));
    }
  }
  EXPECT_THAT(missing, IsEmpty());
}

TEST(HookTable, each_row_has_its_twin_where_the_driver_has_one) {
  const KnownFunctions functions = known_functions();
  for (const HookRow& row : hook_rows()) {
    const auto twin =
        row.if_null == DefaultStream::legacy ? DefaultStream::per_thread : DefaultStream::legacy;
    const auto& versions = of_meaning(functions, twin);
    const auto known = versions.find(row.name);
    if (known == versions.end() || !known->second.contains(row.since)) continue;
    const auto found = hook_of_query({row.name, row.since, twin});
    ASSERT_TRUE(found) << row.symbol;
    EXPECT_EQ(preload::row_of(*found).if_null, twin) << row.symbol;
  }
}

TEST(HookTable, the_symbol_of_a_per_thread_function_says_so) {
  for (const HookRow& row : hook_rows())
    EXPECT_EQ(row.symbol.ends_with("_ptsz"), row.if_null == DefaultStream::per_thread)
        << row.symbol;
}

TEST(HookTable, a_symbol_is_found_by_its_whole_name) {
  EXPECT_EQ(hook_of_symbol("cuMemAlloc_v2"), Hook::cuMemAlloc_v2);
  EXPECT_EQ(hook_of_symbol("cuMemAlloc"), std::nullopt) << "32-bit addresses pass through";
  EXPECT_EQ(hook_of_symbol("cuMemAlloc_v22"), std::nullopt);
  EXPECT_EQ(hook_of_symbol("cuGetExportTable"), std::nullopt);
}

TEST(HookTable, a_query_gets_the_newest_version_that_is_old_enough) {
  EXPECT_EQ(hook_of_query({"cuMemAlloc", 2000}), std::nullopt);
  EXPECT_EQ(hook_of_query({"cuMemAlloc", 3020}), Hook::cuMemAlloc_v2);
  EXPECT_EQ(hook_of_query({"cuMemAlloc", 13000}), Hook::cuMemAlloc_v2);
  EXPECT_EQ(hook_of_query({"cuGetProcAddress", 11030}), Hook::cuGetProcAddress);
  EXPECT_EQ(hook_of_query({"cuGetProcAddress", 12000}), Hook::cuGetProcAddress_v2);
  EXPECT_EQ(hook_of_query({"cuStreamBeginCapture", 10000}), Hook::cuStreamBeginCapture);
  EXPECT_EQ(hook_of_query({"cuStreamBeginCapture", 10010}), Hook::cuStreamBeginCapture_v2);
  EXPECT_EQ(hook_of_query({"cuStreamBeginCaptureToGraph", 12030}),
            Hook::cuStreamBeginCaptureToGraph);
  EXPECT_EQ(hook_of_query({"cuStreamBeginRecaptureToGraph", 13030}),
            Hook::cuStreamBeginRecaptureToGraph);
  EXPECT_EQ(hook_of_query({"cuIpcOpenMemHandle", 10000}), Hook::cuIpcOpenMemHandle);
  EXPECT_EQ(hook_of_query({"cuIpcOpenMemHandle", 11000}), Hook::cuIpcOpenMemHandle_v2);
  EXPECT_EQ(hook_of_query({"cuDevicePrimaryCtxRelease", 7000}), Hook::cuDevicePrimaryCtxRelease);
}

TEST(HookTable, per_thread_streams_keep_their_meaning) {
  EXPECT_EQ(hook_of_query({"cuMemFreeAsync", 11020, DefaultStream::legacy}), Hook::cuMemFreeAsync);
  EXPECT_EQ(hook_of_query({"cuMemFreeAsync", 11020, DefaultStream::per_thread}),
            Hook::cuMemFreeAsync_ptsz);
  EXPECT_EQ(hook_of_query({"cuMemAlloc", 3020, DefaultStream::per_thread}), Hook::cuMemAlloc_v2)
      << "without a stream there is one function for both";
}

TEST(HookTable, only_cu_and_a_capital_letter_is_a_driver_name) {
  EXPECT_TRUE(preload::is_driver_name("cuInit"));
  for (const char* const other : {"cublasCreate_v2", "cudaMalloc", "cudnnCreate", "curl_easy_init",
                                  "cu", "c", "", "Cu", "culaInit"})
    EXPECT_FALSE(preload::is_driver_name(other)) << other;
  EXPECT_FALSE(preload::is_driver_name(nullptr));
}

}  // namespace
}  // namespace vramlab::tests
