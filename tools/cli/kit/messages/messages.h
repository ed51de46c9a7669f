// Errors and progress as lines for standard error: a sentence for people, or a JSON object for a
// program that started this one. The first key of each object is `vramlab_message`, so that it can
// be told from what a user's program prints.
#pragma once

#include <exception>
#include <string>

#include "traces/io/byte_source.h"
#include "traces/io/input_error.h"

namespace vramlab::tools {

enum class MessageForm { text, json };

/// What VRAMLAB_MESSAGES asks for. Throws InputError at a word that is not known.
MessageForm asked_message_form();

// A line with its end. The JSON of an InputError has file, position, expected and found.
std::string error_message(const std::exception& error, MessageForm form);
std::string error_message(const traces::InputError& error, MessageForm form);

/// A line of JSON with its end; `what` is being read.
std::string progress_message(const std::string& what, const traces::ReadProgress& progress);

}  // namespace vramlab::tools
