"""Phases of SGLang: the functions of its scheduler and its model runner, and the figures that its objects have.
Seen in 0.5.23. All names of SGLang that `vramlab serve` needs are in here.

It has no profiling run: the share of the memory that it leaves is the room for activations. With CUDA graphs of
prefills, its cache is first only reserved addresses, and gets the memory that is left once graphs were captured."""

import os
import sys

from vramlab_dry_run import import_watch, phases, place

_SCHEDULER = "sglang.srt.managers.scheduler"
_RUNNER = "sglang.srt.model_executor.model_runner"
_LOADING = "sglang.srt.model_executor.model_runner_components.load_model_utils"
_GRAPHS = "sglang.srt.model_executor.model_runner_components.cuda_graph_setup"
_POOLS = "sglang.srt.mem_cache.memory_pool"
_CAPTURES = {os.path.join("model_executor", "runner", "%s_cuda_graph_runner.py" % kind): kind
             for kind in ("prefill", "decode")}
# The engine's figures are numbers of GiB, exact to the byte.
_GIB = 1 << 30
# A step since the last time that nothing was to do.
_is_busy = False


def watch():
    import_watch.call_after_import(_SCHEDULER, _scheduler_is_there)
    import_watch.call_after_import(_RUNNER, _runner_is_there)
    import_watch.call_after_import(_LOADING, _loading_is_there)
    import_watch.call_after_import(_GRAPHS, _graphs_are_there)
    import_watch.call_after_import(_POOLS, _pools_are_there)


def _scheduler_is_there(module):
    phases.is_engine("sglang", _size_of_graph)
    phases.serving()["version"] = getattr(sys.modules["sglang"], "__version__", None)
    phases.stand_from(module, "Scheduler.init_all_attention_backends", "Scheduler.init_model_worker", "warm_up",
                      _is_ready)
    phases.stand_around_steps(module, "Scheduler.run_batch", _tokens_of_step)
    phases.stand_around_idling(module, "Scheduler.on_idle", _has_ended_all)


def _runner_is_there(module):
    phases.stand_around(module, "ModelRunner.init_torch_distributed", "start", _started)
    phases.stand_around(module, "ModelRunner.load_model", "load", _loaded)
    phases.stand_around(module, "ModelRunner.alloc_memory_pool", "cache", _has_cache)
    phases.stand_around(module, "ModelRunner.post_capture_resize_kv_pool", "cache_backing", _has_backed_cache)


def _loading_is_there(module):
    phases.stand_around(module, "load_model_with_memory_saver", "weights")


def _graphs_are_there(module):
    phases.stand_around(module, "capture_prefill_graph", "graphs", _captured)
    phases.stand_around(module, "capture_decode_graph", "graphs", _captured)


def _pools_are_there(module):
    phases.stand_around(module, "MHATokenToKVPool._create_buffers", "cache_tensors")


def _bytes(gibibytes):
    return int(round(gibibytes * _GIB))


def _read_bytes(told, of, name):
    phases.read(told, of, name)
    says = phases.serving()["says"]
    if told in says:
        says[told] = _bytes(says[told])


def _started(args, kwargs, result):
    runner = args[0]
    if runner.is_draft_worker:
        return
    phases.serving()["says"]["device_bytes"] = phases.device_bytes()
    _read_bytes("free_bytes", runner, "pre_model_load_memory")
    for told, name in (("utilization", "mem_fraction_static"), ("longest_request", "model_config.context_len")):
        phases.read(told, runner, name)
    says = phases.serving()["says"]
    if "free_bytes" in says and "utilization" in says:
        says["room_bytes"] = int(round(says["free_bytes"] * (1 - says["utilization"])))


def _loaded(args, kwargs, result):
    """By how much the free memory fell, which is that of segments."""
    _read_bytes("weights_bytes", args[0], "weight_load_mem_usage")


def _has_cache(args, kwargs, result):
    runner = args[0]
    if runner.is_draft_worker:
        return
    _tell_capacity(runner)
    pool, says = runner.token_to_kv_pool, phases.serving()["says"]
    # Numbers of NumPy, which JSON does not know.
    says["cache_bytes"] = int(sum(pool.get_kv_size_bytes()))
    # Rows for tokens that only fill up a batch.
    says["block_tokens"] = says["spare_tokens"] = pool.page_size
    says["cache_blocks"] = (pool.size + pool.page_size) // pool.page_size


def _tell_capacity(runner):
    for told, name in (("cache_tokens", "max_total_num_tokens"), ("requests_in_batch", "max_running_requests")):
        phases.read(told, runner, name)
    says = phases.serving()["says"]
    if says.get("longest_request"):
        says["most_requests"] = says.get("cache_tokens", 0) / says["longest_request"]


def _has_backed_cache(args, kwargs, result):
    _tell_capacity(args[0])


def _captured(args, kwargs, result):
    """By how much the free memory fell while they were captured."""
    says = phases.serving()["says"]
    says["graphs_bytes"] = says.get("graphs_bytes", 0) + _bytes(result.memory_usage_gb)


def _is_ready(args, kwargs, result):
    phases.read("tokens_in_batch", sys.modules["sglang.srt.runtime_context"].get_schedule(), "chunked_prefill_size")
    phases.read("rank", args[0].tp_worker.model_runner, "gpu_id")
    phases.ready()


def _tokens_of_step(scheduler, batch, *args, **kwargs):
    global _is_busy
    _is_busy = True
    return batch.extend_num_tokens or len(batch.reqs)


def _has_ended_all(scheduler):
    global _is_busy
    if not _is_busy or not scheduler.is_fully_idle():
        return False
    _is_busy = False
    return True


def _size_of_graph(frame):
    """The tokens of a prefill, or the requests of a step of decoding, that a graph is for."""
    size = None
    while frame is not None:
        code = frame.f_code
        if code.co_name == "capture_one" and size is None:
            [key] = place.variables_of(frame, "shape_key")
            size = getattr(key, "size", None)
        kind = next((kind for end, kind in _CAPTURES.items() if code.co_filename.endswith(end)), None)
        if kind:
            return "%s %s" % (kind, size) if size is not None else None
        frame = frame.f_back
    return None
