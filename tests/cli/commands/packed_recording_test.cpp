// Recordings packed with gzip or zstd, through the commands that read them.
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <sstream>

#include "tests/support/fuzz/snapshot_listing.h"
#include "tests/support/kit/command_test.h"
#include "tests/support/recordings/packed_bytes.h"
#include "tests/support/recordings/pickle_writer.h"

namespace vramlab::tests {
namespace {

namespace fs = std::filesystem;

using support::gzip;
using support::zstd;

struct Packer {
  const char* name;
  std::string (*pack)(const std::string&);
};
const std::array packers = {Packer{"gzip", [](const std::string& bytes) { return gzip(bytes); }},
                            Packer{"zstd", zstd}};

class PackedRecording : public FolderTest {
 protected:
  std::string file_with(const std::string& bytes) const { return write("in", bytes); }
  /// The output of `vramlab convert` for the file, as lines.
  std::string converted(const std::string& bytes) const {
    const std::string output = folder + "/out.pickle";
    const auto run = run_vramlab({"convert", file_with(bytes), "-o", output, "--force"});
    EXPECT_EQ(run.exit_status, 0) << run.errors;
    return support::read_pickle_bytes(content_of(output)).lines;
  }

  const std::string recording = support::python_pickle(support::small_snapshot());
};

TEST_F(PackedRecording, info_says_how_it_is_packed_and_the_rest_as_of_the_plain_file) {
  const auto info_of = [this](const std::string& bytes) {
    const auto run = run_vramlab({"info", "--json", file_with(bytes)});
    EXPECT_EQ(run.exit_status, 0) << run.errors;
    return nlohmann::json::parse(run.output)["files"][0];
  };
  nlohmann::json plain = info_of(recording);
  EXPECT_EQ(plain["packing"], "");
  for (const Packer& packer : packers) {
    const nlohmann::json packed = info_of(packer.pack(recording));
    EXPECT_EQ(packed["packing"], packer.name);
    plain["packing"] = packer.name;
    EXPECT_EQ(packed, plain);
  }
}

TEST_F(PackedRecording, convert_reads_what_the_plain_file_holds) {
  const std::string plain = support::read_pickle_bytes(recording).lines;
  for (const Packer& packer : packers) EXPECT_EQ(converted(packer.pack(recording)), plain);
}

TEST_F(PackedRecording, convert_reads_it_from_standard_input) {
  for (const Packer& packer : packers) {
    const std::string output = folder + "/out.pickle";
    const auto run = run_vramlab({"convert", "-", "-o", output, "--force"}, packer.pack(recording));
    EXPECT_EQ(run.exit_status, 0) << run.errors;
    EXPECT_EQ(support::read_pickle_bytes(content_of(output)).lines,
              support::read_pickle_bytes(recording).lines);
  }
}

TEST_F(PackedRecording, verify_says_of_it_what_it_says_of_the_plain_file) {
  const auto plain = run_vramlab({"verify", file_with(recording)});
  for (const Packer& packer : packers) {
    const auto packed = run_vramlab({"verify", file_with(packer.pack(recording))});
    EXPECT_EQ(packed.exit_status, plain.exit_status) << packed.errors;
    EXPECT_EQ(packed.output, plain.output);
    EXPECT_EQ(packed.errors, plain.errors);
  }
}

TEST_F(PackedRecording, it_may_come_in_several_packed_pieces) {
  const std::string first = recording.substr(0, recording.size() / 3);
  const std::string rest = recording.substr(first.size());
  for (const Packer& packer : packers)
    EXPECT_EQ(converted(packer.pack(first) + packer.pack("") + packer.pack(rest)),
              support::read_pickle_bytes(recording).lines);
}

TEST_F(PackedRecording, cut_off_file_is_one_line_with_a_byte_and_leaves_nothing) {
  for (const Packer& packer : packers) {
    const std::string packed = packer.pack(recording);
    for (const std::size_t kept : {packed.size() / 2, packed.size() - 1}) {
      const std::string path = file_with(packed.substr(0, kept));
      const std::string output = folder + "/out.json";
      for (const std::vector<std::string>& command : {std::vector<std::string>{"info", path},
                                                      {"verify", path},
                                                      {"convert", path, "-o", output}}) {
        const auto run = run_vramlab(command);
        EXPECT_EQ(run.exit_status, 2) << command[1];
        EXPECT_NE(run.errors.find("packed byte " + std::to_string(kept)), std::string::npos)
            << run.errors;
        EXPECT_EQ(std::ranges::count(run.errors, '\n'), 1) << run.errors;
      }
      EXPECT_FALSE(fs::exists(output));
    }
  }
}

TEST_F(PackedRecording, file_cut_off_between_its_pieces_is_a_cut_off_pickle) {
  const std::string half = recording.substr(0, recording.size() / 2);
  for (const Packer& packer : packers) {
    const auto run = run_vramlab({"info", file_with(packer.pack(half))});
    EXPECT_EQ(run.exit_status, 2);
    EXPECT_NE(run.errors.find("byte " + std::to_string(half.size())), std::string::npos)
        << run.errors;
  }
}

}  // namespace
}  // namespace vramlab::tests
