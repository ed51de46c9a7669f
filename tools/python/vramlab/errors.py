"""The ways in which a question can fail, as exceptions."""

import errno
from typing import Any, Dict, List, Optional


class Error(Exception):
    """The program gave no answer. The text is what it said."""


class ProgramNotFound(Error):
    """The program `vramlab` is nowhere to be found."""


class InputError(Error, ValueError):
    """A file or an argument that is not as it must be: file, position, expected, found."""

    def __init__(self, text: str, file: str, position: Optional[str], expected: str, found: str):
        super().__init__(text)
        self.text = text
        self.file = file
        self.position = position
        self.expected = expected
        self.found = found

    def __reduce__(self) -> Any:
        return (InputError, (self.text, self.file, self.position, self.expected, self.found))


class MissingFileError(InputError, FileNotFoundError):
    """A file that is not there."""

    def __init__(self, text: str, file: str, position: Optional[str], expected: str, found: str):
        super().__init__(text, file, position, expected, found)
        self.errno = errno.ENOENT
        self.filename = file

    def __str__(self) -> str:
        return self.text

    def __reduce__(self) -> Any:
        return (MissingFileError, (self.text, self.file, self.position, self.expected, self.found))


class OptionError(Error, TypeError):
    """A keyword that the command has no option for."""


class LimitError(Error, AssertionError):
    """A limit does not hold. `broken` has the JSON of each limit that is broken."""

    def __init__(self, text: str, broken: List[Dict[str, Any]]):
        super().__init__(text)
        self.text = text
        self.broken = broken

    def __reduce__(self) -> Any:
        return (LimitError, (self.text, self.broken))
