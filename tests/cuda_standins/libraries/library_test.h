// A library that is loaded as programs load it, and what the stand-ins did meanwhile.
#pragma once

#include <dlfcn.h>
#include <gtest/gtest.h>

#include <map>
#include <string>
#include <utility>
#include <vector>

namespace vramlab::dry_run {

/// The notes and the work that the stand-ins gave the driver since the test began.
struct Doings {
  std::vector<std::pair<std::string, std::string>> notes;  // kind, subject
  std::map<void*, int> works;                              // by stream

  int notes_of(const std::string& kind, const std::string& subject) const {
    int count = 0;
    for (const auto& note : notes) count += note == std::pair(kind, subject) ? 1 : 0;
    return count;
  }
};

Doings& doings();

class Library {
 public:
  explicit Library(const std::string& soname)
      : handle_(dlopen((std::string(VRAMLAB_DRY_RUN_LIB "/") + soname).c_str(), RTLD_NOW)) {
    if (handle_ == nullptr) ADD_FAILURE() << dlerror();
  }

  /// One of its functions, called with arguments as they are: pointers, int and so on.
  template <typename Result = int, typename... Arguments>
  Result call(const char* name, Arguments... arguments) const {
    using Function = Result (*)(Arguments...);
    void* const symbol = handle_ == nullptr ? nullptr : dlsym(handle_, name);
    if (symbol == nullptr) {
      ADD_FAILURE() << name << " is not there";
      return Result{};
    }
    return reinterpret_cast<Function>(symbol)(arguments...);
  }

  void* handle() const { return handle_; }

 private:
  void* handle_;
};

class LibraryTest : public testing::Test {
 protected:
  /// The driver is set up, as it is when a program uses a library.
  LibraryTest() {
    Library("libcuda.so.1").call("cuInit", 0U);
    doings() = {};
  }

  /// A stream that nobody looks into.
  static void* stream(std::size_t number) { return &streams_[number]; }

 private:
  static inline char streams_[8];
};

}  // namespace vramlab::dry_run
