"""As much of SGLang as `vramlab serve` touches, made for its tests: functions of the same names, on the fake PyTorch,
whose history it fills with requests that have a segment each."""

__version__ = "0.5.23"
