// cuDNN's descriptors, with the values that a program set. The values are cuDNN's own.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "tools/cuda_standins/libraries/kit/objects.h"

namespace vramlab::dry_run::cudnn {

constexpr int success = 0;
constexpr int bad_parameter = 2000;
constexpr int not_supported = 3000;

constexpr int most_dimensions = 8;

enum DataType : int {
  type_float = 0,
  type_double = 1,
  type_half = 2,
  type_int8 = 3,
  type_int32 = 4,
  type_uint8 = 6,
  type_bfloat16 = 9,
  type_int64 = 10,
  type_boolean = 11,
  type_float8_e4m3 = 12,
  type_float8_e5m2 = 13,
};

constexpr std::size_t bytes_of(int type) {
  switch (type) {
    case type_double:
    case type_int64:
      return 8;
    case type_half:
    case type_bfloat16:
      return 2;
    case type_int8:
    case type_uint8:
    case type_boolean:
    case type_float8_e4m3:
    case type_float8_e5m2:
      return 1;
    default:
      return 4;
  }
}

struct TensorDescriptor : Object {
  int type = type_float;
  int dimensions = 0;
  std::array<int, most_dimensions> sizes{};
  std::array<int, most_dimensions> strides{};
};

struct FilterDescriptor : Object {
  int type = type_float;
  int format = 0;  // 0: channels before places, 1: behind them
  int dimensions = 0;
  std::array<int, most_dimensions> sizes{};
};

struct ConvolutionDescriptor : Object {
  int dimensions = 0;
  std::array<int, most_dimensions> paddings{};
  std::array<int, most_dimensions> strides{};
  std::array<int, most_dimensions> dilations{};
  int mode = 0;
  int compute_type = type_float;
  int math_type = 0;
  int groups = 1;
  int reorder = 0;
};

struct DropoutDescriptor : Object {
  float probability = 0;
  void* states = nullptr;
  unsigned long long seed = 0;
};

struct RnnDescriptor : Object {
  int algorithm = 0;
  int cell = 0;       // 0 ReLU, 1 tanh, 2 LSTM, 3 GRU
  int bias = 2;       // 0 none, 1 at the input, 2 both, 3 at the recurrence
  int direction = 0;  // 1: bidirectional
  int input = 0;      // 1: the first layer has no matrix for its input
  int type = type_float;
  int compute_type = type_float;
  int math_type = 0;
  int input_size = 0;
  int hidden_size = 0;
  int projected_size = 0;
  int layers = 0;
  void* dropout = nullptr;
  unsigned flags = 0;
};

struct RnnDataDescriptor : Object {
  int type = type_float;
  int layout = 0;
  int steps = 0;
  int batch = 0;
  int vector = 0;
  std::vector<int> lengths;
  double padding = 0;
};

struct ActivationDescriptor : Object {
  int mode = 0;
  int nan = 0;
  double coefficient = 0;
  double swish_beta = 1;
};

struct CtcDescriptor : Object {
  int type = type_float;
  int normalization = 0;
  int gradient = 0;
  int longest_label = 0;
};

struct PoolingDescriptor : Object {
  int mode = 0;
  int nan = 0;
  int dimensions = 0;
  std::array<int, most_dimensions> windows{};
  std::array<int, most_dimensions> paddings{};
  std::array<int, most_dimensions> strides{};
};

}  // namespace vramlab::dry_run::cudnn
