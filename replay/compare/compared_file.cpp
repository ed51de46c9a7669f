#include "replay/compare/compared_file.h"

#include "traces/files/input_error.h"

namespace vramlab::replay {

ComparedFile read_compared_file(const std::string& path, const CompareConditions& conditions,
                                const traces::ProgressListener& listener) {
  const std::string name = traces::input_name(path);
  if (path == "-")
    throw traces::InputError(
        {name, "", "a file, as this goes through it more than once", "standard input"});
  if (std::optional<ComparedFile> report = read_report(path, conditions)) {
    report->name = path;
    return *std::move(report);
  }
  ComparedFile compared;
  compared.name = path;
  add_groups(path, conditions, listener, compared);
  if (compared.kind == "a program")
    add_program_metrics(path, conditions, listener, compared);
  else
    add_recorded_metrics(path, conditions, listener, compared);
  return compared;
}

}  // namespace vramlab::replay
