"""A program that waits for a value of the GPU that is made up here would wait for ever. It reads at
one place, over and over, and asks for no memory in between: then it is ended.

A loop may also wait for a yes that is computed and never comes, because what it reads in between is made
up. After many a no at one place the next ones are made up like the rest. One that draws numbers until
enough of them pass a test finds none at one place, over and over, and then one each time.
"""

import sys

from vramlab_dry_run import endings, place, report

# Reads at one place without a request for memory that end the program.
MOST_READS = 10000
_READS_BETWEEN_LOOKS = 500
# So many answers at one place that are no, with reads of made-up values in between.
MOST_NOES = 4096

# By place: how many reads, and how many requests for memory there were when they began.
_reads = {}
_read_count = 0
# By place: how many answers were no, and how many reads there were at the last one.
_noes = {}
# By place: how many answers were that nothing of unknown values was found.
_nones = {}


def note_read(at):
    """Called at each read of a made-up value."""
    global _read_count
    _read_count += 1
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


def note_answer(at, is_no):
    """Called at each read of a computed value. Whether a loop has waited here too long."""
    if not is_no:
        _noes.pop(at, None)
        return False
    entry = _noes.get(at)
    if entry is None:
        entry = _noes[at] = [0, -1]
    if entry[1] != _read_count:
        entry[0] += 1
        entry[1] = _read_count
    return entry[0] > MOST_NOES


def note_none(at):
    """Called where an operation found nothing in unknown values. Whether a loop has waited here too long."""
    count = _nones[at] = _nones.get(at, 0) + 1
    return count > MOST_NOES


def _requests():
    """Requests for memory up to now, of all devices."""
    cuda = sys.modules["torch"]._C
    return sum(cuda._cuda_memoryStats(device)["allocation"]["all"]["allocated"]
               for device in range(cuda._cuda_getDeviceCount()))
