#!/usr/bin/env bash
# Takes the picture of the report page in README anew, docs/images/report.png, with the program in
# build/, and those of vramlab.html where tools/web/build.sh was run. Needs Chromium and Node.js:
# bash tools/setup.sh --with-browser
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

bash tools/build.sh release vramlab
mkdir -p docs/images
VRAMLAB_BROWSER_PATH="$(command -v chromium chromium-browser google-chrome | head -1)" \
  VRAMLAB_PROGRAM="$PWD/build/vramlab" VRAMLAB_SOURCES="$PWD" \
  node tests/web/report/picture.mjs "$PWD/docs/images/report.png"
[ ! -e build-page/vramlab.html ] ||
  VRAMLAB_PAGE="$PWD/build-page" node tests/web/page/picture.mjs "$PWD/docs/images"
ls -l docs/images
