// FakeKernels: what launches can name. A kernel reads its arguments when it is launched and says
// what memory it uses, how long it takes and what it does when it ends.
#pragma once

#include <map>
#include <string>

#include "tests/fake_cuda/control/fake_cuda_control.h"

namespace vramlab::fake {

class FakeKernels {
 public:
  /// With those that are there from the start (fake_cuda_control.h).
  FakeKernels();

  void add(const std::string& name, fake_cuda_plan_kernel plan);
  /// A name that was not registered has a plan that uses no memory.
  fake_cuda_plan_kernel plan_of(const std::string& name) const;

 private:
  std::map<std::string, fake_cuda_plan_kernel> plans_;
};

}  // namespace vramlab::fake
