#include "replay/compare/budget.h"

#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>

#include "traces/io/byte_source.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using nlohmann::json;
using traces::InputError;

std::string found_text(const json& value) { return std::string(value.type_name()); }

class BudgetReader {
 public:
  BudgetReader(std::string path, std::string new_file)
      : path_(std::move(path)), new_file_(std::move(new_file)) {}

  std::vector<AskedLimit> read() {
    const json document = parse();
    expect(document.is_object(), "", "an object", document);
    for (const auto& [key, value] : document.items())
      if (key != "schema_version" && key != "fail_if" && key != "budgets")
        throw InputError({path_, key, "schema_version, fail_if or budgets", "'" + key + "'"});
    const auto version = document.find("schema_version");
    if (version == document.end() || *version != 1)
      throw InputError(
          {path_, "schema_version", "1", version == document.end() ? "nothing" : version->dump()});
    if (const auto found = document.find("fail_if"); found != document.end())
      add_limits(*found, "fail_if");
    if (const auto found = document.find("budgets"); found != document.end()) read_budgets(*found);
    return std::move(limits_);
  }

 private:
  json parse() const {
    // The keys of each object that is open. The reader of JSON keeps only one of two equal keys,
    // and the limits of the other would be lost.
    std::vector<std::set<std::string>> open;
    const auto look = [&](int, json::parse_event_t event, const json& value) {
      if (event == json::parse_event_t::object_start) open.emplace_back();
      if (event == json::parse_event_t::object_end) open.pop_back();
      if (event == json::parse_event_t::key && !open.back().insert(value.get<std::string>()).second)
        throw InputError({path_, value.get<std::string>(), "each key once", "it twice"});
      return true;
    };
    try {
      return json::parse(traces::read_input_bytes(path_), look);
    } catch (const json::parse_error& error) {
      throw InputError({path_, "byte " + std::to_string(error.byte), "JSON", "something else"});
    }
  }

  void expect(bool is_so, const std::string& position, const char* expected,
              const json& found) const {
    if (!is_so) throw InputError({path_, position, expected, found_text(found)});
  }

  void read_budgets(const json& budgets) {
    expect(budgets.is_array(), "budgets", "a list", budgets);
    for (std::size_t i = 0; i < budgets.size(); ++i) {
      const std::string position = "budgets[" + std::to_string(i) + "]";
      const json& budget = budgets[i];
      expect(budget.is_object(), position, "an object", budget);
      for (const auto& [key, value] : budget.items())
        if (key != "files" && key != "fail_if")
          throw InputError({path_, position, "files or fail_if", "'" + key + "'"});
      const auto files = budget.find("files");
      if (files == budget.end())
        throw InputError({path_, position, "files, a pattern of names", "none"});
      expect(files->is_string(), position + ".files", "a pattern of names", *files);
      const auto fail_if = budget.find("fail_if");
      if (fail_if == budget.end())
        throw InputError({path_, position, "fail_if, a list of limits", "none"});
      const std::size_t before = limits_.size();
      add_limits(*fail_if, position + ".fail_if");
      if (!matches_pattern(new_file_, files->get<std::string>())) limits_.resize(before);
    }
  }

  void add_limits(const json& limits, const std::string& position) {
    expect(limits.is_array(), position, "a list of limits", limits);
    for (std::size_t i = 0; i < limits.size(); ++i) {
      const std::string where = position + "[" + std::to_string(i) + "]";
      expect(limits[i].is_string(), where, "a limit such as \"peak_reserved > +2%\"", limits[i]);
      const std::string origin = path_ + " at " + where;
      limits_.push_back({parse_limit(limits[i].get<std::string>(), origin), origin});
    }
  }

  std::string path_;
  std::string new_file_;
  std::vector<AskedLimit> limits_;
};

}  // namespace

std::vector<AskedLimit> limits_of_budget(const std::string& path, const std::string& new_file) {
  // `./new.pickle` is `new.pickle` as well: a limit must not be lost over how a name is written.
  return BudgetReader(path, std::filesystem::path(new_file).lexically_normal().generic_string())
      .read();
}

bool matches_pattern(std::string_view name, std::string_view pattern) {
  // ends[i]: whether the part of the pattern that was read can be the first i letters of the name.
  // So the work is the product of both lengths at most, whatever the pattern.
  std::vector<bool> ends(name.size() + 1, false);
  ends[0] = true;
  for (std::size_t at = 0; at < pattern.size(); ++at) {
    const char letter = pattern[at];
    const bool is_any = letter == '*';
    const bool crosses_folders = is_any && pattern.substr(at).starts_with("**");
    if (crosses_folders) ++at;
    std::vector<bool> next(ends.size(), false);
    if (is_any) next[0] = ends[0];
    for (std::size_t i = 1; i < ends.size(); ++i) {
      const char found = name[i - 1];
      if (is_any)
        next[i] = ends[i] || (next[i - 1] && (crosses_folders || found != '/'));
      else
        next[i] = ends[i - 1] && (letter == '?' || letter == found);
    }
    ends = std::move(next);
  }
  return ends.back();
}

}  // namespace vramlab::replay
