"""The stacks of a snapshot, which share their frames: thousands of stacks have a few hundred frames.
What is asked of frames is asked of each once.
"""


class Stacks:
    def __init__(self, snapshot):
        entries = [entry for trace in snapshot["device_traces"] for entry in trace]
        entries += snapshot.get("host_traces", [])
        entries += [block for part in ("segments", "host_segments")
                    for segment in snapshot.get(part, []) for block in segment["blocks"]]
        # Many entries share a stack, too.
        self._stacks = {id(frames): frames
                        for frames in (entry.get("frames", []) for entry in entries)}.values()
        self._frames = {id(frame): frame for frames in self._stacks for frame in frames}

    def frames(self):
        return self._frames.values()

    def with_frames(self, is_meant):
        """The stacks that have such a frame, each with the identities of these frames."""
        meant = {key for key, frame in self._frames.items() if is_meant(frame)}
        return ((frames, meant) for frames in self._stacks
                if meant and not meant.isdisjoint(map(id, frames)))
