"""As much of an inference engine as `vramlab serve` touches, made for its tests: functions of the same names, on the
fake PyTorch, whose history it fills with requests that have a segment each."""

import os

__version__ = "0.21.0" if os.environ.get("FAKE_ENGINE_FAILS") == "older" else "0.33.0"
