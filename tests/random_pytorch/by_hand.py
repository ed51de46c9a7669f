"""Small programs by hand, each under four option strings and one or two memories. Some do what no recording tells
(a reset of peaks, a change of the fraction), so not all that is asked of them can be equal."""

from programs import MARKER_BYTES, MIB
from runs import Run

OPTION_STRINGS = ["", "expandable_segments:True", "max_split_size_mb:32", "garbage_collection_threshold:0.5"]
LIMITLESS = ("none",)
SMALL = 1000
TOO_LARGE = ["alloc", "too large", 3 << 30, 0, 0]


def alloc(name, size_mib, stream=0, device=0):
    return ["alloc", name, int(size_mib * MIB), stream, device]


def small(name):
    return ["alloc", name, SMALL, 0, 0]


def free(*names):
    return [["free", name] for name in names]


def free_late(name):
    """A free that waits for fifty kernels of another stream."""
    return [["work", 1, 0, 50], ["record", name, 1, 0], ["free", name]]


def empty_cache():
    """One that releases something, which a recording shows."""
    return [["alloc", "marker", MARKER_BYTES, 0, 0], ["free", "marker"], ["empty_cache"]]


def in_pool(pool, *operations):
    return [["pool_enter", pool], *operations, ["pool_exit"]]


def captured(graph, *operations, share=None):
    return [["capture_begin", graph, share, "raw"], *operations, ["capture_end"]]


STREAMS = ["streams", 2]

# Memories and operations.
PROGRAMS = {
    "retry_late": (("60MiB", "none"), [STREAMS, alloc(1, 40), *free_late(1), small(9), alloc(2, 30)]),
    "retry_late_two": (("100MiB", "none"), [
        STREAMS, alloc(1, 40), alloc(2, 30), *free_late(1), *free_late(2), small(9), alloc(3, 50), alloc(4, 20)]),
    "oom_late": (("60MiB",), [STREAMS, alloc(1, 40), *free_late(1), small(9), alloc(2, 80), alloc(3, 30)]),
    "oversize_late": (("120MiB", "none"), [
        STREAMS, alloc(1, 60), alloc(5, 34), *free_late(1), *free(5), small(9), alloc(2, 50)]),
    "empty_late": (LIMITLESS, [STREAMS, alloc(1, 40), *free_late(1), small(9), ["empty_cache"], alloc(2, 30)]),
    "sync_late": (LIMITLESS, [STREAMS, alloc(1, 40), *free_late(1), ["sync", 0], alloc(2, 30), alloc(3, 30)]),
    "pool_ends_in_use": (LIMITLESS, [
        ["pool_new", 0, {}], *in_pool(0, alloc(1, 40), alloc(2, 1)), ["pool_end", 0], alloc(3, 30), *free(1),
        alloc(4, 30), *free(2), ["empty_cache"], alloc(5, 10)]),
    "two_pools": (LIMITLESS, [
        ["pool_new", 0, {}], ["pool_new", 1, {}], *in_pool(0, alloc(1, 12)), *in_pool(1, alloc(2, 12)), *free(1, 2),
        *in_pool(1, alloc(3, 11)), *in_pool(0, alloc(4, 11)), ["pool_end", 0], *free(3, 4), *empty_cache(),
        alloc(6, 11)]),
    "shared_graph_ends": (LIMITLESS, [
        ["pool_handle", "shared"], *captured(0, alloc(1, 12), *free(1), share="shared"),
        *captured(1, alloc(2, 11), alloc(3, 13), *free(2), share="shared"), ["graph_end", 0], *empty_cache(),
        *free(3), ["graph_end", 1], *empty_cache(), alloc(7, 12)]),
    "two_graphs": (LIMITLESS, [
        *captured(0, alloc(1, 12), small(11)), *captured(1, alloc(2, 12), small(12)), *free(1, 11), ["graph_end", 0],
        *empty_cache(), *free(2, 12), *empty_cache(), alloc(7, 10)]),
    "recorded_in_capture": (LIMITLESS, [
        STREAMS, alloc(1, 40),
        *captured(0, ["record", 1, 1, 0], *free(1), alloc(2, 12), ["fork", 1], ["record", 2, 1, 0], *free(2),
                  alloc(3, 12), ["join", 1]),
        alloc(4, 40), alloc(5, 12)]),
    "collection_late": (LIMITLESS, [
        STREAMS, ["fraction", .002, 0], alloc(1, 40), alloc(2, 30), alloc(3, 25), *free_late(1), *free(2), small(9),
        alloc(4, 45), alloc(5, 60)]),
    "fraction_refuses": (LIMITLESS, [
        ["fraction", .001, 0], alloc(1, 40), alloc(2, 30), *free(1), alloc(3, 60), alloc(4, 20), *free(2),
        alloc(5, 50)]),
    "fraction_changes": (LIMITLESS, [
        ["fraction", .001, 0], alloc(1, 40), *free(1), alloc(2, 60), ["fraction", .01, 0], alloc(3, 90), *free(2, 3),
        alloc(4, 100), ["fraction", .0005, 0], alloc(5, 30), alloc(6, 90)]),
    "pool_in_capture": (LIMITLESS, [
        ["pool_new", 0, {}], *captured(0, alloc(1, 12), *in_pool(0, alloc(2, 12)), alloc(3, 12)), *free(1, 2, 3),
        ["graph_end", 0], ["pool_end", 0], *empty_cache(), alloc(4, 12)]),
    "no_split": (LIMITLESS, [
        ["pool_new", 0, {"no_split": True}],
        *in_pool(0, alloc(1, 3), alloc(2, 3), *free(1), alloc(3, 1.5), small(4)), alloc(5, 3), *free(2, 3),
        ["pool_end", 0], *empty_cache()]),
    "use_on_oom": (("120MiB", "none"), [
        ["pool_new", 0, {"use_on_oom": True}], *in_pool(0, alloc(1, 60)), *free(1), alloc(2, 30), alloc(3, 50),
        *free(3), alloc(4, 40), *free(2), alloc(5, 70)]),
    "pool_refused": (("120MiB",), [
        ["pool_new", 0, {}], alloc(1, 60), *free(1), *in_pool(0, alloc(2, 80)), alloc(3, 50)]),
    "two_devices_retry": (("60MiB", "none"), [
        STREAMS, alloc(1, 40, device=1), alloc(2, 40), *free(1, 2), alloc(3, 50, device=1), alloc(4, 30)]),
    "expandable_retry": (("100MiB", "none"), [
        STREAMS, alloc(1, 40), alloc(2, 3, 1), *free(1), alloc(3, 70, 1), *free(3), alloc(4, 60), *free(2),
        alloc(5, 30, 1)]),
    "refused_small": (("1GiB",), [small(1), *free(1), TOO_LARGE, small(3)]),
    "refused_large": (("1GiB",), [alloc(1, 30), *free(1), TOO_LARGE, alloc(3, 20), alloc(4, 15)]),
    "refused_hole": (("1GiB",), [
        alloc(1, 20), alloc(2, 20), alloc(3, 20), *free(2), TOO_LARGE, alloc(5, 18), *free(1, 3), alloc(6, 25)]),
    "refused_both": (("1GiB",), [
        alloc(1, 30), small(2), *free(2), TOO_LARGE, *free(1), small(4), alloc(5, 60)]),
    "snapshot_midway": (LIMITLESS, [
        alloc(1, 40), ["snapshot"], *free(1), ["snapshot"], alloc(2, 30), ["empty_cache"], ["snapshot"]]),
    "reset_peaks": (LIMITLESS, [alloc(1, 100), *free(1), ["reset_peaks"], alloc(2, 30)]),
    "at_addresses": (LIMITLESS, [
        alloc(1, 64), alloc(2, 30), *free(1, 2), ["alloc_at", 3, 3 * MIB, 1, 5 * MIB], ["alloc_at", 4, 2 * MIB, 1, 0],
        ["alloc_at", 5, 4 * MIB, 2, 8 * MIB], alloc(6, 5), *free(3), alloc(7, 12)]),
    "shared_block": (LIMITLESS, [alloc(1, 40), ["share", 1], *free(1), alloc(2, 30)]),
}


def runs_and_programs(names):
    """The runs of some programs, or of all where no name is given, and the operations of each."""
    chosen = names.split(",") if names else list(PROGRAMS)
    # An address that a program named is one of its own run only.
    runs = [Run(name=f"{name}.{memory}.{index}", program=name, conf=conf, memory=memory,
                devices=2 if name.startswith("two_devices") else 1, asked=name != "at_addresses")
            for name in chosen for memory in PROGRAMS[name][0] for index, conf in enumerate(OPTION_STRINGS)]
    return runs, {name: PROGRAMS[name][1] for name in chosen}
