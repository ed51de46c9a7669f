"""The names that a shared library of ELF (64 bits, little endian) exports and looks for."""

import contextlib
import mmap
import struct

_DYNSYM = 11
_WEAK = 2
# A symbol has six words of 32 bits: the place of its name comes first, then its kind, binding and section.
_WORDS_OF_SYMBOL = 6
_SECTION_OF_UNDEFINED = 0


class NotElf(Exception):
    pass


def needed_names(path):
    """The names without which the library is not loaded."""
    return _names_in(path, lambda section, binding: section == _SECTION_OF_UNDEFINED and binding != _WEAK)


def exported_names(path):
    return _names_in(path, lambda section, binding: section != _SECTION_OF_UNDEFINED)


def _names_in(path, is_meant):
    """Names of C++ are left out: they are no functions of CUDA's libraries."""
    found = set()
    with _file_in_memory(path) as data:
        for symbols_at, symbols_bytes, texts_at in _symbol_tables(data):
            for place in _places_of_names(data[symbols_at:symbols_at + symbols_bytes], is_meant):
                begin = texts_at + place
                if place and data[begin:begin + 2] != b"_Z":
                    found.add(data[begin:data.find(b"\0", begin)].decode("ascii", "replace"))
    return found


def _places_of_names(symbols, is_meant):
    """PyTorch's libraries have hundreds of thousands of symbols of a few dozen kinds."""
    words = memoryview(symbols).cast("I")
    names, kinds = words[::_WORDS_OF_SYMBOL].tolist(), words[1::_WORDS_OF_SYMBOL].tolist()
    meant = {kind for kind in set(kinds) if is_meant(kind >> 16, kind >> 4 & 15)}
    return [name for name, kind in zip(names, kinds) if kind in meant]


@contextlib.contextmanager
def _file_in_memory(path):
    with open(path, "rb") as file:
        try:
            data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
        except ValueError as error:
            raise NotElf(path) from error
        with data:
            if data[:6] != b"\x7fELF\x02\x01":
                raise NotElf(path)
            yield data


def _symbol_tables(data):
    offset, = struct.unpack_from("<Q", data, 40)
    size, count = struct.unpack_from("<HH", data, 58)
    sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size) for i in range(count)]
    for _, kind, _, _, begin, length, link, *_ in sections:
        if kind == _DYNSYM:
            yield begin, length, sections[link][4]
