// NVML, NVRTC, cuFFT, cuRAND, cuSPARSE and cuSPARSELt.
#include "tests/cuda_standins/libraries/library_test.h"

namespace vramlab::dry_run {
namespace {

class Nvml : public LibraryTest {
 protected:
  void* device() {
    void* handle = nullptr;
    EXPECT_EQ(library_.call("nvmlInit_v2"), 0);
    EXPECT_EQ(library_.call("nvmlDeviceGetHandleByIndex_v2", 0U, &handle), 0);
    return handle;
  }

  const Library library_{"libnvidia-ml.so.1"};
};

TEST_F(Nvml, gpu_is_the_drivers_and_found_by_all_its_names) {
  void* const handle = device();
  unsigned count = 0;
  library_.call("nvmlDeviceGetCount_v2", &count);
  EXPECT_EQ(count, 1U);
  char text[96] = "";
  EXPECT_EQ(library_.call("nvmlDeviceGetName", handle, text, 96U), 0);
  EXPECT_NE(std::string(text).find("A100"), std::string::npos);
  void* found = nullptr;
  EXPECT_EQ(library_.call("nvmlDeviceGetUUID", handle, text, 96U), 0);
  EXPECT_EQ(std::string(text).substr(0, 4), "GPU-");
  EXPECT_EQ(library_.call("nvmlDeviceGetHandleByUUID", text, &found), 0);
  EXPECT_EQ(found, handle);
  struct {
    char short_bus_id[16];
    unsigned numbers[5];
    char bus_id[32];
  } place;
  EXPECT_EQ(library_.call("nvmlDeviceGetPciInfo_v3", handle, &place), 0);
  EXPECT_EQ(library_.call("nvmlDeviceGetHandleByPciBusId_v2", place.bus_id + 4, &found), 0);
  EXPECT_EQ(found, handle);
}

TEST_F(Nvml, memory_that_nobody_uses_is_free) {
  unsigned long long memory[3] = {};
  EXPECT_EQ(library_.call("nvmlDeviceGetMemoryInfo", device(), memory), 0);
  EXPECT_GT(memory[0], 70ULL << 30);
  EXPECT_EQ(memory[0], memory[1] + memory[2]);
  unsigned count = 4;
  EXPECT_EQ(library_.call("nvmlDeviceGetComputeRunningProcesses", device(), &count, nullptr), 0);
  EXPECT_EQ(count, 0U);
}

TEST_F(Nvml, gpu_that_is_not_there_is_an_invalid_argument) {
  void* handle = nullptr;
  EXPECT_EQ(library_.call("nvmlDeviceGetHandleByIndex_v2", 9U, &handle), 2);
  EXPECT_EQ(library_.call<const char*>("nvmlErrorString", 2), std::string("Invalid Argument"));
}

TEST_F(Nvml, gpu_is_joined_to_no_others) {
  unsigned info[9] = {7, 7, 7, 7, 7, 7, 7, 7, 7};
  EXPECT_EQ(library_.call("nvmlDeviceGetGpuFabricInfoV", device(), info), 0);
  EXPECT_EQ(info[0], 7U) << "the version stays";
  for (int i = 1; i < 8; ++i) EXPECT_EQ(info[i], 0U) << i;
  EXPECT_EQ(library_.call("nvmlDeviceGetGpuFabricInfoV", nullptr, info), 2);
}

TEST_F(Nvml, text_without_room_is_refused) {
  char text[4];
  EXPECT_EQ(library_.call("nvmlSystemGetDriverVersion", text, 4U), 7);
}

class Versions : public LibraryTest {};

TEST_F(Versions, libraries_tell_the_version_of_the_runtime_that_is_used) {
  const auto nvrtc_major = [library = Library("libnvrtc.so.12")] {
    int major = 0;
    int minor = 0;
    library.call("nvrtcVersion", &major, &minor);
    return major;
  };
  const auto cublas_version = [library = Library("libcublas.so.12")] {
    int version = 0;
    library.call("cublasGetVersion_v2", static_cast<void*>(nullptr), &version);
    return version;
  };
  EXPECT_EQ(nvrtc_major(), 13) << "the driver's before a runtime was initialized";
  int count = 0;
  Library("libcudart.so.12").call("cudaGetDeviceCount", &count);
  EXPECT_EQ(nvrtc_major(), 12);
  EXPECT_EQ(cublas_version(), 120900);
  Library("libcudart.so.13").call("cudaGetDeviceCount", &count);
  EXPECT_EQ(nvrtc_major(), 13);
  EXPECT_EQ(cublas_version(), 130000);
  int driver = 0;
  Library("libnvidia-ml.so.1").call("nvmlSystemGetCudaDriverVersion", &driver);
  int told_by_driver = 0;
  Library("libcuda.so.1").call("cuDriverGetVersion", &told_by_driver);
  EXPECT_EQ(driver, told_by_driver);
}

std::string linked(const std::vector<std::pair<int, std::string>>& inputs,
                   const std::pair<std::string, std::string>& around = {"__", "_12_3"}) {
  const Library library("libnvJitLink.so.12");
  const auto call = [&](const char* name, auto... arguments) {
    return library.call((around.first + "nvJitLink" + name + around.second).c_str(), arguments...);
  };
  void* linker = nullptr;
  EXPECT_EQ(call("Create", &linker, 0U, nullptr), 0);
  for (const auto& [kind, text] : inputs)
    EXPECT_EQ(
        call("AddData", linker, kind, static_cast<const void*>(text.data()), text.size(), "name"),
        0);
  EXPECT_EQ(call("Complete", linker), 0);
  std::size_t bytes = 0;
  EXPECT_EQ(call("GetLinkedCubinSize", linker, &bytes), 0);
  std::string image(bytes, '?');
  EXPECT_EQ(call("GetLinkedCubin", linker, image.data()), 0);
  EXPECT_EQ(call("Destroy", &linker), 0);
  return image;
}

TEST(NvJitLink, texts_and_one_piece_of_machine_code_are_linked_to_what_they_are) {
  using namespace std::string_literals;
  constexpr int machine_code = 1, ptx = 2, intermediate = 3, any = 10;
  EXPECT_EQ(linked({{ptx, ".version 8.0\0"s}, {any, ".func f()"}}), ".version 8.0\n.func f()\n\0"s);
  EXPECT_EQ(linked({{machine_code, "\177ELF\0code"s}}), "\177ELF\0code\0"s);
  const std::string nothing_known = linked({{intermediate, "bitcode"}});
  EXPECT_TRUE(nothing_known.starts_with(".version")) << "the driver finds every kernel in it";
  EXPECT_EQ(linked({{ptx, ".version 8.0"}, {intermediate, "bitcode"}}), nothing_known);
  EXPECT_EQ(linked({{machine_code, "\177ELF"}, {ptx, ".version 8.0"}}), nothing_known);
  EXPECT_EQ(linked({{ptx, ".version 8.0"}, {machine_code, "\177ELF"}}), nothing_known);
  EXPECT_EQ(linked({}), nothing_known);
  EXPECT_EQ(linked({{ptx, ".version 8.0"}}, {"", ""}), ".version 8.0\n\0"s);
}

class Nvrtc : public LibraryTest {};

TEST_F(Nvrtc, program_compiles_and_its_names_are_lowered_to_themselves) {
  const Library library("libnvrtc.so.12");
  void* program = nullptr;
  EXPECT_EQ(library.call("nvrtcCreateProgram", &program, "text", "name", 0, nullptr, nullptr), 0);
  EXPECT_EQ(library.call("nvrtcAddNameExpression", program, "kernel<float>"), 0);
  EXPECT_EQ(library.call("nvrtcCompileProgram", program, 0, nullptr), 0);
  std::size_t bytes = 0;
  library.call("nvrtcGetPTXSize", program, &bytes);
  std::string image(bytes, '?');
  library.call("nvrtcGetPTX", program, image.data());
  EXPECT_EQ(image.substr(0, 8), ".version");
  EXPECT_EQ(image.back(), '\0');
  const char* lowered = nullptr;
  library.call("nvrtcGetLoweredName", program, "kernel<float>", &lowered);
  EXPECT_STREQ(lowered, "kernel<float>");
  EXPECT_EQ(library.call("nvrtcDestroyProgram", &program), 0);
  EXPECT_EQ(program, nullptr);
}

class Cufft : public LibraryTest {};

TEST_F(Cufft, plan_works_on_its_stream_and_needs_nothing) {
  const Library library("libcufft.so.11");
  int plan = 0;
  int other = 0;
  library.call("cufftCreate", &plan);
  library.call("cufftCreate", &other);
  EXPECT_NE(plan, other);
  std::size_t bytes = 1;
  library.call("cufftGetSize", plan, &bytes);
  EXPECT_EQ(bytes, 0U);
  EXPECT_EQ(doings().notes_of("modelled", "cufft workspace"), 1);
  library.call("cufftSetStream", plan, stream(1));
  EXPECT_EQ(library.call("cufftXtExec", plan, nullptr, nullptr, -1), 0);
  EXPECT_EQ(doings().works[stream(1)], 1);
  EXPECT_EQ(library.call("cufftXtExec", 12345, nullptr, nullptr, -1), 1);
}

class Cusparse : public LibraryTest {};

TEST_F(Cusparse, matrix_tells_its_size) {
  const Library library("libcusparse.so.12");
  void* matrix = nullptr;
  library.call("cusparseCreateCsr", &matrix, 8LL, 9LL, 10LL);
  long long sizes[3] = {};
  library.call("cusparseSpMatGetSize", matrix, &sizes[0], &sizes[1], &sizes[2]);
  EXPECT_EQ(sizes[0], 8);
  EXPECT_EQ(sizes[1], 9);
  EXPECT_EQ(sizes[2], 10);
}

TEST_F(Cusparse, compressed_half_matrix_is_nine_sixteenths) {
  const Library library("libcusparseLt.so.0");
  alignas(16) unsigned char matrix[512] = {};
  const int cuda_half = 2;
  library.call("cusparseLtStructuredDescriptorInit", nullptr, matrix, 64LL, 64LL, 64LL, 16U,
               cuda_half, 0, 0);
  std::size_t bytes = 0;
  std::size_t buffer = 1;
  library.call("cusparseLtSpMMACompressedSize2", nullptr, matrix, &bytes, &buffer);
  EXPECT_EQ(bytes, 64U * 64 * 2 * 9 / 16);
  EXPECT_EQ(buffer, 0U);
}

class Cusolver : public LibraryTest {};

TEST_F(Cusolver, solver_works_on_the_stream_of_its_handle) {
  const Library library("libcusolver.so.11");
  void* handle = nullptr;
  library.call("cusolverDnCreate", &handle);
  library.call("cusolverDnSetStream", handle, stream(6));
  EXPECT_EQ(library.call("cusolverDnSgetrf", handle), 0);
  EXPECT_EQ(doings().works[stream(6)], 1);
  EXPECT_EQ(library.call("cusolverDnDestroy", handle), 0);
}

}  // namespace
}  // namespace vramlab::dry_run
