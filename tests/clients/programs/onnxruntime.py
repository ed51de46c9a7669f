"""ONNX Runtime: a product of matrices with the provider for CUDA."""

import sys

sys.path.pop(0)

import numpy
import onnx
import onnxruntime
from onnx import TensorProto, helper

shape = [512, 512]
graph = helper.make_graph([helper.make_node("MatMul", ["a", "b"], ["c"])], "product",
                          [helper.make_tensor_value_info(name, TensorProto.FLOAT, shape) for name in "ab"],
                          [helper.make_tensor_value_info("c", TensorProto.FLOAT, shape)])
model = helper.make_model(graph, opset_imports=[helper.make_opsetid("", 17)], ir_version=9)
session = onnxruntime.InferenceSession(model.SerializeToString(), providers=["CUDAExecutionProvider"])
assert session.get_providers()[0] == "CUDAExecutionProvider", session.get_providers()
ones = numpy.ones(shape, dtype=numpy.float32)
assert session.run(None, {"a": ones, "b": ones})[0].shape == (512, 512)
