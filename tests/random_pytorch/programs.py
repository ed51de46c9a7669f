"""Random programs that use PyTorch's allocator. A program is a list of operations (interpreter.py) and is made from a
family and a seed alone, so that what it asks for never depends on what the allocator answers.

A recording lacks some things that an allocator is told: an empty_cache that releases nothing, the end of a pool, a
change of options or of the memory fraction. What another run of the program did can be known from a recording only
where these leave a trace. Programs are therefore made so that nothing unrecorded happens:

* before an empty_cache a block is freed that it releases, and none is called inside the scope of a pool
* captures begin without torch.cuda.graph, which empties the cache
* a pool or graph ends when its blocks are free, and an empty_cache follows, which releases its segments

A family that isn't `asked` has something that no rule makes visible; its recordings are verified and replayed as
recorded only. All of a family's recordings are exact, unless it is `open`: no run takes those by itself."""

import dataclasses
import random
from typing import Callable

KIB, MIB, GIB = 1 << 10, 1 << 20, 1 << 30
MARKER_BYTES = 100 * MIB
MOST_BYTES = 96 * MIB
# Sizes at which a rule of the allocator begins or ends.
EDGES = [1, 511, 512, 513, 1023, 1024, 64 * KIB, MIB - 512, MIB - 1, MIB, MIB + 1, MIB + 512, 2 * MIB - 1, 2 * MIB,
         2 * MIB + 1, 5 * MIB, 10 * MIB - 512, 10 * MIB - 1, 10 * MIB, 10 * MIB + 1, 19 * MIB, 20 * MIB - 1, 20 * MIB,
         20 * MIB + 1, 21 * MIB, 32 * MIB, 32 * MIB + 512, 40 * MIB, 52 * MIB, 64 * MIB, 64 * MIB + 1, 96 * MIB]


def zero():
    return 0


@dataclasses.dataclass
class Churn:
    """How a stretch of allocs and frees is made."""

    stream: Callable = zero
    device: Callable = zero
    most_live: int = 40
    most_bytes: int = MOST_BYTES
    frees: float = .46
    # The share of frees before which another stream uses the block, of `streams` streams.
    recorded: float = 0
    streams: int = 1
    # The share of steps after which kernels run.
    works: float = 0
    kind: str = "alloc"


class Maker:
    def __init__(self, name, seed, devices=1, markers=True):
        self.random = random.Random(f"{name}/{seed}")
        self.operations = []
        self.live = []  # Names and devices of blocks.
        self.made = 0
        self.devices = devices
        self.markers = markers
        # The scopes that are open, and the blocks that each pool and graph has.
        self.scopes = []
        self.blocks_of = {}

    def do(self, *operation):
        self.operations.append(list(operation))

    def chance(self, share):
        return self.random.random() < share

    def between(self, low, high):
        return self.random.randrange(low, high)

    def size(self, most=MOST_BYTES):
        while True:
            size = self.random.choice(EDGES) if self.chance(.5) else int(2 ** self.random.uniform(6, 26.6))
            if self.chance(.15):
                size += self.random.choice([-512, 512, -1, 1, 4096])
            if 0 < size <= most:
                return size

    def alloc(self, how):
        self.made += 1
        device = how.device()
        self.do(how.kind, self.made, self.size(how.most_bytes), how.stream(), device)
        self.live.append((self.made, device))
        if self.scopes:
            self.blocks_of.setdefault(self.scopes[-1], set()).add(self.made)

    def free(self, place=None):
        if self.live:
            place = self.between(0, len(self.live)) if place is None else place
            self.do("free", self.live.pop(place)[0])

    def churn(self, steps, **how):
        how = Churn(**how)
        for _ in range(steps):
            if self.live and (self.chance(how.frees) or len(self.live) > how.most_live):
                place = self.between(0, len(self.live))
                name, device = self.live[place]
                if self.chance(how.recorded):
                    self.do("record", name, self.between(0, how.streams), device)
                self.free(place)
            else:
                self.alloc(how)
            if self.chance(how.works):
                self.do("work", self.between(0, how.streams), how.device(), self.between(1, 20))

    def empty_cache(self):
        if not self.markers:
            self.do("empty_cache")
        elif not self.scopes:
            for device in range(self.devices):
                self.do("alloc", f"marker {device}", MARKER_BYTES, 0, device)
                self.do("free", f"marker {device}")
            self.do("empty_cache")

    def enter(self, pool):
        self.do("pool_enter", pool)
        self.scopes.append(f"pool {pool}")

    def leave(self):
        self.do("pool_exit")
        self.scopes.pop()

    def capture(self, graph, share, inside):
        begin = self.random.choice(["with", "raw"])
        self.do("capture_begin", graph, share, "raw" if self.markers else begin)
        self.scopes.append(f"graph {graph}")
        inside()
        self.scopes.pop()
        self.do("capture_end")

    def end(self, kind, which):
        """The end of a pool or a graph."""
        if self.markers:
            own = self.blocks_of.pop(f"{kind} {which}", set())
            for name in sorted(own & {name for name, _ in self.live}):
                self.do("free", name)
            self.live = [block for block in self.live if block[0] not in own]
        self.do(f"{kind}_end", which)
        if self.markers:
            self.empty_cache()

    def take_out(self, some):
        return some.pop(self.between(0, len(some)))


def basic(make):
    for _ in range(make.between(2, 6)):
        make.churn(make.between(20, 90), most_live=make.random.choice([8, 25, 60]),
                   most_bytes=make.random.choice([2 * MIB, 24 * MIB, 96 * MIB]))
        if make.chance(.5):
            make.empty_cache()
        if make.chance(.3):
            while make.live:
                make.free()


def streams(make):
    count = make.between(2, 5)
    stream = lambda: make.between(0, count)
    make.do("streams", count)
    for _ in range(make.between(3, 7)):
        make.churn(make.between(20, 60), stream=stream, recorded=.5, streams=count, works=.3)
        chosen = make.random.random()
        if chosen < .2:
            make.do("sync", 0)
        elif chosen < .4:
            make.do("sync_stream", stream())
        elif chosen < .5:
            make.empty_cache()
        elif chosen < .8:
            make.do("wait", stream(), stream())


def devices(make):
    either = lambda: make.between(0, 2)
    make.do("streams", 2)
    for _ in range(make.between(3, 6)):
        make.churn(make.between(20, 60), device=either, stream=either, recorded=.2, streams=2, works=.2)
        if make.chance(.5):
            make.empty_cache()
        if make.chance(.2):
            make.do("sync", either())


def pools(make):
    alive = list(range(make.between(1, 4)))
    for pool in alive:
        make.do("pool_new", pool, {})
    for _ in range(make.between(4, 9)):
        make.churn(make.between(4, 20))
        if alive:
            make.enter(make.random.choice(alive))
            make.churn(make.between(4, 25), frees=.35)
            if make.chance(.2):
                make.empty_cache()
            make.leave()
        if make.chance(.3):
            make.empty_cache()
        if alive and make.chance(.2):
            make.end("pool", make.take_out(alive))


def nested_pools(make):
    alive = list(range(3))
    side = {"stream": lambda: make.between(0, 2), "recorded": .3, "streams": 2}
    for pool in alive:
        make.do("pool_new", pool, {})
    make.do("streams", 2)
    for _ in range(make.between(3, 6)):
        make.churn(make.between(4, 15), works=.2, **side)
        entered = make.random.sample(alive, min(len(alive), make.between(1, 4)))
        for pool in entered:
            make.enter(pool)
            make.churn(make.between(3, 10), frees=.35, **side)
        for pool in entered:
            make.leave()
            make.churn(make.between(1, 6), frees=.5)
        if make.chance(.4):
            make.empty_cache()
        if len(alive) > 1 and make.chance(.2):
            make.end("pool", make.take_out(alive))


def graphs(make):
    alive = []
    for graph in range(make.between(2, 5)):
        make.churn(make.between(5, 25))
        make.capture(graph, None, lambda: make.churn(make.between(5, 25), frees=.5))
        alive.append(graph)
        if make.chance(.5):
            make.do("graph_replay", make.random.choice(alive))
        if make.chance(.4):
            make.end("graph", make.take_out(alive))
        if make.chance(.4):
            make.empty_cache()
    make.churn(20)
    for graph in make.random.sample(alive, len(alive)):
        make.end("graph", graph)
        make.churn(4)
        if make.chance(.5):
            make.empty_cache()


def shared_graphs(make):
    """Graphs that share a pool by a handle or have the pool of an earlier one."""
    make.do("streams", 3)
    make.do("pool_handle", "shared")
    alive = []
    for graph in range(make.between(3, 7)):
        make.churn(make.between(3, 15))
        share = make.random.choice([None, "shared", "shared", *alive])
        make.capture(graph, share, lambda: make.churn(make.between(4, 16), frees=.45))
        alive.append(graph)
        if len(alive) > 1 and make.chance(.35):
            make.end("graph", make.take_out(alive))
        if make.chance(.35):
            make.empty_cache()
        if make.chance(.3):
            make.do("graph_replay", make.random.choice(alive))
    make.random.shuffle(alive)
    while make.live and make.chance(.97):
        make.free()
    for graph in alive:
        make.end("graph", graph)
    make.empty_cache()
    make.churn(10)


def captured_streams(make):
    """Captures with forks to other streams, with blocks that both use, and frees of blocks from outside."""
    make.do("streams", 3)

    def inside():
        make.do("fork", 2)
        make.churn(make.between(6, 20), stream=lambda: make.random.choice(["capturing", 2]), recorded=.4, streams=3)
        make.do("join", 2)

    for graph in range(make.between(2, 4)):
        make.churn(make.between(6, 18), stream=lambda: make.between(0, 3), recorded=.3, streams=3, works=.2)
        make.do("sync", 0)
        make.capture(graph, make.random.choice([None, 0]) if graph else None, inside)
        make.churn(make.between(3, 12), recorded=.2, streams=3)
        if make.chance(.4):
            make.empty_cache()


def fraction(make):
    make.do("fraction", make.random.choice([.05, .1, .2, .02]), 0)
    for _ in range(make.between(3, 6)):
        make.churn(make.between(30, 70), most_live=make.random.choice([8, 20, 40]))
        if make.chance(.15):
            make.empty_cache()


def pressure(make):
    """More blocks than there is memory for."""
    for _ in range(make.between(3, 6)):
        make.churn(make.between(30, 70), most_live=make.random.choice([10, 20, 40, 60]), frees=.42)
        if make.chance(.3):
            make.empty_cache()
        if make.chance(.2):
            make.do("alloc", "too large", make.random.choice([3 * GIB, 700 * MIB, 1 << 41]), 0, 0)


def pressure_and_streams(make):
    make.do("streams", 3)
    for _ in range(make.between(3, 6)):
        make.churn(make.between(30, 60), most_live=make.random.choice([20, 40]), frees=.42,
                   stream=lambda: make.between(0, 3), recorded=.4, streams=3, works=.3)
        if make.chance(.3):
            make.do("sync", 0)


def pressure_and_pools(make):
    """Pools that fill the memory, and many requests that fail, inside and outside of them."""
    alive = list(range(2))
    for pool in alive:
        make.do("pool_new", pool, {})
    for _ in range(make.between(4, 7)):
        make.churn(make.between(8, 20), frees=.38)
        make.enter(make.random.choice(alive))
        make.churn(make.between(5, 15), frees=.4)
        make.leave()
        if make.chance(.3):
            make.do("alloc", "too large", make.random.choice([3 * GIB, 300 * MIB]), 0, 0)
        if make.chance(.3):
            make.empty_cache()
        if len(alive) > 1 and make.chance(.2):
            make.end("pool", make.take_out(alive))


def pressure_and_graphs(make):
    """Requests that fail in captures, which aren't retried there."""
    alive = []
    for graph in range(make.between(3, 6)):
        make.churn(make.between(8, 20), frees=.38)
        make.capture(graph, None, lambda: make.churn(make.between(3, 8), frees=.5, most_bytes=12 * MIB))
        alive.append(graph)
        if make.chance(.4):
            make.end("graph", make.take_out(alive))
        if make.chance(.3):
            make.empty_cache()


def threads(make):
    make.do("streams", 2)
    for _ in range(make.between(3, 7)):
        make.churn(make.between(15, 40), stream=lambda: make.between(0, 2))
        count = min(len(make.live), make.between(1, 8))
        make.do("thread_free", [make.take_out(make.live)[0] for _ in range(count)])
        make.alloc(Churn(kind="thread_alloc", stream=lambda: make.between(0, 2)))
        if make.chance(.3):
            make.empty_cache()


def raw(make):
    """Blocks from caching_allocator_alloc among tensors."""
    either = lambda: make.between(0, 2)
    make.do("streams", 2)
    for _ in range(make.between(3, 6)):
        make.churn(make.between(10, 30), kind="raw_alloc", stream=either)
        make.churn(make.between(10, 30), stream=either, recorded=.2, streams=2)
        if make.chance(.3):
            make.empty_cache()


def steady_empty(make):
    for _ in range(make.between(4, 9)):
        make.churn(make.between(8, 30), most_live=30)
        make.empty_cache()


def mix(make):
    make.do("streams", 3)
    make.do("pool_new", 0, {})
    make.do("pool_handle", "shared")
    graph, alive = 0, []
    for _ in range(make.between(5, 9)):
        chosen = make.random.random()
        if chosen < .3:
            make.churn(make.between(15, 40), stream=lambda: make.between(0, 3), recorded=.3, streams=3, works=.2)
        elif chosen < .5:
            make.enter(0)
            make.churn(make.between(5, 20))
            make.leave()
        elif chosen < .75:
            make.capture(graph, make.random.choice([None, "shared"]), lambda: make.churn(make.between(4, 14)))
            alive.append(graph)
            graph += 1
        elif chosen < .85 and alive:
            make.end("graph", make.take_out(alive))
        elif chosen < .95:
            make.empty_cache()
        else:
            make.do("sync", 0)
        make.churn(5)


def changed_options(make):
    changes = ["expandable_segments:True", "expandable_segments:False", "max_split_size_mb:40",
               "roundup_power2_divisions:4", "expandable_segments:True,roundup_power2_divisions:[2:4,16:8,>:2]",
               "max_split_size_mb:64,max_non_split_rounding_mb:48"]
    for _ in range(make.between(2, 5)):
        make.churn(make.between(20, 50))
        make.do("options", make.random.choice(changes))
        make.churn(make.between(20, 50))
        if make.chance(.3):
            make.empty_cache()


def pool_options(make):
    """Pools whose blocks are never split, and pools that others may take from when memory is short."""
    choices = [{"no_split": True}, {"use_on_oom": True}, {"use_on_oom": True, "no_split": True}]
    for pool in range(2):
        make.do("pool_new", pool, make.random.choice(choices))
    for _ in range(make.between(4, 8)):
        make.enter(make.between(0, 2))
        make.churn(make.between(4, 14), frees=.5)
        make.leave()
        make.churn(make.between(8, 25), frees=.38)
        if make.chance(.25):
            make.empty_cache()


def graph_trees(make):
    """torch.compile(backend="cudagraphs"), which restores checkpoints of pools."""
    make.do("trees", [make.random.choice([8, 32, 64]) for _ in range(make.between(2, 5))], make.between(2, 4),
            make.chance(.5))
    make.churn(20)
    make.empty_cache()


@dataclasses.dataclass(frozen=True)
class Family:
    make: Callable
    # Memory of the device, one for each seed in turn; "none" is no limit.
    memory: tuple = ("none",)
    devices: int = 1
    # Whether its recordings tell what another run of the program did.
    asked: bool = True
    open: bool = False

    @property
    def name(self):
        return self.make.__name__


FAMILIES = {family.name: family for family in [
    Family(basic), Family(streams), Family(devices, devices=2), Family(pools), Family(nested_pools), Family(graphs),
    Family(shared_graphs), Family(captured_streams), Family(fraction), Family(threads), Family(raw),
    Family(steady_empty), Family(mix),
    # A failed request changes what a program does, and a retry completes frees: nobody can say when they
    # would have completed without it.
    Family(pressure, memory=("600MiB", "320MiB", "1GiB"), asked=False),
    Family(pressure_and_streams, memory=("700MiB", "400MiB"), asked=False),
    # Options and kinds of pools are in no file, nor which requests failed in a pool's scope or in a capture, where
    # none is retried.
    Family(pressure_and_pools, memory=("300MiB", "200MiB"), asked=False, open=True),
    Family(pressure_and_graphs, memory=("300MiB", "200MiB"), asked=False, open=True),
    Family(changed_options, asked=False, open=True),
    Family(pool_options, memory=("500MiB",), asked=False, open=True),
    Family(graph_trees, asked=False, open=True),
]}


def operations_of(name, seed):
    family = FAMILIES[name]
    make = Maker(name, seed, family.devices, markers=family.asked)
    family.make(make)
    return make.operations
