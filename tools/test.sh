#!/usr/bin/env bash
# Installs what is missing, builds Release and runs every test.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash tools/setup.sh
bash tools/build.sh release
echo "test: every test of the release build"
ctest --preset release --parallel "$(nproc)" "$@"
