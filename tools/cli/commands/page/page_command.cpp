// `vramlab page`: the page with the program in it, for those who want no command line.
#include <filesystem>
#include <stdexcept>
#include <string>

#include "tools/cli/commands/page/browser.h"
#include "tools/cli/kit/commands.h"
#include "tools/cli/kit/outputs.h"
#include "tools/cli/kit/shared_files.h"

namespace vramlab::tools {
namespace {

struct PageArguments {
  OutputArguments output;
};

ExitStatus give_page(const PageArguments& arguments) {
  const auto page = find_page();
  if (!page)
    throw std::runtime_error(
        "this installation has no vramlab.html: it was made where the page could not be built "
        "(bash tools/web/build.sh in a clone builds it)");
  if (!arguments.output.path.empty()) {
    OpenOutput output(arguments.output, {page->string()});
    output.write(shared_file_bytes(*page));
    output.finish();
    return ExitStatus::done;
  }
  print(page->string() + "\n");
  if (!has_opened_in_browser(page->string()))
    tell("no browser was started: open this file in one, or -o FILE writes it elsewhere\n");
  return ExitStatus::done;
}

void add_options(CLI::App& command, PageArguments& arguments) {
  add_output(command, arguments.output,
             "Write the page to a file, and start no browser (- is standard output)");
  add_force(command, arguments.output);
}

}  // namespace

Command page_command() {
  return {"page", "Open the page that answers without a command line: drop a recording on it",
          "Example: vramlab page -o vramlab.html", with<PageArguments>(add_options, give_page)};
}

}  // namespace vramlab::tools
