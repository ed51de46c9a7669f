// Machine code that a program loads while it runs: what the driver tells of its kernels.
#include <gtest/gtest.h>

#include <fstream>
#include <vector>

#include "streams/cuda_interface/functions.h"
#include "streams/device/gpu_models.h"
#include "tests/cuda_standins/driver/machine_code.h"
#include "tests/cuda_standins/driver/written_parts.h"
#include "tests/fake_cuda/engine/fake_cuda.h"
#include "tests/support/kit/own_folder.h"
#include "tools/cuda_standins/driver/driver_functions.h"
#include "tools/cuda_standins/driver/driver_types.h"
#include "tools/cuda_standins/model/kernels.h"
#include "tools/cuda_standins/notes/notes.h"

namespace vramlab::fake {
namespace {

using dry_run::MachineCode;

class LoadedCode : public testing::Test {
 protected:
  LoadedCode() {
    call("cuInit", 0U);
    CUcontext context = nullptr;
    EXPECT_EQ(call("cuDevicePrimaryCtxRetain", &context, CUdevice{0}), CUDA_SUCCESS);
    EXPECT_EQ(call("cuCtxSetCurrent", context), CUDA_SUCCESS);
  }

  static FakeOptions options() {
    FakeOptions options;
    options.properties = streams::find_gpu("h100-80gb")->properties;
    return options;
  }
  template <class... Arguments>
  static CUresult call(const char* symbol, Arguments... arguments) {
    using Function = CUresult (*)(Arguments...);
    return reinterpret_cast<Function>(find_symbol(symbol, newest_known_cuda))(arguments...);
  }
  static CUmodule loaded(const MachineCode& code) {
    CUmodule module = nullptr;
    const std::string bytes = code.bytes();
    EXPECT_EQ(call("cuModuleLoadData", &module, static_cast<const void*>(bytes.data())),
              CUDA_SUCCESS);
    return module;
  }
  static CUfunction kernel(CUmodule module, const char* name) {
    CUfunction function = nullptr;
    EXPECT_EQ(call("cuModuleGetFunction", &function, module, name), CUDA_SUCCESS);
    return function;
  }
  static int attribute(CUfunction function, int number) {
    int value = -1;
    EXPECT_EQ(
        call("cuFuncGetAttribute", &value, static_cast<CUfunction_attribute>(number), function),
        CUDA_SUCCESS);
    return value;
  }
  static int blocks(CUfunction function, int threads, std::size_t shared_bytes) {
    int value = -1;
    EXPECT_EQ(call("cuOccupancyMaxActiveBlocksPerMultiprocessor", &value, function, threads,
                   shared_bytes),
              CUDA_SUCCESS);
    return value;
  }

  ChosenDriver driver_{options()};
};

constexpr int most_threads = 0;
constexpr int shared_bytes = 1;
constexpr int constant_bytes = 2;
constexpr int local_bytes = 3;
constexpr int registers = 4;
constexpr int dynamic_shared_bytes = 8;

TEST_F(LoadedCode, kernel_may_write_where_an_address_of_its_arguments_is) {
  const CUfunction function = kernel(loaded({"add", {32, 0, 0, 0, {8, 4, 16}}}), "add");
  CUdeviceptr at = 0;
  ASSERT_EQ(call("cuMemAlloc_v2", &at, std::size_t{4096}), CUDA_SUCCESS);
  WrittenPartsReader written;
  for (const CUdeviceptr place : {at, at + 512, at + 1024, at + 1536})
    vramlab_dry_run_watch_memory(place, 512);
  std::uint64_t first = at + 520, two[2] = {7, at + 1536};
  std::uint32_t count = 100;
  void* arguments[] = {&first, &count, two};
  EXPECT_EQ(call("cuLaunchKernel", function, 1U, 1U, 1U, 1U, 1U, 1U, 0U, CUstream{nullptr},
                 static_cast<void**>(arguments), static_cast<void**>(nullptr)),
            CUDA_SUCCESS);
  EXPECT_EQ(written.take(), (std::vector<std::uint64_t>{at + 512, at + 1536}));
  for (const CUdeviceptr place : {at, at + 512, at + 1024, at + 1536})
    vramlab_dry_run_watch_memory(place, 0);
}

TEST_F(LoadedCode, attributes_are_those_of_the_code) {
  const CUfunction function = kernel(loaded({"mm", {255, 16384, 128, 3776, {}, 96}}), "mm");
  EXPECT_EQ(attribute(function, registers), 255);
  EXPECT_EQ(attribute(function, shared_bytes), 16384);
  EXPECT_EQ(attribute(function, local_bytes), 3776);
  EXPECT_EQ(attribute(function, constant_bytes), 96);
  EXPECT_EQ(attribute(function, most_threads), 128);
  EXPECT_EQ(attribute(function, dynamic_shared_bytes), (48 << 10) - 16384);
}

TEST_F(LoadedCode, kernels_of_one_name_differ_by_module) {
  const CUfunction small = kernel(loaded({"mm", {32}}), "mm");
  const CUfunction large = kernel(loaded({"mm", {128}}), "mm");
  EXPECT_EQ(attribute(small, registers), 32);
  EXPECT_EQ(attribute(large, registers), 128);
  EXPECT_EQ(blocks(small, 256, 0), 8);
  EXPECT_EQ(blocks(large, 256, 0), 2);
}

TEST_F(LoadedCode, kernel_that_is_not_in_the_code_is_not_found) {
  CUfunction function = nullptr;
  EXPECT_EQ(call("cuModuleGetFunction", &function, loaded({"mm", {32}}), "softmax"),
            CUDA_ERROR_NOT_FOUND);
}

TEST_F(LoadedCode, image_in_another_form_has_every_kernel) {
  CUmodule module = nullptr;
  ASSERT_EQ(call("cuModuleLoadData", &module, static_cast<const void*>(".version 8.0\n")),
            CUDA_SUCCESS);
  EXPECT_EQ(attribute(kernel(module, "any"), most_threads), 1024);
}

TEST_F(LoadedCode, text_of_ptx_tells_the_memory_of_its_kernels) {
  CUmodule module = nullptr;
  const void* const text =
      ".version 8.0\n.const .b8 c[80];\n.entry here() .maxntid 64 { .shared .b8 s[400]; "
      ".local .b8 l[8000]; ret; }";
  ASSERT_EQ(call("cuModuleLoadData", &module, text), CUDA_SUCCESS);
  const CUfunction function = kernel(module, "here");
  EXPECT_EQ(attribute(function, shared_bytes), 400);
  EXPECT_EQ(attribute(function, constant_bytes), 80);
  EXPECT_EQ(attribute(function, local_bytes), 8000);
  EXPECT_EQ(attribute(function, most_threads), 64);
  EXPECT_EQ(attribute(function, registers), 32) << "unknown before it is compiled";
}

TEST_F(LoadedCode, text_of_ptx_has_what_it_defines) {
  CUmodule module = nullptr;
  const void* const text = ".version 8.0\n.global .u32 count;\n.entry here() { ret; }";
  ASSERT_EQ(call("cuModuleLoadData", &module, text), CUDA_SUCCESS);
  CUfunction function = nullptr;
  EXPECT_EQ(call("cuModuleGetFunction", &function, module, "here"), CUDA_SUCCESS);
  EXPECT_EQ(call("cuModuleGetFunction", &function, module, "not_there"), CUDA_ERROR_NOT_FOUND);
  CUdeviceptr at = 0;
  std::size_t bytes = 0;
  EXPECT_EQ(call("cuModuleGetGlobal_v2", &at, &bytes, module, "count"), CUDA_SUCCESS);
  EXPECT_EQ(call("cuModuleGetGlobal_v2", &at, &bytes, module, "not_there"), CUDA_ERROR_NOT_FOUND);
}

TEST_F(LoadedCode, shared_memory_is_limited_by_the_gpu) {
  const CUfunction function = kernel(loaded({"mm", {32, 1024}}), "mm");
  const auto ask = [&](int bytes) {
    return call("cuFuncSetAttribute", function,
                static_cast<CUfunction_attribute>(dynamic_shared_bytes), bytes);
  };
  EXPECT_EQ(ask((227 << 10) - 1024), CUDA_SUCCESS);
  EXPECT_EQ(ask(227 << 10), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(attribute(function, dynamic_shared_bytes), (227 << 10) - 1024);
  EXPECT_EQ(blocks(function, 128, 100 << 10), 2);
  EXPECT_EQ(blocks(function, 128, (227 << 10)), 0);
}

TEST_F(LoadedCode, files_are_read) {
  const std::string path = support::own_folder() + "mm.cubin";
  std::ofstream(path, std::ios::binary) << MachineCode("mm", {40}).bytes();
  CUmodule module = nullptr;
  ASSERT_EQ(call("cuModuleLoad", &module, path.c_str()), CUDA_SUCCESS);
  EXPECT_EQ(attribute(kernel(module, "mm"), registers), 40);
  EXPECT_EQ(call("cuModuleLoad", &module, "/no/such/file"), CUDA_ERROR_FILE_NOT_FOUND);
}

TEST(KernelNames, kernels_know_whose_they_are) {
  dry_run::KernelNames names;
  names.load(7, {}, dry_run::CodeOwner::pytorch);
  names.load(8, {}, dry_run::CodeOwner::others);
  const std::uint64_t of_pytorch = names.find(7, "sum").value();
  const std::uint64_t of_others = names.find(8, "sum").value();
  EXPECT_EQ(names.kernel_of(of_pytorch)->owner, dry_run::CodeOwner::pytorch);
  EXPECT_EQ(names.kernel_of(of_others)->owner, dry_run::CodeOwner::others);
}

}  // namespace
}  // namespace vramlab::fake
