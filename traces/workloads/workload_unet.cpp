#include "traces/workloads/workload_unet.h"

#include <algorithm>

#include "traces/workloads/workload_costs.h"

namespace vramlab::traces {
namespace {

constexpr CallSite unet_load_site{"load_unet", "diffusion/loading.py", 44};
constexpr CallSite down_site{"down_path", "diffusion/unet.py", 118};
constexpr CallSite up_site{"up_path", "diffusion/unet.py", 141};
constexpr CallSite concatenate_site{"concatenate", "diffusion/unet.py", 149};
constexpr CallSite unet_residual_site{"forward", "diffusion/resnet_block.py", 39};
constexpr CallSite unet_attention_site{"forward", "diffusion/attention_block.py", 52};
constexpr CallSite scores_site{"attention_scores", "diffusion/attention_block.py", 73};
constexpr CallSite softmax_site{"softmax", "nn/functional.py", 260};
constexpr CallSite unet_norm_site{"group_norm_silu", "nn/functional.py", 230};
constexpr CallSite convolution_site{"conv2d", "nn/functional.py", 150};
constexpr CallSite resample_site{"interpolate", "nn/functional.py", 172};
constexpr CallSite unet_linear_site{"linear", "nn/functional.py", 120};
constexpr CallSite add_site{"add", "diffusion/resnet_block.py", 51};

/// The words of the prompt.
constexpr std::uint64_t prompt_tokens = 77;

FeatureMap like(const FeatureMap& input, std::uint64_t channels, Tensor tensor) {
  return {input.batch, input.pixels, channels, tensor};
}

allocator::Bytes map_bytes(const FeatureMap& like, std::uint64_t channels) {
  return half_bytes(like.batch * like.pixels, channels);
}

}  // namespace

FeatureMap PictureLayers::convolve(const FeatureMap& input, std::uint64_t channels) const {
  constexpr std::uint64_t kernel_pixels = 9;
  constexpr allocator::Bytes most_workspace{64ULL << 20};
  const CallScope at(writer_, convolution_site);
  const Tensor output = writer_.malloc(map_bytes(input, channels));
  const Tensor workspace = writer_.malloc(std::min(input.tensor.size * 2, most_workspace));
  writer_.work(matmul_ns({input.batch * input.pixels, kernel_pixels * input.channels, channels}));
  writer_.free(workspace);
  return like(input, channels, output);
}

FeatureMap PictureLayers::resample(const FeatureMap& input, std::uint64_t pixels) const {
  FeatureMap output = input;
  output.pixels = pixels;
  const allocator::Bytes size = map_bytes(output, input.channels);
  output.tensor = writer_.compute(resample_site, size, memory_ns(size + input.tensor.size));
  return output;
}

FeatureMap PictureLayers::normed(const FeatureMap& input) const {
  return like(input, input.channels,
              writer_.compute(unet_norm_site, input.tensor.size, memory_ns(input.tensor.size * 2)));
}

FeatureMap PictureLayers::residual_block(const FeatureMap& input, std::uint64_t channels) const {
  const CallScope at(writer_, unet_residual_site);
  FeatureMap current = input;
  for (int half = 0; half < 2; ++half) {
    const FeatureMap smooth = normed(current);
    if (half == 1) free(current);
    current = convolve(smooth, channels);
    free(smooth);
  }
  const FeatureMap shortcut = channels == input.channels ? input : convolve(input, channels);
  const allocator::Bytes size = current.tensor.size;
  const FeatureMap sum =
      like(input, channels, writer_.compute(add_site, size, memory_ns(size * 3)));
  if (channels != input.channels) free(shortcut);
  free(current);
  return sum;
}

/// Scores of every pixel with every key, and once more as probabilities.
Tensor PictureLayers::attend(const FeatureMap& input, std::uint64_t keys) const {
  constexpr std::uint64_t head_channels = 64;
  const std::uint64_t heads = std::max<std::uint64_t>(input.channels / head_channels, 1);
  const std::uint64_t rows = input.batch * input.pixels;
  const allocator::Bytes size = half_bytes(rows * heads, keys);
  const Tensor queries = writer_.compute(unet_linear_site, input.tensor.size,
                                         matmul_ns({rows, input.channels, input.channels}));
  const Tensor keys_values =
      writer_.compute(unet_linear_site, half_bytes(input.batch * keys, 2 * input.channels),
                      matmul_ns({input.batch * keys, input.channels, 2 * input.channels}));
  const Tensor scores = writer_.compute(scores_site, size, matmul_ns({rows, input.channels, keys}));
  const Tensor shares = writer_.compute(softmax_site, size, memory_ns(size * 2));
  writer_.free(scores);
  const Tensor attended =
      writer_.compute(scores_site, input.tensor.size, matmul_ns({rows, keys, input.channels}));
  for (const Tensor tensor : {shares, keys_values, queries}) writer_.free(tensor);
  return attended;
}

/// The pixels attend to each other, then to the prompt.
FeatureMap PictureLayers::attention_block(const FeatureMap& input) const {
  const CallScope at(writer_, unet_attention_site);
  FeatureMap current = input;
  for (const std::uint64_t keys : {input.pixels, prompt_tokens}) {
    const FeatureMap smooth = normed(current);
    const Tensor attended = attend(smooth, keys);
    free(smooth);
    const allocator::Bytes size = current.tensor.size;
    const Tensor sum = writer_.compute(add_site, size, memory_ns(size * 3));
    writer_.free(attended);
    if (current.tensor.id != input.tensor.id) free(current);
    current.tensor = sum;
  }
  return current;
}

void Unet::load() {
  const CallScope at(writer_, unet_load_site);
  constexpr int blocks_of_a_level = 5;
  for (const std::uint64_t factor : levels) {
    const std::uint64_t channels = channels_ * factor;
    for (int block = 0; block < blocks_of_a_level; ++block)
      for (const std::uint64_t rows : {9 * channels, 9 * channels, 4 * channels, 4 * channels}) {
        weights_.push_back(writer_.malloc(half_bytes(rows, channels)));
        writer_.work(memory_ns(weights_.back().size));
      }
  }
}

/// Attention over the pixels of the first level would be too dear.
FeatureMap Unet::block(const FeatureMap& input, std::size_t level) const {
  const FeatureMap changed = layers_.residual_block(input, channels_ * levels[level]);
  if (level == 0) return changed;
  const FeatureMap attended = layers_.attention_block(changed);
  layers_.free(changed);
  return attended;
}

/// All that is on the way is seen again on the way up.
FeatureMap Unet::go_down(const FeatureMap& first, std::vector<FeatureMap>& seen) const {
  const CallScope at(writer_, down_site);
  seen.push_back(first);
  for (std::size_t level = 0; level < levels.size(); ++level) {
    for (int i = 0; i < 2; ++i) seen.push_back(block(seen.back(), level));
    if (level + 1 < levels.size())
      seen.push_back(
          layers_.resample(seen.back(), std::max<std::uint64_t>(seen.back().pixels / 4, 1)));
  }
  return layers_.attention_block(seen.back());
}

FeatureMap Unet::beside(const FeatureMap& current, const FeatureMap& seen) const {
  const std::uint64_t channels = current.channels + seen.channels;
  const allocator::Bytes size = half_bytes(seen.batch * seen.pixels, channels);
  const FeatureMap both = {seen.batch, seen.pixels, channels,
                           writer_.compute(concatenate_site, size, memory_ns(size * 2))};
  layers_.free(current);
  layers_.free(seen);
  return both;
}

FeatureMap Unet::go_up(FeatureMap current, std::vector<FeatureMap>& seen) const {
  const CallScope at(writer_, up_site);
  for (std::size_t level = levels.size(); level-- > 0;) {
    for (int i = 0; i < 3; ++i) {
      if (current.pixels != seen.back().pixels) {
        const FeatureMap larger = layers_.resample(current, seen.back().pixels);
        layers_.free(current);
        current = larger;
      }
      const FeatureMap both = beside(current, seen.back());
      seen.pop_back();
      current = block(both, level);
      layers_.free(both);
    }
  }
  return current;
}

FeatureMap Unet::predict(const FeatureMap& latent) const {
  std::vector<FeatureMap> seen;
  const FeatureMap bottom = go_down(layers_.convolve(latent, channels_), seen);
  const FeatureMap top = go_up(bottom, seen);
  const FeatureMap noise = layers_.convolve(top, latent.channels);
  layers_.free(top);
  return noise;
}

}  // namespace vramlab::traces
