"""Kinds of memory in a history, found from its scans alone, beside what a program told (objects_told)."""


def differences(snapshot, told):
    """`told`: in the program's order, what it had after so many requests and frees."""
    wrong, waiting = [], list(told)
    for requests, frees, sums in _sums_on_the_way(snapshot):
        if waiting and (requests, frees) == (waiting[0]["requests"], waiting[0]["frees"]):
            wrong += [f"kinds: {kind} {sums().get(kind, 0)} instead of {size} after {requests} requests"
                      for kind, size in waiting.pop(0)["bytes"].items()
                      if sums().get(kind, 0) != size]
    return wrong + [f"kinds: {len(waiting)} steps are not in the history"] * bool(waiting)


def _sums_on_the_way(snapshot):
    """Before each request, each free and the end, how many there were and bytes by kind. A row of a scan names
    the block that holds its address then, as long as that is allocated."""
    notes = snapshot["vramlab_kinds"]
    traces = snapshot["device_traces"]
    # Others that a process sees have the entry of the snapshot alone.
    of_device = max(notes["devices"], key=lambda each: len(traces[each["device"]]))
    trace = traces[of_device["device"]]
    scans = {}
    for entry, number in _rows(of_device["scanned"], 2):
        scans.setdefault(entry, []).append(_rows(of_device["scans"][number], 5))
    held, counts = {}, {"alloc": 0, "free_requested": 0}
    for place in range(len(trace) + 1):
        for scan in scans.get(place, []):
            held.update({row[0]: (notes["kinds"][row[2]], row[1]) for row in scan})
        action = trace[place]["action"] if place < len(trace) else ""
        if action in counts or not action:
            yield counts["alloc"], counts["free_requested"], lambda: _sums(held)
        if action in counts:
            counts[action] += 1
        if action == "free_requested":
            held.pop(trace[place]["addr"], None)


def _rows(text, length):
    numbers = [int(number) for number in text.split()]
    return [numbers[at:at + length] for at in range(0, len(numbers), length)]


def _sums(held):
    sums = {}
    for kind, size in held.values():
        sums[kind] = sums.get(kind, 0) + size
    return sums
