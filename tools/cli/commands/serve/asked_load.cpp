#include "tools/cli/commands/serve/asked_load.h"

#include <algorithm>
#include <fstream>
#include <optional>
#include <sstream>
#include <string_view>

#include "traces/io/byte_source.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {
namespace {

using nlohmann::ordered_json;
using traces::InputError;

constexpr std::uint64_t most_tokens = 1U << 24;
constexpr std::uint64_t most_requests = 1U << 16;
/// Ids that every vocabulary has.
constexpr std::uint64_t first_id = 100;
constexpr std::uint64_t id_count = 400;
/// The tokens in which the number of a request stands at the beginning of its prompt.
constexpr std::uint64_t tokens_of_number = 2;

/// A number from 1 to `most`; empty if the text is none.
std::optional<std::uint64_t> number_up_to(std::uint64_t most, std::string_view text) {
  const auto number = traces::whole_number(text);
  return number && *number > 0 && *number <= most ? number : std::nullopt;
}

std::optional<RequestShape> shape_in(std::string_view text) {
  RequestShape shape{1, 0, 0};
  if (const std::size_t times = text.find('x'); times != std::string_view::npos) {
    const auto count = number_up_to(most_requests, text.substr(0, times));
    if (!count) return std::nullopt;
    shape.count = *count;
    text.remove_prefix(times + 1);
  }
  const std::size_t plus = text.find('+');
  if (plus == std::string_view::npos) return std::nullopt;
  const auto prompt = number_up_to(most_tokens, text.substr(0, plus));
  const auto answer = number_up_to(most_tokens, text.substr(plus + 1));
  if (!prompt || !answer) return std::nullopt;
  shape.prompt_tokens = *prompt;
  shape.answer_tokens = *answer;
  return shape;
}

void add_shape(const RequestShape& more, AskedLoad& load) {
  const auto same = std::ranges::find_if(load.shapes, [&](const RequestShape& shape) {
    return shape.prompt_tokens == more.prompt_tokens && shape.answer_tokens == more.answer_tokens;
  });
  if (same == load.shapes.end())
    load.shapes.push_back(more);
  else
    same->count += more.count;
}

void check_count(const AskedLoad& load, const std::string& where) {
  if (load.requests() == 0 || load.requests() > most_requests)
    throw InputError({where, "", "1 to " + std::to_string(most_requests) + " requests",
                      std::to_string(load.requests())});
}

std::string without_blanks(std::string text) {
  std::erase_if(text, [](char letter) { return letter == ' ' || letter == '\r'; });
  return text;
}

}  // namespace

std::uint64_t AskedLoad::requests() const {
  std::uint64_t sum = 0;
  for (const RequestShape& shape : shapes) sum += shape.count;
  return sum;
}

RequestShape AskedLoad::longest() const {
  RequestShape longest{requests(), 0, 0};
  for (const RequestShape& shape : shapes) {
    longest.prompt_tokens = std::max(longest.prompt_tokens, shape.prompt_tokens);
    longest.answer_tokens = std::max(longest.answer_tokens, shape.answer_tokens);
  }
  return longest;
}

AskedLoad parse_load(const std::string& text) {
  AskedLoad load;
  std::istringstream parts(text);
  for (std::string part; std::getline(parts, part, ',');) {
    const auto shape = shape_in(without_blanks(part));
    if (!shape)
      throw InputError(
          {"--load", "", "requests such as 64x1024+256: count, tokens of prompt and answer", part});
    add_shape(*shape, load);
  }
  check_count(load, "--load");
  return load;
}

AskedLoad read_load(const std::string& path) {
  std::ifstream file(path);
  if (!file) throw InputError({path, "", "a table of requests", "a file that can't be read"});
  AskedLoad load;
  std::size_t number = 0;
  for (std::string line; std::getline(file, line);) {
    ++number;
    std::string columns = without_blanks(line);
    if (columns.empty()) continue;
    if (const std::size_t comma = columns.find(','); comma != std::string::npos)
      columns[comma] = '+';
    const auto shape = columns.find('x') == std::string::npos ? shape_in(columns) : std::nullopt;
    const bool has_names = number == 1 && columns.find_first_of("0123456789") == std::string::npos;
    if (!shape && !has_names)
      throw InputError({path, "line " + std::to_string(number),
                        "tokens of a prompt and of its answer, such as 1024,256", line});
    if (shape) add_shape(*shape, load);
    // A file without an end is refused before it fills the memory.
    if (load.requests() > most_requests) break;
  }
  check_count(load, path);
  return load;
}

ordered_json prompts_of(const RequestShape& shape, std::uint64_t first) {
  ordered_json prompts = ordered_json::array();
  for (std::uint64_t i = 0; i < shape.count; ++i) {
    ordered_json prompt = ordered_json::array();
    std::uint64_t rest = first + i;
    for (std::uint64_t token = 0; token < shape.prompt_tokens; ++token) {
      prompt.push_back(first_id + (token < tokens_of_number ? rest : token) % id_count);
      if (token < tokens_of_number) rest /= id_count;
    }
    prompts.push_back(std::move(prompt));
  }
  return prompts;
}

}  // namespace vramlab::tools
