#!/usr/bin/env bash
# Tests the page that tools/web/build.sh built, beside the vramlab given. Where it was not built, or
# there is no browser or no Node.js, that is skipped (exit status 77).
set -euo pipefail

[ "$#" -eq 1 ] || { echo "usage: bash tests/web/page/run.sh VRAMLAB" >&2; exit 2; }
folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
top="$folder/../../.."

skip() {
  echo "SKIPPED: the page vramlab.html was not tested: $1" >&2
  exit 77
}

[ -f "$top/build-page/vramlab.html" ] || skip "bash tools/web/build.sh was not run"
command -v node >/dev/null || skip "Node.js is missing (bash tools/setup.sh --with-browser)"
[ -d "$top/tests/web/report/node_modules/puppeteer-core" ] ||
  skip "puppeteer-core is missing (bash tools/setup.sh --with-browser)"

VRAMLAB_PROGRAM="$(realpath "$1")"
VRAMLAB_PAGE="$(realpath "$top/build-page")"
export VRAMLAB_PROGRAM VRAMLAB_PAGE
cd "$folder"
exec node --test --test-reporter=spec ./*.test.mjs
