// cuDNN's descriptors and the older calls for convolutions. The GPU is the default one of a dry
// run.
#include <array>

#include "tests/cuda_standins/libraries/library_test.h"

namespace vramlab::dry_run {
namespace {

constexpr int type_float = 0;
constexpr int type_half = 2;
constexpr int fma_math = 3;

struct Performance {
  int algorithm;
  int status;
  float time;
  std::size_t bytes;
  int is_deterministic;
  int math_type;
  int reserved[3];
};

class Cudnn : public LibraryTest {
 protected:
  void* create(const char* kind) {
    void* descriptor = nullptr;
    EXPECT_EQ(library_.call((std::string("cudnnCreate") + kind).c_str(), &descriptor), 0);
    return descriptor;
  }
  void* tensor(int type, std::array<int, 4> sizes, std::array<int, 4> strides) {
    void* const made = create("TensorDescriptor");
    EXPECT_EQ(
        library_.call("cudnnSetTensorNdDescriptor", made, type, 4, sizes.data(), strides.data()),
        0);
    return made;
  }
  void* filter(int type, int format, std::array<int, 4> sizes) {
    void* const made = create("FilterDescriptor");
    EXPECT_EQ(library_.call("cudnnSetFilterNdDescriptor", made, type, format, 4, sizes.data()), 0);
    return made;
  }
  void* convolution() {
    void* const made = create("ConvolutionDescriptor");
    const int ones[] = {1, 1};
    EXPECT_EQ(
        library_.call("cudnnSetConvolutionNdDescriptor", made, 2, ones, ones, ones, 1, type_float),
        0);
    return made;
  }

  const Library library_{"libcudnn.so.9"};
};

TEST_F(Cudnn, tensor_tells_what_was_set) {
  void* const made = tensor(type_half, {2, 3, 4, 5}, {60, 20, 5, 1});
  int type = 0;
  int dimensions = 0;
  int sizes[4] = {};
  int strides[4] = {};
  library_.call("cudnnGetTensorNdDescriptor", made, 4, &type, &dimensions, sizes, strides);
  EXPECT_EQ(type, type_half);
  EXPECT_EQ(dimensions, 4);
  EXPECT_EQ(sizes[3], 5);
  EXPECT_EQ(strides[0], 60);
  std::size_t bytes = 0;
  library_.call("cudnnGetTensorSizeInBytes", made, &bytes);
  EXPECT_EQ(bytes, 240U);
}

TEST_F(Cudnn, packed_tensor_with_channels_last_has_these_strides) {
  void* const made = create("TensorDescriptor");
  library_.call("cudnnSetTensor4dDescriptor", made, 1, type_float, 2, 3, 4, 5);
  int strides[4] = {};
  library_.call("cudnnGetTensorNdDescriptor", made, 4, nullptr, nullptr, nullptr, strides);
  EXPECT_EQ(strides[0], 60);
  EXPECT_EQ(strides[1], 1);
  EXPECT_EQ(strides[2], 15);
  EXPECT_EQ(strides[3], 3);
}

TEST_F(Cudnn, filter_and_convolution_tell_what_was_set) {
  void* const made = filter(type_half, 1, {8, 4, 3, 3});
  int format = 0;
  int sizes[4] = {};
  library_.call("cudnnGetFilterNdDescriptor", made, 4, nullptr, &format, nullptr, sizes);
  EXPECT_EQ(format, 1);
  EXPECT_EQ(sizes[0], 8);
  void* const its_convolution = convolution();
  library_.call("cudnnSetConvolutionGroupCount", its_convolution, 4);
  int groups = 0;
  library_.call("cudnnGetConvolutionGroupCount", its_convolution, &groups);
  EXPECT_EQ(groups, 4);
}

TEST_F(Cudnn, output_of_a_convolution_follows_from_its_reach) {
  void* const input = tensor(type_float, {2, 3, 8, 8}, {192, 64, 8, 1});
  int sizes[4] = {};
  library_.call("cudnnGetConvolutionNdForwardOutputDim", convolution(), input,
                filter(type_float, 0, {16, 3, 3, 3}), 4, sizes);
  EXPECT_EQ(sizes[0], 2);
  EXPECT_EQ(sizes[1], 16);
  EXPECT_EQ(sizes[2], 8);
}

TEST_F(Cudnn, fast_algorithm_needs_a_modelled_workspace_and_the_other_none) {
  void* const input = tensor(type_half, {1, 8, 4, 4}, {128, 16, 4, 1});
  void* const output = tensor(type_half, {1, 8, 4, 4}, {128, 16, 4, 1});
  void* const weights = filter(type_half, 0, {8, 8, 3, 3});
  Performance rows[2];
  int count = 0;
  EXPECT_EQ(library_.call("cudnnGetConvolutionForwardAlgorithm_v7", nullptr, input, weights,
                          convolution(), output, 2, &count, rows),
            0);
  ASSERT_EQ(count, 2);
  EXPECT_EQ(rows[0].bytes, 1680U);  // 128 + 576 + 128 halves, and 16 bytes
  EXPECT_EQ(rows[1].bytes, 0U);
  EXPECT_EQ(doings().notes_of("modelled", "cudnn workspace"), 1);
}

TEST_F(Cudnn, filter_of_one_place_is_a_matrix_product) {
  void* const picture = tensor(type_half, {4, 8, 4, 4}, {128, 16, 4, 1});
  void* const weights = filter(type_half, 0, {8, 8, 1, 1});
  std::size_t bytes = 1;
  library_.call("cudnnGetConvolutionForwardWorkspaceSize", nullptr, picture, weights, convolution(),
                picture, 1, &bytes);
  EXPECT_EQ(bytes, 0U);
  library_.call("cudnnGetConvolutionBackwardFilterWorkspaceSize", nullptr, picture, picture,
                convolution(), weights, 1, &bytes);
  EXPECT_EQ(bytes, 1024U);  // 4 pictures, 64 floats each
  void* const odd = tensor(type_half, {4, 8, 7, 7}, {392, 49, 7, 1});
  library_.call("cudnnGetConvolutionForwardWorkspaceSize", nullptr, odd, weights, convolution(),
                odd, 1, &bytes);
  EXPECT_EQ(bytes, 6288U);  // its rows begin where no vector does: both pictures, 16 bytes
}

TEST_F(Cudnn, channels_last_or_no_tensor_cores_need_no_workspace) {
  void* const input = tensor(type_half, {1, 8, 4, 4}, {128, 1, 32, 8});
  std::size_t bytes = 1;
  library_.call("cudnnGetConvolutionForwardWorkspaceSize", nullptr, input,
                filter(type_half, 1, {8, 8, 3, 3}), convolution(), input, 1, &bytes);
  EXPECT_EQ(bytes, 0U);
  void* const plain = tensor(type_float, {1, 8, 4, 4}, {128, 16, 4, 1});
  void* const exact = convolution();
  library_.call("cudnnSetConvolutionMathType", exact, fma_math);
  library_.call("cudnnGetConvolutionForwardWorkspaceSize", nullptr, plain,
                filter(type_float, 0, {8, 8, 3, 3}), exact, plain, 1, &bytes);
  EXPECT_EQ(bytes, 0U);
}

TEST_F(Cudnn, convolution_goes_to_the_stream_of_its_handle) {
  void* handle = nullptr;
  library_.call("cudnnCreate", &handle);
  library_.call("cudnnSetStream", handle, stream(4));
  EXPECT_EQ(library_.call("cudnnConvolutionForward", handle), 0);
  EXPECT_EQ(doings().works[stream(4)], 1);
}

TEST_F(Cudnn, version_is_what_the_hook_says) {
  library_.call<void>("vramlab_dry_run_set_cudnn_version", std::size_t{90100});
  EXPECT_EQ(library_.call<std::size_t>("cudnnGetVersion"), 90100U);
  int minor = 0;
  library_.call("cudnnGetProperty", 1, &minor);
  EXPECT_EQ(minor, 1);
}

}  // namespace
}  // namespace vramlab::dry_run
