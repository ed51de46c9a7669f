#include "tools/cuda_standins/linked_runtime/redirection.h"

#include <gtest/gtest.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstring>
#include <initializer_list>

namespace vramlab::linked_runtime {
namespace {

constexpr std::size_t page = 4'096;
constexpr unsigned char return_instruction = 0xc3;
constexpr unsigned char fills = 0x90;

int answer_of_stand_in() { return 42; }
int length_of_name(const char* name) { return static_cast<int>(std::strlen(name)); }

std::uint64_t address_of(int (*function)()) { return reinterpret_cast<std::uint64_t>(function); }

/// Functions of 64 bytes in a page of code, in the order in which they are named.
class LinkedCode {
 public:
  explicit LinkedCode(std::initializer_list<const char*> names, std::size_t bytes = 64)
      : code_(static_cast<unsigned char*>(mmap(nullptr, page, PROT_READ | PROT_WRITE | PROT_EXEC,
                                               MAP_PRIVATE | MAP_ANONYMOUS, -1, 0))),
        file_(page, fills) {
    for (const char* const name : names) {
      const std::size_t at = functions_.size() * 64;
      file_[at + bytes - 1] = return_instruction;
      functions_.push_back({name, at, bytes, ByteView(file_).subspan(at)});
    }
    std::memcpy(code_, file_.data(), page);
  }
  ~LinkedCode() { munmap(code_, page); }
  LinkedCode(const LinkedCode&) = delete;
  LinkedCode& operator=(const LinkedCode&) = delete;

  const std::vector<NamedFunction>& functions() const { return functions_; }
  std::uint64_t place() const { return reinterpret_cast<std::uint64_t>(code_); }
  unsigned char* code() { return code_; }
  int call(std::size_t index) const {
    return reinterpret_cast<int (*)()>(code_ + functions_[index].address)();
  }

 private:
  unsigned char* code_;
  std::vector<unsigned char> file_;
  std::vector<NamedFunction> functions_;
};

StandInRuntimes stand_ins() {
  StandInRuntimes runtimes;
  for (const int version : {12, 13}) {
    StandInRuntime& runtime = runtimes[version];
    runtime.unknown_function = reinterpret_cast<std::uint64_t>(&length_of_name);
    for (const char* const name : {"__cudaRegisterFatBinary", "cudaMalloc", "cudaWaitLast"})
      runtime.functions[name] = address_of(answer_of_stand_in);
  }
  return runtimes;
}

std::optional<int> version_with(std::initializer_list<const char*> names) {
  return version_of(LinkedCode(names).functions());
}

TEST(LinkedRuntime, version_is_told_by_the_functions_that_it_names) {
  EXPECT_EQ(version_with({"cudaMalloc", "cudaFree"}), std::nullopt);
  EXPECT_EQ(version_with({"__cudaRegisterFatBinary", "cudaMalloc"}), 13);
  EXPECT_EQ(version_with({"cudaGetExportTable", "cudaGetDeviceProperties_v2"}), 12);
  EXPECT_EQ(version_with({"cudaGetExportTable", "cudaThreadExit", "cudaGetDeviceProperties_v2"}),
            12);
  EXPECT_EQ(version_with({"cudaGetExportTable", "cudaThreadExit"}), 11);
  EXPECT_EQ(version_with({"cudaGetExportTable", "__cudaRegisterTexture"}), 11);
}

TEST(LinkedRuntime, functions_become_those_of_the_stand_in) {
  LinkedCode code({"__cudaRegisterFatBinary", "cudaMalloc"});
  const Plan plan = plan_of(code.functions(), stand_ins());
  EXPECT_EQ(plan.stays, "");
  EXPECT_EQ(write(plan.jumps, code.place()), "");
  EXPECT_EQ(code.call(0), 42);
  EXPECT_EQ(code.call(1), 42);
}

TEST(LinkedRuntime, function_that_the_stand_in_lacks_is_called_by_name) {
  LinkedCode code({"__cudaRegisterFatBinary", "cudaFuture", "cudaWaitLast"});
  const Plan plan = plan_of(code.functions(), stand_ins());
  EXPECT_EQ(write(plan.jumps, code.place()), "");
  EXPECT_EQ(code.call(1), 10);
  EXPECT_EQ(code.call(2), 42);
}

TEST(LinkedRuntime, functions_of_the_programs_own_beside_it_stay) {
  LinkedCode code(
      {"cudaHelperBefore", "__cudaRegisterFatBinary", "cudaMalloc", "cudaHelperBehind"});
  const Plan plan = plan_of(code.functions(), stand_ins());
  ASSERT_EQ(plan.jumps.size(), 2U);
  EXPECT_EQ(plan.jumps[0].address, 64U);
  EXPECT_EQ(plan.jumps[1].address, 128U);
}

TEST(LinkedRuntime, short_function_takes_the_gap_behind_it) {
  LinkedCode code({"__cudaRegisterFatBinary", "cudaMalloc"}, 5);
  const Plan plan = plan_of(code.functions(), stand_ins());
  EXPECT_EQ(plan.stays, "");
  EXPECT_EQ(write(plan.jumps, code.place()), "");
  EXPECT_EQ(code.call(1), 42);
}

TEST(LinkedRuntime, short_function_with_code_behind_it_stays) {
  LinkedCode code({"__cudaRegisterFatBinary", "cudaMalloc"}, 5);
  std::vector<NamedFunction> functions = code.functions();
  for (NamedFunction& function : functions) function.address += 8;
  const Plan plan = plan_of(functions, stand_ins());
  EXPECT_EQ(plan.stays, "__cudaRegisterFatBinary is too short to be changed, and 1 others");
  EXPECT_TRUE(plan.jumps.empty());
}

TEST(LinkedRuntime, version_without_a_stand_in_stays) {
  LinkedCode code({"__cudaRegisterFatBinary", "__cudaRegisterTexture", "cudaMalloc"});
  const Plan plan = plan_of(code.functions(), stand_ins());
  EXPECT_EQ(plan.stays, "it is of version 11, which has no stand-in");
  EXPECT_TRUE(plan.jumps.empty());
}

TEST(EmptyFunction, takes_a_jump_into_its_gap) {
  for (const bool has_landing_place : {false, true}) {
    std::vector<unsigned char> code(16, fills);
    if (has_landing_place)
      std::ranges::copy(std::initializer_list{0xf3, 0x0f, 0x1e, 0xfa}, code.begin());
    code[has_landing_place ? 4 : 0] = return_instruction;
    const auto jump = jump_in_empty_function(code, 4'096, 1);
    ASSERT_TRUE(jump);
    EXPECT_EQ(jump->address, 4'096U);
  }
}

TEST(EmptyFunction, that_does_something_or_has_no_gap_is_left) {
  std::vector<unsigned char> code(16, fills);
  EXPECT_FALSE(jump_in_empty_function(code, 4'096, 1)) << "it does not return at once";
  code[0] = return_instruction;
  EXPECT_FALSE(jump_in_empty_function(code, 4'097, 1)) << "another function may begin behind it";
  code[1] = 0x55;
  EXPECT_FALSE(jump_in_empty_function(code, 4'096, 1)) << "another function begins behind it";
  EXPECT_FALSE(jump_in_empty_function({}, 4'096, 1));
}

TEST(LinkedRuntime, code_that_is_not_that_of_the_file_stays) {
  LinkedCode code({"__cudaRegisterFatBinary", "cudaMalloc"});
  const Plan plan = plan_of(code.functions(), stand_ins());
  code.code()[64] = 0xcc;
  const std::vector<unsigned char> before(code.code(), code.code() + page);
  EXPECT_EQ(write(plan.jumps, code.place()), "its code in memory is not that of its file");
  EXPECT_EQ(std::memcmp(code.code(), before.data(), page), 0);
}

}  // namespace
}  // namespace vramlab::linked_runtime
