"""One rank of vLLM alone (alone.py): what its ranks tell each other outside of PyTorch's process groups. They compare
a name in shared memory to learn whether they are on one machine, and send objects through it."""

from vramlab_dry_run import import_watch, report

_STATE = "vllm.distributed.parallel_state"
_QUEUE = "vllm.distributed.device_communicators.shm_broadcast"
_REDUCE = "vllm.distributed.device_communicators.custom_all_reduce"


def prepare():
    import_watch.call_after_import(_STATE, _state_is_there)
    import_watch.call_after_import(_QUEUE, _queue_is_there)
    import_watch.call_after_import(_REDUCE, _reduce_is_there)


@report.guarded
def _state_is_there(state):
    """All ranks are on one machine, where they take memory to reach each other."""
    group_size = state.torch.distributed.get_world_size

    def in_the_same_node_as(pg, source_rank=0):
        return [True] * group_size(group=pg)

    state.in_the_same_node_as = in_the_same_node_as


@report.guarded
def _queue_is_there(module):
    """Without a queue of their own the ranks send objects by PyTorch's groups."""
    module.MessageQueue.create_from_process_group = staticmethod(lambda *args, **kwargs: None)


@report.guarded
def _reduce_is_there(module):
    """After a capture the ranks open each other's buffers of the graphs, which takes no memory."""
    module.CustomAllreduce.register_graph_buffers = lambda self: None
