#include "streams/device/gpu_models.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>

namespace vramlab::streams {
namespace {

TEST(GpuModels, say_where_each_figure_is_from) {
  for (const GpuModel& gpu : gpu_models()) {
    EXPECT_FALSE(gpu.total_source.empty() || gpu.context_source.empty() ||
                 gpu.granularity_source.empty() || gpu.properties_source.empty())
        << gpu.name;
    EXPECT_LT(gpu.available(), gpu.total);
  }
}

TEST(GpuModels, are_found_by_name_in_upper_and_lower_case) {
  ASSERT_NE(find_gpu("A100-80GB"), nullptr);
  EXPECT_EQ(find_gpu("A100-80GB"), find_gpu("a100-80gb"));
  EXPECT_EQ(find_gpu("A100-80GB")->granularity, mebibytes(2));
  EXPECT_EQ(find_gpu("A100-80GB")->full_name, "NVIDIA A100-SXM4-80GB");
  EXPECT_EQ(find_gpu("a100-81gb"), nullptr);
}

TEST(GpuModels, are_ordered_by_memory_and_have_names_of_their_own) {
  const auto models = gpu_models();
  EXPECT_TRUE(std::ranges::is_sorted(models, {}, &GpuModel::total));
  std::set<std::string_view> names;
  std::set<std::string_view> full_names;
  for (const GpuModel& gpu : models) {
    EXPECT_TRUE(names.insert(gpu.name).second) << gpu.name;
    EXPECT_TRUE(full_names.insert(gpu.full_name).second) << gpu.full_name;
  }
}

TEST(GpuModels, have_properties_that_fit_each_other) {
  for (const GpuModel& gpu : gpu_models()) {
    const GpuProperties& properties = gpu.properties;
    EXPECT_GE(properties.compute_capability(), 52) << gpu.name;
    EXPECT_GE(properties.sm_count, 5) << gpu.name;
    EXPECT_EQ(properties.threads_per_sm % 32, 0) << gpu.name;
    EXPECT_GE(properties.shared_bytes_per_block_optin, 48 << 10) << gpu.name;
    EXPECT_LE(properties.shared_bytes_per_block_optin, properties.shared_bytes_per_sm) << gpu.name;
    EXPECT_GE(properties.l2_bytes, 1 << 20) << gpu.name;
    EXPECT_EQ(properties.memory_bus_bits % 32, 0) << gpu.name;
    EXPECT_GT(properties.clock_khz, 500'000) << gpu.name;
  }
}

TEST(GpuModels, tell_what_public_listings_of_properties_show) {
  const GpuProperties& a100 = find_gpu("a100-80gb")->properties;
  EXPECT_EQ(a100.compute_capability(), 80);
  EXPECT_EQ(a100.sm_count, 108);
  EXPECT_EQ(a100.threads_per_sm, 2048);
  EXPECT_EQ(a100.shared_bytes_per_sm, 167936);
  EXPECT_EQ(a100.shared_bytes_per_block_optin, 166912);
  EXPECT_EQ(find_gpu("h100-80gb")->properties.sm_count, 132);
  EXPECT_EQ(find_gpu("rtx4090")->properties.compute_capability(), 89);
}

TEST(GpuModels, have_those_that_are_sold_under_other_names) {
  for (const char* const name :
       {"h20", "h20-141gb", "h200", "h100-pcie", "h100-nvl", "gh200-96gb", "gh200-144gb", "gb200",
        "h800", "a800-40gb", "a800-80gb", "l20", "rtx-pro-6000-blackwell-server"})
    EXPECT_NE(find_gpu(name), nullptr) << name;
  EXPECT_EQ(find_gpu("gb200")->properties.compute_capability(), 100);
  EXPECT_EQ(find_gpu("h20")->properties.sm_count, 78);
  EXPECT_EQ(find_gpu("l20")->properties.compute_capability(), 89);
}

}  // namespace
}  // namespace vramlab::streams
