"""One rank of a job runs alone (--rank, --ranks): the others are not there, and nobody waits for them.

The ranks meet in a store that answers for all of them. Collectives of NCCL end at once on the
stand-in. Gloo would connect to the others, so PyTorch's fake process group, which also ends at once,
takes its place.
"""

import functools
import os
import sys
import types

from vramlab_dry_run import import_watch, report, vllm_alone

# Threads of NCCL's process group would ask the store for what other ranks report.
_QUIET = {"TORCH_NCCL_ENABLE_MONITORING": "0", "TORCH_NCCL_DUMP_ON_TIMEOUT": "0",
          "TORCH_NCCL_PROPAGATE_ERROR": "0"}

# A value of the first rank that all others wait for: NCCL's name of a group of ranks.
_NAME_BYTES = 128


# Modules by name: the module's own name of what it asks for its rank, and functions in which each rank
# says what it would send as the first one. DeepSpeed compares lists that way.
_SAYING_WHAT_THE_FIRST_SENDS = {
    "deepspeed.runtime.zero.utils": ("dist", ("assert_lst_len_same_as_other_ranks",
                                              "get_lst_from_rank0")),
}


def is_asked_for():
    return os.environ.get("VRAMLAB_DRY_RUN_ALONE") == "1"


def prepare():
    if not is_asked_for():
        return
    for name, value in _QUIET.items():
        os.environ.setdefault(name, value)
    for name in _SAYING_WHAT_THE_FIRST_SENDS:
        import_watch.call_after_import(name, _let_it_say)
    vllm_alone.prepare()


@report.guarded
def _let_it_say(module):
    name, functions = _SAYING_WHAT_THE_FIRST_SENDS[module.__name__]
    setattr(module, name, _AsTheFirstRank(getattr(module, name), functions))


class _AsTheFirstRank:
    """The ranks' module, which tells some functions that they are the first rank."""

    def __init__(self, ranks, functions):
        self._ranks = ranks
        self._functions = functions

    def __getattr__(self, name):
        return getattr(self._ranks, name)

    def get_rank(self, *args, **kwargs):
        if sys._getframe(1).f_code.co_name in self._functions:
            return 0
        return self._ranks.get_rank(*args, **kwargs)


@report.guarded
def remove_others(c10d):
    """Called when `torch.distributed` was imported."""
    if not is_asked_for():
        return
    from torch._C import _distributed_c10d as built_in

    store = _store_class(built_in.Store)()

    def rendezvous(url, rank=-1, world_size=-1, **_):
        rank = rank if rank >= 0 else int(os.environ["RANK"])
        world_size = world_size if world_size > 0 else int(os.environ["WORLD_SIZE"])
        yield store, rank, world_size

    c10d.rendezvous = rendezvous
    if hasattr(c10d, "ProcessGroupGloo"):
        c10d.ProcessGroupGloo = _stand_in_for_gloo()
        c10d.all_reduce = _with_sums(c10d, c10d.all_reduce)


def _store_class(base):
    class StoreOfOneRank(base):
        """A rank gets back what it has set; what others would set is there as well."""

        def __init__(self):
            super().__init__()
            self._values = {}

        def set(self, key, value):
            self._values[key] = bytes(value)

        def get(self, key):
            return self._values.get(key, bytes(_NAME_BYTES))

        def add(self, key, amount):
            """All ranks add at the same time, so a barrier that counts them is over at once."""
            total = int(self._values.get(key, b"0")) + amount * int(os.environ["WORLD_SIZE"])
            self._values[key] = str(total).encode()
            return total

        def wait(self, keys, timeout=None):
            pass

        def check(self, keys):
            return all(key in self._values for key in keys)

        def deleteKey(self, key):
            return self._values.pop(key, None) is not None

        def getNumKeys(self):
            return len(self._values)

    return StoreOfOneRank


def _stand_in_for_gloo():
    class AnyFakeGroup(type):
        """PyTorch asks whether what it made is of this class."""

        def __instancecheck__(cls, instance):
            return isinstance(instance, _fake_group())

    class GlooOfOneRank(metaclass=AnyFakeGroup):
        def __new__(cls, store, rank, size, *args, **kwargs):
            fake = _fake_group()
            # Up to 2.12, PyTorch numbers the collectives of every group, and this one refuses.
            fake._set_sequence_number_for_group = lambda group: None
            # PyTorch 2.8 notes the name and the ranks of a group of Gloo there.
            if not hasattr(fake, "options"):
                fake.options = types.SimpleNamespace()
            return getattr(fake, "_create_internal", fake)(rank, size)

    return GlooOfOneRank


def _with_sums(c10d, all_reduce):
    """Sums of the host's numbers are those of as many ranks as there are. PyTorch's fake group leaves
    them as they are; NCCL's stand-in adds by itself."""

    @functools.wraps(all_reduce)
    def with_sums(tensor, op=c10d.ReduceOp.SUM, group=None, async_op=False):
        work = all_reduce(tensor, op, group, async_op)
        if tensor.is_cpu and op == c10d.ReduceOp.SUM and not c10d._rank_not_in_group(group):
            with sys.modules["torch"].no_grad():
                tensor.mul_(c10d.get_world_size(group))
        return work

    return with_sums


def _fake_group():
    from torch.testing._internal.distributed import fake_pg

    return fake_pg.FakeProcessGroup
