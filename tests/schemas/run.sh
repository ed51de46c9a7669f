#!/usr/bin/env bash
# Runs schemas_test.py with a Python that has what it needs: the one on the path, or the system's
# own, for which apt installs python3-jsonschema and python3-yaml. Leaves with 77, which ctest takes
# for "skipped", where none is there: bash tests/schemas/run.sh PROGRAM
set -euo pipefail
here="$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)"

skip() {
  echo "SKIPPED: $1; bash tools/setup.sh installs it" >&2
  exit 77
}

command -v xmllint >/dev/null || skip "xmllint (libxml2-utils) is missing"
for python in python3 /usr/bin/python3; do
  if command -v "$python" >/dev/null && "$python" -c 'import jsonschema, yaml' 2>/dev/null; then
    exec "$python" -B "$here/schemas_test.py" "$@"
  fi
done
skip "a Python with jsonschema and yaml (python3-jsonschema, python3-yaml) is missing"
