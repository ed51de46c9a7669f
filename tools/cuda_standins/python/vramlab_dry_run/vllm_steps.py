"""vLLM's engine asks the device after each step how many words it has sampled for each request. A
kernel of its own has counted them: one for each request whose prompt is over by then, as the host
knows too. With zeros the engine would run for ever."""

import os

from vramlab_dry_run import place

_FILE = os.path.join("vllm", "v1", "worker", "gpu", "async_utils.py")


def answer(source, frame):
    """The numbers that lie at this address of the device; None where it is not vLLM that reads."""
    output = _output_of_step(frame)
    if output is None:
        return None
    [counts] = place.variables_of(output, "num_sampled_tokens")
    [batch] = place.variables_of(output.f_back, "input_batch")
    if counts is None or counts.data_ptr() != source:
        return None
    ends = batch.num_computed_tokens_np + batch.num_scheduled_tokens
    return [int(end >= prompt) for end, prompt in zip(ends.tolist(), batch.prefill_len_np.tolist())]


def _output_of_step(frame):
    while frame is not None:
        code = frame.f_code
        if code.co_name == "__init__" and code.co_filename.endswith(_FILE):
            return frame
        frame = frame.f_back
    return None
