#include "tests/fake_cuda/tests/fake_test.h"

namespace vramlab::fake {
namespace {

constexpr auto plain = StreamVariant::plain;
constexpr auto per_thread = StreamVariant::per_thread;

FoundProc find_in_13(const ProcQuery& query) { return find_proc(query, 13000); }

TEST(DriverFunctions, every_function_here_is_one_that_the_driver_has) {
  for (const DriverFunction& function : driver_functions()) {
    const FoundProc found =
        find_proc({function.name, function.version, function.variant}, newest_known_cuda);
    EXPECT_EQ(found.address, function.address) << function.symbol;
    EXPECT_NE(function.address, nullptr) << function.symbol;
  }
  EXPECT_GT(driver_functions().size(), 400U);
}

TEST(DriverFunctions, the_latest_that_is_not_newer_than_asked_for_is_found) {
  const auto symbol = [](const char* name) { return find_symbol(name, 13000); };
  EXPECT_EQ(find_in_13({"cuMemAlloc", 13000, plain}).address, symbol("cuMemAlloc_v2"));
  EXPECT_EQ(find_in_13({"cuGetProcAddress", 11999, plain}).address, symbol("cuGetProcAddress"));
  EXPECT_EQ(find_in_13({"cuGetProcAddress", 12000, plain}).address, symbol("cuGetProcAddress_v2"));
  EXPECT_EQ(find_in_13({"cuStreamBeginCapture", 10000, plain}).address,
            symbol("cuStreamBeginCapture"));
  EXPECT_EQ(find_in_13({"cuStreamBeginCapture", 12000, per_thread}).address,
            symbol("cuStreamBeginCapture_v2_ptsz"));
}

TEST(DriverFunctions, a_function_without_a_variant_of_its_own_is_the_same_for_both) {
  EXPECT_EQ(find_in_13({"cuMemAlloc", 3020, per_thread}).address,
            find_in_13({"cuMemAlloc", 3020, plain}).address);
  EXPECT_NE(find_in_13({"cuMemFreeAsync", 11020, per_thread}).address,
            find_in_13({"cuMemFreeAsync", 11020, plain}).address);
}

TEST(DriverFunctions, what_is_not_found_says_why) {
  EXPECT_EQ(find_in_13({"cuNothing", 13000, plain}).status, ProcStatus::not_found);
  EXPECT_EQ(find_in_13({"", 0, plain}).status, ProcStatus::not_found);
  EXPECT_EQ(find_in_13({"cuMemCreate", 10000, plain}).status, ProcStatus::version_not_sufficient);
}

TEST(DriverFunctions, an_older_driver_has_fewer) {
  EXPECT_EQ(find_symbol("cuCtxRecordEvent", 12000), nullptr);
  EXPECT_EQ(find_symbol("cuGetProcAddress_v2", 11040), nullptr);
  EXPECT_NE(find_symbol("cuGetProcAddress", 11040), nullptr);
  EXPECT_EQ(find_proc({"cuCtxRecordEvent", 12000, plain}, 12000).status, ProcStatus::not_found);
}

class FakeProcAddress : public FakeTest {};

TEST_F(FakeProcAddress, the_driver_s_own_answers_are_as_its_header_says) {
  const auto get = symbol<PFN_cuGetProcAddress_v12000>("cuGetProcAddress_v2");
  const auto old = symbol<PFN_cuGetProcAddress_v11030>("cuGetProcAddress");
  void* found = nullptr;
  CUdriverProcAddressQueryResult status{};
  EXPECT_EQ(get("cuMemAlloc", &found, 3020, 0, &status), CUDA_SUCCESS);
  EXPECT_EQ(found, find_symbol("cuMemAlloc_v2", 13000));
  EXPECT_EQ(get("cuNothing", &found, 13000, 0, &status), CUDA_SUCCESS);
  EXPECT_EQ(found, nullptr);
  EXPECT_EQ(status, CU_GET_PROC_ADDRESS_SYMBOL_NOT_FOUND);
  EXPECT_EQ(get("cuMemAlloc", &found, 13010, 0, &status), CUDA_ERROR_INVALID_VALUE);
  EXPECT_EQ(get("cuMemAlloc", &found, 3020, 0, nullptr), CUDA_SUCCESS);
  EXPECT_EQ(old("cuNothing", &found, 13000, 0), CUDA_ERROR_NOT_FOUND);
  EXPECT_EQ(old("cuMemFree", &found, 3020, 2), CUDA_SUCCESS);
  EXPECT_EQ(found, find_symbol("cuMemFree_v2", 13000));
}

TEST_F(FakeProcAddress, a_function_that_the_fake_driver_lacks_says_so) {
  void* found = nullptr;
  symbol<PFN_cuGetProcAddress_v12000>("cuGetProcAddress_v2")("cuTexRefDestroy", &found, 2000, 0,
                                                             nullptr);
  ASSERT_NE(found, nullptr);
  using Function = CUresult (*)(void* reference);
  EXPECT_EQ(reinterpret_cast<Function>(found)(nullptr), CUDA_ERROR_NOT_SUPPORTED);
}

}  // namespace
}  // namespace vramlab::fake
