"""Option strings that are set while the program runs, and whether PyTorch takes them: one option with
one value each. Names are those that vramlab knows, in SUITE_NAMES, and the words of PyTorch's own
libraries that turn out to be options. The last line tells all."""
import json
import os
import pathlib
import re

import figures
import torch

VALUES = ("True", "False", "true", "1", "0", "11", "19", "20", "21", "64abc", "-1", "x", "0.5", "1.5",
          "-0.5", "inf", "2G", "0G", "0.5G", "native", "other", "[a:1G,b:0.5]", "[a:x]", "[a]", "[]",
          "[4:2,>:8]", "[4:2", "[", "")


def is_taken(text):
    try:
        torch._C._accelerator_setAllocatorSettings(text)
        return True
    except (RuntimeError, ValueError, IndexError):
        return False


def is_option(word):
    """A known name without a value is another mistake than an unknown one."""
    try:
        torch._C._accelerator_setAllocatorSettings(word)
    except (RuntimeError, ValueError, IndexError) as failure:
        return "Unrecognized key" not in str(failure)
    return True


def words_of_libraries():
    folder = pathlib.Path(torch.__file__).parent / "lib"
    words = set()
    for name in ("libc10.so", "libc10_cuda.so"):
        found = re.findall(rb"[a-z][a-z0-9_]{5,60}", (folder / name).read_bytes())
        words |= {word.decode() for word in found if b"_" in word}
    return words


def back_to_defaults():
    for text in ("large_segment_size_mb:20", "expandable_segments:False",
                 "per_process_memory_fraction:1.0", "throw_on_cudamalloc_oom:False", ""):
        torch._C._accelerator_setAllocatorSettings(text)


def main():
    torch.empty(1 << 20, device="cuda")
    known = set(os.environ["SUITE_NAMES"].split(","))
    names = sorted(name for name in known | words_of_libraries() if is_option(name))
    taken = {}
    for name in names:
        for value in VALUES:
            back_to_defaults()
            taken[f"{name}:{value}"] = is_taken(f"{name}:{value}")
    back_to_defaults()
    print("TAKEN " + json.dumps(taken))


main()
