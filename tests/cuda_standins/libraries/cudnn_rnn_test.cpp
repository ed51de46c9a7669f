// Sizes and places of an RNN's weights, beside figures computed by hand.
#include "tests/cuda_standins/libraries/library_test.h"

namespace vramlab::dry_run {
namespace {

struct Shape {
  int cell;  // 1 tanh, 2 LSTM, 3 GRU
  int bias;  // 2: both, 0: none
  int is_bidirectional;
  int input_size;
  int hidden_size;
  int projected_size;
  int layers;
};

class CudnnRnn : public LibraryTest {
 protected:
  void* rnn(const Shape& shape) {
    void* made = nullptr;
    library_.call("cudnnCreateRNNDescriptor", &made);
    EXPECT_EQ(library_.call("cudnnSetRNNDescriptor_v8", made, 0, shape.cell, shape.bias,
                            shape.is_bidirectional, 0, 0, 0, 0, shape.input_size, shape.hidden_size,
                            shape.projected_size, shape.layers, nullptr, 0U),
              0);
    return made;
  }
  std::size_t weight_floats(const Shape& shape) {
    std::size_t bytes = 0;
    EXPECT_EQ(library_.call("cudnnGetRNNWeightSpaceSize", nullptr, rnn(shape), &bytes), 0);
    return bytes / sizeof(float);
  }
  /// In floats from the beginning; -1 where there is none.
  std::ptrdiff_t place(void* descriptor, int pseudo_layer, int linear_layer, bool of_bias = false) {
    static float weights[1];
    void* matrix = nullptr;
    void* bias = nullptr;
    EXPECT_EQ(
        library_.call("cudnnGetRNNWeightParams", nullptr, descriptor, pseudo_layer, std::size_t{0},
                      weights, linear_layer, nullptr, &matrix, nullptr, &bias),
        0);
    void* const found = of_bias ? bias : matrix;
    if (found == nullptr) return -1;
    return (static_cast<char*>(found) - reinterpret_cast<char*>(weights)) / 4;
  }

  const Library library_{"libcudnn.so.9"};
};

TEST_F(CudnnRnn, lstm_has_four_gates_with_two_biases) {
  // 4 x (20 x 10 + 20 x 20 + 2 x 20)
  EXPECT_EQ(weight_floats({2, 2, 0, 10, 20, 0, 1}), 2560U);
  EXPECT_EQ(weight_floats({2, 0, 0, 10, 20, 0, 1}), 2400U);
}

TEST_F(CudnnRnn, second_layer_takes_both_directions_of_the_first) {
  // 2 x 3 x (20 x 10 + 20 x 20 + 2 x 20), then 2 x 3 x (20 x 40 + 20 x 20 + 2 x 20)
  EXPECT_EQ(weight_floats({3, 2, 1, 10, 20, 0, 2}), 11280U);
}

TEST_F(CudnnRnn, plain_cell_has_one_gate) {
  EXPECT_EQ(weight_floats({1, 2, 0, 10, 20, 0, 1}), 640U);
}

TEST_F(CudnnRnn, projection_shortens_the_recurrence_and_the_next_layer) {
  // 4 x (20 x 10 + 20 x 8 + 2 x 20) + 8 x 20, then 4 x (20 x 8 + 20 x 8 + 2 x 20) + 8 x 20
  EXPECT_EQ(weight_floats({2, 2, 0, 10, 20, 8, 2}), 3360U);
}

TEST_F(CudnnRnn, matrices_come_gate_by_gate_and_biases_behind_all) {
  void* const lstm = rnn({2, 2, 0, 10, 20, 0, 2});
  EXPECT_EQ(place(lstm, 0, 0), 0);
  EXPECT_EQ(place(lstm, 0, 1), 200);
  EXPECT_EQ(place(lstm, 0, 4), 800);
  EXPECT_EQ(place(lstm, 1, 0), 2400);
  EXPECT_EQ(place(lstm, 0, 0, true), 2400 + 3200);
  EXPECT_EQ(place(lstm, 1, 7, true), 2400 + 3200 + 15 * 20);
}

TEST_F(CudnnRnn, what_is_not_there_has_no_address) {
  void* const tanh = rnn({1, 0, 0, 10, 20, 0, 1});
  EXPECT_EQ(place(tanh, 0, 0, true), -1);
  EXPECT_EQ(place(tanh, 0, 2), -1);
  EXPECT_EQ(place(tanh, 1, 0), -1);
}

TEST_F(CudnnRnn, matrix_has_the_shape_of_its_gate) {
  void* matrix = nullptr;
  library_.call("cudnnCreateTensorDescriptor", &matrix);
  void* address = nullptr;
  library_.call("cudnnGetRNNWeightParams", nullptr, rnn({2, 2, 0, 10, 20, 0, 1}), 0, std::size_t{0},
                nullptr, 0, matrix, &address, nullptr, nullptr);
  int dimensions = 0;
  int sizes[3] = {};
  library_.call("cudnnGetTensorNdDescriptor", matrix, 3, nullptr, &dimensions, sizes, nullptr);
  EXPECT_EQ(dimensions, 3);
  EXPECT_EQ(sizes[0], 1);
  EXPECT_EQ(sizes[1], 20);
  EXPECT_EQ(sizes[2], 10);
}

TEST_F(CudnnRnn, reserve_is_modelled_and_for_training_only) {
  void* data = nullptr;
  library_.call("cudnnCreateRNNDataDescriptor", &data);
  const int lengths[] = {5, 5, 5};
  library_.call("cudnnSetRNNDataDescriptor", data, 0, 0, 5, 3, 10, lengths, nullptr);
  std::size_t work = 0;
  std::size_t reserve = 0;
  void* const lstm = rnn({2, 2, 0, 10, 20, 0, 1});
  library_.call("cudnnGetRNNTempSpaceSizes", nullptr, lstm, 1, data, &work, &reserve);
  EXPECT_EQ(reserve, 5U * 3 * 20 * 5 * 4 + 256);
  EXPECT_EQ(work, (8U << 20) + (2400 + 2 * 5 * 3 * 10 + (4 * 5 + 6) * 3 * 20) * 4);
  library_.call("cudnnGetRNNTempSpaceSizes", nullptr, lstm, 0, data, &work, &reserve);
  EXPECT_EQ(reserve, 0U);
  EXPECT_EQ(doings().notes_of("modelled", "cudnn workspace"), 2);
}

}  // namespace
}  // namespace vramlab::dry_run
