"""The values of small tensors of the device that are known, kept on the host.

They are kept by storage: views share them, and they go with the storage, so memory that is used
again never has values of what was there before. Two things end them earlier. A version of the tensor
that is newer than the one that was learned tells of PyTorch's operations that nobody computes; tensors
that share the storage and no versions, such as `.data`, are told by their own. The
stand-in driver tells what was written in its memory by copies, by kernels whose place of writing it
knows, and by code that is not PyTorch's own.
"""

import bisect
import collections
import ctypes
import enum
import os
import weakref

# Bytes of one storage, and of all together.
MOST_BYTES = 1 << 20
MOST_BYTES_IN_ALL = 256 << 20
# Bytes up to which a copy of integers and truths from the host is known, one of floating-point numbers, and one of as
# many rows as columns: which nodes of a graph have an edge.
MOST_BYTES_COPIED = 1 << 25
MOST_BYTES_OF_FLOATS = 1 << 24
MOST_BYTES_OF_EDGES = 1 << 26
# Elements up to which other tensors are computed.
MOST_ELEMENTS = 1 << 16
# The same of what was copied from the host, of places that a router chose, of zeros into which they are put, and
# of what follows from these; floating-point numbers may be as many only where they are compared.
MOST_LARGE = 1 << 24
MOST_LARGE_FLOATS = 1 << 20
# Elements up to which scores of unknown objects are compared with a number: 50,000 of them, of 80 classes.
MOST_COMPARED = 1 << 22
# Bytes of one storage that reach other ranks.
MOST_BYTES_SENT = 1 << 16
# Bytes of the host that a kept result may have behind its own.
_MOST_UNUSED_BYTES = 1 << 14
# Entries that were learned last and are looked at before others are: an operation has seldom more results.
_MOST_LAST_LEARNED = 8
# Entries at which those of storages that are gone are looked for first.
_FIRST_LOOK_FOR_DEAD = 256
# The version of values that came from another rank, until they are used.
_ANY_VERSION = -1
# Written parts whose beginnings the stand-in driver keeps.
_MOST_WRITTEN = 1 << 14
# The part of all numbers from which on made-up choices begin. Where a search over several texts chooses words among
# those of all texts, it is a word in the middle of a vocabulary: the first ones are special.
_FIRST_CHOSEN = 0.618
# Shapes whose made-up orders are kept.
_MOST_ORDERS = 64
# Numbers that the driver can be told before they are read.
MOST_ANSWERS = 4
_BITS = 2**64 - 1
# Tensors with versions of their own that are followed for one storage.
_MOST_OTHERS = 4


class Needs(enum.Enum):
    """Which of a tensor's values have to be known."""
    ALL = enum.auto()
    BEGINNING = enum.auto()


class _Entry:
    """`raw`: a storage of the host that begins with the same bytes, of which the first `known` are known
    and the rest may be missing; None while they are expected from another rank. `value`: a tensor over its
    beginning, as it was learned or first seen; None until then.
    `is_made_up`: something in it follows from zeros that stand for unknown numbers. `is_mask`: its values
    are booleans, `has_floats`: they are floating-point numbers, or may be. `is_large`: it may have up to
    MOST_LARGE elements. `is_zeros`: nothing was put into it yet. `chosen`: classes, of which each row has a
    one at its own and zeros at the others, and how many there are; else None. `counts_up`: it is one number
    of 64 bits, and each newer version of it is one more. `learned`: a weak reference to the tensor that was
    learned, if it was the first one and had its first version, as results have; else None. `family`: a tensor
    without memory whose version is that of the one that was learned; None where `learned` is enough. `others`:
    the same of tensors that share its storage but not its versions, each with the version that it had. `weak`:
    a weak pointer to the storage of the device, which keeps its structure from being used for another one
    while the entry is kept."""

    __slots__ = ("raw", "value", "is_made_up", "is_mask", "has_floats", "is_large", "is_zeros",
                 "chosen", "counts_up", "at", "bytes", "known", "version", "learned", "family", "others", "weak")

    def __init__(self, at, count):
        self.raw = self.value = self.chosen = self.learned = self.family = self.weak = None
        self.is_made_up = self.is_mask = self.is_large = self.is_zeros = self.counts_up = False
        self.has_floats = True
        self.at, self.bytes = at, count
        self.known = 0
        self.version = _ANY_VERSION
        self.others = ()


class KnownValues:
    def __init__(self, torch):
        self._torch = torch
        built_in = torch._C
        self._is_gone, self._let_go = built_in.StorageBase._expired, built_in.StorageBase._free_weak_ref
        self._has_dispatch_modes = built_in._len_torch_dispatch_stack
        self._has_function_modes = built_in._is_torch_function_mode_enabled
        self._is_excluded = built_in._dispatch_tls_is_dispatch_key_excluded
        self._exclude = built_in._dispatch_tls_set_dispatch_key_excluded
        self.driver = _Driver()
        self._truths = torch.bool
        # By the address of the storage's own structure, in the order in which they were learned.
        self.entries = {}
        # The same by address on the device, as far as the driver watches them.
        self._watched = {}
        self._key_of_versions = built_in._dispatch_key_parse("ADInplaceOrView")
        # Tensors without memory, by type.
        self._empty = {}
        # Made-up orders, by shape, type, dimension and how many there are to choose from.
        self._orders = {}
        # The keys of those that were learned last.
        self._last_learned = collections.deque(maxlen=_MOST_LAST_LEARNED)
        self._bytes = 0
        self._looks_for_dead_at = _FIRST_LOOK_FOR_DEAD
        self._written_count = 0
        # Goes up when something is computed, learned or forgotten.
        self.deeds = 0

    def entry_before(self, tensor):
        """The entry whose known bytes reach up to a tensor that is about to be written, and whose next ones
        the tensor has; None where there is none."""
        entry = self.entry_of(tensor, Needs.BEGINNING)
        is_next = entry is not None and tensor.is_contiguous() and \
            tensor.storage_offset() * tensor.element_size() <= entry.known
        return entry if is_next else None

    def entry_of(self, tensor, needs=Needs.ALL):
        """None where the values are not known."""
        try:
            storage = tensor.untyped_storage()
        except (NotImplementedError, RuntimeError):  # Sparse tensors and wrappers have none.
            return None
        key = storage._cdata
        entry = self.entries.get(key)
        if entry is None or entry.raw is None:
            return None
        version = None if tensor.is_inference() else tensor._version
        if entry.version == _ANY_VERSION:
            entry.version, entry.family = version, self._family_of(tensor, version)
        if entry.counts_up:
            now = _version_now(entry)
            _count_up_to(entry, version if now is None else now)
        if ((entry.version != version or entry.others) and not _is_as_learned(entry, version)
                or storage.nbytes() != entry.bytes or storage.data_ptr() != entry.at):
            self._drop(key)
            return None
        if entry.known < entry.bytes and needs is Needs.ALL and _end_of(tensor) > entry.known:
            return None
        return entry

    def view(self, entry, tensor):
        """A tensor of the host over the known bytes that looks as this one of the device does. Nobody
        may write to it."""
        view = self.last_view(entry, tensor)
        if view is None and entry.chosen is not None:
            view = _of_one_class(entry, tensor)
        if view is not None:
            return view
        value = entry.value
        if value is not None and value.dtype is tensor.dtype:
            return value.as_strided(tensor.size(), tensor.stride(), tensor.storage_offset())
        view = self._new_view(entry, tensor)
        if value is None and not tensor.storage_offset():
            entry.value = view
        return view

    def last_view(self, entry, tensor):
        """The tensor of the host that is kept with them, if this one of the device looks like it."""
        value = entry.value
        if value is not None and value.dtype is tensor.dtype and value.shape == tensor.shape and \
                value.stride() == tensor.stride() and not tensor.storage_offset():
            return value
        return None

    def _new_view(self, entry, tensor):
        """One that may be written to."""
        empty = self._torch.empty((0,), dtype=tensor.dtype, device="cpu")
        return empty.set_(entry.raw, tensor.storage_offset(), tensor.size(), tensor.stride())

    def empty_for(self, tensor):
        """A tensor of the host that looks as this one of the device does, without values."""
        return self._torch.empty_strided(tensor.size(), tensor.stride(), dtype=tensor.dtype,
                                         device="cpu")

    def learn(self, tensor, value, entry=None, is_made_up=False, is_large=False):
        """`value` is a tensor of the host that nobody else writes to. With the entry that was known
        before, the tensor may be any part of its storage; else it has to be all of it, or its
        beginning."""
        storage, raw = tensor.untyped_storage(), value.untyped_storage()
        count, size = storage.nbytes(), tensor.nbytes
        have_no_gaps = tensor.is_contiguous() and value.is_contiguous()
        # It begins where its storage does, then.
        is_whole = have_no_gaps and size == count
        if entry is None:
            if not 0 < count <= (self._most_large(tensor) if is_large else MOST_BYTES) or \
                    not (is_whole or self._begins(tensor)):
                return self.forget(tensor)
            entry = _Entry(storage.data_ptr(), count)
            entry.is_large = is_large
            entry.known = size
            is_all = True
        else:
            is_all = entry.known == size and (is_whole or self._begins(tensor))
        # As results of operations have. A few bytes more need no copy.
        unused = raw.nbytes() - count
        if is_all and (is_whole and not unused or unused <= _MOST_UNUSED_BYTES and not value.storage_offset() and
                       (have_no_gaps or tensor.stride() == value.stride())):
            entry.raw, entry.value = raw, value
        elif entry.value is not value:
            self._copy_into(entry, tensor, value)
        entry.chosen, entry.is_zeros = None, False
        entry.is_made_up = is_made_up or entry.is_made_up and size != count
        self._keep_learned(storage, entry, tensor)

    def _most_large(self, tensor):
        """Bytes of a storage of a tensor that may be large."""
        most = MOST_LARGE_FLOATS if tensor.dtype.is_floating_point else MOST_LARGE
        return max(MOST_BYTES, most * tensor.element_size())

    def _copy_into(self, entry, tensor, value):
        """This value of the tensor, which is part of what is known then."""
        if entry.raw is None:
            entry.raw = self._torch.UntypedStorage(entry.bytes)
        elif entry.raw.nbytes() < entry.bytes:
            entry.raw.resize_(entry.bytes)
        self._new_view(entry, tensor).copy_(value)
        if entry.known < entry.bytes:
            entry.known = max(entry.known, _end_of(tensor))

    def _keep_learned(self, storage, entry, tensor):
        version = version_of(tensor)
        if version == 0 and entry.version == _ANY_VERSION:
            # Results are mostly gone before somebody asks for others that share their storage.
            entry.version, entry.learned = version, weakref.ref(tensor)
        else:
            # Whoever was written has a newer version now.
            entry.others = self._others_of(entry, tensor)
            entry.version, entry.learned, entry.family = version, None, self._family_of(tensor, version)
        kind = tensor.dtype
        entry.is_mask = kind is self._truths
        entry.has_floats = kind.is_floating_point
        self._keep(storage, entry)

    def _others_of(self, entry, tensor):
        """Tensors that were not written, while this one may have been, each with its version."""
        if entry.learned is not None and entry.learned() is not tensor:
            self._keep_family(entry)
        return [(family, known) for family, known in ((entry.family, entry.version), *entry.others)
                if family is not None and family._version == known][:_MOST_OTHERS]

    def _keep_family(self, entry):
        """The one of the tensor that was learned, if that still exists."""
        learned = None if entry.learned is None else entry.learned()
        if learned is not None:
            entry.learned, entry.family = None, self._family_of(learned, entry.version)

    def keep(self, tensor, entry):
        """After an operation that gave the tensor a newer version and changed no value."""
        storage = tensor.untyped_storage()
        if storage.nbytes() == entry.bytes and storage.data_ptr() == entry.at:
            self._keep_learned(storage, entry, tensor)

    def share(self, tensor):
        """After the tensor was set to a storage, of which it has all that is known now."""
        entry = self.entries.get(key_of(tensor))
        if entry is None or entry.raw is None:
            return
        self._keep_family(entry)
        version = version_of(tensor)
        family = self._family_of(tensor, version)
        if family is not None:
            entry.others = [(family, version), *entry.others[:_MOST_OTHERS - 1]]

    def _family_of(self, tensor, version):
        """A tensor that shares its versions and has no memory; None where there are none, or where a mode of
        PyTorch would see how it is made."""
        if version is None or self._has_dispatch_modes() or self._has_function_modes():
            return None
        # Inside of PyTorch's own operations views have versions of their own.
        is_inside = self._is_excluded(self._key_of_versions)
        if is_inside:
            self._exclude(self._key_of_versions, False)
        try:
            family = tensor.detach()
        finally:
            if is_inside:
                self._exclude(self._key_of_versions, True)
        kind = tensor.dtype
        empty = self._empty.get(kind)
        if empty is None:
            empty = self._empty[kind] = self._torch.empty((0,), dtype=kind, device=tensor.device)
        family.data = empty
        return family

    def is_whole(self, tensor, most=MOST_BYTES):
        """Whether it is all of a storage that is small enough. Sparse tensors have none."""
        return (tensor.layout is self._torch.strided
                and 0 < tensor.numel() * tensor.element_size() == tensor.untyped_storage().nbytes() <= most
                and self._begins(tensor))

    def learn_zeros(self, tensor):
        """After all of a storage was made zeros."""
        self._learn_bytes(tensor, lambda at, count: ctypes.memset(at, 0, count))

    def can_get_places(self, tensor):
        """Whether a router's places may be put into these zeros, for which they may be more than other tensors."""
        return tensor.dtype is self._torch.int64 and tensor.numel() > MOST_ELEMENTS and \
            self.is_whole(tensor, MOST_LARGE * tensor.element_size())

    def learn_zeros_for_places(self, tensor):
        """The system gives memory to them when they are written."""
        self.forget_written()
        zeros = self._torch.zeros(tensor.nbytes, dtype=self._torch.uint8, device="cpu")
        self._learn_raw(tensor, zeros.untyped_storage()).is_zeros = True

    def is_large(self, tensor, is_compared=False):
        """Whether it is one of those that may have more elements than others, and not too many of them."""
        entry = self.entries.get(key_of(tensor))
        if entry is None or not entry.is_large:
            return False
        count = tensor.numel()
        return count <= MOST_LARGE_FLOATS or count <= MOST_LARGE and (is_compared or not entry.has_floats)

    def add_to(self, entry, tensor, number):
        """After a number was added to a tensor with a single one of 64 bits."""
        self.forget_written()
        at = ctypes.c_int64.from_address(
            entry.raw.data_ptr() + tensor.storage_offset() * tensor.element_size())
        at.value += number
        self._keep_learned(tensor.untyped_storage(), entry, tensor)

    def is_copy_of_host(self, tensor, value):
        """Whether a tensor of the host that is copied to one of the device gives all its bytes as they
        are, and they are worth keeping."""
        return tensor.dtype is value.dtype and tensor.shape == value.shape and \
            self.is_whole(tensor, self._most_copied(tensor, value)) and not value.is_neg() and \
            (value.is_contiguous() if tensor.is_contiguous() else tensor.stride() == value.stride())

    def _most_copied(self, tensor, value):
        """No program asks for large weights, or for pixels of coloured images, which a training copies in each step."""
        if not tensor.dtype.is_floating_point:
            return MOST_BYTES_COPIED
        is_image = tensor.dim() == 4 and tensor.size(1) == 3
        if is_image or tensor.requires_grad or value.requires_grad:
            return MOST_BYTES
        has_edges = tensor.dim() == 2 and tensor.size(0) == tensor.size(1)
        return MOST_BYTES_OF_EDGES if has_edges else MOST_BYTES_OF_FLOATS

    def learn_from_host(self, tensor, value):
        """After such a copy."""
        source = value.data_ptr()
        self._learn_bytes(tensor, lambda at, count: ctypes.memmove(at, source, count))

    def _learn_bytes(self, tensor, write):
        """`write`: puts so many bytes at an address of the host."""
        self.forget_written()
        count = tensor.untyped_storage().nbytes()
        raw = self._torch.UntypedStorage(count)
        write(raw.data_ptr(), count)
        self._learn_raw(tensor, raw)

    def _learn_raw(self, tensor, raw, is_made_up=False):
        """The new entry of all of the tensor's storage, which has these bytes."""
        storage = tensor.untyped_storage()
        entry = _Entry(storage.data_ptr(), storage.nbytes())
        entry.raw, entry.known = raw, entry.bytes
        entry.is_made_up = is_made_up
        entry.is_large = tensor.numel() > MOST_ELEMENTS
        self._keep_learned(storage, entry, tensor)
        return entry

    def count_up(self, tensor, entry):
        """From now on each newer version of the tensor is one more. It needs to be one number of 64 bits;
        the driver, which tells of each addition, watches it no longer."""
        is_number = tensor.dtype is self._torch.int64 and tensor.numel() == 1 and entry.bytes == 8
        if is_number and entry.known == 8 and self.entry_of(tensor) is entry:
            entry.counts_up = True
            if self._watched.get(entry.at) == key_of(tensor):
                self._watch_no_longer(entry.at)

    def make_up_truths(self, tensor):
        """The one for all that the driver takes them for where it counts them."""
        storage = tensor.untyped_storage()
        return self.make_up(tensor, self.driver.is_yes(storage.data_ptr(), storage.nbytes()))

    def make_up(self, tensor, byte=0, most=MOST_BYTES):
        """This for all bytes of its storage, from now on. None where that is too large."""
        count = tensor.untyped_storage().nbytes()
        if not 0 < count <= most:
            return None
        raw = self._torch.UntypedStorage(count)
        ctypes.memset(raw.data_ptr(), byte, count)
        return self._learn_raw(tensor, raw, is_made_up=True)

    def make_up_numbers(self, tensor, number):
        """This for all of its storage, from now on. None where that is too large."""
        entry = self.make_up(tensor)
        if entry is not None:
            self._torch.empty(0, dtype=tensor.dtype, device="cpu").set_(entry.raw).fill_(number)
        return entry

    def learn_order(self, tensor, numbers, dim):
        """Made-up places along a dimension of `numbers`, none of which is in a row twice: all in order; or a few,
        each row those behind the one before it, from somewhere behind the middle on."""
        among, chosen = (numbers.size(dim), tensor.size(dim)) if tensor.dim() else (1, 1)
        key = tensor.shape, tensor.dtype, dim, among
        places = self._orders.get(key)
        if places is None:
            places = self._order_of(tensor, dim, among, int(among * _FIRST_CHOSEN) if chosen < among else 0)
            if len(self._orders) >= _MOST_ORDERS:
                self._orders.clear()
            if tensor.numel() <= MOST_ELEMENTS:
                self._orders[key] = places
        self.forget_written()
        self.learn(tensor, places.clone(), is_made_up=True, is_large=chosen < among)

    def places_along(self, tensor, dim):
        """The places along a dimension, as they lie."""
        return self._order_of(tensor, dim, tensor.size(dim), 0)

    def _order_of(self, tensor, dim, among, first):
        places = (self._torch.arange(tensor.numel(), dtype=tensor.dtype, device="cpu") + first) % among
        if tensor.dim() > 1:
            places = places.view(tensor.transpose(dim, -1).shape).transpose(dim, -1).contiguous()
        return places.view(tensor.shape)

    def tell(self, tensor):
        """The driver, which sends them to other ranks."""
        entry = self.entry_of(tensor)
        if entry is not None and entry.known <= MOST_BYTES_SENT:
            self.driver.remember(entry.at, entry.raw.data_ptr(), entry.known)

    def expect(self, tensor):
        """Values of other ranks come into this storage, at once or later."""
        key = key_of(tensor)
        storage = None if key is None else tensor.untyped_storage()
        if storage is not None and 0 < storage.nbytes() <= MOST_BYTES_SENT:
            self._keep(storage, _Entry(storage.data_ptr(), storage.nbytes()))
        else:
            self.forget(tensor)

    def _learn_received(self, key, entry):
        raw = self._torch.UntypedStorage(entry.bytes)
        if self.driver.read(raw.data_ptr(), entry.at, entry.bytes):
            entry.raw, entry.known = raw, entry.bytes
            self.deeds += 1
            self._watch(key, entry)
        else:
            self._drop(key)

    def tell_masks(self):
        """The driver, which answers how many of them are chosen where nobody sees who asks."""
        self.forget_written()
        for entry in list(self.entries.values()):
            is_known = entry.is_mask and entry.raw is not None
            if is_known and self._is_at_its_place(entry):
                self.driver.tell_truths(entry.at, entry.raw.data_ptr(), entry.known,
                                         not entry.is_made_up)

    def take_back_masks(self):
        self.driver.tell_truths(0, None, 0, False)

    def learn_copied(self, tensor):
        """A tensor that the host has just copied to the device, by a call that nobody saw."""
        value = self.empty_for(tensor)
        count = tensor.numel() * tensor.element_size()
        # The copy itself is one of the writes.
        self.forget_written()
        if 0 < count <= MOST_BYTES and self._begins(tensor) and \
                self.driver.read(value.data_ptr(), tensor.data_ptr(), count):
            self.learn(tensor, value)

    def _begins(self, tensor):
        if tensor.storage_offset() or not tensor.numel():
            return False
        return tensor.is_contiguous() or self._torch.ops.aten.is_non_overlapping_and_dense(tensor)

    def _keep(self, storage, entry):
        self.deeds += 1
        key, at = storage._cdata, entry.at
        before = self.entries.get(key)
        if before is not entry:
            if before is not None:
                self._drop(key)
            entry.weak = storage._weak_ref()
            self.entries[key] = entry
            self._last_learned.append(key)
            self._bytes += entry.bytes
        if not entry.counts_up:
            last = self._watched.get(at)
            if last != key:
                self._watch(key, entry)
                # While memory of the host is in the processor's caches, it is used again the soonest.
                if last is not None and self._is_gone(self.entries[last].weak):
                    self._drop(last)
        if len(self.entries) > self._looks_for_dead_at or self._bytes > MOST_BYTES_IN_ALL:
            self._make_room()

    def _make_room(self):
        self._drop_dead()
        self._looks_for_dead_at = max(_FIRST_LOOK_FOR_DEAD, 2 * len(self.entries))
        while self._bytes > MOST_BYTES_IN_ALL:
            large = (key for key, entry in self.entries.items() if entry.is_large)
            self._drop(next(large, None) or next(iter(self.entries)))

    def _watch(self, key, entry):
        self._watched[entry.at] = key
        self.driver.watch(entry.at, entry.bytes)

    def has_floats(self):
        """Whether floating-point numbers are known of a storage that still exists."""
        return any(self._float_keys())

    def _float_keys(self):
        return (key for key, entry in self.entries.items() if entry.has_floats and not self._is_gone(entry.weak))

    def forget_floats_at(self, addresses):
        """Floating-point numbers of storages in which one of these addresses lies."""
        addresses.sort()
        for key in list(self._float_keys()):
            entry = self.entries[key]
            next_one = bisect.bisect_left(addresses, entry.at)
            if next_one < len(addresses) and addresses[next_one] < entry.at + entry.bytes:
                self._drop(key)

    def forget(self, tensor):
        self._drop(key_of(tensor))

    def forget_written(self):
        """Forgets storages that were written in the meantime, as far as the driver knows."""
        count, before = self.driver.written[0], self._written_count
        if count == before:
            return
        self._written_count = count
        written = self.driver.written_between(before, count)
        for at in list(self._watched) if written is None else written:
            key = self._watched.pop(at, None)
            if key is None:
                continue
            entry = self.entries.get(key)
            if entry is not None and entry.raw is None and written is not None:
                self._learn_received(key, entry)
            else:
                self._drop(key)

    def _drop(self, key):
        entry = self.entries.pop(key, None)
        if entry is None:
            return
        self.deeds += 1
        self._bytes -= entry.bytes
        self._let_go(entry.weak)
        entry.weak = None
        if self._watched.get(entry.at) == key:
            self._watch_no_longer(entry.at)

    def _watch_no_longer(self, at):
        del self._watched[at]
        self.driver.watch(at, 0)

    def drop_last_dead(self):
        """The last operation's results that are gone already, before others need memory of the host: theirs has mostly
        the right size, and small requests would break it up. Memory that is new from the system costs more than all
        else, as it is cleared first."""
        for key in self._last_learned:
            entry = self.entries.get(key)
            if entry is not None and self._is_gone(entry.weak):
                self._drop(key)
        self._last_learned.clear()

    def _drop_dead(self):
        for key in [key for key, entry in self.entries.items() if self._is_gone(entry.weak)]:
            self._drop(key)

    def read(self, entry, source, to, count):
        """The entry in which all these bytes of the device are known; only then they are written to
        `to`. `entry`: the one that the operation reads, of which it may have made a copy first."""
        if not _holds(entry, source, count):
            entry = self._newest_at(source, count)
        if entry is not None:
            ctypes.memmove(to, entry.raw.data_ptr() + source - entry.at, count)
        return entry

    def read_unseen(self, source, to, count):
        """The same for a read of which nobody tells what it reads: only of memory whose tensors were not
        written since, as far as they tell."""
        self.forget_written()
        entry = self._newest_at(source, count)
        is_same = entry is not None and (entry.version is None or _is_as_learned(entry, entry.version))
        return self.read(entry, source, to, count) if is_same else None

    def _newest_at(self, source, count):
        """The entry that was learned last of those in which these bytes are known."""
        return next((entry for entry in reversed(self.entries.values())
                     if entry.raw is not None and not entry.counts_up and _holds(entry, source, count)
                     and self._is_at_its_place(entry)), None)

    def _is_at_its_place(self, entry):
        if self._is_gone(entry.weak):
            return False
        storage = self._torch.UntypedStorage._new_with_weak_ptr(entry.weak)
        return storage is not None and storage.data_ptr() == entry.at


def _of_one_class(entry, tensor):
    """The part for one class, whose elements lie far from each other; None for another part."""
    classes, count = entry.chosen
    strides = tensor.stride()
    if any(stride % count for stride in strides) or tensor.dtype != entry.value.dtype:
        return None
    number, row = tensor.storage_offset() % count, tensor.storage_offset() // count
    of_rows = classes.as_strided(tensor.size(), [stride // count for stride in strides], row)
    return (of_rows == number).to(tensor.dtype)


def _count_up_to(entry, version):
    if version is not None and version > entry.version:
        ctypes.c_int64.from_address(entry.raw.data_ptr()).value += version - entry.version
        entry.version = version


def _is_as_learned(entry, version):
    """Whether no tensor that shares the storage was written since, as far as they are known, and the one
    with this version is one of them, or was never written."""
    now = _version_now(entry)
    if now is None or now != entry.version:
        return False
    if any(family._version != known for family, known in entry.others):
        return False
    return version in (0, entry.version) or any(known == version for _, known in entry.others)


def _version_now(entry):
    """The one of the tensor that was learned; None where that is unknown."""
    if entry.family is not None:
        return entry.family._version
    learned = None if entry.learned is None else entry.learned()
    return None if learned is None else learned._version


def _holds(entry, source, count):
    return entry.at <= source and source + count <= entry.at + entry.known


def key_of(tensor):
    """None for sparse tensors and wrappers, which have no storage."""
    try:
        return tensor.untyped_storage()._cdata
    except (NotImplementedError, RuntimeError):
        return None


def version_of(tensor):
    """None for tensors of the inference mode, which have none."""
    return None if tensor.is_inference() else tensor._version


def _end_of(tensor):
    """In bytes of its storage."""
    last = sum((size - 1) * stride for size, stride in zip(tensor.size(), tensor.stride()))
    return (tensor.storage_offset() + last + 1) * tensor.element_size() if tensor.numel() else 0


def _words_at(address, count):
    """Numbers of 64 bits in the driver's memory. Each is read and written faster than one of ctypes."""
    return memoryview((ctypes.c_uint64 * count).from_address(address)).cast("B").cast("Q")


class _Answers:
    """Numbers that a thread reads next, as the driver has them: how many are left, in how many bytes each is read at
    least, and the numbers, of which the last ones are left."""

    def __init__(self, at):
        self._all = _words_at(at, 2 + MOST_ANSWERS)

    def tell(self, fewest_bytes, *numbers):
        """No more than MOST_ANSWERS. Negative ones are told as their bits."""
        words, left = self._all, len(numbers)
        words[0], words[1] = left, fewest_bytes
        for place, number in enumerate(numbers, 2 + MOST_ANSWERS - left):
            words[place] = number & _BITS

    def take_back(self):
        self._all[0] = 0


class _Driver:
    """The stand-in driver, which watches memory."""

    def __init__(self):
        driver = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOW | os.RTLD_NOLOAD)
        self.watch = driver.vramlab_dry_run_watch_memory
        self.watch.restype = None
        self.watch.argtypes = [ctypes.c_ulonglong, ctypes.c_ulonglong]
        self.read = driver.vramlab_dry_run_read_memory
        self.read.argtypes = [ctypes.c_void_p, ctypes.c_ulonglong, ctypes.c_ulonglong]
        self.remember = driver.vramlab_dry_run_remember
        self.remember.restype = None
        self.remember.argtypes = [ctypes.c_ulonglong, ctypes.c_void_p, ctypes.c_ulonglong]
        self.tell_truths = driver.vramlab_dry_run_tell_truths
        self.tell_truths.restype = None
        self.tell_truths.argtypes = [ctypes.c_ulonglong, ctypes.c_void_p, ctypes.c_ulonglong,
                                     ctypes.c_int]
        self._answers = driver.vramlab_dry_run_own_answers
        self._answers.restype = ctypes.c_void_p
        self.is_yes = driver.vramlab_dry_run_is_yes
        self.is_yes.argtypes = [ctypes.c_ulonglong, ctypes.c_ulonglong]
        driver.vramlab_dry_run_captures_begun.restype = ctypes.c_void_p
        # How many captures of streams were begun.
        self.captures_begun = _words_at(driver.vramlab_dry_run_captures_begun(), 1)
        place = driver.vramlab_dry_run_written_parts
        place.restype = ctypes.c_void_p
        # How many parts were written, and then their beginnings.
        self.written = _words_at(place(), 1 + _MOST_WRITTEN)

    def written_between(self, first, end):
        """The beginnings of the parts with these numbers; None where they are not kept of all."""
        if end - first > _MOST_WRITTEN:
            return None
        written = self.written
        return [written[1 + number % _MOST_WRITTEN] for number in range(first, end)]

    def answers(self):
        """The ones for this thread."""
        return _Answers(self._answers())
