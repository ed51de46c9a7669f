#!/usr/bin/env bash
# Runs the browser tests with the vramlab given. Where no browser or no Node.js is, they are skipped
# (exit status 77), unless VRAMLAB_BROWSER_TESTS=required.
set -euo pipefail

folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
[ "$#" -eq 1 ] || { echo "usage: bash tests/web/report/run.sh VRAMLAB" >&2; exit 2; }

skip() {
  echo "SKIPPED: the report page was not tested in a browser: $1 is missing" >&2
  echo "bash tools/setup.sh --with-browser installs it" >&2
  [ "${VRAMLAB_BROWSER_TESTS:-}" != required ] || exit 1
  exit 77
}

command -v node >/dev/null || skip "Node.js"
command -v chromium >/dev/null || command -v chromium-browser >/dev/null ||
  command -v google-chrome >/dev/null || skip "Chromium"
[ -d "$folder/node_modules/playwright-core" ] || skip "playwright-core"

VRAMLAB_PROGRAM="$(realpath "$1")"
export VRAMLAB_PROGRAM
export VRAMLAB_SOURCES="$folder/../../.."
cd "$folder"
exec node --test --test-reporter=spec report.test.mjs
