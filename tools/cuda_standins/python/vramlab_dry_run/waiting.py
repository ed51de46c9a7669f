"""A program that waits for a value of the GPU that is made up here would wait for ever. It reads at
one place, over and over, and asks for no memory in between: then it is ended.
"""

import sys

from vramlab_dry_run import endings, place, report

# Reads at one place without a request for memory that end the program.
MOST_READS = 10000
_READS_BETWEEN_LOOKS = 500

# By place: how many reads, and how many requests for memory there were when they began.
_reads = {}


def note_read(at):
    """Called at each read of a made-up value."""
    entry = _reads.get(at)
    if entry is None:
        entry = _reads[at] = [0, _requests()]
    entry[0] += 1
    if entry[0] % _READS_BETWEEN_LOOKS:
        return
    requests = _requests()
    if requests != entry[1]:
        entry[:] = [0, requests]
    elif entry[0] >= MOST_READS and "waits_at" not in report.values:
        where = place.text_of(at) or "an unknown place"
        report.values["waits_at"] = where
        endings.end_at_once("vramlab dry-run: the program waits for a value that no kernel computes, "
                            "at %s\n" % where)


def _requests():
    """Requests for memory up to now, of all devices."""
    cuda = sys.modules["torch"]._C
    return sum(cuda._cuda_memoryStats(device)["allocation"]["all"]["allocated"]
               for device in range(cuda._cuda_getDeviceCount()))
