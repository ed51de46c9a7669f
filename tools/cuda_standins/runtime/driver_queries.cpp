#include "tools/cuda_standins/runtime/driver_queries.h"

#include <dlfcn.h>

#include <initializer_list>

namespace vramlab::dry_run {
namespace {

constexpr int not_supported = 801;
constexpr unsigned long long for_own_streams = 2;

int not_there() { return not_supported; }

struct RuntimeQuery {
  const char* name = "";
  int version = 0;
  unsigned long long flags = 0;
};

/// As many as the real runtime of 13.0 makes.
constexpr RuntimeQuery usual_queries[] = {
#include <runtime_queries.inc>
};

std::string key_of(const char* name, int version, unsigned long long flags) {
  return name + (' ' + std::to_string(version)) + (flags == for_own_streams ? " own" : "");
}

}  // namespace

DriverQueries::DriverQueries() : library_(dlopen("libcuda.so.1", RTLD_NOW)) {
  if (library_ == nullptr) return;
  using Get = decltype(get_);
  get_ = reinterpret_cast<Get>(dlsym(library_, "cuGetProcAddress_v2"));
  if (get_ != nullptr) ask_all();
}

void DriverQueries::ask_all() {
  for (const RuntimeQuery& query : std::initializer_list<RuntimeQuery>{
           {"", 0, 0}, {"cuInit", 2000, 0}, {"cuGetProcAddress", 11030, 0}})
    asked_[key_of(query.name, query.version, 0)] = ask(query.name, query.version, 0);
  void* const itself = ask("cuGetProcAddress", 12000, 0);
  asked_[key_of("cuGetProcAddress", 12000, 0)] = itself;
  if (itself == nullptr) return;
  get_ = reinterpret_cast<decltype(get_)>(itself);
  for (const RuntimeQuery& query : usual_queries)
    asked_[key_of(query.name, query.version, query.flags)] =
        ask(query.name, query.version, query.flags);
}

void* DriverQueries::ask(const char* name, int version, unsigned long long flags) const {
  if (get_ == nullptr) return nullptr;
  void* found = nullptr;
  int status = 0;
  return get_(name, &found, version, flags, &status) == 0 ? found : nullptr;
}

DriverQueries::Answer DriverQueries::operator()(const char* name, int version) const {
  return {answer_to(name, version, 0)};
}

DriverQueries::Answers DriverQueries::both(const char* name, int version, int own_version) const {
  return {{answer_to(name, version, 0)}, {answer_to(name, own_version, for_own_streams)}};
}

void* DriverQueries::answer_to(const char* name, int version, unsigned long long flags) const {
  const auto asked = asked_.find(key_of(name, version, flags));
  void* const found = asked == asked_.end() ? ask(name, version, flags) : asked->second;
  return found == nullptr ? reinterpret_cast<void*>(&not_there) : found;
}

void* DriverQueries::symbol(const char* name) const {
  return library_ == nullptr ? nullptr : dlsym(library_, name);
}

}  // namespace vramlab::dry_run
