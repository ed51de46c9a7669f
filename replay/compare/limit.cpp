#include "replay/compare/limit.h"

#include <array>
#include <cctype>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <set>
#include <utility>

#include "replay/metrics/nearest_name.h"
#include "traces/io/byte_source.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

using nlohmann::json;
using traces::InputError;

/// Holds products of two amounts.
__extension__ using Wide = __int128;

/// Digits that are counted behind the point.
constexpr std::int64_t precision = 1'000'000;
/// Larger numbers than any device has bytes are mistakes.
constexpr std::int64_t largest_number = std::int64_t{1} << 40;

struct NamedSize {
  std::string_view name;
  std::int64_t size;
};
constexpr std::array<NamedSize, 11> sizes{{{"KiB", 1LL << 10},
                                           {"MiB", 1LL << 20},
                                           {"GiB", 1LL << 30},
                                           {"TiB", 1LL << 40},
                                           {"kB", 1'000},
                                           {"KB", 1'000},
                                           {"MB", 1'000'000},
                                           {"GB", 1'000'000'000},
                                           {"TB", 1'000'000'000'000},
                                           {"bytes", 1},
                                           {"B", 1}}};

class LimitReader {
 public:
  LimitReader(std::string_view text, const std::string& where) : text_(text), where_(where) {}

  Limit read() {
    Limit limit;
    limit.text = std::string(text_);
    limit.metric = read_metric();
    limit.sign = read_sign();
    skip_blanks();
    const bool is_negative = next_is('-');
    const bool is_change = is_negative || next_is('+');
    if (is_change) ++at_;
    skip_blanks();
    const std::int64_t millionths = read_number();
    limit.kind = is_change ? LimitKind::change : LimitKind::value;
    limit.value = read_unit(*limit.metric, millionths, limit.kind);
    if (is_negative) limit.value = -limit.value;
    skip_blanks();
    if (at_ < text_.size()) refuse("the end");
    return limit;
  }

 private:
  bool next_is(char letter) const { return at_ < text_.size() && text_[at_] == letter; }
  void skip_blanks() {
    while (next_is(' ') || next_is('\t')) ++at_;
  }
  std::string_view word() {
    const std::size_t begin = at_;
    while (at_ < text_.size() &&
           (std::isalpha(static_cast<unsigned char>(text_[at_])) != 0 || text_[at_] == '_'))
      ++at_;
    return text_.substr(begin, at_ - begin);
  }
  [[noreturn]] void refuse(const std::string& expected) { refuse(expected, at_); }
  [[noreturn]] void refuse(const std::string& expected, std::size_t at) const {
    throw traces::InputError(
        {where_ + " '" + std::string(text_) + "'", "letter " + std::to_string(at + 1), expected,
         at < text_.size() ? "'" + std::string(text_.substr(at)) + "'" : std::string("the end")});
  }

  const Metric* read_metric() {
    skip_blanks();
    const std::size_t begin = at_;
    const std::string_view name = word();
    const Metric* metric = find_metric(name);
    if (metric == nullptr && name.empty())
      refuse("the name of a metric (docs/reference/metrics.md)", begin);
    if (metric == nullptr)
      throw traces::InputError(
          {where_ + " '" + std::string(text_) + "'", "letter " + std::to_string(begin + 1),
           "the name of a metric (docs/reference/metrics.md)",
           "'" + std::string(name) + "'" + nearest_hint(name, all_metrics(), &Metric::name)});
    return metric;
  }

  LimitSign read_sign() {
    skip_blanks();
    constexpr std::array<std::pair<std::string_view, LimitSign>, 4> signs{
        {{">=", LimitSign::at_least},
         {"<=", LimitSign::at_most},
         {">", LimitSign::above},
         {"<", LimitSign::below}}};
    for (const auto& [name, sign] : signs)
      if (text_.substr(at_).starts_with(name)) {
        at_ += name.size();
        return sign;
      }
    refuse("one of > >= < <=");
  }

  /// In millionths.
  std::int64_t read_number() {
    const std::size_t begin = at_;
    std::int64_t whole = 0;
    const auto is_digit = [this] {
      return at_ < text_.size() && text_[at_] >= '0' && text_[at_] <= '9';
    };
    if (!is_digit()) refuse("a number");
    for (; is_digit(); ++at_) {
      whole = whole * 10 + (text_[at_] - '0');
      if (whole > largest_number) refuse("a smaller number", begin);
    }
    std::int64_t millionths = 0;
    if (next_is('.')) {
      ++at_;
      if (!is_digit()) refuse("a digit");
      for (std::int64_t unit = precision / 10; is_digit(); ++at_, unit /= 10) {
        if (unit == 0) refuse("at most six digits behind the point");
        millionths += unit * (text_[at_] - '0');
      }
    }
    return whole * precision + millionths;
  }

  std::int64_t read_unit(const Metric& metric, std::int64_t millionths, LimitKind& kind) {
    skip_blanks();
    const std::size_t begin = at_;
    if (next_is('%')) {
      if (metric.of == MetricOf::comparison)
        refuse("a size or count, as this metric is a change already", begin);
      ++at_;
      if (kind == LimitKind::change)
        kind = LimitKind::relative_change;
      else if (metric.unit != MetricUnit::ratio)
        refuse("a change in percent, with + or - before it, or a size or count", begin);
      return millionths / 100;
    }
    const std::string_view unit = word();
    if (metric.unit == MetricUnit::ratio) {
      if (!unit.empty()) refuse("a share such as 0.2 or 20%", begin);
      return millionths;
    }
    const std::int64_t factor = factor_of(metric, unit, begin);
    const Wide exact = static_cast<Wide>(millionths) * factor;
    if (unit.empty() && exact % precision != 0) refuse("a whole number", begin);
    if (exact / precision > INT64_MAX / 2) refuse("a smaller amount", begin);
    return static_cast<std::int64_t>(exact / precision);
  }

  std::int64_t factor_of(const Metric& metric, std::string_view unit, std::size_t begin) {
    if (unit.empty()) return 1;
    for (const NamedSize& size : sizes)
      if (metric.unit == MetricUnit::bytes && size.name == unit) return size.size;
    refuse(metric.unit == MetricUnit::bytes ? "a unit such as MiB or GiB, or %" : "% or nothing",
           begin);
  }

  std::string_view text_;
  const std::string& where_;
  std::size_t at_ = 0;
};

bool holds(LimitSign sign, Wide left, Wide right) {
  switch (sign) {
    case LimitSign::above:
      return left > right;
    case LimitSign::at_least:
      return left >= right;
    case LimitSign::below:
      return left < right;
    case LimitSign::at_most:
      return left <= right;
  }
  return false;
}

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

Limit parse_limit(std::string_view text, const std::string& where) {
  return LimitReader(text, where).read();
}

bool is_broken(const Limit& limit, std::int64_t base, std::int64_t now) {
  const Wide change = static_cast<Wide>(now) - base;
  switch (limit.kind) {
    case LimitKind::value:
      return holds(limit.sign, now, limit.value);
    case LimitKind::change:
      return holds(limit.sign, change, limit.value);
    case LimitKind::relative_change:
      // Every share of 0 is 0, so any growth from 0 is above all of them.
      return holds(limit.sign, change * whole_ratio, static_cast<Wide>(limit.value) * base);
  }
  return false;
}

std::vector<AskedLimit> limits_of_budget(const std::string& path, const std::string& new_file) {
  // `./new.pickle` is `new.pickle` as well: a limit must not be lost over how a name is written.
  return BudgetReader(path, std::filesystem::path(new_file).lexically_normal().generic_string())
      .read();
}

bool matches_pattern(std::string_view name, std::string_view pattern) {
  // ends[i]: whether the part of the pattern that was read can be the first i letters of the name.
  // The work is at most the product of both lengths, whatever the pattern.
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
