"""The names that a shared library of ELF (64 bits, little endian) exports and looks for."""

import mmap
import struct

_DYNSYM, _STRTAB_OF = 11, 6
_WEAK, _UNDEFINED = 2, 0
_NEEDED, _SONAME = 1, 14


class NotElf(Exception):
    pass


class Library:
    """`exports` and `needs` are sets of names; `needed` the libraries that it asks for."""

    def __init__(self, path):
        self.exports = set()
        self.needs = set()
        self.needed = []
        with open(path, "rb") as file:
            try:
                data = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
            except ValueError as error:
                raise NotElf(path) from error
            with data:
                if data[:6] != b"\x7fELF\x02\x01":
                    raise NotElf(path)
                self._read(data)

    def _read(self, data):
        offset, = struct.unpack_from("<Q", data, 40)
        size, count = struct.unpack_from("<HH", data, 58)
        sections = [struct.unpack_from("<IIQQQQIIQQ", data, offset + i * size)
                    for i in range(count)]
        for section in sections:
            kind, start, length, link = section[1], section[4], section[5], section[6]
            if kind in (_DYNSYM, _STRTAB_OF):
                texts = data[sections[link][4]:sections[link][4] + sections[link][5]]
                part = data[start:start + length]
                if kind == _DYNSYM:
                    self._read_symbols(part, texts)
                else:
                    self._read_dynamic(part, texts)

    def _read_symbols(self, symbols, texts):
        for name, how, _, section, _, _ in struct.iter_unpack("<IBBHQQ", symbols):
            # Names of C++ are no functions of CUDA's libraries.
            if not name or texts[name:name + 2] == b"_Z":
                continue
            text = texts[name:texts.index(b"\0", name)].decode("ascii", "replace")
            if section != _UNDEFINED:
                self.exports.add(text)
            elif how >> 4 != _WEAK:
                self.needs.add(text)

    def _read_dynamic(self, entries, texts):
        for tag, value in struct.iter_unpack("<QQ", entries):
            if tag == _NEEDED:
                self.needed.append(texts[value:texts.index(b"\0", value)].decode("ascii"))
