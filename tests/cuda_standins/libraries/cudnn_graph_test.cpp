// cuDNN's graphs: a convolution as PyTorch describes it, from tensors to an execution.
#include <array>
#include <cstdint>

#include "tests/cuda_standins/libraries/library_test.h"

namespace vramlab::dry_run {
namespace {

// Types of descriptors, of attributes, and attributes, as cuDNN numbers them.
enum : int {
  engine = 2,
  configuration = 3,
  heuristics = 4,
  plan = 5,
  forward = 10,
  graph = 15,
  tensor = 17
};
enum : int { of_handle = 0, of_type = 1, of_int64 = 3, of_note = 11, of_descriptor = 15 };

class CudnnGraph : public LibraryTest {
 protected:
  void* create(int kind) {
    void* made = nullptr;
    EXPECT_EQ(library_.call("cudnnBackendCreateDescriptor", kind, &made), 0);
    return made;
  }
  void set(void* descriptor, int attribute, int type, const void* values, std::int64_t count = 1) {
    EXPECT_EQ(library_.call("cudnnBackendSetAttribute", descriptor, attribute, type, count, values),
              0);
  }
  void finish(void* descriptor) { EXPECT_EQ(library_.call("cudnnBackendFinalize", descriptor), 0); }
  std::int64_t get(void* descriptor, int attribute, int type, std::int64_t wanted, void* values) {
    std::int64_t count = -1;
    EXPECT_EQ(library_.call("cudnnBackendGetAttribute", descriptor, attribute, type, wanted, &count,
                            values),
              0);
    return count;
  }

  void* made_tensor(std::array<std::int64_t, 4> sizes) {
    void* const made = create(tensor);
    const int half = 2;
    const std::int64_t strides[] = {sizes[1] * sizes[2] * sizes[3], sizes[2] * sizes[3], sizes[3],
                                    1};
    set(made, 901, of_type, &half);
    set(made, 902, of_int64, sizes.data(), 4);
    set(made, 903, of_int64, strides, 4);
    finish(made);
    return made;
  }
  void* made_graph() {
    void* const operation = create(forward);
    void* const tensors[] = {made_tensor({8, 8, 3, 3}), made_tensor({1, 8, 4, 4}),
                             made_tensor({1, 8, 4, 4})};
    for (int role = 0; role < 3; ++role) set(operation, 703 + role, of_descriptor, &tensors[role]);
    finish(operation);
    void* const made = create(graph);
    set(made, 801, of_descriptor, &operation);
    finish(made);
    return made;
  }
  /// Two configurations, as the heuristics tell them.
  std::array<void*, 2> made_configurations() {
    void* const its_graph = made_graph();
    void* const asked = create(heuristics);
    set(asked, 201, of_descriptor, &its_graph);
    finish(asked);
    EXPECT_EQ(get(asked, 202, of_descriptor, 0, nullptr), 2);
    std::array<void*, 2> made = {create(configuration), create(configuration)};
    EXPECT_EQ(get(asked, 202, of_descriptor, 2, made.data()), 2);
    return made;
  }
  void* made_plan(void* its_configuration) {
    void* const made = create(plan);
    set(made, 401, of_descriptor, &its_configuration);
    finish(made);
    return made;
  }

  const Library library_{"libcudnn.so.9"};
};

TEST_F(CudnnGraph, descriptor_tells_what_was_set) {
  void* const made = made_tensor({1, 8, 4, 4});
  std::int64_t sizes[8] = {};
  EXPECT_EQ(get(made, 902, of_int64, 8, sizes), 4);
  EXPECT_EQ(sizes[1], 8);
}

TEST_F(CudnnGraph, plans_have_the_workspace_of_the_model_or_none) {
  const auto configurations = made_configurations();
  std::int64_t bytes = -1;
  EXPECT_EQ(get(made_plan(configurations[0]), 402, of_int64, 1, &bytes), 1);
  EXPECT_EQ(bytes, 1680);  // 576 + 128 + 128 halves, and 16 bytes
  EXPECT_EQ(get(made_plan(configurations[1]), 402, of_int64, 1, &bytes), 1);
  EXPECT_EQ(bytes, 0);
  EXPECT_EQ(doings().notes_of("modelled", "cudnn workspace"), 2);
}

TEST_F(CudnnGraph, fast_engine_says_that_it_uses_tensor_cores) {
  const auto configurations = made_configurations();
  void* its_engine = create(engine);
  EXPECT_EQ(get(configurations[0], 300, of_descriptor, 1, &its_engine), 1);
  int notes[4] = {-1, -1, -1, -1};
  EXPECT_EQ(get(its_engine, 1303, of_note, 4, notes), 1);
  EXPECT_EQ(notes[0], 0);
  void* other_engine = create(engine);
  get(configurations[1], 300, of_descriptor, 1, &other_engine);
  EXPECT_EQ(get(other_engine, 1303, of_note, 4, notes), 0);
}

TEST_F(CudnnGraph, heuristics_fill_no_more_configurations_than_there_are) {
  void* const its_graph = made_graph();
  void* const asked = create(heuristics);
  set(asked, 201, of_descriptor, &its_graph);
  finish(asked);
  void* only_one = create(configuration);
  EXPECT_EQ(get(asked, 202, of_descriptor, 1, &only_one), 1);
}

TEST_F(CudnnGraph, execution_goes_to_the_stream_of_the_handle) {
  void* handle = nullptr;
  library_.call("cudnnCreate", &handle);
  library_.call("cudnnSetStream", handle, stream(5));
  EXPECT_EQ(
      library_.call("cudnnBackendExecute", handle, made_plan(made_configurations()[0]), nullptr),
      0);
  EXPECT_EQ(doings().works[stream(5)], 1);
}

}  // namespace
}  // namespace vramlab::dry_run
