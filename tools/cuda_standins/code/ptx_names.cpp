#include "tools/cuda_standins/code/ptx_names.h"

#include <cstring>

namespace vramlab::dry_run {
namespace {

constexpr std::string_view first_directive = ".version";

bool is_space(char letter) {
  return letter == ' ' || letter == '\t' || letter == '\n' || letter == '\r' || letter == '\f';
}
bool is_of_word(char letter) {
  return (letter >= 'a' && letter <= 'z') || (letter >= 'A' && letter <= 'Z') ||
         (letter >= '0' && letter <= '9') || letter == '_' || letter == '$' || letter == '%' ||
         letter == '.';
}

/// Words (with the dot of a directive) and single letters, without blanks and comments.
class PtxTokens {
 public:
  explicit PtxTokens(std::string_view text) : rest_(text) {}

  /// Empty at the end.
  std::string_view next() {
    skip();
    std::size_t length = 0;
    while (length < rest_.size() && is_of_word(rest_[length])) ++length;
    if (length == 0 && !rest_.empty()) length = 1;
    const std::string_view token = rest_.substr(0, length);
    rest_.remove_prefix(length);
    return token;
  }

 private:
  void skip() {
    while (!rest_.empty()) {
      if (is_space(rest_.front()))
        rest_.remove_prefix(1);
      else if (rest_.starts_with("//"))
        drop_to("\n");
      else if (rest_.starts_with("/*"))
        drop_to("*/");
      else
        return;
    }
  }
  void drop_to(std::string_view end) {
    const std::size_t at = rest_.find(end);
    rest_.remove_prefix(at == rest_.npos ? rest_.size() : at + end.size());
  }

  std::string_view rest_;
};

/// The name stands in front of `[`, `=`, `;` or `,`, behind what says its space, type and place.
void add_variable(PtxTokens& tokens, PtxNames& names) {
  std::string_view name;
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (token == "[" || token == "=" || token == ";" || token == ",") break;
    if (!token.starts_with(".")) name = token;
  }
  if (!name.empty()) names.variables.emplace(name);
}

/// The name stands behind the directive, and behind what a function gives back.
void add_function(PtxTokens& tokens, PtxNames& names) {
  std::string_view token = tokens.next();
  if (token == "(") {
    while (!token.empty() && token != ")") token = tokens.next();
    token = tokens.next();
  }
  if (!token.empty()) names.functions.emplace(token);
}

}  // namespace

std::optional<PtxNames> ptx_names_of(std::string_view text) {
  PtxTokens tokens(text);
  if (tokens.next() != first_directive) return std::nullopt;
  PtxNames names;
  int depth = 0;
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (token == "{") ++depth;
    if (token == "}") --depth;
    if (depth > 0) continue;
    if (token == ".entry" || token == ".func") add_function(tokens, names);
    if (token == ".global" || token == ".const") add_variable(tokens, names);
  }
  // A text that a stand-in made in place of compiling defines nothing.
  if (names.functions.empty()) return std::nullopt;
  return names;
}

std::optional<PtxNames> ptx_names_at(const void* image) {
  if (image == nullptr) return std::nullopt;
  const char* const text = static_cast<const char*>(image);
  // Other images have their kind in their first bytes, and may hold anything behind it.
  if (*text != '.' && *text != '/' && !is_space(*text)) return std::nullopt;
  return ptx_names_of({text, std::strlen(text)});
}

}  // namespace vramlab::dry_run
