"""`python3 -m vramlab ARGUMENTS` is the program."""

import os
import subprocess
import sys

from vramlab.errors import ProgramNotFound
from vramlab.program import program_words


def main() -> None:
    """Becomes the program, so that signals and the exit status are its own."""
    try:
        words = program_words()
    except ProgramNotFound as error:
        sys.exit(f"vramlab: {error}")
    if os.name == "nt":
        # A process of Windows cannot become another, and its shell would not wait for one.
        sys.exit(subprocess.call([*words, *sys.argv[1:]]))
    os.execv(words[0], ["vramlab", *words[1:], *sys.argv[1:]])


if __name__ == "__main__":
    main()
