"""A small training with variable lengths on two streams, the same in each run: losses and seconds."""

import time


def train(steps=30):
    import torch
    torch.manual_seed(1)
    torch.use_deterministic_algorithms(True)
    layer = torch.nn.TransformerEncoderLayer(512, 8, 2048, dropout=0.0, batch_first=True)
    model = torch.nn.Sequential(torch.nn.Linear(256, 512), torch.nn.TransformerEncoder(layer, 4),
                                torch.nn.Linear(512, 10)).cuda()
    optimizer = torch.optim.AdamW(model.parameters(), lr=0.001)
    side = torch.cuda.Stream()
    losses = []
    began = 0.0
    for step in range(steps):
        if step == steps // 3:
            torch.cuda.synchronize()
            began = time.monotonic()
        with torch.cuda.stream(side):
            batch = torch.randn(8, 64 + 8 * (step % 11), 256, device="cuda")
        torch.cuda.current_stream().wait_stream(side)
        batch.record_stream(torch.cuda.current_stream())
        loss = model(batch).square().mean()
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        losses.append(loss.item())
    torch.cuda.synchronize()
    return {"losses": losses, "ms_per_step": 1000 * (time.monotonic() - began) / (steps * 2 // 3)}


def fail_softly(reason):
    import sys
    print(f"SKIPPED: {reason}. NOTHING WAS TESTED ON A GPU.")
    sys.exit(77)


def needs_gpu():
    try:
        import torch
    except ImportError:
        fail_softly("torch is missing")
    if not torch.cuda.is_available():
        fail_softly("torch finds no GPU")


def answer_of(*command, **environment):
    """The answer that a run of this or another script tells in its last line."""
    import json
    import os
    import subprocess
    run = subprocess.run(command, capture_output=True, text=True, env={
        **os.environ, "CUBLAS_WORKSPACE_CONFIG": ":4096:8", **environment})
    if run.returncode != 0:
        raise RuntimeError(f"{command} ended with {run.returncode}:\n{run.stdout}{run.stderr}")
    return json.loads(run.stdout.splitlines()[-1])
