#include "tools/cuda_standins/code/ptx_names.h"

#include <algorithm>
#include <charconv>
#include <climits>
#include <cstdint>
#include <cstring>
#include <map>
#include <vector>

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

/// A variable of one of the spaces, with its bytes; without a size it is one that is dynamic.
struct Variable {
  std::string_view name;
  std::size_t bytes = 0;
};

std::uint64_t number_of(std::string_view digits) {
  std::uint64_t number = 0;
  std::from_chars(digits.data(), digits.data() + digits.size(), number);
  return number;
}

/// `.b8`, `.f32`, `.u64` and the like: its bytes; 0 for other words.
std::size_t bytes_of_type(std::string_view word) {
  if (word.size() < 3 || std::string_view(".bsuf").find(word[1]) == std::string_view::npos)
    return 0;
  return number_of(word.substr(2)) / 8;
}

/// The largest variable that counts; a text may name any number.
constexpr std::size_t most_variable_bytes = std::size_t{1} << 30;

/// The name stands behind the words that say its space, type and place, the sizes of an array
/// behind the name. Reads up to the end of the declaration or the first of its values.
Variable take_variable(PtxTokens& tokens) {
  Variable found;
  std::size_t vector = 1, type = 0, count = 1;
  bool is_in_sizes = false, is_dynamic = false;
  for (std::string_view token = tokens.next(); !token.empty(); token = tokens.next()) {
    if (token == "=" || token == ";" || token == ",") break;
    if (token == "[" || token == "]") {
      is_dynamic = is_dynamic || (token == "]" && is_in_sizes);
      is_in_sizes = token == "[";
    } else if (is_in_sizes) {
      count = std::min<std::size_t>(count * number_of(token), most_variable_bytes);
      is_in_sizes = false;
    } else if (token == ".v2" || token == ".v4") {
      vector = number_of(token.substr(2));
    } else if (token.starts_with(".")) {
      type = std::max(type, bytes_of_type(token));
    } else {
      found.name = token;
    }
  }
  if (!is_dynamic) found.bytes = std::min(count, most_variable_bytes) * type * vector;
  return found;
}

/// The parts of a function that tell its memory.
struct Body {
  KernelFacts own;
  /// Each once: names of functions and of variables among them.
  std::set<std::string_view> mentioned;
  bool is_kernel = false;
};

class PtxText {
 public:
  explicit PtxText(std::string_view text) : tokens_(text) {}

  std::optional<PtxNames> names() {
    if (tokens_.next() != first_directive) return std::nullopt;
    for (std::string_view token = tokens_.next(); !token.empty(); token = tokens_.next())
      take(token);
    // A text that a stand-in made in place of compiling defines nothing.
    if (names_.functions.empty()) return std::nullopt;
    for (const auto& [name, body] : bodies_)
      if (body.is_kernel) names_.kernels.emplace(name, facts_of(body));
    return std::move(names_);
  }

 private:
  void take(std::string_view token) {
    if (token == "{") ++depth_;
    if (token == "}") --depth_;
    if (depth_ == 0 && (token == ".entry" || token == ".func"))
      begin_function(token == ".entry");
    else if (token == ".maxntid" || token == ".reqntid")
      take_most_threads();
    else if (token == ".global" || token == ".const" || token == ".shared" || token == ".local")
      // Instructions have their space in one word with them, as in `ld.shared`.
      add_variable(token, take_variable(tokens_));
    else if (depth_ > 0 && body_ != nullptr && is_of_word(token.front()) && token.front() != '%')
      body_->mentioned.insert(token);
  }

  /// The name stands behind the directive, and behind what a function gives back.
  void begin_function(bool is_kernel) {
    std::string_view token = tokens_.next();
    if (token == "(") {
      while (!token.empty() && token != ")") token = tokens_.next();
      token = tokens_.next();
    }
    if (token.empty()) return;
    names_.functions.emplace(token);
    body_ = &bodies_[token];
    body_->is_kernel = is_kernel;
  }

  /// Up to three sizes between commas.
  void take_most_threads() {
    std::uint64_t threads = number_of(tokens_.next());
    PtxTokens behind = tokens_;
    for (int side = 1; side < 3 && behind.next() == ","; ++side) {
      threads *= number_of(behind.next());
      tokens_ = behind;
    }
    if (body_ != nullptr)
      body_->own.most_threads = static_cast<int>(std::min<std::uint64_t>(threads, INT_MAX));
  }

  void add_variable(std::string_view space, const Variable& variable) {
    if (variable.name.empty()) return;
    if (depth_ > 0 && body_ != nullptr) {
      if (space == ".shared") body_->own.shared_bytes += variable.bytes;
      if (space == ".local") body_->own.stack_bytes += variable.bytes;
      return;
    }
    if (depth_ > 0) return;
    if (space == ".shared") shared_[variable.name] = variable.bytes;
    if (space == ".const") constant_[variable.name] = variable.bytes;
    if (space == ".global" || space == ".const") names_.variables.emplace(variable.name);
  }

  /// Functions call each other without end in some texts: each counts once.
  KernelFacts facts_of(const Body& kernel) const {
    KernelFacts facts = kernel.own;
    std::set<std::string_view> seen;
    std::vector<std::string_view> open(kernel.mentioned.begin(), kernel.mentioned.end());
    while (!open.empty()) {
      const std::string_view name = open.back();
      open.pop_back();
      if (!seen.insert(name).second) continue;
      if (const auto found = shared_.find(name); found != shared_.end())
        facts.shared_bytes += found->second;
      const auto called = bodies_.find(name);
      if (called == bodies_.end()) continue;
      facts.shared_bytes += called->second.own.shared_bytes;
      facts.stack_bytes += called->second.own.stack_bytes;
      open.insert(open.end(), called->second.mentioned.begin(), called->second.mentioned.end());
    }
    // Constants belong to the module.
    for (const auto& [name, bytes] : constant_) facts.constant_bytes += bytes;
    return facts;
  }

  PtxTokens tokens_;
  PtxNames names_;
  std::map<std::string_view, Body> bodies_;
  std::map<std::string_view, std::size_t> shared_;
  std::map<std::string_view, std::size_t> constant_;
  Body* body_ = nullptr;
  int depth_ = 0;
};

}  // namespace

std::optional<PtxNames> ptx_names_of(std::string_view text) { return PtxText(text).names(); }

std::optional<PtxNames> ptx_names_at(const void* image) {
  if (image == nullptr) return std::nullopt;
  const char* const text = static_cast<const char*>(image);
  // Other images have their kind in their first bytes, and may hold anything behind it.
  if (*text != '.' && *text != '/' && !is_space(*text)) return std::nullopt;
  return ptx_names_of({text, std::strlen(text)});
}

}  // namespace vramlab::dry_run
