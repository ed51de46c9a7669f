#include "tools/cuda_standins/code/fat_binary.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <cstring>
#include <vector>

namespace vramlab::dry_run {
namespace {

constexpr std::uint16_t intermediate = 1;
constexpr std::uint16_t machine = 2;

/// A fat binary as nvcc lays it out, with code of some bytes for each capability.
class FatBinary {
 public:
  FatBinary() {
    append<std::uint32_t>(0xba55ed50);
    append<std::uint16_t>(1);
    append<std::uint16_t>(16);
    append<std::uint64_t>(0);
  }

  FatBinary& add(std::uint16_t kind, std::uint32_t capability) {
    append<std::uint16_t>(kind);
    append<std::uint16_t>(0x101);
    append<std::uint32_t>(64);
    append<std::uint64_t>(24);
    for (int unused = 0; unused < 3; ++unused) append<std::uint32_t>(0);
    append<std::uint32_t>(capability);
    bytes_.resize(bytes_.size() + 32 + 24);
    const std::uint64_t size = bytes_.size() - 16;
    std::memcpy(bytes_.data() + 8, &size, sizeof size);
    return *this;
  }
  ChosenCode choose(int capability) {
    registered_.container = bytes_.data();
    return choose_code(&registered_, capability);
  }

 private:
  template <class Value>
  void append(Value value) {
    const auto place = bytes_.size();
    bytes_.resize(place + sizeof value);
    std::memcpy(bytes_.data() + place, &value, sizeof value);
  }

  std::vector<char> bytes_;
  struct {
    std::uint32_t magic = 0x466243b1;
    std::uint32_t version = 1;
    const char* container = nullptr;
  } registered_;
};

FatBinary usual() {
  FatBinary made;
  for (const std::uint32_t capability : {50U, 60U, 70U, 75U, 80U, 86U, 90U})
    made.add(machine, capability);
  return made;
}

TEST(FatBinaries, machine_code_of_the_same_generation_is_taken) {
  EXPECT_EQ(usual().choose(80).versions.ptx, 80);
  EXPECT_EQ(usual().choose(89).versions.ptx, 86);
  EXPECT_EQ(usual().choose(89).versions.binary, 86);
  EXPECT_EQ(usual().choose(90).fit, CodeFit::fits);
}

TEST(FatBinaries, intermediate_code_is_compiled_where_nothing_else_fits) {
  const ChosenCode code = usual().add(intermediate, 90).choose(120);
  EXPECT_EQ(code.fit, CodeFit::fits);
  EXPECT_EQ(code.versions.ptx, 90);
  EXPECT_EQ(code.versions.binary, 120);
}

TEST(FatBinaries, program_that_was_not_built_for_the_gpu_is_seen) {
  EXPECT_EQ(usual().choose(120).fit, CodeFit::none);
}

TEST(FatBinaries, what_has_another_form_is_not_known) {
  const std::uint32_t other[4] = {};
  EXPECT_EQ(choose_code(other, 80).fit, CodeFit::unknown);
  EXPECT_EQ(choose_code(nullptr, 80).fit, CodeFit::unknown);
}

}  // namespace
}  // namespace vramlab::dry_run
