// The owner of the function behind a pointer, as one word.
#pragma once

#include <dlfcn.h>

#include <string>

inline std::string whose(const void* function) {
  if (function == nullptr) return "nobody";
  Dl_info place{};
  if (dladdr(function, &place) == 0) return "unknown";
  const std::string path = place.dli_fname;
  const std::string file = path.substr(path.rfind('/') + 1);
  if (file == "libvramlab_preload.so")
    return "ours:" + std::string(place.dli_sname == nullptr ? "?" : place.dli_sname);
  if (file.rfind("libcuda.so", 0) == 0) return "driver";
  return file;
}
