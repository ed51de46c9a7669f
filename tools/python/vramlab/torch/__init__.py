"""vramlab beside a running PyTorch (docs/guide/python.md).

    import vramlab.torch
    vramlab.torch.explain_oom()
"""

from vramlab.torch.callbacks import lightning_callback, trainer_callback
from vramlab.torch.fitting import fit
from vramlab.torch.oom import explain_oom
from vramlab.torch.recorder import record
from vramlab.torch.watching import Watch, watch

__all__ = ["Watch", "explain_oom", "fit", "lightning_callback", "record", "trainer_callback", "watch"]
