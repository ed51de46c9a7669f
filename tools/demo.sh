#!/usr/bin/env bash
# Installs what is missing, builds, and shows the main job: the bundled recordings of the reference
# allocator are run again here and must agree in every answer. Then what a call costs.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash tools/setup.sh
bash tools/build.sh release vramlab

echo
echo "demo: the recorded runs in tests/conformance, each compared to the last byte"
echo "\$ build/vramlab conform tests/conformance/*.json.gz"
build/vramlab conform tests/conformance/*.json.gz

# The benchmark is a subcommand that not every build has.
if build/vramlab bench --help >/dev/null 2>&1; then
  echo
  echo "demo: what a call costs, as a share of what the reference costs"
  echo "\$ build/vramlab bench engine"
  build/vramlab bench engine
fi
