#include "replay/budget.h"

#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "traces/input_error.h"

namespace vramlab::replay {
namespace {

using nlohmann::json;
using traces::InputError;

std::string found_text(const json& value) { return std::string(value.type_name()); }

class BudgetReader {
 public:
  BudgetReader(std::string path, const std::string& new_file)
      : path_(std::move(path)), new_file_(new_file) {}

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
    std::ifstream file(path_, std::ios::binary);
    if (!file) throw InputError({path_, "", "a budget file that can be read", "none"});
    std::ostringstream text;
    text << file.rdbuf();
    try {
      return json::parse(text.str());
    } catch (const json::parse_error& error) {
      throw InputError({path_, "byte " + std::to_string(error.byte), "JSON", error.what()});
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
  const std::string& new_file_;
  std::vector<AskedLimit> limits_;
};

}  // namespace

std::vector<AskedLimit> limits_of_budget(const std::string& path, const std::string& new_file) {
  return BudgetReader(path, new_file).read();
}

bool matches_pattern(std::string_view name, std::string_view pattern) {
  if (pattern.empty()) return name.empty();
  if (pattern.starts_with("**")) {
    for (std::size_t i = 0; i <= name.size(); ++i)
      if (matches_pattern(name.substr(i), pattern.substr(2))) return true;
    return false;
  }
  if (pattern.front() == '*') {
    for (std::size_t i = 0; i <= name.size(); ++i) {
      if (matches_pattern(name.substr(i), pattern.substr(1))) return true;
      if (i < name.size() && name[i] == '/') return false;
    }
    return false;
  }
  if (name.empty() || (pattern.front() != '?' && pattern.front() != name.front())) return false;
  return matches_pattern(name.substr(1), pattern.substr(1));
}

}  // namespace vramlab::replay
