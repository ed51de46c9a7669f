#include "tests/support/recordings/zip_writer.h"

#include "tests/support/recordings/packed_bytes.h"

namespace vramlab::support {
namespace {

std::string little(std::uint64_t number, int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i, number >>= 8U) bytes += static_cast<char>(number);
  return bytes;
}

/// The record with numbers of 64 bits, and the locator that says where it is.
std::string wide_end(std::size_t count, std::uint64_t directory_bytes, std::uint64_t begin) {
  return "PK\x06\x06" + little(44, 8) + little(0x1e, 2) + little(45, 2) + little(0, 8) +
         little(count, 8) + little(count, 8) + little(directory_bytes, 8) + little(begin, 8) +
         "PK\x06\x07" + little(0, 4) + little(begin + directory_bytes, 8) + little(1, 4);
}

}  // namespace

std::string zip_archive(const std::vector<ZippedFile>& files, ZipStyle style) {
  const bool is_stored = style == ZipStyle::stored;
  std::string archive;
  std::string directory;
  for (const ZippedFile& file : files) {
    const std::string packed = is_stored ? file.bytes : deflated(file.bytes);
    // torch.save aligns what it stores by an extra field, and says the size behind the bytes.
    const std::string extra = is_stored ? "FB" + little(5, 2) + "ZZZZZ" : "";
    const std::string flags_and_method =
        is_stored ? little(0x808, 2) + little(0, 2) : little(0, 2) + little(8, 2);
    const std::string sizes = little(packed.size(), 4) + little(file.bytes.size(), 4);
    directory += "PK\x01\x02" + little(0, 4) + flags_and_method + little(0, 8) + sizes +
                 little(file.name.size(), 2) + little(0, 12) + little(archive.size(), 4) +
                 file.name;
    archive += "PK\x03\x04" + little(0, 2) + flags_and_method + little(0, 8) +
               (is_stored ? little(0, 8) : sizes) + little(file.name.size(), 2) +
               little(extra.size(), 2) + file.name + extra + packed;
    if (is_stored) archive += "PK\x07\x08" + little(0, 4) + sizes;
  }
  const std::uint64_t begin = archive.size();
  archive += directory;
  if (is_stored) archive += wide_end(files.size(), directory.size(), begin);
  return archive + "PK\x05\x06" + little(0, 4) + little(files.size(), 2) + little(files.size(), 2) +
         little(directory.size(), 4) + little(begin, 4) + little(0, 2);
}

std::string torch_save_archive(const std::string& pickle) {
  return zip_archive({{"snapshot/data.pkl", pickle},
                      {"snapshot/byteorder", "little"},
                      {"snapshot/version", "3\n"},
                      {"snapshot/.data/serialization_id", "0636457737946401"}},
                     ZipStyle::stored);
}

}  // namespace vramlab::support
