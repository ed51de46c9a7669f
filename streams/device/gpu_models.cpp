#include "streams/device/gpu_models.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>

namespace vramlab::streams {
namespace {

// Sources of the figures for the whole memory.
constexpr std::string_view reports = "public out-of-memory reports of PyTorch, which name it";
constexpr std::string_view listings = "public listings of device properties";
constexpr std::string_view measured = "measured on one";
constexpr std::string_view nominal = "nominal";

constexpr std::string_view estimate = "estimate";
/// For cuMemGetAllocationGranularity, and for how cudaMalloc rounds.
constexpr std::string_view from_guide = "CUDA documentation";
constexpr std::string_view from_data_sheets =
    "NVIDIA's product pages and data sheets; public listings of device properties";

/// Properties that GPUs of one compute capability share: technical specifications of NVIDIA's CUDA
/// C++ Programming Guide.
struct Generation {
  int compute_capability;
  int shared_kib_per_sm;
  int shared_kib_per_block;
  int threads_per_sm;
  int blocks_per_sm;
};

constexpr std::array<Generation, 12> generations = {{
    {52, 96, 48, 2048, 32},
    {60, 64, 48, 2048, 32},
    {61, 96, 48, 2048, 32},
    {70, 96, 96, 2048, 32},
    {75, 64, 64, 1024, 16},
    {80, 164, 163, 2048, 32},
    {86, 100, 99, 1536, 16},
    {89, 100, 99, 1536, 24},
    {90, 228, 227, 2048, 32},
    {100, 228, 227, 2048, 32},
    {103, 228, 227, 2048, 32},
    {120, 100, 99, 1536, 24},
}};

/// A GPU of the table.
struct Row {
  std::string_view name;
  std::string_view full_name;
  int compute_capability;
  std::uint64_t total_mib;
  std::string_view total_source;
  std::uint64_t context_mib;
  int sm_count;
  int memory_bus_bits;
  int clock_mhz;
  int memory_clock_mhz;
  int l2_kib;
};

// clang-format off
constexpr std::array<Row, 93> rows = {{
    {"gtx1050", "NVIDIA GeForce GTX 1050", 61, 4096, nominal, 300, 5, 128, 1455, 3504, 1024},
    {"gtx1050ti", "NVIDIA GeForce GTX 1050 Ti", 61, 4096, nominal, 300, 6, 128, 1392, 3504, 1024},
    {"gtx980", "NVIDIA GeForce GTX 980", 52, 4096, nominal, 300, 16, 256, 1216, 1750, 2048},
    {"gtx1060-6gb", "NVIDIA GeForce GTX 1060 6GB", 61, 6144, nominal, 300, 10, 192, 1708, 4004, 1536},
    {"rtx2060", "NVIDIA GeForce RTX 2060", 75, 6144, nominal, 400, 30, 192, 1680, 7000, 3072},
    {"gtx1070", "NVIDIA GeForce GTX 1070", 61, 8192, nominal, 300, 15, 256, 1683, 4004, 2048},
    {"gtx1070ti", "NVIDIA GeForce GTX 1070 Ti", 61, 8192, nominal, 300, 19, 256, 1683, 4004, 2048},
    {"gtx1080", "NVIDIA GeForce GTX 1080", 61, 8192, nominal, 300, 20, 256, 1733, 5005, 2048},
    {"p4", "Tesla P4", 61, 8192, nominal, 300, 20, 256, 1114, 1502, 2048},
    {"quadro-rtx4000", "Quadro RTX 4000", 75, 8192, nominal, 400, 36, 256, 1545, 6500, 4096},
    {"rtx2060-super", "NVIDIA GeForce RTX 2060 SUPER", 75, 8192, nominal, 400, 34, 256, 1650, 7000, 4096},
    {"rtx2070", "NVIDIA GeForce RTX 2070", 75, 8192, nominal, 400, 36, 256, 1710, 7000, 4096},
    {"rtx2070-super", "NVIDIA GeForce RTX 2070 SUPER", 75, 8192, nominal, 400, 40, 256, 1770, 7000, 4096},
    {"rtx2080", "NVIDIA GeForce RTX 2080", 75, 8192, nominal, 400, 46, 256, 1800, 7000, 4096},
    {"rtx2080-super", "NVIDIA GeForce RTX 2080 SUPER", 75, 8192, nominal, 400, 48, 256, 1820, 7750, 4096},
    {"rtx3050", "NVIDIA GeForce RTX 3050", 86, 8192, nominal, 400, 20, 128, 1780, 7000, 2048},
    {"rtx3060ti", "NVIDIA GeForce RTX 3060 Ti", 86, 8192, nominal, 400, 38, 256, 1670, 7000, 4096},
    {"rtx3070", "NVIDIA GeForce RTX 3070", 86, 8192, nominal, 400, 46, 256, 1730, 7000, 4096},
    {"rtx3070ti", "NVIDIA GeForce RTX 3070 Ti", 86, 8192, nominal, 400, 48, 256, 1770, 9500, 4096},
    {"rtx4060", "NVIDIA GeForce RTX 4060", 89, 8192, nominal, 400, 24, 128, 2460, 8500, 24576},
    {"rtx5050", "NVIDIA GeForce RTX 5050", 120, 8192, nominal, 400, 20, 128, 2570, 10000, 24576},
    {"rtx5060", "NVIDIA GeForce RTX 5060", 120, 8192, nominal, 400, 30, 128, 2500, 14000, 32768},
    {"rtx3080", "NVIDIA GeForce RTX 3080", 86, 10240, nominal, 400, 68, 320, 1710, 9500, 5120},
    {"gtx1080ti", "NVIDIA GeForce GTX 1080 Ti", 61, 11264, nominal, 300, 28, 352, 1582, 5505, 2816},
    {"rtx2080ti", "NVIDIA GeForce RTX 2080 Ti", 75, 11264, nominal, 400, 68, 352, 1640, 7000, 5632},
    {"rtx-a2000", "NVIDIA RTX A2000", 86, 12288, nominal, 400, 26, 192, 1200, 6000, 3072},
    {"rtx3060", "NVIDIA GeForce RTX 3060", 86, 12288, nominal, 400, 28, 192, 1780, 7500, 3072},
    {"rtx3080ti", "NVIDIA GeForce RTX 3080 Ti", 86, 12288, nominal, 400, 80, 384, 1670, 9500, 6144},
    {"rtx4070", "NVIDIA GeForce RTX 4070", 89, 12288, nominal, 400, 46, 192, 2480, 10500, 36864},
    {"rtx4070-super", "NVIDIA GeForce RTX 4070 SUPER", 89, 12288, nominal, 400, 56, 192, 2480, 10500, 49152},
    {"rtx4070ti", "NVIDIA GeForce RTX 4070 Ti", 89, 12288, nominal, 400, 60, 192, 2610, 10500, 49152},
    {"rtx5070", "NVIDIA GeForce RTX 5070", 120, 12288, nominal, 400, 48, 192, 2510, 14000, 49152},
    {"t4", "Tesla T4", 75, 14930, reports, 300, 40, 256, 1590, 1000, 4096},
    {"v100-16gb", "Tesla V100-SXM2-16GB", 70, 16150, reports, 400, 80, 4096, 1380, 877, 6144},
    {"p100", "Tesla P100-PCIE-16GB", 60, 16384, nominal, 300, 56, 4096, 1328, 715, 4096},
    {"quadro-rtx5000", "Quadro RTX 5000", 75, 16384, nominal, 400, 48, 256, 1815, 7000, 4096},
    {"rtx-2000-ada", "NVIDIA RTX 2000 Ada Generation", 89, 16384, nominal, 400, 22, 128, 2130, 7000, 32768},
    {"rtx-a4000", "NVIDIA RTX A4000", 86, 16384, nominal, 400, 48, 256, 1560, 7000, 4096},
    {"rtx-pro-2000-blackwell", "NVIDIA RTX PRO 2000 Blackwell", 120, 16384, nominal, 400, 34, 128, 1953, 9000, 32768},
    {"rtx4060ti", "NVIDIA GeForce RTX 4060 Ti", 89, 16384, nominal, 400, 34, 128, 2540, 9000, 32768},
    {"rtx4070ti-super", "NVIDIA GeForce RTX 4070 Ti SUPER", 89, 16384, nominal, 400, 66, 256, 2610, 10500, 65536},
    {"rtx4080", "NVIDIA GeForce RTX 4080", 89, 16384, nominal, 400, 76, 256, 2510, 11200, 65536},
    {"rtx4080-super", "NVIDIA GeForce RTX 4080 SUPER", 89, 16384, nominal, 400, 80, 256, 2550, 11500, 65536},
    {"rtx5060ti", "NVIDIA GeForce RTX 5060 Ti", 120, 16384, nominal, 400, 36, 128, 2570, 14000, 32768},
    {"rtx5070ti", "NVIDIA GeForce RTX 5070 Ti", 120, 16384, nominal, 400, 70, 256, 2450, 14000, 65536},
    {"rtx5080", "NVIDIA GeForce RTX 5080", 120, 16384, nominal, 400, 84, 256, 2620, 15000, 65536},
    {"rtx-4000-ada", "NVIDIA RTX 4000 Ada Generation", 89, 20480, nominal, 400, 48, 160, 2175, 9000, 40960},
    {"rtx-4000-sff-ada", "NVIDIA RTX 4000 SFF Ada Generation", 89, 20480, nominal, 400, 48, 160, 1560, 7000, 40960},
    {"rtx-a4500", "NVIDIA RTX A4500", 86, 20480, nominal, 400, 56, 320, 1650, 8000, 5120},
    {"l4", "NVIDIA L4", 89, 22560, reports, 400, 58, 192, 2040, 6251, 49152},
    {"a10g", "NVIDIA A10G", 86, 22720, reports, 400, 80, 384, 1710, 6251, 6144},
    {"rtx3090ti", "NVIDIA GeForce RTX 3090 Ti", 86, 24120, measured, 400, 84, 384, 2100, 10501, 6144},
    {"rtx4090", "NVIDIA GeForce RTX 4090", 89, 24210, reports, 400, 128, 384, 2520, 10500, 73728},
    {"rtx3090", "NVIDIA GeForce RTX 3090", 86, 24260, reports, 400, 82, 384, 1700, 9750, 6144},
    {"a10", "NVIDIA A10", 86, 24576, nominal, 400, 72, 384, 1695, 6251, 6144},
    {"a30", "NVIDIA A30", 80, 24576, nominal, 400, 56, 3072, 1440, 1215, 24576},
    {"quadro-rtx6000", "Quadro RTX 6000", 75, 24576, nominal, 400, 72, 384, 1770, 7000, 6144},
    {"rtx-4500-ada", "NVIDIA RTX 4500 Ada Generation", 89, 24576, nominal, 400, 60, 192, 2580, 9000, 49152},
    {"rtx-a5000", "NVIDIA RTX A5000", 86, 24576, nominal, 400, 64, 384, 1695, 8000, 6144},
    {"rtx-a5500", "NVIDIA RTX A5500", 86, 24576, nominal, 400, 80, 384, 1770, 8000, 6144},
    {"rtx-pro-4000-blackwell", "NVIDIA RTX PRO 4000 Blackwell", 120, 24576, nominal, 400, 70, 192, 2065, 14000, 49152},
    {"rtx-pro-4000-blackwell-sff", "NVIDIA RTX PRO 4000 Blackwell SFF Edition", 120, 24576, nominal, 400, 70, 192, 1350, 9000, 49152},
    {"v100-32gb", "Tesla V100-SXM2-32GB", 70, 32500, reports, 400, 80, 4096, 1380, 877, 6144},
    {"rtx-5000-ada", "NVIDIA RTX 5000 Ada Generation", 89, 32768, nominal, 400, 100, 256, 2550, 9000, 65536},
    {"rtx-pro-4500-blackwell", "NVIDIA RTX PRO 4500 Blackwell Workstation Edition", 120, 32768, nominal, 400, 82, 256, 2429, 14000, 65536},
    {"rtx5090", "NVIDIA GeForce RTX 5090", 120, 32768, nominal, 400, 170, 512, 2410, 14000, 98304},
    {"a100-40gb", "NVIDIA A100-SXM4-40GB", 80, 40330, reports, 500, 108, 5120, 1410, 1215, 40960},
    {"a800-40gb", "NVIDIA A800 40GB Active", 80, 40960, nominal, 500, 108, 5120, 1410, 1215, 40960},
    {"l40s", "NVIDIA L40S", 89, 45450, reports, 500, 142, 384, 2520, 9001, 98304},
    {"a6000", "NVIDIA RTX A6000", 86, 48670, reports, 400, 84, 384, 1800, 8000, 6144},
    {"a40", "NVIDIA A40", 86, 49152, nominal, 400, 84, 384, 1530, 1188, 6144},
    {"l20", "NVIDIA L20", 89, 49152, nominal, 500, 92, 384, 2520, 9001, 98304},
    {"quadro-rtx8000", "Quadro RTX 8000", 75, 49152, nominal, 400, 72, 384, 1770, 7000, 6144},
    {"rtx-6000-ada", "NVIDIA RTX 6000 Ada Generation", 89, 49152, nominal, 400, 142, 384, 2505, 10000, 98304},
    {"rtx-pro-5000-blackwell", "NVIDIA RTX PRO 5000 72GB Blackwell", 120, 72836, measured, 400, 110, 384, 2377, 14001, 98304},
    {"h100-80gb", "NVIDIA H100 80GB HBM3", 90, 81000, reports, 600, 132, 5120, 1980, 2619, 51200},
    {"a100-80gb", "NVIDIA A100-SXM4-80GB", 80, 81050, reports, 500, 108, 5120, 1410, 1593, 40960},
    {"h100-pcie", "NVIDIA H100 PCIe", 90, 81079, listings, 600, 114, 5120, 1755, 1593, 51200},
    {"a800-80gb", "NVIDIA A800-SXM4-80GB", 80, 81230, reports, 500, 108, 5120, 1410, 1593, 40960},
    {"h800", "NVIDIA H800", 90, 81920, nominal, 600, 132, 5120, 1980, 2619, 51200},
    {"h100-nvl", "NVIDIA H100 NVL", 90, 96256, nominal, 600, 132, 6016, 1785, 2619, 51200},
    {"h20", "NVIDIA H20", 90, 97360, reports, 600, 78, 6144, 1980, 2619, 61440},
    {"rtx-pro-6000-blackwell", "NVIDIA RTX PRO 6000 Blackwell Workstation Edition", 120, 98304, nominal, 400, 188, 512, 2600, 14000, 98304},
    {"rtx-pro-6000-blackwell-max-q", "NVIDIA RTX PRO 6000 Blackwell Max-Q Workstation Edition", 120, 98304, nominal, 400, 188, 512, 2280, 14000, 131072},
    {"rtx-pro-6000-blackwell-server", "NVIDIA RTX PRO 6000 Blackwell Server Edition", 120, 98304, nominal, 400, 188, 512, 2617, 12481, 131072},
    {"gh200-96gb", "NVIDIA GH200 480GB", 90, 98304, nominal, 600, 132, 6144, 1980, 2619, 61440},
    {"h200", "NVIDIA H200", 90, 143155, measured, 760, 132, 6016, 1980, 3201, 61440},
    {"h20-141gb", "NVIDIA H20-3e", 90, 144384, nominal, 600, 78, 6144, 1980, 3201, 61440},
    {"gh200-144gb", "NVIDIA GH200 144G HBM3e", 90, 147456, nominal, 600, 132, 6144, 1980, 3201, 61440},
    {"b200", "NVIDIA B200", 100, 182630, reports, 700, 148, 7680, 1965, 3996, 129024},
    {"gb200", "NVIDIA GB200", 100, 190464, nominal, 700, 152, 8192, 2062, 3996, 129024},
    {"b100", "NVIDIA B100", 100, 196608, nominal, 700, 144, 5120, 1950, 2300, 64000},
    {"b300", "NVIDIA B300", 103, 294912, nominal, 700, 148, 8192, 2100, 3906, 129024},
}};
// clang-format on

constexpr GpuProperties properties_of(const Row& row) {
  const Generation& generation =
      *std::ranges::find(generations, row.compute_capability, &Generation::compute_capability);
  return {.compute_major = row.compute_capability / 10,
          .compute_minor = row.compute_capability % 10,
          .sm_count = row.sm_count,
          .threads_per_sm = generation.threads_per_sm,
          .blocks_per_sm = generation.blocks_per_sm,
          .shared_bytes_per_sm = generation.shared_kib_per_sm * 1024,
          .shared_bytes_per_block_optin = generation.shared_kib_per_block * 1024,
          .l2_bytes = row.l2_kib * 1024,
          .clock_khz = row.clock_mhz * 1000,
          .memory_clock_khz = row.memory_clock_mhz * 1000,
          .memory_bus_bits = row.memory_bus_bits};
}

constexpr GpuModel model_of(const Row& row) {
  return {.name = row.name,
          .full_name = row.full_name,
          .total = mebibytes(row.total_mib),
          .context = mebibytes(row.context_mib),
          .granularity = mebibytes(2),
          .properties = properties_of(row),
          .total_source = row.total_source,
          .context_source = estimate,
          .granularity_source = from_guide,
          .properties_source = from_data_sheets};
}

constexpr std::array<GpuModel, rows.size()> make_models() {
  std::array<GpuModel, rows.size()> made{};
  std::ranges::transform(rows, made.begin(), model_of);
  return made;
}

constexpr std::array<GpuModel, rows.size()> models = make_models();

bool is_same(std::string_view a, std::string_view b) {
  return std::ranges::equal(
      a, b, [](unsigned char x, unsigned char y) { return std::tolower(x) == std::tolower(y); });
}

}  // namespace

std::span<const GpuModel> gpu_models() { return models; }

bool GpuProperties::runs_any_of(std::span<const std::string> code) const {
  return code.empty() ||
         std::ranges::any_of(code, [&](const std::string& each) { return runs(each); });
}

/// The suffix `a` means that one capability alone, `f` its family.
bool GpuProperties::runs(std::string_view code) const {
  const std::size_t digits = code.find_first_of("0123456789");
  if (digits == std::string_view::npos) return false;
  int capability = 0;
  const char* const end = code.data() + code.size();
  const char* const suffix = std::from_chars(code.data() + digits, end, capability).ptr;
  if (suffix != end && *suffix == 'a') return capability == compute_capability();
  if (code.starts_with("compute") && suffix == end) return capability <= compute_capability();
  return capability / 10 == compute_major && capability % 10 <= compute_minor;
}

const GpuModel* find_gpu(std::string_view name) {
  const auto found =
      std::ranges::find_if(models, [name](const GpuModel& gpu) { return is_same(gpu.name, name); });
  return found == models.end() ? nullptr : &*found;
}

}  // namespace vramlab::streams
