"""Answers as values: the program's JSON with attributes, tables and a look in notebooks."""

from collections.abc import Mapping
from typing import Any, ClassVar, Dict, Iterator, List, Optional, Tuple

#: Figures in bytes whose names do not say so (docs/reference/metrics.md); others end in `bytes`.
BYTE_FIGURES = frozenset(
    "allocated waiting active requested rounding_waste reserved free inactive_split releasable "
    "pool_held stranded largest_free largest_cached largest_possible peak_allocated peak_active "
    "peak_requested peak_reserved stranded_at_peak end_allocated end_reserved device_churn "
    "load_bound peak_rounded sum_of_stream_peaks unused_at_peak recorded_peak_reserved "
    "saves_against_no_options saves_against_recorded host_peak_requested host_peak_active "
    "host_peak_pinned host_end_pinned peak_parameters peak_buffers peak_gradients peak_optimizer_state "
    "peak_inputs peak_activations peak_activation_gradients peak_outputs peak_workspaces "
    "peak_communication peak_graph_pools peak_temporary peak_not_labelled group_growth".split()
)


def size_text(count: int) -> str:
    """Bytes as the program prints them.

    >>> size_text(512), size_text(1536), size_text(20 << 30)
    ('512 bytes', '1.50 KiB', '20.00 GiB')
    """
    size = float(count)
    for unit in ("bytes", "KiB", "MiB", "GiB", "TiB"):
        if abs(size) < 1024:
            return f"{count} bytes" if unit == "bytes" else f"{size:.2f} {unit}"
        size /= 1024
    return f"{size:.2f} PiB"


#: Figures in nanoseconds whose names do not say so; others end in `_ns`.
TIME_FIGURES = frozenset({"device_time"})


def time_text(count: int) -> str:
    """Nanoseconds as the program prints them.

    >>> time_text(512), time_text(82205383), time_text(3000000000)
    ('512 ns', '82.21 ms', '3.00 s')
    """
    time = float(count)
    for unit in ("ns", "us", "ms"):
        if abs(time) < 1000:
            return f"{count} ns" if unit == "ns" else f"{time:.2f} {unit}"
        time /= 1000
    return f"{time:.2f} s"


def shown_text(name: str, value: Any) -> str:
    """A field as people read it: sizes with a unit, lists and objects by how much is in them."""
    if isinstance(value, (list, tuple)):
        return f"[{len(value)}]"
    if isinstance(value, Mapping):
        return f"{{{len(value)}}}"
    is_size = name in BYTE_FIGURES or name == "bytes" or name.endswith("_bytes")
    if is_size and isinstance(value, int) and not isinstance(value, bool):
        return size_text(value)
    if name in TIME_FIGURES and isinstance(value, int):
        return time_text(value)
    return repr(value)


class Value(Mapping):  # type: ignore[type-arg]
    """An object of the program's JSON, which is never changed. Its fields are attributes, and keys.

    >>> figures = Value({"peak_reserved": 1 << 30, "devices": [{"device": 0}]})
    >>> figures.peak_reserved, figures["devices"][0].device
    (1073741824, 0)
    >>> figures
    Value(peak_reserved=1.00 GiB, devices=[1])
    """

    __slots__ = ("_document", "_rest", "_name")
    #: The fields that `repr` shows; all if there are none.
    _shown: ClassVar[Tuple[str, ...]] = ()

    def __init__(self, document: Dict[str, Any]) -> None:
        self._document = document
        #: What the values of this answer have besides it, such as a folder that must live as long.
        self._rest: Any = None
        #: The field that it was, as a heading.
        self._name: str = ""

    def __getattr__(self, name: str) -> Any:
        if not name.startswith("_") and name in self._document:
            return wrapped(self._document[name], name)
        raise AttributeError(f"{type(self).__name__} has no field {name!r}; it has "
                             + ", ".join(self._document) if not name.startswith("_") else name)

    def __getitem__(self, name: str) -> Any:
        return wrapped(self._document[name], name)

    def __iter__(self) -> Iterator[str]:
        return iter(self._document)

    def __len__(self) -> int:
        return len(self._document)

    def __dir__(self) -> List[str]:
        return [*super().__dir__(), *self._document]

    def __reduce__(self) -> Any:
        return (type(self), (self._document,))

    def __hash__(self) -> int:
        return id(self)

    def to_dict(self) -> Dict[str, Any]:
        """The JSON as the program printed it, as a copy."""
        import copy

        return copy.deepcopy(self._document)

    def __repr__(self) -> str:
        names = self._shown or tuple(self._document)
        fields = ", ".join(f"{name}={shown_text(name, getattr(self, name))}" for name in names)
        return f"{type(self).__name__}({fields})"

    def _repr_html_(self) -> str:
        from vramlab.notebook import value_html

        return value_html(self)


class Table(Value):
    """An answer whose main part is a table."""

    __slots__ = ()

    @property
    def rows(self) -> List[Value]:
        """The rows of the table."""
        return [Value(row) for row in self._rows()]

    def _rows(self) -> List[Dict[str, Any]]:
        rows: List[Dict[str, Any]] = self._document["rows"]
        return rows

    def flat_rows(self) -> List[Dict[str, Any]]:
        """The rows with the fields of objects inside of them as columns such as `bytes.base`."""
        return [_flat(row) for row in self._rows()]

    def to_pandas(self) -> Any:
        """The table as a pandas.DataFrame."""
        import pandas

        return pandas.DataFrame(self.flat_rows())

    def to_polars(self) -> Any:
        """The table as a polars.DataFrame."""
        import polars

        return polars.DataFrame(self.flat_rows(), infer_schema_length=None)

    def _repr_html_(self) -> str:
        from vramlab.notebook import rows_html, value_html

        return value_html(self) + rows_html(self.flat_rows())


def wrapped(value: Any, name: str = "") -> Any:
    """JSON with its objects as values, which know the name of their field."""
    if isinstance(value, dict):
        found = Value(value)
        found._name = name
        return found
    if isinstance(value, list):
        return [wrapped(item, f"{name}[{at}]" if name else "") for at, item in enumerate(value)]
    return value


def rows_below(items: List[Dict[str, Any]], name: str, *kept: str) -> List[Dict[str, Any]]:
    """The rows of a list inside of each item, behind some fields of the item.

    >>> rows_below([{"device": 0, "groups": [{"bytes": 5}, {"bytes": 6}]}], "groups", "device")
    [{'device': 0, 'bytes': 5}, {'device': 0, 'bytes': 6}]
    """
    return [{**{key: item[key] for key in kept}, **row} for item in items for row in item[name]]


def _flat(row: Dict[str, Any], before: str = "") -> Dict[str, Any]:
    flat: Dict[str, Any] = {}
    for name, value in row.items():
        if isinstance(value, dict):
            flat.update(_flat(value, f"{before}{name}."))
        else:
            flat[before + name] = value
    return flat


def first_of(document: Dict[str, Any], name: str) -> Dict[str, Any]:
    """The part about the only file in an answer that could be about several."""
    item: Dict[str, Any] = document[name][0]
    return item


def optional_max(values: List[Optional[int]]) -> Optional[int]:
    """The largest that is known."""
    known = [value for value in values if value is not None]
    return max(known) if known else None
