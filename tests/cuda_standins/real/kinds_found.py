"""Kinds of memory in a history, found from its marks and scans alone: bytes of each kind that are held
at the end of each step of an optimizer."""


def at_ends_of_steps(snapshot):
    """A row of a scan names the block that holds its address then, as long as that is allocated."""
    document = snapshot["vramlab_kinds"]
    [of_device] = document["devices"]
    trace = snapshot["device_traces"][of_device["device"]]
    scans = {}
    for entry, number in of_device["scanned"]:
        scans.setdefault(entry, []).append(of_device["scans"][number])
    phases = of_device["phases"]
    ends = {after[0] for before, after in zip(phases, phases[1:]) if before[1] == "step" != after[1]}
    held, found = {}, []
    for place in range(len(trace) + 1):
        for scan in scans.get(place, []):
            held.update({row[0]: (row[2], row[1]) for row in scan})
        if place in ends:
            found.append(_sums(held))
        if place < len(trace) and trace[place]["action"] == "free_requested":
            held.pop(trace[place]["addr"], None)
    return found


def _sums(held):
    sums = {}
    for kind, size in held.values():
        sums[kind] = sums.get(kind, 0) + size
    return sums


def differences(wanted, found):
    if len(wanted) != len(found):
        return [f"kinds: {len(found)} steps instead of {len(wanted)}"]
    return [f"kinds: step {number}: {kind} {sums.get(kind, 0)} instead of {size}"
            for number, (told, sums) in enumerate(zip(wanted, found), 1)
            for kind, size in told.items() if sums.get(kind, 0) != size]
