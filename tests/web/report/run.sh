#!/usr/bin/env bash
# Runs the browser tests with the vramlab given, in Chromium or in Firefox. Where the browser or Node.js is
# missing, they are skipped (exit status 77), unless VRAMLAB_BROWSER_TESTS=required.
set -euo pipefail

folder="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
usage() { echo "usage: bash tests/web/report/run.sh VRAMLAB chromium|firefox" >&2; exit 2; }
[ "$#" -eq 2 ] || usage
case "$2" in
  chromium) names=(chromium chromium-browser google-chrome) ;;
  firefox) names=(firefox-esr firefox) ;;
  *) usage ;;
esac

skip() {
  echo "SKIPPED: the report page was not tested in a browser: $1 is missing" >&2
  echo "bash tools/setup.sh --with-browser installs it" >&2
  [ "${VRAMLAB_BROWSER_TESTS:-}" != required ] || exit 1
  exit 77
}

command -v node >/dev/null || skip "Node.js"
browser="$(command -v "${names[@]}" | head -1)" || true
[ -n "$browser" ] || skip "$2"
[ -d "$folder/node_modules/playwright-core" ] || skip "playwright-core"

VRAMLAB_PROGRAM="$(realpath "$1")"
export VRAMLAB_PROGRAM VRAMLAB_BROWSER="$2" VRAMLAB_BROWSER_PATH="$browser"
export VRAMLAB_SOURCES="$folder/../../.."
cd "$folder"
exec node --test --test-reporter=spec report.test.mjs
