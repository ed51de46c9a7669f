#!/usr/bin/env bash
# Formats every source as .clang-format says.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

bash tools/setup.sh --check
find allocator streams traces replay tools tests docs/examples -name '*.cpp' -o -name '*.h' -o -name '*.cu' | sort |
  xargs clang-format-19 -i
echo "format: done"
