// The user's frame of a stack.
#include "traces/model/user_frame.h"

#include <gtest/gtest.h>

namespace vramlab::traces {
namespace {

class UserFrame : public testing::Test {
 protected:
  /// Innermost first: name, file, line.
  std::string shown(std::vector<std::tuple<std::string, std::string, std::int64_t>> frames) {
    std::vector<FrameId> ids;
    for (const auto& [name, file, line] : frames) {
      FrameValue frame;
      frame.name = tables.texts.intern(name);
      frame.filename = tables.texts.intern(file);
      frame.line = line;
      ids.push_back(tables.frames.intern(frame));
    }
    const auto found = innermost_user_frame(tables.stacks.intern(ids), tables);
    return found ? frame_text(*found, tables) : "none";
  }
  SnapshotTables tables;
};

TEST_F(UserFrame, is_the_innermost_that_is_not_of_a_library) {
  EXPECT_EQ(shown({{"c10::free()", "CUDACachingAllocator.cpp", 0},
                   {"unwind", "??", 0},
                   {"_call_impl", "/usr/lib/python3/dist-packages/torch/nn/module.py", 1790},
                   {"deepcopy", "/usr/lib/python3.12/copy.py", 153},
                   {"step", "/home/me/project/train.py", 12},
                   {"main", "/home/me/project/main.py", 3}}),
            "project/train.py:12 step");
}

TEST_F(UserFrame, is_found_in_paths_of_windows) {
  EXPECT_EQ(shown({{"deepcopy", R"(C:\uv\python\cpython-3.10\lib\copy.py)", 153},
                   {"forward", R"(D:\dev\.venv\Lib\site-packages\torch\nn\m.py)", 9},
                   {"run", R"(D:\dev\fl\client.py)", 185}}),
            "fl/client.py:185 run");
}

TEST_F(UserFrame, is_not_one_of_pytorch_in_an_anonymized_recording) {
  EXPECT_EQ(
      shown({{"forward", "torch/nn/modules/linear.py", 125}, {"function_1", "file_1.py", 12}}),
      "file_1.py:12 function_1");
}

TEST_F(UserFrame, is_otherwise_the_innermost_of_a_python_file_then_of_any_file) {
  EXPECT_EQ(shown({{"c10::malloc()", "allocator.cpp", 0},
                   {"backward", "/x/site-packages/torch/autograd.py", 5},
                   {"run", "/x/site-packages/runner/run.py", 6}}),
            "torch/autograd.py:5 backward");
  EXPECT_EQ(shown({{"unwind", "??", 0}, {"work", "src/engine.cpp", 40}}), "src/engine.cpp:40 work");
  EXPECT_EQ(shown({{"unwind", "??", 0}}), "unwind");
}

TEST_F(UserFrame, is_otherwise_the_node_of_a_backward_pass) {
  EXPECT_EQ(
      shown({{"torch::unwind::unwind()", "??", 0},
             {"torch::cuda::(anonymous namespace)::gather_with_cpp()", "memory_snapshot.cpp", 0},
             {"at::native::zeros(long)", "RegisterCUDA.cpp", 0},
             {"torch::autograd::generated::MmBackward0::apply(std::vector<at::Tensor>&&)",
              "Functions.cpp", 0},
             {"__clone", "??", 0}}),
      "Functions.cpp torch::autograd::generated::MmBackward0::apply");
}

TEST_F(UserFrame, is_not_the_one_that_chooses_a_kernel_in_a_backward_pass) {
  EXPECT_EQ(shown({{"at::native::bmm(at::Tensor)", "??", 0},
                   {"eager_router", "/x/site-packages/torch/_native/registry.py", 1145},
                   {"torch::autograd::generated::BmmBackward0::apply(std::vector<at::Tensor>&&)",
                    "??", 0},
                   {"__clone", "??", 0}}),
            "torch::autograd::generated::BmmBackward0::apply");
}

TEST_F(UserFrame, is_otherwise_the_outermost_operation) {
  EXPECT_EQ(shown({{"at::detail::empty_generic(long)", "??", 0},
                   {"at::_ops::empty::call(long)", "??", 0},
                   {"at::_ops::sum_dim_IntList::redispatch(long)", "??", 0},
                   {"at::_ops::sum_dim_IntList::call(at::Tensor const&)", "??", 0},
                   {"torch::autograd::Engine::evaluate_function(int)", "engine.cpp", 9}}),
            "at::_ops::sum_dim_IntList::call");
}

TEST_F(UserFrame, is_not_what_torch_compile_wrote) {
  EXPECT_EQ(shown({{"call", "/tmp/torchinductor_me/ab/cab.py", 40},
                   {"forward", "<eval_with_key>.3", 5},
                   {"step", "/home/me/project/train.py", 12}}),
            "project/train.py:12 step");
}

TEST_F(UserFrame, is_last_of_all_what_records_stacks) {
  EXPECT_EQ(
      shown({{"torch::cuda::(anonymous namespace)::gather_with_cpp()", "memory_snapshot.cpp", 0},
             {"c10::cuda::CUDACachingAllocator::malloc(long)", "CUDACachingAllocator.cpp", 0},
             {"start_thread", "??", 0}}),
      "start_thread");
}

TEST_F(UserFrame, of_cpp_is_named_without_its_arguments) {
  EXPECT_EQ(without_arguments("at::f<std::vector<int> >(long, g(int)) const"), "at::f<>");
  EXPECT_EQ(without_arguments("torch::autograd::Node::operator()(std::vector<int>&&)"),
            "torch::autograd::Node::operator()");
  EXPECT_EQ(without_arguments("(anonymous namespace)::f(int)"), "(anonymous namespace)::f");
  EXPECT_EQ(without_arguments("a::operator<<(int)"), "a::operator<<");
  EXPECT_EQ(without_arguments("a::operator->()"), "a::operator->");
  EXPECT_EQ(without_arguments("f()"), "f");
  EXPECT_EQ(without_arguments("<module>"), "<module>");
  EXPECT_EQ(without_arguments("_call_impl"), "_call_impl");
  EXPECT_EQ(without_arguments(""), "");
  EXPECT_EQ(without_arguments("a::f<int"), "a::f<int");
  EXPECT_EQ(without_arguments("odd) )"), "odd) )");
  EXPECT_EQ(without_arguments("(int)"), "(int)");
}

TEST_F(UserFrame, does_not_exist_in_an_empty_stack) { EXPECT_EQ(shown({}), "none"); }

}  // namespace
}  // namespace vramlab::traces
