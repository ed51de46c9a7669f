"""The stacks of a snapshot. Thousands of its lists of frames are the same, and share a few hundred
frames: the same ones become one list, and each frame is asked once.
"""


class Stacks:
    def __init__(self, snapshot):
        self._stacks = {}
        by_list = {}
        for entry in _entries_of(snapshot):
            frames = entry.get("frames")
            if frames is None:
                continue
            stack = by_list.get(id(frames))
            if stack is None:
                stack = by_list[id(frames)] = self._stacks.setdefault(tuple(map(id, frames)), frames)
            entry["frames"] = stack
        self._frames = {id(frame): frame for frames in self._stacks.values() for frame in frames}

    def frames(self):
        return self._frames.values()

    def with_frames(self, is_meant):
        """The stacks that have such a frame, each with the identities of these frames."""
        meant = {key for key, frame in self._frames.items() if is_meant(frame)}
        return ((frames, meant) for frames in self._stacks.values()
                if meant and not meant.isdisjoint(map(id, frames)))


def _entries_of(snapshot):
    for trace in snapshot["device_traces"]:
        yield from trace
    yield from snapshot.get("host_traces", [])
    for part in ("segments", "host_segments"):
        for segment in snapshot.get(part, []):
            yield from segment["blocks"]
