// The watch over loaded files: it looks at those of the start before any constructor runs, and at
// later ones when the loader tells its debugger that they are mapped. For that the loader calls an
// empty function, `_r_debug.r_brk`, which becomes a jump to `look_after_a_load`.
//
// The stand-ins need not be ready: they are reached by addresses, and the report of a runtime that
// stays goes into memory of the stand-in driver.
#include <fcntl.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdio>
#include <cstring>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "tools/cuda_standins/linked_runtime/redirection.h"

namespace vramlab::linked_runtime {
namespace {

/// A file in memory to be read; it stays until `close`.
class MappedFile {
 public:
  explicit MappedFile(const char* path) {
    const int file = open(path, O_RDONLY | O_CLOEXEC);
    if (file < 0) return;
    const off_t bytes = lseek(file, 0, SEEK_END);
    if (bytes > 0) {
      void* const at =
          mmap(nullptr, static_cast<std::size_t>(bytes), PROT_READ, MAP_PRIVATE, file, 0);
      if (at != MAP_FAILED)
        bytes_ = {static_cast<const unsigned char*>(at), static_cast<std::size_t>(bytes)};
    }
    ::close(file);
  }
  ByteView bytes() const { return bytes_; }
  void close() {
    if (!bytes_.empty()) munmap(const_cast<unsigned char*>(bytes_.data()), bytes_.size());
    bytes_ = {};
  }

 private:
  ByteView bytes_;
};

std::string_view name_of(std::string_view path) { return path.substr(path.rfind('/') + 1); }
std::string_view folder_of(std::string_view path) {
  return path.substr(0, path.size() - name_of(path).size());
}

const char* path_of(const link_map& map) {
  return *map.l_name == '\0' ? "/proc/self/exe" : map.l_name;
}

/// Another file may lie under the name meanwhile.
bool is_file_of(const ElfFile& file, const link_map& map) {
  const auto dynamic = file.dynamic_address();
  return dynamic && map.l_addr + *dynamic == reinterpret_cast<std::uint64_t>(map.l_ld);
}

/// Text of the stand-in driver, to which it looks when a linked runtime asks for its tables.
class Report {
 public:
  Report(char* text, std::size_t bytes) : text_(text), bytes_(bytes) {}

  /// A reason begins with the loaded file that it is about.
  void add(const link_map* file, std::string_view reason) {
    char place[32];
    std::snprintf(place, sizeof place, "%p ", static_cast<const void*>(file));
    const std::string line = place + std::string(reason) + "\n";
    const std::size_t used = std::strlen(text_);
    if (used + line.size() < bytes_) std::memcpy(text_ + used, line.c_str(), line.size() + 1);
  }

 private:
  char* text_;
  std::size_t bytes_;
};

class Watch {
 public:
  /// Looks at files that were not there at the last call.
  void look() {
    std::set<const link_map*> files;
    std::vector<const link_map*> new_files;
    for (const link_map* map = _r_debug.r_map; map != nullptr; map = map->l_next) {
      files.insert(map);
      if (!seen_.contains(map)) new_files.push_back(map);
    }
    seen_ = std::move(files);
    for (const link_map* const map : new_files) take_stand_in(*map);
    if (runtimes_.empty()) return;
    for (const link_map* const map : new_files) redirect(*map);
  }

  /// Later files are seen from now on, or the report says why not.
  void look_at_later_files(void (*hook)()) {
    const std::uint64_t place = _r_debug.r_brk;
    const ByteView code(reinterpret_cast<const unsigned char*>(place), 16);
    const auto jump = jump_in_empty_function(code, place, reinterpret_cast<std::uint64_t>(hook));
    const std::string failure =
        jump ? write({*jump}, 0) : "the loader's function for debuggers is not empty";
    if (!failure.empty() && report_)
      report_->add(nullptr, "files that are loaded later are not seen: " + failure);
  }

 private:
  static constexpr std::string_view runtime_name = "libcudart.so.";
  static constexpr std::string_view driver_name = "libcuda.so.1";
  static constexpr const char* unknown_function = "vramlab_dry_run_unknown_runtime_function";
  static constexpr const char* report = "vramlab_dry_run_linked_runtimes";

  void take_stand_in(const link_map& map) {
    const std::string_view name = name_of(path_of(map));
    if (name != driver_name && !name.starts_with(runtime_name)) return;
    MappedFile mapped(path_of(map));
    const ElfFile file(mapped.bytes());
    bool is_kept = false;
    if (is_file_of(file, map))
      is_kept = name == driver_name ? take_driver(file, map) : take_runtime(file, map, name);
    if (is_kept) own_folder_ = folder_of(path_of(map));
    // The names of a runtime's functions are used again.
    if (!is_kept) mapped.close();
  }

  bool take_driver(const ElfFile& file, const link_map& map) {
    const auto text = file.exported(report);
    if (!text) return false;
    report_.emplace(reinterpret_cast<char*>(map.l_addr + text->address), text->bytes);
    // A first line without a reason says that somebody looks at files.
    report_->add(nullptr, "");
    return true;
  }

  bool take_runtime(const ElfFile& file, const link_map& map, std::string_view name) {
    const auto unknown = file.exported(unknown_function);
    if (!unknown) return false;
    const int version = name.ends_with("12") ? 12 : 13;
    StandInRuntime& runtime = runtimes_[version];
    for (const NamedFunction& function : file.exported_functions())
      runtime.functions[function.name] = map.l_addr + function.address;
    runtime.unknown_function = map.l_addr + unknown->address;
    return true;
  }

  void redirect(const link_map& map) {
    if (folder_of(map.l_name) == own_folder_) return;
    MappedFile mapped(path_of(map));
    const ElfFile file(mapped.bytes());
    const auto functions = file.own_cuda_functions();
    const bool may_have = !functions.empty() && is_file_of(file, map);
    const Plan plan = may_have ? plan_of(functions, runtimes_) : Plan{};
    const std::string failure = write(plan.jumps, map.l_addr);
    const std::string& reason = failure.empty() ? plan.stays : failure;
    if (!reason.empty() && report_) report_->add(&map, reason);
    // Jumps may hold names of its functions.
    if (plan.jumps.empty()) mapped.close();
  }

  std::set<const link_map*> seen_;
  StandInRuntimes runtimes_;
  std::optional<Report> report_;
  std::string own_folder_;
};

Watch& the_watch() {
  static auto* const watch = new Watch;
  return *watch;
}

/// Called with the loader's lock held.
void look_after_a_load() {
  if (_r_debug.r_state == r_debug::RT_CONSISTENT) the_watch().look();
}

/// The first constructor of the process (-z initfirst).
__attribute__((constructor)) void begin() {
  the_watch().look();
  the_watch().look_at_later_files(look_after_a_load);
}

}  // namespace
}  // namespace vramlab::linked_runtime
