#include "tools/cuda_standins/runtime/runtime_driver.h"

#include <dlfcn.h>

#include <string>

namespace vramlab::dry_run {
namespace {

constexpr int not_supported = 801;
constexpr unsigned long long for_own_streams = 2;

int not_there() { return not_supported; }

struct UsualQuery {
  DriverQuery query;
  unsigned long long flags = 0;
};

/// The queries of the real runtime of 13.0 when it starts, in number and kind.
constexpr UsualQuery usual_queries[] = {
#define QUERY_no(name, since, other)
#define QUERY_asked(name, since, other) {{name, since}, 0},
#define QUERY_own(name, since, other) {{name, other}, for_own_streams},
#define QUERY_both(name, since, other) {{name, since}, 0}, {{name, other}, for_own_streams},
#define QUERY_OF_ONE(name, symbol, since, stand_in, runtime, ...) QUERY_##runtime(#name, since, 0)
#define QUERY_OF_TWO(name, symbol, since, suffix, other, stand_in, runtime, ...) \
  QUERY_##runtime(#name, since, other)
#define QUERY_OF_BARE_ONE(symbol, since, stand_in, runtime) \
  QUERY_##runtime(driver_name(#symbol), since, 0)
#define QUERY_OF_BARE_TWO(symbol, since, suffix, other, stand_in, runtime) \
  QUERY_##runtime(driver_name(#symbol), since, other)
    VRAMLAB_CUDA_FUNCTIONS(QUERY_OF_ONE, QUERY_OF_TWO, QUERY_OF_BARE_ONE, QUERY_OF_BARE_TWO)};

std::string key_of(const DriverQuery& query, unsigned long long flags) {
  return std::string(query.name) + ' ' + std::to_string(query.since) +
         (flags == for_own_streams ? " own" : "");
}

}  // namespace

DriverQueries::DriverQueries() : library_(dlopen("libcuda.so.1", RTLD_NOW)) {
  if (library_ == nullptr) return;
  using Get = decltype(get_);
  get_ = reinterpret_cast<Get>(dlsym(library_, "cuGetProcAddress_v2"));
  if (get_ != nullptr) ask_all();
}

void DriverQueries::ask_all() {
  for (const DriverQuery& query : {DriverQuery{"", 0}, driver::cuInit, driver::cuGetProcAddress})
    asked_[key_of(query, 0)] = ask(query, 0);
  void* const itself = ask(driver::cuGetProcAddress_v2, 0);
  asked_[key_of(driver::cuGetProcAddress_v2, 0)] = itself;
  if (itself == nullptr) return;
  get_ = reinterpret_cast<decltype(get_)>(itself);
  for (const auto& [query, flags] : usual_queries) asked_[key_of(query, flags)] = ask(query, flags);
}

void* DriverQueries::ask(const DriverQuery& query, unsigned long long flags) const {
  if (get_ == nullptr) return nullptr;
  void* found = nullptr;
  int status = 0;
  const std::string name(query.name);
  return get_(name.c_str(), &found, query.since, flags, &status) == 0 ? found : nullptr;
}

DriverQueries::Answer DriverQueries::operator()(const DriverQuery& query) const {
  return {answer_to(query, 0)};
}

DriverQueries::Answers DriverQueries::operator()(const TwinQuery& query) const {
  return {{answer_to({query.name, query.since}, 0)},
          {answer_to({query.name, query.own_since}, for_own_streams)}};
}

void* DriverQueries::answer_to(const DriverQuery& query, unsigned long long flags) const {
  const auto asked = asked_.find(key_of(query, flags));
  void* const found = asked == asked_.end() ? ask(query, flags) : asked->second;
  return found == nullptr ? reinterpret_cast<void*>(&not_there) : found;
}

void* DriverQueries::symbol(const char* name) const {
  return library_ == nullptr ? nullptr : dlsym(library_, name);
}

const RuntimeDriver& runtime_driver() {
  // It is never destroyed: programs call until they are gone.
  static const RuntimeDriver* const driver = new RuntimeDriver;
  return *driver;
}

}  // namespace vramlab::dry_run
