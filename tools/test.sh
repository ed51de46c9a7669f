#!/usr/bin/env bash
# Installs what is missing, builds Release and runs every test; what is said after it goes to ctest
# (-R SUITE: suites whose names match). The last line counts the tests: N passed, N failed, N skipped.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

bash tools/setup.sh
bash tools/build.sh release
echo "test: every test of the release build"
# Reports of an earlier run would be counted with this one's.
rm -rf build/Testing/gtest build/Testing/entries.xml
status=0
ctest --preset release --parallel "$(nproc)" --output-junit Testing/entries.xml "$@" || status=$?
python3 tools/dev/count_tests.py build || status=1
exit "$status"
