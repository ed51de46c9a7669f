"""Callbacks of frameworks. Each framework is imported when its callback is made."""

from typing import Any, Optional

from vramlab.torch.oom import explain_oom
from vramlab.torch.watching import Log, Scalars, Watch


def trainer_callback(
    every: int = 100,
    *,
    log: Optional[Log] = None,
    scalars: Optional[Scalars] = None,
    explains: bool = True,
    kinds: bool = False,
) -> Any:
    """A callback for Hugging Face's Trainer: `Trainer(..., callbacks=[trainer_callback()])`. It
    watches the steps and, unless `explains` is False, explains an out-of-memory. With `kinds`, the
    recording of it knows what blocks of memory hold."""
    from transformers import TrainerCallback

    watching = Watch(every, log, scalars, None)

    class VramlabCallback(TrainerCallback):  # type: ignore[misc]
        """Steps of Trainer."""

        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            """Before the first step."""
            if explains:
                explain_oom(args.output_dir or ".", kinds=kinds)

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            """After each step."""
            watching.note(state.global_step)

    return VramlabCallback()


def lightning_callback(
    every: int = 100,
    *,
    log: Optional[Log] = None,
    scalars: Optional[Scalars] = None,
    explains: bool = True,
    kinds: bool = False,
) -> Any:
    """A callback for Lightning: `Trainer(callbacks=[lightning_callback()])`. It does the same."""
    try:
        from lightning.pytorch import Callback
    except ImportError:
        from pytorch_lightning import Callback

    watching = Watch(every, log, scalars, None)

    class VramlabCallback(Callback):  # type: ignore[misc]
        """Steps of Lightning."""

        def on_fit_start(self, trainer: Any, pl_module: Any) -> None:
            """Before the first step."""
            if explains:
                explain_oom(trainer.default_root_dir or ".", kinds=kinds)

        def on_train_batch_end(self, trainer: Any, pl_module: Any, *_: Any, **__: Any) -> None:
            """After each batch."""
            watching.note(trainer.global_step)

    return VramlabCallback()
