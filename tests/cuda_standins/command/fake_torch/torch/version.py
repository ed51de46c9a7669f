import os

__version__ = os.environ.get("FAKE_TORCH_VERSION", "2.6.0+fake")
cuda = None if os.environ.get("FAKE_TORCH_WITHOUT_CUDA") else "12.4"
