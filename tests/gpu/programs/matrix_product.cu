// A program that uses cuBLAS and knows nothing of vramlab: products of matrices whose entries are
// small whole numbers, so that every result is exact. Leaves with 0 where all of them are right.
#include <cublas_v2.h>
#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define MUST(call)                                                           \
  do {                                                                       \
    if ((call) != 0) {                                                       \
      std::fprintf(stderr, "%s:%d: %s failed\n", __FILE__, __LINE__, #call); \
      std::exit(1);                                                          \
    }                                                                        \
  } while (false)

int main() {
  cublasHandle_t handle = nullptr;
  MUST(cublasCreate(&handle));
  unsigned wrong = 0;
  for (int size = 16; size <= 512; size *= 2) {
    const std::size_t count = static_cast<std::size_t>(size) * static_cast<std::size_t>(size);
    std::vector<float> left(count);
    std::vector<float> result(count);
    for (std::size_t i = 0; i < count; ++i) left[i] = static_cast<float>(i % 3);
    std::vector<float> identity(count, 0.0F);
    for (int i = 0; i < size; ++i) identity[static_cast<std::size_t>(i * size + i)] = 2.0F;
    float* on_device[3] = {};
    for (float*& matrix : on_device) MUST(cudaMalloc(&matrix, count * sizeof(float)));
    MUST(cudaMemcpy(on_device[0], left.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    MUST(cudaMemcpy(on_device[1], identity.data(), count * sizeof(float), cudaMemcpyHostToDevice));
    const float one = 1.0F;
    const float zero = 0.0F;
    MUST(cublasSgemm(handle, CUBLAS_OP_N, CUBLAS_OP_N, size, size, size, &one, on_device[0], size,
                     on_device[1], size, &zero, on_device[2], size));
    MUST(cudaMemcpy(result.data(), on_device[2], count * sizeof(float), cudaMemcpyDeviceToHost));
    for (std::size_t i = 0; i < count; ++i)
      if (result[i] != 2.0F * left[i]) ++wrong;
    for (float* matrix : on_device) MUST(cudaFree(matrix));
  }
  MUST(cublasDestroy(handle));
  std::printf("%u entries are wrong\n", wrong);
  return wrong == 0 ? 0 : 1;
}
