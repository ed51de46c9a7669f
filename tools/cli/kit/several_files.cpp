#include "tools/cli/kit/several_files.h"

#include <algorithm>
#include <atomic>

#include "allocator/types/check.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/what_if_runs.h"
#include "tools/cli/printers/shown_text.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {

void for_each_file(const std::vector<std::string>& files, const CommonFlags& flags,
                   std::size_t threads,
                   const std::function<void(std::size_t file, ProgressBar& bar)>& run) {
  CommonFlags of_each = flags;
  // Several bars would write over each other.
  of_each.quiet = flags.quiet || files.size() > 1;
  CommonFlags of_all = flags;
  of_all.quiet = flags.quiet || files.size() == 1;
  ProgressBar all(files.front(), of_all);
  const std::string count = " of " + std::to_string(files.size()) + " files";
  std::atomic<std::size_t> done{0};
  all.show("0" + count);
  run_tasks(files.size(), threads, [&](std::size_t file) {
    ProgressBar bar(files[file], of_each);
    run(file, bar);
    all.show(std::to_string(++done) + count);
  });
}

std::vector<traces::InputError> try_each_file(
    const std::vector<std::string>& files, const CommonFlags& flags, std::size_t threads,
    const std::function<void(std::size_t file, ProgressBar& bar)>& run) {
  std::vector<std::optional<traces::InputError>> refusals(files.size());
  for_each_file(files, flags, threads, [&](std::size_t file, ProgressBar& bar) {
    try {
      run(file, bar);
    } catch (const traces::InputError& error) {
      refusals[file] = error;
    }
  });
  std::vector<traces::InputError> refused;
  for (const auto& refusal : refusals)
    if (refusal) refused.push_back(*refusal);
  if (refused.size() == files.size()) throw traces::InputError(refused.front());
  return refused;
}

ExitStatus tell_refused(const std::vector<traces::InputError>& refused) {
  const MessageForm form = asked_message_form();
  for (const traces::InputError& error : refused) tell(error_message(error, form));
  return refused.empty() ? ExitStatus::done : ExitStatus::bad_input;
}

std::vector<std::string> short_names(const std::vector<std::string>& files) {
  std::string shared = files.empty() ? std::string() : files.front();
  for (const std::string& file : files) {
    const auto [end, other] = std::ranges::mismatch(shared, file);
    shared.erase(end, shared.end());
  }
  const std::size_t slash = shared.rfind('/');
  const std::size_t folders = slash == std::string::npos ? 0 : slash + 1;
  std::vector<std::string> names;
  for (const std::string& file : files) names.push_back(file.substr(folders));
  return names;
}

std::string worst_heading(const std::vector<std::string>& files, std::size_t worst) {
  const std::string count = ", the worst of " + std::to_string(files.size()) + " files";
  return shown_name(files[worst] + (files.size() > 1 ? count : std::string())) + "\n";
}

void refuse_several(const std::vector<std::string>& files, const std::string& option) {
  if (files.size() > 1)
    throw traces::InputError({option, "", "a single file", std::to_string(files.size())});
}

nlohmann::ordered_json of_files_json(std::vector<nlohmann::ordered_json> documents,
                                     std::size_t worst) {
  check(worst < documents.size(), "the worst file is one of those that were read");
  if (documents.size() == 1) return std::move(documents.front());
  nlohmann::ordered_json all = {{"schema_version", 1}, {"worst_file", documents[worst].at("file")}};
  all["files"] = std::move(documents);
  return all;
}

}  // namespace vramlab::tools
