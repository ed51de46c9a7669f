// JsonGeneric: values of any shape out of JSON tokens, without recursion and within the limits of
// GenericBuilder.
#pragma once

#include "traces/json/generic_builder.h"
#include "traces/json/json_tokens.h"

namespace vramlab::traces {

class JsonGeneric {
 public:
  /// The tokens must outlive it.
  explicit JsonGeneric(JsonTokens& tokens) : tokens_(tokens) {}

  /// The value that begins where the tokens are.
  GenericPointer read();

 private:
  void check_limits() const;
  GenericPointer take_scalar();
  GenericPointer end_what_ends_here();

  JsonTokens& tokens_;
  GenericBuilder builder_;
};

}  // namespace vramlab::traces
