"""vLLM calls CUDA's runtime by itself, for its memory that sleeps and for ranks that share buffers. It takes the first
library with that name that the process has loaded, which may be a copy that another package brought along and that
does not run here. So it gets PyTorch's."""

import sys

from vramlab_dry_run import import_watch, report


def watch():
    import_watch.call_after_import("vllm.distributed.device_communicators.cuda_wrapper", _wrapper_is_there)


@report.guarded
def _wrapper_is_there(module):
    find = module.find_loaded_library

    def find_loaded_library(name):
        if name != "libcudart":
            return find(name)
        return "libcudart.so.%s" % sys.modules["torch"].version.cuda.partition(".")[0]

    module.find_loaded_library = find_loaded_library
