#include "tools/cli/commands/dry_run/named_histories.h"

#include <algorithm>
#include <fstream>
#include <tuple>

#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

/// As a whole or not at all, also to another file system.
void copy_history(const std::string& from, const std::string& to, traces::Overwrite overwrite) {
  std::ifstream source(from, std::ios::binary);
  traces::OutputFile output(to, overwrite);
  std::string part(std::size_t{1} << 20, '\0');
  while (source.read(part.data(), static_cast<std::streamsize>(part.size())) || source.gcount() > 0)
    output.write({part.data(), static_cast<std::size_t>(source.gcount())});
  output.finish();
}

}  // namespace

void check_new_output(const std::string& path, traces::Overwrite overwrite) {
  if (path.empty()) return;
  const auto absolute = std::filesystem::absolute(path);
  if (!std::filesystem::is_directory(absolute.parent_path()))
    throw traces::InputError({path, "", "a folder to write to", "none"});
  if (overwrite == traces::Overwrite::refused && std::filesystem::exists(absolute))
    throw traces::InputError({path, "", "a new file (or --force)", "one that is there already"});
}

std::map<int, std::string> name_histories(const std::vector<ProcessNotes>& processes,
                                          const NamedHistories& named) {
  std::map<std::string, std::vector<const ProcessNotes*>> asked;
  for (const ProcessNotes& process : processes)
    if (!process.history().empty() && !process.output().empty())
      asked[process.output()].push_back(&process);
  std::map<int, std::string> names;
  for (const auto& [name, owners] : asked) {
    const auto main = std::ranges::max_element(owners, {}, [&](const ProcessNotes* process) {
      return std::tuple(process->process == named.process,
                        std::filesystem::file_size(process->history()));
    });
    for (const ProcessNotes* process : owners) {
      const std::string own =
          process == *main ? name : name + "." + std::to_string(process->process);
      copy_history(process->history(), own, named.overwrite);
      names[process->process] = own;
    }
  }
  return names;
}

}  // namespace vramlab::tools
