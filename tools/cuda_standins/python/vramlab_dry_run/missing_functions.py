"""Functions that PyTorch's libraries look for in CUDA's and no stand-in exports: such a name would
end the program when PyTorch is loaded. A library written for this run has them, and notes their
calls."""

import ctypes
import os
import platform
import re

from vramlab_dry_run import elf_symbols, report, stub_library

# LAPACK's names end with an underscore, as those of Fortran do.
_OF_CUDA = re.compile("(cu(?!.*_$)|nccl|nvrtc|nvtx|nvshmem|nvml|nvJitLink|__cuda)")
# As the runtime and the driver say "not supported"; 0 is success elsewhere.
_NOT_SUPPORTED = 801
_kept = []


def _names_in(folder, names_of):
    """The sets of names of each library in a folder."""
    for name in sorted(os.listdir(folder)) if os.path.isdir(folder) else []:
        if ".so" in name:
            try:
                yield names_of(os.path.join(folder, name))
            except (elf_symbols.NotElf, OSError):
                continue


def _names_missing(torch_folder):
    """Mostly the stand-ins have all, and what PyTorch's libraries export is not read."""
    torchs = os.path.join(torch_folder, "lib")
    stand_ins = os.path.join(os.path.dirname(os.path.dirname(os.path.dirname(
        os.path.abspath(__file__)))), "lib")
    wanted = {name for needed in _names_in(torchs, elf_symbols.needed_names) for name in needed
              if _OF_CUDA.match(name)}
    for folder in (stand_ins, torchs):
        for exported in _names_in(folder, elf_symbols.exported_names) if wanted else ():
            wanted -= exported
    return sorted(wanted)


def _answer(name):
    is_of_cuda = re.match("cu(da)?[A-Z]", name) and not re.match("cu[A-Z]+[a-z]*_", name)
    return _NOT_SUPPORTED if is_of_cuda else 0


@report.guarded
def provide(spec):
    """Called when the program is about to import torch."""
    folder = os.path.dirname(os.path.abspath(spec.origin))
    names = _names_missing(folder)
    if not names:
        return
    report.values["missing_functions"] = names
    if not stub_library.is_written_for(platform.machine()):
        raise RuntimeError("no stand-in exports " + ", ".join(names))
    notes = os.environ["VRAMLAB_DRY_RUN_NOTES"]
    path = os.path.join(notes, "added.%d.so" % os.getpid())
    functions = [(name, _answer(name)) for name in names]
    image = stub_library.library_bytes(functions, "libvramlab_added.so")
    report.replace_file(path, lambda file: file.write(image))
    _kept.append(ctypes.CDLL(path, mode=ctypes.RTLD_GLOBAL))
    os.unlink(path)
