from torch.cuda import graphs, memory
from torch.cuda.memory import mem_get_info

_queued_calls = []
_initialized = False


def _lazy_call(function):
    if _initialized:
        function()
    else:
        _queued_calls.append(function)


def init():
    global _initialized
    if not _initialized:
        for call in _queued_calls:
            call()
        _initialized = True


def current_device():
    return 0
