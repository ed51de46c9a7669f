#!/usr/bin/env bash
# Other projects' packages without a GPU: makes an environment for each client of tests/clients in
# build/clients/NAME (or in $VRAMLAB_CLIENTS), from PyPI, and runs its program in dry runs, with and
# without the shim. An environment that is complete is used as it is.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/../.."

if [ "${1:-}" = -h ] || [ "${1:-}" = --help ]; then
  echo "usage: bash tools/dev/clients.sh [NAME...]"
  echo "Installs the clients of tests/clients/clients.py, or those that are named, and prints a row for each."
  exit 0
fi
environments="${VRAMLAB_CLIENTS:-build/clients}"

# A line for each client: its name | packages | packages without what they depend on.
list_clients() {
  python3 -B - "$@" <<'PYTHON'
import sys
sys.path.append("tests/clients")
from clients import CLIENTS
names = sys.argv[1:]
if unknown := set(names) - {client.name for client in CLIENTS}:
    sys.exit("clients: expected " + ", ".join(client.name for client in CLIENTS) + "; found " + ", ".join(unknown))
for client in CLIENTS:
    if not names or client.name in names:
        print(client.name, " ".join(client.packages), " ".join(client.alone), sep="|")
PYTHON
}

install_client() {
  local folder="$environments/$1" packages="$2" alone="$3"
  [ -e "$folder/complete" ] && return
  echo "clients: installing $1 into $folder" >&2
  rm -rf "$folder"
  python3 -m venv "$folder"
  # Lists of words: the packages.
  # shellcheck disable=SC2086
  "$folder/bin/python" -m pip install --quiet --no-cache-dir --no-warn-conflicts $packages
  # shellcheck disable=SC2086
  [ -z "$alone" ] || "$folder/bin/python" -m pip install --quiet --no-cache-dir --no-deps $alone
  touch "$folder/complete"
}

clients="$(list_clients "$@")"
while IFS='|' read -r name packages alone; do
  install_client "$name" "$packages" "$alone" || echo "clients: $name cannot be installed" >&2
done <<<"$clients"
exec python3 -B tests/clients/run.py --environments "$environments" "$@"
