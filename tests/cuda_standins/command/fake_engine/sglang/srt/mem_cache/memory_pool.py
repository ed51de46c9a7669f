import os

from torch import _C

SIZE, PAGE, BYTES_OF_TOKEN = 3199, 1, 64 << 10
FIRST_BYTES, LAST_BYTES = 2 << 20, 100 << 20


class Number:
    """As NumPy's, which is no number to JSON."""

    def __init__(self, value):
        self._value = value

    def __add__(self, other):
        return Number(self._value + int(other))

    __radd__ = __add__

    def __int__(self):
        return self._value


class MHATokenToKVPool:
    """Has rows for a page more than its tokens."""

    def __init__(self):
        self.size, self.page_size = SIZE, PAGE
        self.post_capture_active = os.environ.get("FAKE_ENGINE_FAILS") == "addresses"
        self._create_buffers()

    def _create_buffers(self):
        size = int(sum(self.get_kv_size_bytes()))
        if self.post_capture_active:
            self._buffer = _C.request(size, (0, 7))
            _C.unbacked += size - FIRST_BYTES
        else:
            self._buffer = _C.request(size)

    def get_kv_size_bytes(self):
        half = (SIZE + PAGE) * BYTES_OF_TOKEN // 2
        return Number(half), Number(half)

    def finalize_backing(self):
        _C.unbacked -= LAST_BYTES - FIRST_BYTES
        self.size = LAST_BYTES // BYTES_OF_TOKEN - PAGE
