#include "tools/cuda_standins/model/kernel_writes.h"

#include <cstring>

#include "tools/cuda_standins/model/kernel_arguments.h"
#include "tools/cuda_standins/model/number_types.h"
#include "tools/cuda_standins/model/remembered_bytes.h"

namespace vramlab::dry_run {
namespace {

std::vector<char> repeated(const void* value, std::uint64_t bytes_of_value, std::uint64_t count) {
  if (count > RememberedBytes::most_bytes_of_a_copy / bytes_of_value) return {};
  std::vector<char> values(count * bytes_of_value);
  for (std::uint64_t place = 0; place < values.size(); place += bytes_of_value)
    std::memcpy(values.data() + place, value, bytes_of_value);
  return values;
}

}  // namespace

KernelWriter writer_of(std::string_view name) {
  constexpr std::string_view fills = "11FillFunctorI";
  constexpr std::string_view counted_functor_and_addresses = "viT0_T1_";
  if (name.find("vectorized_elementwise_kernelI") == name.npos) return {};
  if (!name.ends_with(counted_functor_and_addresses)) return {};
  const std::size_t found = name.find(fills);
  const NumberType* const type =
      found == name.npos ? nullptr : number_type_at(name.substr(found + fills.size()));
  return {true, type == nullptr ? std::uint8_t{0} : type->bytes};
}

std::optional<KernelWrite> write_of(const KernelWriter& writer, void* const* arguments) {
  constexpr std::uint64_t widest_value = 16;
  if (!writer.has_known_place || arguments == nullptr) return std::nullopt;
  // How many values, the functor, and the addresses.
  const auto count = static_cast<std::uint64_t>(value_at<std::uint32_t>(arguments[0]));
  const auto at = value_at<std::uint64_t>(arguments[2]);
  if (writer.filled_bytes == 0) return KernelWrite{at, count * widest_value};
  return KernelWrite{at, count * writer.filled_bytes,
                     repeated(arguments[1], writer.filled_bytes, count)};
}

}  // namespace vramlab::dry_run
