// AskedLoad: the requests that a server gets once it is healthy, by the lengths of their prompts
// and answers: `64x1024+256`, or a table with a line for each.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace vramlab::tools {

/// Requests of one shape.
struct RequestShape {
  std::uint64_t count = 0;
  std::uint64_t prompt_tokens = 0;
  std::uint64_t answer_tokens = 0;
};

struct AskedLoad {
  /// In the order in which they were named, each shape once.
  std::vector<RequestShape> shapes;

  std::uint64_t requests() const;
  /// The longest prompt and the longest answer, which may be of two requests.
  RequestShape longest() const;
};

/// `64x1024+256`: 64 requests with prompts of 1,024 tokens, which get 256. Several are separated by
/// commas, and `1024+256` is a single one. Throws InputError.
AskedLoad parse_load(const std::string& text);

/// Lines of `prompt,answer`; the first one may have names. Throws InputError.
AskedLoad read_load(const std::string& path);

/// All prompts of a shape, as ids of tokens. No two begin alike, so none finds its beginning
/// cached. `first`: the number of the shape's first request.
nlohmann::ordered_json prompts_of(const RequestShape& shape, std::uint64_t first);

}  // namespace vramlab::tools
