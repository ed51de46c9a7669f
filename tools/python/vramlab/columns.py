"""Every allocation or every event of a recording: `vramlab table`, as columns in memory. They go to other
packages without a copy, by Arrow's PyCapsule interface."""

import ctypes
import mmap
from typing import Any, Dict, Iterator, List, Mapping, Optional, Union

from vramlab import program
from vramlab.program import Listener
from vramlab.scratch import Scratch

_FORMATS = {"integer": "l", "address": "L", "text": "i"}
_SHOWN_ROWS = 20


class Columns:
    """A table that is never changed. `columns["bytes"]` is a column as a list, `columns[3]` a row;
    `polars.DataFrame(columns)`, `pyarrow.table(columns)` and DuckDB take it as it is."""

    def __init__(self, document: Dict[str, Any], data: Optional[bytes] = None) -> None:
        #: What `vramlab table --json` says of it.
        self.document = document
        self.notes: List[str] = document["notes"]
        self._described: Dict[str, Dict[str, Any]] = {column["name"]: column for column in document["columns"]}
        # ctypes asks for memory that could be written to: a copy on writing.
        self._bytes: Any = bytearray(data) if data is not None else _mapped(document["output"])
        self._address = ctypes.addressof(ctypes.c_char.from_buffer(self._bytes))

    def __reduce__(self) -> Any:
        return (Columns, (self.document, bytes(self._bytes)))

    @property
    def names(self) -> List[str]:
        """The names of the columns."""
        return list(self._described)

    def __len__(self) -> int:
        count: int = self.document["row_count"]
        return count

    def __repr__(self) -> str:
        return f"Columns({self.document['rows_are']} of {self.document['file']}, rows={len(self)})"

    def __getitem__(self, wanted: Union[str, int]) -> Any:
        if isinstance(wanted, str):
            return self._cells(wanted, 0, len(self))
        if not -len(self) <= wanted < len(self):
            raise IndexError(f"expected a row below {len(self)}, found {wanted}")
        at = wanted % len(self)
        return {name: self._cells(name, at, at + 1)[0] for name in self._described}

    def __iter__(self) -> Iterator[Dict[str, Any]]:
        lists = [self[name] for name in self._described]
        return (dict(zip(self._described, cells)) for cells in zip(*lists))

    def __arrow_c_stream__(self, requested_schema: Any = None) -> Any:
        from vramlab import arrow

        return arrow.stream_capsule([self._arrow_column(column) for column in self._described.values()])

    def to_pandas(self) -> Any:
        """A pandas.DataFrame: texts as categories, numbers that may be missing as Int64."""
        import pandas

        return pandas.DataFrame({name: self._pandas_column(name) for name in self._described}, copy=False)

    def to_polars(self) -> Any:
        """A polars.DataFrame."""
        import polars

        return polars.DataFrame(self)

    def _repr_html_(self) -> str:
        from vramlab.notebook import rows_html, title_html

        shown = [self[at] for at in range(min(len(self), _SHOWN_ROWS))]
        more = len(self) - len(shown)
        return (title_html(f"{self.document['rows_are']} of {self.document['file']}") + rows_html(shown)
                + (f"<p>and {more} more rows</p>" if more > 0 else ""))

    def _part(self, name: str, part: str) -> memoryview:
        place = self._described[name]["parts"][part]
        return memoryview(self._bytes)[place["offset"]:place["offset"] + place["bytes"]]

    def _texts(self, name: str) -> List[str]:
        ends = self._part(name, "text_ends").cast("q")
        texts = self._part(name, "texts")
        return [bytes(texts[begin:end]).decode() for begin, end in zip(ends, ends[1:])]

    def _cells(self, name: str, begin: int, end: int) -> List[Any]:
        column = self._described[name]
        kind = column["type"]
        cells: List[Any] = _typed(self._part(name, "cells"), kind)[begin:end].tolist()
        if kind == "text":
            texts = self._texts(name)
            # An empty column has no text for its places.
            cells = [texts[cell] for cell in cells] if texts else cells
        if column["parts"]["validity"] is None:
            return cells
        bits = self._part(name, "validity")
        return [cell if bits[row >> 3] >> (row & 7) & 1 else None for row, cell in enumerate(cells, start=begin)]

    def _arrow_column(self, column: Mapping[str, Any]) -> Any:
        from vramlab import arrow

        def address(part: str) -> int:
            offset: int = column["parts"][part]["offset"]
            return self._address + offset

        has_texts = column["type"] == "text"
        texts = arrow.Texts(column["parts"]["text_count"], address("text_ends"), address("texts")) \
            if has_texts else None
        validity: Optional[int] = address("validity") if column["parts"]["validity"] else None
        return arrow.Column(column["name"], _FORMATS[column["type"]], len(self), column["empty_cells"], validity,
                            address("cells"), texts, self._bytes)

    def _pandas_column(self, name: str) -> Any:
        import numpy
        import pandas

        column = self._described[name]
        kinds: Dict[str, Any] = {"integer": numpy.int64, "address": numpy.uint64, "text": numpy.int32}
        cells: Any = numpy.frombuffer(self._part(name, "cells"), dtype=kinds[column["type"]])
        if column["parts"]["validity"] is not None:
            bits = numpy.frombuffer(self._part(name, "validity"), dtype=numpy.uint8)
            is_there = numpy.unpackbits(bits, count=len(self), bitorder="little").astype(bool)
        else:
            is_there = numpy.ones(len(self), dtype=bool)
        if column["type"] == "text":
            return pandas.Categorical.from_codes(numpy.where(is_there, cells, -1), categories=self._texts(name))
        return cells if is_there.all() else pandas.arrays.IntegerArray(cells.copy(), ~is_there)


def _typed(part: memoryview, kind: str) -> Any:
    if kind == "text":
        return part.cast("i")
    return part.cast("Q") if kind == "address" else part.cast("q")


def _mapped(path: str) -> mmap.mmap:
    with open(path, "rb") as file:
        return mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_COPY)


def table_of(path: str, rows: str, options: Mapping[str, object], progress: Listener) -> Columns:
    """The answer of `vramlab table`."""
    scratch = Scratch()
    given = {**options, "rows": rows, "output": scratch.file("columns"), "format": "columns"}
    # The bytes stay where they are when the folder is removed.
    return Columns(program.ask("table", [path], given, progress))


