// The function of glibc 2.35 by which the compiler's runtime finds the unwind tables of an address.
// It asks the system's own if that exists, because stacks are taken at every allocation of a
// recording; else it answers from the list of loaded objects, which every version has.
#include <dlfcn.h>
#include <link.h>

#include <atomic>
#include <cstdint>

#ifdef DLFO_STRUCT_HAS_EH_DBASE

namespace {

using Finder = int (*)(void*, dl_find_object*);

// Static storage without constructors: exceptions may come before anything is set up.
std::atomic<bool> was_looked_for;
std::atomic<Finder> finder_of_system;

/// Looked for once; to look twice gives the same.
Finder system_s_finder() {
  if (!was_looked_for.load(std::memory_order_acquire)) {
    if (void* const found = dlvsym(RTLD_DEFAULT, "_dl_find_object", "GLIBC_2.35"))
      finder_of_system.store(reinterpret_cast<Finder>(found), std::memory_order_relaxed);
    else
      dlerror();  // A program that asks for its own errors must not see ours.
    was_looked_for.store(true, std::memory_order_release);
  }
  return finder_of_system.load(std::memory_order_relaxed);
}

struct Search {
  std::uintptr_t address;
  dl_find_object* result;
};

int look_at_object(dl_phdr_info* object, std::size_t, void* data) {
  const auto& search = *static_cast<const Search*>(data);
  std::uintptr_t first = 0;
  std::uintptr_t end = 0;
  std::uintptr_t tables = 0;
  for (const ElfW(Phdr)* header = object->dlpi_phdr;
       header != object->dlpi_phdr + object->dlpi_phnum; ++header) {
    const std::uintptr_t begin = object->dlpi_addr + header->p_vaddr;
    if (header->p_type == PT_GNU_EH_FRAME) tables = begin;
    if (header->p_type != PT_LOAD || search.address < begin ||
        search.address >= begin + header->p_memsz)
      continue;
    first = object->dlpi_addr;
    end = begin + header->p_memsz;
  }
  if (end == 0 || tables == 0) return 0;
  *search.result = {};
  search.result->dlfo_map_start = reinterpret_cast<void*>(first);
  search.result->dlfo_map_end = reinterpret_cast<void*>(end);
  search.result->dlfo_eh_frame = reinterpret_cast<void*>(tables);
  return 1;
}

}  // namespace

extern "C" __attribute__((visibility("hidden"))) int _dl_find_object(
    void* address, dl_find_object* result) noexcept {
  if (const Finder finder = system_s_finder()) return finder(address, result);
  Search search{reinterpret_cast<std::uintptr_t>(address), result};
  return dl_iterate_phdr(look_at_object, &search) == 1 ? 0 : -1;
}

#endif
