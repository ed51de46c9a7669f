// `nvidia-smi` of a dry run: its options, its texts, and the figures of `libnvidia-ml.so.1`, which
// is found at run time, so that the program is built without NVIDIA's headers. Fields without a
// figure are [N/A], as in the real one.
#include <dlfcn.h>

#include <algorithm>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace vramlab::dry_run {

struct ToldGpu {
  unsigned index = 0;
  std::string name;
  std::string uuid;
  /// Such as 8.0; empty if it is not known.
  std::string compute_capability;
  std::uint64_t total_bytes = 0;
  std::uint64_t used_bytes = 0;
  std::uint64_t free_bytes = 0;
};

struct ToldSystem {
  std::string driver_version;
  /// Such as 13.0.
  std::string cuda_version;
  std::vector<ToldGpu> gpus;
};

/// Throws std::runtime_error if the library is missing or does not answer.
ToldSystem ask_management_library();

namespace {

// As NVML's documentation has them.
using Device = void*;
struct Memory {
  unsigned long long total = 0;
  unsigned long long free = 0;
  unsigned long long used = 0;
};
constexpr int success = 0;
constexpr unsigned most_letters = 96;

class Library {
 public:
  Library() : handle_(dlopen("libnvidia-ml.so.1", RTLD_NOW)) {
    if (handle_ == nullptr) throw std::runtime_error("there is no libnvidia-ml.so.1");
  }

  /// The function's answer is that all went well.
  template <class... Arguments>
  bool call(const char* name, Arguments... arguments) const {
    const auto function = reinterpret_cast<int (*)(Arguments...)>(dlsym(handle_, name));
    return function != nullptr && function(arguments...) == success;
  }

  template <class... Arguments>
  std::string text(const char* name, Arguments... arguments) const {
    char letters[most_letters] = {};
    return call(name, arguments..., static_cast<char*>(letters), most_letters) ? letters : "";
  }

 private:
  void* handle_;
};

std::string dotted(int major, int minor) {
  return std::to_string(major) + "." + std::to_string(minor);
}

ToldGpu gpu_at(const Library& library, unsigned index) {
  Device device = nullptr;
  if (!library.call("nvmlDeviceGetHandleByIndex_v2", index, &device))
    throw std::runtime_error("GPU " + std::to_string(index) + " does not answer");
  ToldGpu gpu;
  gpu.index = index;
  gpu.name = library.text("nvmlDeviceGetName", device);
  gpu.uuid = library.text("nvmlDeviceGetUUID", device);
  int major = 0;
  int minor = 0;
  if (library.call("nvmlDeviceGetCudaComputeCapability", device, &major, &minor))
    gpu.compute_capability = dotted(major, minor);
  Memory memory;
  if (library.call("nvmlDeviceGetMemoryInfo", device, &memory)) {
    gpu.total_bytes = memory.total;
    gpu.free_bytes = memory.free;
    gpu.used_bytes = memory.used;
  }
  return gpu;
}

}  // namespace

ToldSystem ask_management_library() {
  const Library library;
  if (!library.call("nvmlInit_v2")) throw std::runtime_error("NVML does not start");
  ToldSystem system;
  system.driver_version = library.text("nvmlSystemGetDriverVersion");
  int version = 0;
  constexpr int per_major = 1000;
  constexpr int per_minor = 10;
  if (library.call("nvmlSystemGetCudaDriverVersion", &version))
    system.cuda_version = dotted(version / per_major, version % per_major / per_minor);
  unsigned count = 0;
  if (!library.call("nvmlDeviceGetCount_v2", &count))
    throw std::runtime_error("the GPUs can't be counted");
  for (unsigned index = 0; index < count; ++index) system.gpus.push_back(gpu_at(library, index));
  return system;
}

// The options and the texts.
namespace {

constexpr int failed = 9;
constexpr int wrong_usage = 2;

struct Question {
  bool lists = false;
  std::vector<std::string> fields;
  bool has_header = true;
  bool has_units = true;
  /// Empty: all of them.
  std::vector<std::string> ids;
};

std::vector<std::string> parts_of(std::string_view text) {
  std::vector<std::string> parts;
  while (!text.empty()) {
    const std::size_t comma = std::min(text.find(','), text.size());
    std::string part(text.substr(0, comma));
    part.erase(0, part.find_first_not_of(' '));
    parts.push_back(part);
    text.remove_prefix(std::min(comma + 1, text.size()));
  }
  return parts;
}

void take_format(const std::vector<std::string>& words, Question& question) {
  for (const std::string& word : words) {
    if (word == "noheader") question.has_header = false;
    if (word == "nounits") question.has_units = false;
  }
}

/// False for an unknown option.
bool take(const std::string& name, const std::string& value, Question& question) {
  if (name == "-L" || name == "--list-gpus")
    question.lists = true;
  else if (name == "--query-gpu")
    question.fields = parts_of(value);
  else if (name == "--format")
    take_format(parts_of(value), question);
  else if (name == "-i" || name == "--id")
    question.ids = parts_of(value);
  else
    return false;
  return true;
}

std::string mebibytes(std::uint64_t bytes, bool has_unit) {
  constexpr std::uint64_t mebibyte = 1ULL << 20;
  return std::to_string(bytes / mebibyte) + (has_unit ? " MiB" : "");
}

std::string answer(const std::string& field, const ToldSystem& system, const ToldGpu& gpu,
                   bool has_units) {
  if (field == "name" || field == "gpu_name") return gpu.name;
  if (field == "index") return std::to_string(gpu.index);
  if (field == "uuid" || field == "gpu_uuid") return gpu.uuid;
  if (field == "count") return std::to_string(system.gpus.size());
  if (field == "driver_version") return system.driver_version;
  if (field == "compute_cap") return gpu.compute_capability;
  if (field == "memory.total") return mebibytes(gpu.total_bytes, has_units);
  if (field == "memory.used") return mebibytes(gpu.used_bytes, has_units);
  if (field == "memory.free") return mebibytes(gpu.free_bytes, has_units);
  if (field == "utilization.gpu" || field == "utilization.memory") return has_units ? "0 %" : "0";
  return "[N/A]";
}

std::string heading(const std::string& field, bool has_units) {
  if (has_units && field.starts_with("memory.")) return field + " [MiB]";
  return has_units && field.starts_with("utilization.") ? field + " [%]" : field;
}

void print_row(const std::vector<std::string>& cells) {
  std::string line;
  for (const std::string& cell : cells) line += (line.empty() ? "" : ", ") + cell;
  std::printf("%s\n", line.c_str());
}

void print_fields(const Question& question, const ToldSystem& system) {
  std::vector<std::string> cells;
  for (const std::string& field : question.fields)
    cells.push_back(heading(field, question.has_units));
  if (question.has_header) print_row(cells);
  for (const ToldGpu& gpu : system.gpus) {
    cells.clear();
    for (const std::string& field : question.fields)
      cells.push_back(answer(field, system, gpu, question.has_units));
    print_row(cells);
  }
}

void print_list(const ToldSystem& system) {
  for (const ToldGpu& gpu : system.gpus)
    std::printf("GPU %u: %s (UUID: %s)\n", gpu.index, gpu.name.c_str(), gpu.uuid.c_str());
}

void print_table(const ToldSystem& system) {
  std::printf("NVIDIA-SMI (a stand-in of vramlab dry-run)  Driver Version: %s  CUDA Version: %s\n",
              system.driver_version.c_str(), system.cuda_version.c_str());
  for (const ToldGpu& gpu : system.gpus)
    std::printf("%4u  %-32s %10s / %10s\n", gpu.index, gpu.name.c_str(),
                mebibytes(gpu.used_bytes, true).c_str(), mebibytes(gpu.total_bytes, true).c_str());
}

bool is_asked_for(const Question& question, const ToldGpu& gpu) {
  return question.ids.empty() || std::ranges::any_of(question.ids, [&](const std::string& id) {
           return id == std::to_string(gpu.index) || id == gpu.uuid;
         });
}

int run(int argument_count, char** arguments) {
  Question question;
  for (int i = 1; i < argument_count; ++i) {
    const std::string word = arguments[i];
    const std::size_t sign = word.find('=');
    const bool takes_next = word == "-i" && i + 1 < argument_count;
    const std::string value = takes_next                  ? arguments[++i]
                              : sign == std::string::npos ? ""
                                                          : word.substr(sign + 1);
    if (take(word.substr(0, sign), value, question)) continue;
    std::printf("ERROR: Option %s is not recognized by vramlab's nvidia-smi.\n", word.c_str());
    return wrong_usage;
  }
  ToldSystem system = ask_management_library();
  std::erase_if(system.gpus, [&](const ToldGpu& gpu) { return !is_asked_for(question, gpu); });
  if (question.lists)
    print_list(system);
  else if (!question.fields.empty())
    print_fields(question, system);
  else
    print_table(system);
  return 0;
}

}  // namespace
}  // namespace vramlab::dry_run

int main(int argument_count, char** arguments) {
  // The summary of a run is about processes that use a GPU. This one only looks at it.
  unsetenv("VRAMLAB_DRY_RUN_NOTES");
  try {
    return vramlab::dry_run::run(argument_count, arguments);
  } catch (const std::exception& error) {
    std::printf("NVIDIA-SMI has failed: %s\n", error.what());
    return vramlab::dry_run::failed;
  }
}
