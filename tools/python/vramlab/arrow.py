"""Columns handed on by the Arrow PyCapsule interface, without a package for Arrow: the C structures of
https://arrow.apache.org/docs/format/CDataInterface.html, made by ctypes.

Each structure that is given away has an entry in `_given`, which holds what its pointers lead to until
the consumer calls its release function.
"""

import ctypes
import itertools
from typing import Any, Dict, List, NamedTuple, Optional, Sequence

_STREAM_NAME = b"arrow_array_stream"
_NULLABLE = 2


class Column(NamedTuple):
    """A column by the addresses of its parts, which `owner` keeps valid."""

    name: str
    #: `l`: signed, `L`: unsigned numbers of 64 bits, `i`: places of 32 bits in the dictionary
    format: str
    length: int
    null_count: int
    validity: Optional[int]
    values: int
    #: The texts, for places.
    dictionary: Optional["Texts"]
    owner: Any


class Texts(NamedTuple):
    """Texts one after another, and where each of them ends."""

    text_count: int
    ends: int
    texts: int


class _Schema(ctypes.Structure):
    pass


class _Array(ctypes.Structure):
    pass


class _Stream(ctypes.Structure):
    pass


_release_schema = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))
_release_array = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))
_release_stream = ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))
_get_schema = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema))
_get_next = ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))
_get_error = ctypes.CFUNCTYPE(ctypes.c_void_p, ctypes.POINTER(_Stream))

_Schema._fields_ = [
    ("format", ctypes.c_char_p), ("name", ctypes.c_char_p), ("metadata", ctypes.c_char_p),
    ("flags", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))), ("dictionary", ctypes.POINTER(_Schema)),
    ("release", _release_schema), ("private_data", ctypes.c_void_p),
]
_Array._fields_ = [
    ("length", ctypes.c_int64), ("null_count", ctypes.c_int64), ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64), ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(ctypes.c_void_p)), ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.POINTER(_Array)), ("release", _release_array), ("private_data", ctypes.c_void_p),
]
_Stream._fields_ = [
    ("get_schema", _get_schema), ("get_next", _get_next), ("get_last_error", _get_error),
    ("release", _release_stream), ("private_data", ctypes.c_void_p),
]

#: By the number in `private_data`, which is never 0.
_given: Dict[int, Any] = {}
_numbers = itertools.count(1)


def _give(structure: Any, kept: Any) -> None:
    number = next(_numbers)
    structure.private_data = number
    _given[number] = kept


def _release_parts(structure: Any) -> None:
    for at in range(structure.n_children):
        child = structure.children[at]
        if child.contents.release:
            child.contents.release(child)
    if structure.dictionary and structure.dictionary.contents.release:
        structure.dictionary.contents.release(structure.dictionary)


def _release_schema_of(pointer: Any) -> None:
    schema = pointer.contents
    _release_parts(schema)
    schema.release = _release_schema()
    _given.pop(schema.private_data, None)


def _release_array_of(pointer: Any) -> None:
    array = pointer.contents
    _release_parts(array)
    array.release = _release_array()
    _given.pop(array.private_data, None)


def _release_stream_of(pointer: Any) -> None:
    stream = pointer.contents
    stream.release = _release_stream()
    _given.pop(stream.private_data, None)


def _get_schema_of(pointer: Any, out: Any) -> int:
    _fill_table_schema(out.contents, _given[pointer.contents.private_data].columns)
    return 0


def _get_next_of(pointer: Any, out: Any) -> int:
    told = _given[pointer.contents.private_data]
    if told.is_at_end:
        ctypes.memset(out, 0, ctypes.sizeof(_Array))
        return 0
    told.is_at_end = True
    _fill_table_array(out.contents, told.columns)
    return 0


# Callbacks live as long as the module: consumers may call them at any time.
_SCHEMA_RELEASE = _release_schema(_release_schema_of)
_ARRAY_RELEASE = _release_array(_release_array_of)
_STREAM_RELEASE = _release_stream(_release_stream_of)
_STREAM_SCHEMA = _get_schema(_get_schema_of)
_STREAM_NEXT = _get_next(_get_next_of)
_STREAM_ERROR = _get_error(lambda _: None)


def _pointers(kind: Any, structures: Sequence[Any]) -> Any:
    return (ctypes.POINTER(kind) * len(structures))(*map(ctypes.pointer, structures))


def _schema_of(format_: str, name: str, children: Sequence[_Schema] = (),
               dictionary: Optional[_Schema] = None) -> _Schema:
    schema = _Schema()
    _fill_schema(schema, format_, name, children, dictionary)
    return schema


def _fill_schema(schema: _Schema, format_: str, name: str, children: Sequence[_Schema],
                 dictionary: Optional[_Schema]) -> None:
    ctypes.memset(ctypes.byref(schema), 0, ctypes.sizeof(_Schema))
    texts = (format_.encode(), name.encode())
    schema.format, schema.name = texts
    schema.flags = _NULLABLE
    pointers = _pointers(_Schema, children)
    schema.n_children = len(children)
    if children:
        schema.children = pointers
    if dictionary is not None:
        schema.dictionary = ctypes.pointer(dictionary)
    schema.release = _SCHEMA_RELEASE
    _give(schema, (texts, pointers, children, dictionary))


def _fill_array(array: _Array, length: int, null_count: int, buffers: Sequence[Optional[int]],
                children: Sequence[_Array], dictionary: Optional[_Array], owner: Any) -> None:
    ctypes.memset(ctypes.byref(array), 0, ctypes.sizeof(_Array))
    array.length, array.null_count = length, null_count
    places = (ctypes.c_void_p * len(buffers))(*buffers)
    array.n_buffers, array.buffers = len(buffers), places
    pointers = _pointers(_Array, children)
    array.n_children = len(children)
    if children:
        array.children = pointers
    if dictionary is not None:
        array.dictionary = ctypes.pointer(dictionary)
    array.release = _ARRAY_RELEASE
    _give(array, (places, pointers, children, dictionary, owner))


def _array_of(column: Column) -> _Array:
    dictionary = None
    if column.dictionary is not None:
        dictionary = _Array()
        texts = column.dictionary
        _fill_array(dictionary, texts.text_count, 0, (None, texts.ends, texts.texts), (), None, column.owner)
    array = _Array()
    _fill_array(array, column.length, column.null_count, (column.validity, column.values), (), dictionary,
                column.owner)
    return array


def _fill_table_schema(schema: _Schema, columns: Sequence[Column]) -> None:
    children = [_schema_of(column.format, column.name, (),
                           _schema_of("U", "") if column.dictionary is not None else None)
                for column in columns]
    _fill_schema(schema, "+s", "", children, None)


def _fill_table_array(array: _Array, columns: Sequence[Column]) -> None:
    _fill_array(array, columns[0].length, 0, (None,), [_array_of(column) for column in columns], None, None)


class _Told:
    """The columns of a stream, which gives them in one piece."""

    def __init__(self, columns: List[Column], stream: _Stream) -> None:
        self.columns = columns
        self.is_at_end = False
        self.stream = stream


_python = ctypes.pythonapi
_python.PyCapsule_New.restype = ctypes.py_object
_python.PyCapsule_New.argtypes = [ctypes.c_void_p, ctypes.c_char_p, ctypes.c_void_p]
_python.PyCapsule_GetPointer.restype = ctypes.c_void_p
_python.PyCapsule_GetPointer.argtypes = [ctypes.c_void_p, ctypes.c_char_p]

#: Streams in capsules, by their addresses: consumers that take one out set its release to null.
_in_capsules: Dict[int, _Stream] = {}


def _end_capsule(capsule: Any) -> None:
    address = _python.PyCapsule_GetPointer(capsule, _STREAM_NAME)
    stream = _in_capsules.pop(address)
    if stream.release:
        stream.release(ctypes.pointer(stream))


_CAPSULE_END = ctypes.PYFUNCTYPE(None, ctypes.c_void_p)(_end_capsule)


def stream_capsule(columns: List[Column]) -> Any:
    """A capsule with an ArrowArrayStream of these columns."""
    stream = _Stream(_STREAM_SCHEMA, _STREAM_NEXT, _STREAM_ERROR, _STREAM_RELEASE)
    _give(stream, _Told(columns, stream))
    address = ctypes.addressof(stream)
    _in_capsules[address] = stream
    return _python.PyCapsule_New(address, _STREAM_NAME, ctypes.cast(_CAPSULE_END, ctypes.c_void_p))
