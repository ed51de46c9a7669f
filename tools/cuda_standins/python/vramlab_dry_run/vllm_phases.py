"""Phases of vLLM: the functions of its worker and its model runners, and the figures that its objects have.
Seen in 0.33.0 and 0.21.0. All names of vLLM that `vramlab serve` needs are in here."""

import os
import sys

from vramlab_dry_run import import_watch, phases, place

_WORKER = "vllm.v1.worker.gpu_worker"
_ENGINE = "vllm.v1.engine.core"
_CACHE = "vllm.v1.worker.utils"
# Names of 0.21, whose older runner has a method for its cache.
_OLDER_CACHE = "vllm.v1.worker.gpu.attn_utils"
_CAPACITY = "vllm.v1.core.kv_cache_utils"
_ADAPTERS = "vllm.v1.worker.lora_model_runner_mixin"
_LOADER = "vllm.model_executor.model_loader.base_loader"
# The newer model runner, and the one before it.
_RUNNERS = ("vllm.v1.worker.gpu.model_runner", "vllm.v1.worker.gpu_model_runner")
_CAPTURES = os.path.join("vllm", "v1", "worker", "gpu", "cudagraph_utils.py")
# The most requests of the maximal length; 0.21 keeps it nowhere.
_told_capacity = None


def watch():
    import_watch.call_after_import(_WORKER, _worker_is_there)
    import_watch.call_after_import(_ENGINE, _engine_is_there)
    import_watch.call_after_import(_LOADER, _loader_is_there)
    import_watch.call_after_import(_CACHE, _cache_is_there)
    import_watch.call_after_import(_OLDER_CACHE, _older_cache_is_there)
    import_watch.call_after_import(_CAPACITY, _capacity_is_there)
    import_watch.call_after_import(_ADAPTERS, _adapters_are_there)
    for runner in _RUNNERS:
        import_watch.call_after_import(runner, _runner_is_there)


def _worker_is_there(module):
    phases.is_engine("vllm", _size_of_graph)
    version = getattr(sys.modules["vllm"], "__version__", None)
    phases.serving()["version"] = version
    phases.stand_around(module, "Worker.init_device", "start", _started)
    phases.stand_around(module, "Worker.load_model", "load", _loaded)
    phases.stand_around(module, "Worker.determine_available_memory", "profile", _profiled)
    phases.stand_around(module, "Worker.initialize_from_config", "cache", _has_cache)
    phases.stand_around(module, "Worker.compile_or_warm_up_model", "warm_up", _warmed_up)
    phases.stand_around(module, "Worker.sleep", "sleep", _fell_asleep)
    phases.stand_around(module, "Worker.wake_up", "wake_up", _woke_up)
    phases.stand_around_steps(module, "Worker.execute_model", _tokens_of_step)
    phases.stand_around_steps(module, "Worker.sample_tokens", lambda *args, **kwargs: None)


def _loader_is_there(module):
    phases.stand_around(module, "BaseModelLoader.load_model", "weights")


def _adapters_are_there(module):
    """Room for adapters counts as weights, for the engine as well."""
    phases.stand_around(module, "LoRAModelRunnerMixin.load_lora_model", "weights")


def _cache_is_there(module):
    if not _is_older():
        phases.stand_around(module, "allocate_kv_cache", "cache_tensors")


def _is_older():
    """Whether layers have caches of their own, as in 0.21, instead of parts of one."""
    version = getattr(sys.modules["vllm"], "__version__", "").split(".")
    return len(version) > 1 and version[0] == "0" and version[1].isdigit() and int(version[1]) < 22


def _older_cache_is_there(module):
    if _is_older():
        phases.stand_around(module, "_allocate_kv_cache", "cache_tensors")


def _capacity_is_there(module):
    if _is_older():
        phases.stand_around(module, "get_max_concurrency_for_kv_cache_config", "capacity", _has_older_capacity)


def _runner_is_there(module):
    if _is_older() and module.__name__ == _RUNNERS[1]:
        phases.stand_around(module, "GPUModelRunner._allocate_kv_cache_tensors", "cache_tensors")
    phases.stand_around(module, "GPUModelRunner.profile_run", "forward")
    phases.stand_around(module, "GPUModelRunner.profile_cudagraph_memory", "estimate")
    phases.stand_around(module, "GPUModelRunner.capture_model", "graphs", _captured)


def _engine_is_there(module):
    phases.stand_around(module, "EngineCore._initialize_kv_caches", "engine", _has_capacity)


def _started(args, kwargs, result):
    for told, name in (("device_bytes", "init_snapshot.total_memory"), ("free_bytes", "init_snapshot.free_memory"),
                       ("requested_bytes", "requested_memory"),
                       ("utilization", "cache_config.gpu_memory_utilization"),
                       ("longest_request", "model_config.max_model_len"),
                       ("tokens_in_batch", "scheduler_config.max_num_batched_tokens"),
                       ("requests_in_batch", "scheduler_config.max_num_seqs"),
                       ("rank", "rank"), ("ranks", "parallel_config.world_size")):
        phases.read(told, args[0], name)


def _loaded(args, kwargs, result):
    phases.read("weights_bytes", args[0], "model_runner.model_memory_usage")


def _profiled(args, kwargs, result):
    phases.read("cache_budget_bytes", args[0], "available_kv_cache_memory_bytes")
    phases.read("graphs_estimate_bytes", args[0], "cudagraph_memory_estimate")
    phases.read("activations_bytes", args[0], "peak_activation_memory")
    # The engine adds its estimate of the graphs, unless it is told not to. 0.21 does not.
    says = phases.serving()["says"]
    if not _is_older() and sys.modules["vllm.envs"].VLLM_MEMORY_PROFILER_ESTIMATE_CUDAGRAPHS and \
            "activations_bytes" in says:
        says["activations_bytes"] -= says.get("graphs_estimate_bytes", 0)


def _has_cache(args, kwargs, result):
    cache = args[1] if len(args) > 1 else kwargs["kv_cache_config"]
    says = phases.serving()["says"]
    phases.read("cache_blocks", cache, "num_blocks")
    # All layers share one allocation; where there are several, nobody says which is whose. In 0.21 each is of some
    # layers.
    sizes = [tensor.size for tensor in cache.kv_cache_tensors]
    says["cache_bytes"] = sum(sizes) if len(sizes) == 1 or _is_older() else None
    sizes = {group.kv_cache_spec.block_size for group in cache.kv_cache_groups}
    # Groups of layers with other blocks share the cache in a way of their own.
    says["block_tokens"] = sizes.pop() if len(cache.kv_cache_groups) == 1 else None


def _captured(args, kwargs, result):
    if kwargs.get("profile_only"):
        return
    says = phases.serving()["says"]
    says["graphs_bytes"] = result
    phases.read("graph_sizes", args[0], "compilation_config.cudagraph_capture_sizes")
    phases.read("graphs_mode", args[0], "compilation_config.cudagraph_mode.name")


def _warmed_up(args, kwargs, result):
    phases.ready()


def _fell_asleep(args, kwargs, result):
    says = phases.serving()["says"]
    says["asleep_bytes"] = phases.in_use()
    says["asleep_host_bytes"] = phases.pinned()
    phases.save()


def _woke_up(args, kwargs, result):
    phases.serving()["says"]["awake_bytes"] = phases.in_use()
    phases.save()


def _tokens_of_step(worker, scheduler_output):
    return scheduler_output.total_num_scheduled_tokens


def _has_older_capacity(args, kwargs, result):
    global _told_capacity
    _told_capacity = result


def _has_capacity(args, kwargs, result):
    config = args[1] if len(args) > 1 else kwargs["vllm_config"]
    if _is_older():
        # As its log says it.
        phases.serving()["says"].update(
            most_requests=_told_capacity, cache_tokens=int(_told_capacity * config.model_config.max_model_len))
    else:
        phases.read("cache_tokens", config, "cache_config.kv_cache_size_tokens")
        phases.read("most_requests", config, "cache_config.kv_cache_max_concurrency")
    phases.read("longest_request", config, "model_config.max_model_len")
    phases.save()


def _size_of_graph(frame):
    """The number of tokens that the newer model runner captures for; None in the other one."""
    while frame is not None:
        code = frame.f_code
        if code.co_name == "capture" and code.co_filename.endswith(_CAPTURES):
            [asked] = place.variables_of(frame, "desc")
            if asked is not None:
                return "%s %d" % (asked.cg_mode.name.lower(), asked.num_tokens)
        frame = frame.f_back
    return None
