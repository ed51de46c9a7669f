#include "tests/fake_cuda/runtime/runtime_driver.h"

#include <dlfcn.h>

#include <string_view>
#include <vector>

namespace vramlab::fake {
namespace {

struct RuntimeQuery {
  const char* name = "";
  int version = 0;
  cuuint64_t flags = 0;
  void* answer = nullptr;
};

void ask(PFN_cuGetProcAddress_v12000 get, RuntimeQuery& query) {
  CUdriverProcAddressQueryResult status{};
  if (get(query.name, &query.answer, query.version, query.flags, &status) != CUDA_SUCCESS)
    query.answer = nullptr;
}

std::vector<RuntimeQuery> other_queries() {
  return {
#include <runtime_queries.inc>
  };
}

void* answer_to(const std::vector<RuntimeQuery>& asked, const RuntimeQuery& wanted) {
  for (const RuntimeQuery& query : asked)
    if (std::string_view(query.name) == wanted.name && query.version == wanted.version &&
        query.flags == wanted.flags)
      return query.answer;
  return nullptr;
}

std::vector<RuntimeQuery> ask_all(PFN_cuGetProcAddress_v12000 by_name,
                                  PFN_cuGetProcAddress_v12000& by_itself) {
  std::vector<RuntimeQuery> first = {{"", 0, 0},
                                     {"cuInit", 2000, 0},
                                     {"cuGetProcAddress", 11030, 0},
                                     {"cuGetProcAddress", 12000, 0}};
  for (RuntimeQuery& query : first) ask(by_name, query);
  by_itself = reinterpret_cast<PFN_cuGetProcAddress_v12000>(first.back().answer);
  if (by_itself == nullptr) return first;
  std::vector<RuntimeQuery> asked = other_queries();
  for (RuntimeQuery& query : asked) ask(by_itself, query);
  asked.insert(asked.end(), first.begin(), first.end());
  return asked;
}

RuntimeDriver look_up() {
  RuntimeDriver driver;
  void* const library = dlopen("libcuda.so.1", RTLD_NOW);
  if (library == nullptr) return driver;
  void* const found = dlsym(library, "cuGetProcAddress_v2");
  if (found == nullptr) return driver;
  const auto asked =
      ask_all(reinterpret_cast<PFN_cuGetProcAddress_v12000>(found), driver.get_proc_address);
#define FAKE_RUNTIME_TAKE(member, type, name, version, flags) \
  driver.member = reinterpret_cast<type>(answer_to(asked, {#name, version, flags}));
  FAKE_RUNTIME_FUNCTIONS(FAKE_RUNTIME_TAKE)
#undef FAKE_RUNTIME_TAKE
  return driver;
}

}  // namespace

const RuntimeDriver& runtime_driver() {
  // Never destroyed: programs call until they are gone.
  static const RuntimeDriver* const driver = new RuntimeDriver(look_up());
  return *driver;
}

}  // namespace vramlab::fake
