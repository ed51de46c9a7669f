"""The clients: packages of PyPI that use a GPU, and how each is installed."""

import dataclasses


@dataclasses.dataclass(frozen=True)
class Client:
    name: str
    """Its program is programs/NAME.py."""
    package: str
    """The package whose version is told."""
    packages: tuple[str, ...]
    alone: tuple[str, ...] = ()
    """Packages that are installed without what they depend on, as NVIDIA's libraries have stand-ins."""
    options: tuple[str, ...] = ()
    """Options of the dry run."""


CLIENTS = (
    Client("numba", "numba-cuda", ("numba", "numba-cuda")),
    Client("cupy", "cupy-cuda12x", ("cupy-cuda12x", "nvidia-cuda-runtime-cu12")),
    Client("cuda_python", "cuda-python", ("cuda-python",)),
    Client("jax", "jax", ("jax",), alone=("jax-cuda12-plugin", "jax-cuda12-pjrt")),
    Client("tensorflow", "tensorflow", ("tensorflow",)),
    Client("onnxruntime", "onnxruntime-gpu", ("onnxruntime-gpu", "onnx")),
    Client("faiss", "faiss-gpu-cu12", ("faiss-gpu-cu12",)),
    Client("ctranslate2", "ctranslate2", ("ctranslate2",)),
    Client("xgboost", "xgboost", ("numpy", "scipy"), alone=("xgboost",)),
    Client("catboost", "catboost", ("catboost",)),
    Client("warp", "warp-lang", ("warp-lang",)),
    Client("tinygrad", "tinygrad", ("tinygrad", "numpy")),
    Client("taichi", "taichi", ("taichi",)),
)
