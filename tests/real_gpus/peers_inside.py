"""The answer of another estimator about one program, in bytes or as a refusal, on one line of JSON. Run by peers.py, in the
folder of the program's source:

    peers_inside.py PEER MODE CONTEXT PRECISION

MODE is `forward` or `training`. The model, its batch and its step are those of NiuHuangxiaozi's profile_memory.py."""

import json
import sys

import torch
from cs336_basics.loss.loss import NIUCrossEntropyLoss
from cs336_basics.modules.TransformerLM import NiuTransformerLM
from cs336_basics.optimizer.optimizer import NIUAdam

BATCH, WORDS = 10, 10000


def made_model(context, device):
    return NiuTransformerLM(WORDS, 256, 512, 4, 16, 1344, WORDS, device=device)


def of_accelerate(training, context, mixed):
    """As `accelerate estimate-memory` computes it: inference is the model, training with Adam four times that."""
    from accelerate.utils import calculate_maximum_sizes

    whole, _ = calculate_maximum_sizes(made_model(context, "cpu"))
    return whole * (4 if training else 1)


def of_deepspeed(training, context, mixed):
    """States of the model on one GPU, which is all that its estimators tell."""
    from deepspeed.runtime.zero.stage_1_and_2 import estimate_zero2_model_states_mem_needs

    if not training:
        raise NotImplementedError("training only")
    count = sum(parameter.numel() for parameter in made_model(context, "cpu").parameters())
    _, on_gpu = estimate_zero2_model_states_mem_needs(total_params=count, num_gpus_per_node=1, num_nodes=1,
                                                      cpu_offload=False, additional_buffer_factor=1.5)
    return on_gpu


def of_mem_tracker(training, context, mixed):
    from torch._subclasses.fake_tensor import FakeTensorMode
    from torch.distributed._tools.mem_tracker import MemTracker

    with FakeTensorMode(), torch.autocast("cuda", dtype=torch.bfloat16, enabled=mixed):
        model = made_model(context, "cuda")
        optimizer = NIUAdam(model.parameters(), lr=0.001)
        tracker = MemTracker()
        tracker.track_external(model, optimizer)
        # It takes one step at a time; the first one of a training makes the states of the optimizer.
        for _ in range(2 if training else 1):
            with tracker:
                run_step(model, optimizer, training, context)
            peaks = tracker.get_tracker_snapshot("peak")
            tracker.reset_mod_stats()
    return max(peak["Total"] for peak in peaks.values())


def run_step(model, optimizer, training, context):
    words = torch.randint(0, WORDS, (BATCH, context)).to("cuda")
    labels = torch.randint(0, WORDS, (BATCH,)).to("cuda")
    optimizer.zero_grad()
    found = model(words)
    if training:
        NIUCrossEntropyLoss()(found[:, -1, :], labels).backward()
        optimizer.step()


def of_kitsune(training, context, mixed):
    """Without what it adds for CUDA's context, which is not the allocator's."""
    from kitsune.predict import predict_memory

    found = predict_memory(made_model(context, "cpu"), input_shape=(context,), batch_size=BATCH, optimizer="adam",
                           dtype=torch.bfloat16 if mixed else torch.float32, training=training)
    return found.total_bytes - found.overhead_bytes


def of_preflight(training, context, mixed):
    """Without what it adds for CUDA's context and for fragmentation."""
    from torch_preflight.vram.guard import VRAMGuard

    if not training:
        raise NotImplementedError("training only")
    model = made_model(context, "cpu")
    with VRAMGuard(model, optimizer=torch.optim.Adam(model.parameters()), batch_size=BATCH, seq_len=context,
                   max_vram="80GiB", precision="amp" if mixed else None, verify=False) as guard:
        parts = guard.report.breakdown
    return parts.total - parts.cuda_context - parts.fragmentation


PEERS = {"accelerate": of_accelerate, "deepspeed": of_deepspeed, "mem_tracker": of_mem_tracker, "kitsune": of_kitsune,
         "preflight": of_preflight}


def main():
    peer, mode, context, precision = sys.argv[1:]
    try:
        found = {"bytes": int(PEERS[peer](mode == "training", int(context), precision == "mixed"))}
    except Exception as error:
        found = {"refused": f"{type(error).__name__}: {error}".splitlines()[0][:200]}
    print("PEER", json.dumps(found))


main()
