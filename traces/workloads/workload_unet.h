// Unet: the network that a diffusion model runs again and again, without gradients: down to few
// pixels with many channels and up again, where what was seen on the way down is put beside it.
// Attention over all pixels makes the peaks.
#pragma once

#include <array>
#include <cstdint>
#include <vector>

#include "traces/workloads/workload_writer.h"

namespace vramlab::traces {

/// A picture inside a network: 2 bytes a pixel and channel.
struct FeatureMap {
  std::uint64_t batch = 0;
  std::uint64_t pixels = 0;
  std::uint64_t channels = 0;
  Tensor tensor;
};

/// What pictures are put through, in the U-Net and in the decoder.
class PictureLayers {
 public:
  explicit PictureLayers(WorkloadWriter& writer) : writer_(writer) {}

  // Each leaves its input as it is.
  FeatureMap convolve(const FeatureMap& input, std::uint64_t channels) const;
  FeatureMap resample(const FeatureMap& input, std::uint64_t pixels) const;
  FeatureMap residual_block(const FeatureMap& input, std::uint64_t channels) const;
  FeatureMap attention_block(const FeatureMap& input) const;
  void free(const FeatureMap& map) const { writer_.free(map.tensor); }

 private:
  FeatureMap normed(const FeatureMap& input) const;
  Tensor attend(const FeatureMap& input, std::uint64_t keys) const;

  WorkloadWriter& writer_;
};

class Unet {
 public:
  Unet(WorkloadWriter& writer, std::uint64_t channels) : writer_(writer), channels_(channels) {}

  /// Allocates what it keeps from one run to the next.
  void load();
  /// Takes no ownership of the latent picture; gives the predicted noise.
  FeatureMap predict(const FeatureMap& latent) const;
  void free_all() { writer_.free_all(weights_); }

 private:
  static constexpr std::array<std::uint64_t, 4> levels = {1, 2, 4, 4};

  FeatureMap go_down(const FeatureMap& first, std::vector<FeatureMap>& seen) const;
  FeatureMap go_up(FeatureMap current, std::vector<FeatureMap>& seen) const;
  FeatureMap block(const FeatureMap& input, std::size_t level) const;
  FeatureMap beside(const FeatureMap& current, const FeatureMap& seen) const;

  WorkloadWriter& writer_;
  std::uint64_t channels_;
  std::vector<Tensor> weights_;
  PictureLayers layers_{writer_};
};

}  // namespace vramlab::traces
