"""`python3 -m vramlab ARGUMENTS` is the program."""

import os
import sys

from vramlab.errors import ProgramNotFound
from vramlab.program import find_program


def main() -> None:
    """Becomes the program, so that signals and the exit status are its own."""
    try:
        program = find_program()
    except ProgramNotFound as error:
        sys.exit(f"vramlab: {error}")
    os.execv(program, ["vramlab", *sys.argv[1:]])


if __name__ == "__main__":
    main()
