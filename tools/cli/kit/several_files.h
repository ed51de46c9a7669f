// Several files of one question, such as the recordings of a job's ranks: each is read by a task of
// its own, and answers name them briefly. Of the worst file an answer is shown whole, as the files
// of a large job would fill many screens, and a table has a row for each.
#pragma once

#include <cstddef>
#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "tools/cli/kit/messages.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {

/// Calls `run` once with each file's number and a bar, in the order and with the errors of
/// run_tasks(). A single file has the bar for itself; of several the bar counts those that are
/// done.
void for_each_file(const std::vector<std::string>& files, const CommonFlags& flags,
                   std::size_t threads,
                   const std::function<void(std::size_t file, ProgressBar& bar)>& run);

/// The same, but a file that is refused does not keep the others from their answers: its InputError
/// is in the result, in the order of the files. Throws the first one if all are refused.
std::vector<traces::InputError> try_each_file(
    const std::vector<std::string>& files, const CommonFlags& flags, std::size_t threads,
    const std::function<void(std::size_t file, ProgressBar& bar)>& run);

/// The files that were answered, with an answer for each, and the others.
template <class Answer>
struct FileAnswers {
  std::vector<std::string> files;
  std::vector<Answer> answers;
  std::vector<traces::InputError> refused;
};

/// `answer_of` is called as by try_each_file().
template <class Answer, class AnswerOf>
FileAnswers<Answer> answer_each_file(const std::vector<std::string>& files,
                                     const CommonFlags& flags, std::size_t threads,
                                     const AnswerOf& answer_of) {
  std::vector<std::optional<Answer>> found(files.size());
  FileAnswers<Answer> all;
  all.refused = try_each_file(files, flags, threads, [&](std::size_t file, ProgressBar& bar) {
    found[file].emplace(answer_of(file, bar));
  });
  for (std::size_t i = 0; i < files.size(); ++i) {
    if (!found[i]) continue;
    all.files.push_back(files[i]);
    all.answers.push_back(*std::move(found[i]));
  }
  return all;
}

/// Prints why files were refused to standard error; the status of a command that answered the
/// others.
ExitStatus tell_refused(const std::vector<traces::InputError>& refused);

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
