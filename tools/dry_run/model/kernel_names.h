// KernelNames: the kernels that programs asked for by name. Every module has every kernel.
#pragma once

#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "tools/dry_run/model/kernel_answers.h"

namespace vramlab::dry_run {

struct NamedKernel {
  std::string name;
  KernelQuestion question;
};

class KernelNames {
 public:
  /// Its handle.
  std::uint64_t find(const std::string& name) {
    const auto [found, is_new] = handles_.try_emplace(name, first_ + step_ * kernels_.size());
    if (is_new) kernels_.push_back({name, question_of(name)});
    return found->second;
  }
  /// Null where no kernel has this handle.
  const NamedKernel* kernel_of(std::uint64_t handle) const {
    if (handle < first_ || (handle - first_) % step_ != 0) return nullptr;
    const std::uint64_t place = (handle - first_) / step_;
    return place < kernels_.size() ? &kernels_[place] : nullptr;
  }
  const std::string* name_of(std::uint64_t handle) const {
    const NamedKernel* const kernel = kernel_of(handle);
    return kernel == nullptr ? nullptr : &kernel->name;
  }

 private:
  static constexpr std::uint64_t first_ = 0x50000000;
  static constexpr std::uint64_t step_ = 16;

  std::unordered_map<std::string, std::uint64_t> handles_;
  std::vector<NamedKernel> kernels_;
};

}  // namespace vramlab::dry_run
