#include "replay/compare/limit.h"

#include <array>
#include <cctype>
#include <utility>

#include "replay/metrics/nearest_name.h"
#include "traces/io/input_error.h"

namespace vramlab::replay {
namespace {

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
      throw traces::InputError({where_ + " '" + std::string(text_) + "'",
                                "letter " + std::to_string(begin + 1),
                                "the name of a metric (docs/reference/metrics.md)",
                                "'" + std::string(name) + "'; the nearest is " +
                                    std::string(nearest_name(name, all_metrics(), &Metric::name))});
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
      // Every share of nothing is nothing, so what comes from nothing is above all of them.
      return holds(limit.sign, change * whole_ratio, static_cast<Wide>(limit.value) * base);
  }
  return false;
}

}  // namespace vramlab::replay
