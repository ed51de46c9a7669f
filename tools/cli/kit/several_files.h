// Several files of one question, such as the recordings of a job's ranks: each is read by a task of
// its own, and answers name them briefly. Of the worst file an answer is shown whole, as the files
// of a large job would fill many screens, and a table has a row for each.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "tools/cli/kit/messages.h"

namespace vramlab::tools {

/// Calls `run` once with each file's number and a bar, in the order and with the errors of
/// run_tasks(). A single file has the bar for itself; of several the bar counts those that are
/// done.
void for_each_file(const std::vector<std::string>& files, const CommonFlags& flags,
                   std::size_t threads,
                   const std::function<void(std::size_t file, ProgressBar& bar)>& run);

/// The names without the folders that all of them share.
std::vector<std::string> short_names(const std::vector<std::string>& files);

/// The line above an answer about the worst file, such as `b.pickle, the worst of 3 files`.
std::string worst_heading(const std::vector<std::string>& files, std::size_t worst);

/// For an option that is about one file. Throws InputError if there are several.
void refuse_several(const std::vector<std::string>& files, const std::string& option);

/// The document of a single file as it is; of several a document with the one of each, in the order
/// given, and the name of the worst. Requires: at least one.
nlohmann::ordered_json of_files_json(std::vector<nlohmann::ordered_json> documents,
                                     std::size_t worst);

}  // namespace vramlab::tools
