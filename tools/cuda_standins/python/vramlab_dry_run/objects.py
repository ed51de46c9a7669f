"""Objects that ranks send each other through NCCL, such as all_gather_object: their bytes pass through
the device, which has none.

PyTorch's own code runs, so its memory is that of a GPU. The objects go through the store in which the
ranks met, and the sizes that it reads from the device are answered here. A rank that runs alone gets
what it would send itself.
"""

import collections
import functools
import inspect
import pickle
import threading

from vramlab_dry_run import alone, report

_now = threading.local()
_sent = collections.Counter()


class _Exchange:
    """The data of one call: pickles in the order it receives them, and the sizes read before."""

    def __init__(self, pickles, sizes):
        self.pickles = collections.deque(pickles)
        self._sizes = collections.deque(sizes)

    def size(self):
        return self._sizes.popleft() if len(self._sizes) > 1 else self._sizes[0]


def answer(count):
    """A size that PyTorch reads from the device in such a call; None outside of one."""
    exchange = getattr(_now, "exchange", None)
    if exchange is None:
        return None
    # It also compares sizes, which yields one byte.
    return exchange.size() if count == 8 else 0


def are_those_of_others():
    """And not what a rank alone would send itself."""
    return not alone.is_asked_for()


@report.guarded
def watch(c10d):
    for name, received in (("all_gather_object", _gathered), ("gather_object", _collected),
                           ("broadcast_object_list", _broadcast),
                           ("scatter_object_list", _scattered)):
        _wrap(c10d, name, received)
    read = c10d._tensor_to_object

    @functools.wraps(read)
    def tensor_to_object(*args, **kwargs):
        exchange = getattr(_now, "exchange", None)
        if exchange is None or not exchange.pickles:
            return read(*args, **kwargs)
        return pickle.loads(exchange.pickles.popleft())

    c10d._tensor_to_object = tensor_to_object


def _wrap(c10d, name, received):
    function = getattr(c10d, name)
    signature = inspect.signature(function)

    @functools.wraps(function)
    def call(*args, **kwargs):
        given = signature.bind(*args, **kwargs)
        given.apply_defaults()
        asked = _Asked(c10d, given.arguments)
        if not asked.is_for_us():
            return None if asked.waits_for_others() else function(*args, **kwargs)
        _now.exchange = received(asked)
        try:
            return function(*args, **kwargs)
        finally:
            _now.exchange = None

    setattr(c10d, name, call)


class _Asked:
    """One call: its arguments, and who takes part."""

    def __init__(self, c10d, arguments):
        self._c10d = c10d
        self.arguments = arguments
        self.group = arguments.get("group") or c10d._get_default_group()

    def is_for_us(self):
        if self._c10d._rank_not_in_group(self.group):
            return False
        device_of = getattr(self._c10d, "_get_object_coll_device", None)
        device_of = device_of or self._c10d._get_pg_default_device
        return str(device_of(self.group)).startswith("cuda")

    def waits_for_others(self):
        """On the host, a rank alone has no other that would send to it."""
        if not alone.is_asked_for() or "src" not in self.arguments:
            return False
        return self.rank() != self.root("src")

    def rank(self):
        return self.group.rank()

    def size(self):
        return self.group.size()

    def root(self, name):
        """The group's rank that sends to all, or receives from all."""
        in_group = self.arguments.get("group_" + name)
        if in_group is not None:
            return in_group
        return self._c10d.get_group_rank(self.group, self.arguments.get(name) or 0)

    def exchange(self, own, senders):
        """The senders' objects, as far as they can be known: for a rank alone, its own."""
        if alone.is_asked_for():
            return [own for _ in senders]
        name = self.group.group_name
        _sent[name] += 1
        key = "vramlab/objects/%s/%d/" % (name, _sent[name])
        store = self._c10d._get_default_store()
        if self.rank() in senders:
            store.set(key + str(self.rank()), pickle.dumps(own))
        return [pickle.loads(store.get(key + str(rank))) for rank in senders]


def _gathered(asked):
    own = pickle.dumps(asked.arguments["obj"])
    pickles = asked.exchange(own, range(asked.size()))
    return _Exchange(pickles, [max(map(len, pickles))])


def _collected(asked):
    return _gathered(asked)


def _broadcast(asked):
    own = [pickle.dumps(item) for item in asked.arguments["object_list"]]
    pickles = asked.exchange(own, [asked.root("src")])[0]
    sizes = [sum(map(len, pickles))]
    end = 0
    for i, data in enumerate(pickles):
        sizes += [end] if i else []
        end += len(data)
        sizes.append(end)
    return _Exchange(pickles, sizes)


def _scattered(asked):
    own = None
    if asked.rank() == asked.root("src"):
        own = [pickle.dumps(item) for item in asked.arguments["scatter_object_input_list"]]
    elif alone.is_asked_for():
        own = [pickle.dumps(None)] * asked.size()
    pickles = asked.exchange(own, [asked.root("src")])[0]
    return _Exchange([pickles[asked.rank()]], [max(map(len, pickles))])
