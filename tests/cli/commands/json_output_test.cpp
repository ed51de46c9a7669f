// `--json` of the commands that name files: a name may be any bytes, and the output is JSON.
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/kit/command_test.h"
#include "tests/support/processes/places.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;
using nlohmann::json;

/// A name with a byte that is never valid in UTF-8.
class JsonOutput : public FolderTest {
 protected:
  JsonOutput() { fs::copy_file(leak, file); }

  const std::string file = in_folder("json_output_\xFF.vtrace");
};

TEST_F(JsonOutput, is_json_also_where_a_file_name_is_no_utf8) {
  for (const char* const command : {"info", "replay", "top", "snapshot"}) {
    const ProgramResult result = run_vramlab({command, file, "--json"});
    EXPECT_EQ(result.exit_status, 0) << command << result.errors;
    const json document = json::parse(result.output, nullptr, false);
    ASSERT_FALSE(document.is_discarded()) << command << result.output;
    EXPECT_NE(document.dump().find("json_output_\xEF\xBF\xBD.vtrace"), std::string::npos)
        << command;
  }
}

/// The reason why the next command has it right too.
TEST(JsonPrinting, is_done_in_one_place) {
  for (const auto& entry : fs::recursive_directory_iterator(support::source_dir() + "/tools")) {
    const fs::path& path = entry.path();
    // The plug-in answers with numbers alone.
    if (path.extension() != ".cpp" || path.stem() == "json_text" || path.stem() == "torch_json")
      continue;
    EXPECT_EQ(content_of(path).find(".dump("), std::string::npos) << path;
  }
}

}  // namespace
}  // namespace vramlab::tests
