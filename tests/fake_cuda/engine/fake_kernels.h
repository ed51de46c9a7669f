// FakeKernels: what launches can name. A kernel reads its arguments when it is launched and says
// what memory it uses, how long it takes and what it does when it ends.
#pragma once

#include <cstdint>
#include <map>
#include <string>

#include "tests/fake_cuda/control/fake_cuda_control.h"

namespace vramlab::fake {

class FakeKernels {
 public:
  /// With those that are there from the start (fake_cuda_control.h).
  FakeKernels();

  void add(const std::string& name, fake_cuda_plan_kernel plan);
  /// Its number. A name that nobody registered is a kernel that uses no memory.
  std::uint64_t find(const std::string& name);
  /// Null where there is none with this number.
  fake_cuda_plan_kernel plan_of(std::uint64_t kernel) const;
  const std::string& name_of(std::uint64_t kernel) const { return names_.at(kernel); }
  bool has(std::uint64_t kernel) const { return names_.contains(kernel); }

 private:
  std::map<std::string, fake_cuda_plan_kernel> plans_;
  std::map<std::string, std::uint64_t> numbers_;
  std::map<std::uint64_t, std::string> names_;
};

}  // namespace vramlab::fake
