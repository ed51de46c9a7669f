#!/usr/bin/env bash
# Bundles the report page anew: tools/web/report/report_page.html, which is checked in and built
# into vramlab. With --check compares what the sources give with what is checked in, byte for byte.
# Needs Node.js and npm.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

case "${1:-}" in
  "") output=report_page.html ;;
  --check)
    output="$(mktemp)"
    trap 'rm -f "$output"' EXIT
    ;;
  *) echo "usage: bash tools/web/report/build.sh [--check]" >&2; exit 2 ;;
esac

npm ci --no-audit --no-fund --loglevel=error
npm run --silent types
npm run --silent bundle -- "$(realpath "$output" 2>/dev/null || echo "$PWD/$output")"
if [ "${1:-}" = --check ]; then
  cmp "$output" report_page.html ||
    { echo "report_page.html is not what its sources give: bash tools/web/report/build.sh" >&2; exit 1; }
  echo "report_page.html is what its sources give"
fi
