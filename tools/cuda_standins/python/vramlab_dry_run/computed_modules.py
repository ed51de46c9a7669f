"""Modules of PyTorch whose results nobody computes: in their calls, computed values (computed.py) are off.
A linear layer under autocast would show three copies, a batch normalization two operations.

`vramlab_dry_run.kinds` sees the calls of modules, and calls these functions before them, and what they
return after them. A function around each call would make the stacks of all requests longer.
"""

from vramlab_dry_run import known_values


def beginnings(mode, nn):
    """By class, the function that is called before a call."""
    plain = _without_us(mode)
    normalizing = _normalizing(mode, plain)
    found = dict.fromkeys((nn.Linear, nn.LayerNorm, nn.GroupNorm, nn.Embedding, nn.Conv1d, nn.Conv2d,
                           nn.Conv3d, nn.ConvTranspose1d, nn.ConvTranspose2d, nn.ConvTranspose3d, nn.ReLU,
                           nn.ReLU6), plain)
    found.update(dict.fromkeys((nn.BatchNorm1d, nn.BatchNorm2d, nn.BatchNorm3d), normalizing))
    return found


def _without_us(mode):
    built_in, key = mode.torch._C, mode.key
    switch = built_in._dispatch_tls_set_dispatch_key_included
    is_on = built_in._dispatch_tls_is_dispatch_key_included

    def end():
        switch(key, True)

    def begin(module, args, kwargs):
        # Hooks are the program's own.
        if not is_on(key) or module._forward_hooks or module._forward_pre_hooks:
            return None
        switch(key, False)
        return end

    return begin


def _normalizing(mode, plain):
    """Its statistics change, and tell no version of it. Its counter of batches does, once for each."""
    known, entries, key_of = mode.known, mode.known.entries, known_values.key_of

    def begin(module, args, kwargs):
        buffers = module._buffers
        counter = buffers.get("num_batches_tracked")
        entry = None if counter is None else entries.get(key_of(counter))
        if entry is not None:
            if not mode.can_learn():
                known.forget(counter)
            elif not entry.counts_up:
                known.count_up(counter, entry)
        if module.training:
            for name in ("running_mean", "running_var"):
                if buffers.get(name) is not None and key_of(buffers[name]) in entries:
                    known.forget(buffers[name])
        return plain(module, args, kwargs)

    return begin
