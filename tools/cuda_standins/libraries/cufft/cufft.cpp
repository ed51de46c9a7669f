// cuFFT: plans are numbers, and remember their stream. How much memory a plan needs is not
// documented: it is told as none, and noted as modelled.

#include <cstddef>
#include <mutex>
#include <vector>

#include "tools/cuda_standins/libraries/kit/calls.h"
#include "tools/cuda_standins/libraries/kit/objects.h"

namespace vramlab::dry_run {
namespace {

constexpr int success = 0;
constexpr int invalid_plan = 1;

/// The streams of all plans. A number is given once, so that a plan that is gone is not mistaken
/// for another one.
class Plans {
 public:
  int add() {
    const std::lock_guard lock(mutex_);
    streams_.push_back(nullptr);
    return static_cast<int>(streams_.size());
  }
  bool set_stream(int plan, void* stream) {
    const std::lock_guard lock(mutex_);
    if (!is_known(plan)) return false;
    streams_[static_cast<std::size_t>(plan - 1)] = stream;
    return true;
  }
  bool put_work_of(int plan) {
    void* stream = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (!is_known(plan)) return false;
      stream = streams_[static_cast<std::size_t>(plan - 1)];
    }
    put_work(stream);
    return true;
  }

 private:
  bool is_known(int plan) const {
    return plan >= 1 && static_cast<std::size_t>(plan) <= streams_.size();
  }

  std::mutex mutex_;
  std::vector<void*> streams_;
};

Plans& plans() {
  static Plans* const all = new Plans;  // never destroyed: programs destroy plans when they end
  return *all;
}

int create(int* plan) {
  put(plan, plans().add());
  return success;
}

int put_size(std::size_t* bytes) {
  note_modelled("cufft workspace");
  put(bytes, 0);
  return success;
}

int execute(int plan) { return plans().put_work_of(plan) ? success : invalid_plan; }

}  // namespace
}  // namespace vramlab::dry_run

using namespace vramlab::dry_run;

VRAMLAB_EXPORT int cufftCreate(int* plan) { return create(plan); }
VRAMLAB_EXPORT int cufftDestroy(int) { return success; }
VRAMLAB_EXPORT int cufftSetStream(int plan, void* stream) {
  return plans().set_stream(plan, stream) ? success : invalid_plan;
}
VRAMLAB_EXPORT int cufftSetAutoAllocation(int, int) { return success; }
VRAMLAB_EXPORT int cufftSetWorkArea(int, void*) { return success; }
VRAMLAB_EXPORT int cufftGetVersion(int* version) {
  put(version, 11000 + part_of_version(1) * 100);
  return success;
}
VRAMLAB_EXPORT int cufftGetProperty(int property, int* value) {
  put(value, property == 0 ? 11 : part_of_version(property));
  return success;
}

VRAMLAB_EXPORT int cufftPlan1d(int* plan, int, int, int) { return create(plan); }
VRAMLAB_EXPORT int cufftPlan2d(int* plan, int, int, int) { return create(plan); }
VRAMLAB_EXPORT int cufftPlan3d(int* plan, int, int, int, int) { return create(plan); }
VRAMLAB_EXPORT int cufftPlanMany(int* plan, int, int*, int*, int, int, int*, int, int, int, int) {
  return create(plan);
}
VRAMLAB_EXPORT int cufftMakePlan1d(int, int, int, int, std::size_t* bytes) {
  return put_size(bytes);
}
VRAMLAB_EXPORT int cufftMakePlan2d(int, int, int, int, std::size_t* bytes) {
  return put_size(bytes);
}
VRAMLAB_EXPORT int cufftMakePlan3d(int, int, int, int, int, std::size_t* bytes) {
  return put_size(bytes);
}
VRAMLAB_EXPORT int cufftMakePlanMany(int, int, int*, int*, int, int, int*, int, int, int, int,
                                     std::size_t* bytes) {
  return put_size(bytes);
}
VRAMLAB_EXPORT int cufftMakePlanMany64(int, int, long long*, long long*, long long, long long,
                                       long long*, long long, long long, int, long long,
                                       std::size_t* bytes) {
  return put_size(bytes);
}
VRAMLAB_EXPORT int cufftXtMakePlanMany(int, int, long long*, long long*, long long, long long, int,
                                       long long*, long long, long long, int, long long,
                                       std::size_t* bytes, int) {
  return put_size(bytes);
}
VRAMLAB_EXPORT int cufftGetSize(int, std::size_t* bytes) { return put_size(bytes); }

VRAMLAB_EXPORT int cufftXtExec(int plan, void*, void*, int) { return execute(plan); }
VRAMLAB_EXPORT int cufftExecC2C(int plan, void*, void*, int) { return execute(plan); }
VRAMLAB_EXPORT int cufftExecZ2Z(int plan, void*, void*, int) { return execute(plan); }
VRAMLAB_EXPORT int cufftExecR2C(int plan, void*, void*) { return execute(plan); }
VRAMLAB_EXPORT int cufftExecC2R(int plan, void*, void*) { return execute(plan); }
VRAMLAB_EXPORT int cufftExecD2Z(int plan, void*, void*) { return execute(plan); }
VRAMLAB_EXPORT int cufftExecZ2D(int plan, void*, void*) { return execute(plan); }
