from torch.cuda import memory  # noqa: F401

figures = {}


def _lazy_call(function):
    function()


def is_initialized():
    return True


def device_count():
    return 1


def memory_stats(_):
    return figures
