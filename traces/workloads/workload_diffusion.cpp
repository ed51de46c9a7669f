// Making pictures with a diffusion model: noise is taken away in many steps, all alike, then a
// decoder makes a picture of the rest, at full size and so with the largest tensors of all.
#include <algorithm>
#include <array>
#include <vector>

#include "traces/workloads/workload_writer.h"

namespace vramlab::traces {
namespace {

constexpr std::array<WorkloadOption, 4> diffusion_options = {{
    {"resolution", "height and width of a square picture, in pixels", 1'024, 64, 4'096},
    {"channels", "channels of the first level", 320, 8, 2'048},
    {"steps", "steps for a picture", 25, 1, 1'000},
    {"batch", "most pictures at a time", 2, 1, 64},
}};

constexpr std::uint64_t latent_channels = 4;

constexpr CallSite prompt_site{"encode_prompt", "diffusion/text.py", 29};
constexpr CallSite noise_site{"initial_noise", "diffusion/sampler.py", 18};
constexpr CallSite guide_site{"guide", "diffusion/sampler.py", 55};
constexpr CallSite diffusion_step_site{"step", "diffusion/scheduler.py", 61};
constexpr CallSite picture_site{"to_bytes", "diffusion/vae.py", 93};

/// A picture inside a network: 2 bytes a pixel and channel.
struct FeatureMap {
  std::uint64_t batch = 0;
  std::uint64_t pixels = 0;
  std::uint64_t channels = 0;
  Tensor tensor;
};

constexpr CallSite concatenate_site{"concatenate", "diffusion/unet.py", 149};
constexpr CallSite scores_site{"attention_scores", "diffusion/attention_block.py", 73};
constexpr CallSite softmax_site{"softmax", "nn/functional.py", 260};
constexpr CallSite unet_norm_site{"group_norm_silu", "nn/functional.py", 230};
constexpr CallSite resample_site{"interpolate", "nn/functional.py", 172};
constexpr CallSite unet_linear_site{"linear", "nn/functional.py", 120};
constexpr CallSite add_site{"add", "diffusion/resnet_block.py", 51};

/// The words of the prompt.
constexpr std::uint64_t prompt_tokens = 77;

FeatureMap like(const FeatureMap& input, std::uint64_t channels, Tensor tensor) {
  return {input.batch, input.pixels, channels, tensor};
}

Bytes map_bytes(const FeatureMap& like, std::uint64_t channels) {
  return half_bytes(like.batch * like.pixels, channels);
}

/// The layers that pictures go through, in the U-Net and in the decoder.
class PictureLayers {
 public:
  explicit PictureLayers(WorkloadWriter& writer) : writer_(writer) {}

  // Each leaves its input as it is.
  FeatureMap convolve(const FeatureMap& input, std::uint64_t channels) const {
    constexpr std::uint64_t kernel_pixels = 9;
    constexpr Bytes most_workspace{64ULL << 20};
    const CallScope at(writer_, {"conv2d", "nn/functional.py", 150});
    const Tensor output = writer_.malloc(map_bytes(input, channels));
    const Tensor workspace = writer_.compute(
        std::min(input.tensor.size * 2, most_workspace),
        matmul_ns({input.batch * input.pixels, kernel_pixels * input.channels, channels}));
    writer_.free(workspace);
    return like(input, channels, output);
  }

  FeatureMap resample(const FeatureMap& input, std::uint64_t pixels) const {
    FeatureMap output = input;
    output.pixels = pixels;
    const Bytes size = map_bytes(output, input.channels);
    output.tensor = writer_.compute(resample_site, size, memory_ns(size + input.tensor.size));
    return output;
  }

  FeatureMap residual_block(const FeatureMap& input, std::uint64_t channels) const {
    const CallScope at(writer_, {"forward", "diffusion/resnet_block.py", 39});
    FeatureMap current = input;
    for (int half = 0; half < 2; ++half) {
      const FeatureMap smooth = normed(current);
      if (half == 1) free(current);
      current = convolve(smooth, channels);
      free(smooth);
    }
    const FeatureMap shortcut = channels == input.channels ? input : convolve(input, channels);
    const Bytes size = current.tensor.size;
    const FeatureMap sum = like(input, channels, writer_.elementwise(add_site, size, 3));
    if (channels != input.channels) free(shortcut);
    free(current);
    return sum;
  }

  /// The pixels attend to each other, then to the prompt.
  FeatureMap attention_block(const FeatureMap& input) const {
    const CallScope at(writer_, {"forward", "diffusion/attention_block.py", 52});
    FeatureMap current = input;
    for (const std::uint64_t keys : {input.pixels, prompt_tokens}) {
      const FeatureMap smooth = normed(current);
      const Tensor attended = attend(smooth, keys);
      free(smooth);
      const Bytes size = current.tensor.size;
      const Tensor sum = writer_.elementwise(add_site, size, 3);
      writer_.free(attended);
      if (current.tensor.id != input.tensor.id) free(current);
      current.tensor = sum;
    }
    return current;
  }

  void free(const FeatureMap& map) const { writer_.free(map.tensor); }

 private:
  FeatureMap normed(const FeatureMap& input) const {
    return like(input, input.channels, writer_.elementwise(unet_norm_site, input.tensor.size, 2));
  }

  /// Scores of every pixel with every key, and once more as probabilities.
  Tensor attend(const FeatureMap& input, std::uint64_t keys) const {
    constexpr std::uint64_t head_channels = 64;
    const std::uint64_t heads = std::max<std::uint64_t>(input.channels / head_channels, 1);
    const std::uint64_t rows = input.batch * input.pixels;
    const Bytes size = half_bytes(rows * heads, keys);
    const Tensor queries = writer_.compute(unet_linear_site, input.tensor.size,
                                           matmul_ns({rows, input.channels, input.channels}));
    const Tensor keys_values =
        writer_.compute(unet_linear_site, half_bytes(input.batch * keys, 2 * input.channels),
                        matmul_ns({input.batch * keys, input.channels, 2 * input.channels}));
    const Tensor scores =
        writer_.compute(scores_site, size, matmul_ns({rows, input.channels, keys}));
    const Tensor shares = writer_.elementwise(softmax_site, size, 2);
    writer_.free(scores);
    const Tensor attended =
        writer_.compute(scores_site, input.tensor.size, matmul_ns({rows, keys, input.channels}));
    writer_.free({shares, keys_values, queries});
    return attended;
  }

  WorkloadWriter& writer_;
};

/// The network that a diffusion model runs again and again, without gradients: down to few pixels
/// with many channels and up again, where each map of the way down is put beside the current one.
/// Attention over all pixels makes the peaks.
class Unet {
 public:
  Unet(WorkloadWriter& writer, std::uint64_t channels) : writer_(writer), channels_(channels) {}

  /// Allocates the weights, which stay from one run to the next.
  void load() {
    const CallScope at(writer_, {"load_unet", "diffusion/loading.py", 44});
    constexpr int blocks_of_a_level = 5;
    for (const std::uint64_t factor : levels) {
      const std::uint64_t channels = channels_ * factor;
      for (int block = 0; block < blocks_of_a_level; ++block)
        for (const std::uint64_t rows : {9 * channels, 9 * channels, 4 * channels, 4 * channels}) {
          weights_.push_back(writer_.compute(half_bytes(rows, channels)));
        }
    }
  }

  /// Takes no ownership of the latent picture; returns the predicted noise.
  FeatureMap predict(const FeatureMap& latent) const {
    std::vector<FeatureMap> seen;
    const FeatureMap bottom = go_down(layers_.convolve(latent, channels_), seen);
    const FeatureMap top = go_up(bottom, seen);
    const FeatureMap noise = layers_.convolve(top, latent.channels);
    layers_.free(top);
    return noise;
  }

  void free_all() { writer_.free_all(weights_); }

 private:
  static constexpr std::array<std::uint64_t, 4> levels = {1, 2, 4, 4};

  /// All maps on the way down are seen again on the way up.
  FeatureMap go_down(const FeatureMap& first, std::vector<FeatureMap>& seen) const {
    const CallScope at(writer_, {"down_path", "diffusion/unet.py", 118});
    seen.push_back(first);
    for (std::size_t level = 0; level < levels.size(); ++level) {
      for (int i = 0; i < 2; ++i) seen.push_back(block(seen.back(), level));
      if (level + 1 < levels.size())
        seen.push_back(
            layers_.resample(seen.back(), std::max<std::uint64_t>(seen.back().pixels / 4, 1)));
    }
    return layers_.attention_block(seen.back());
  }

  FeatureMap go_up(FeatureMap current, std::vector<FeatureMap>& seen) const {
    const CallScope at(writer_, {"up_path", "diffusion/unet.py", 141});
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

  /// Attention over the pixels of the first level would cost too much.
  FeatureMap block(const FeatureMap& input, std::size_t level) const {
    const FeatureMap changed = layers_.residual_block(input, channels_ * levels[level]);
    if (level == 0) return changed;
    const FeatureMap attended = layers_.attention_block(changed);
    layers_.free(changed);
    return attended;
  }

  FeatureMap beside(const FeatureMap& current, const FeatureMap& seen) const {
    const std::uint64_t channels = current.channels + seen.channels;
    const Bytes size = half_bytes(seen.batch * seen.pixels, channels);
    const FeatureMap both = {seen.batch, seen.pixels, channels,
                             writer_.elementwise(concatenate_site, size, 2)};
    layers_.free(current);
    layers_.free(seen);
    return both;
  }

  WorkloadWriter& writer_;
  std::uint64_t channels_;
  std::vector<Tensor> weights_;
  PictureLayers layers_{writer_};
};

/// A picture is wide, square or tall, of about as many pixels.
struct PictureSize {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
};

PictureSize draw_size(WorkloadRun& run) {
  constexpr std::uint64_t shape_count = 5;
  constexpr std::array<PictureSize, shape_count> sixteenths = {
      {{16, 16}, {18, 14}, {14, 18}, {20, 12}, {12, 20}}};
  const PictureSize& shape = sixteenths[run.random.index_below(shape_count)];
  const std::uint64_t resolution = run.size_of("resolution");
  return {resolution * shape.width / 16, resolution * shape.height / 16};
}

class Painter {
 public:
  explicit Painter(WorkloadRun& run)
      : run_(run), writer_(run.writer), unet_(run.writer, run.size_of("channels")) {}

  void load() { unet_.load(); }

  /// Each picture is predicted twice, with and without its prompt.
  void paint() {
    constexpr std::uint64_t prompt_numbers = 77ULL * 2'048;
    const PictureSize size = draw_size(run_);
    const std::uint64_t count = run_.random.between(1, run_.size_of("batch"));
    const Bytes prompt_bytes = half_bytes(2 * count, prompt_numbers);
    const Tensor prompt = writer_.elementwise(prompt_site, prompt_bytes, 100);
    FeatureMap latent = {count, (size.width / 8) * (size.height / 8), latent_channels, {}};
    const Bytes latent_bytes = half_bytes(count * latent.pixels, latent_channels);
    latent.tensor = writer_.compute(noise_site, latent_bytes);
    for (std::uint64_t step = 1; step <= run_.size_of("steps"); ++step)
      writer_.in_range("denoise " + std::to_string(step), [&] { latent = denoise(latent); });
    writer_.free(prompt);
    writer_.in_range("decode", [&] { decode(latent); });
  }

  void stop() { unet_.free_all(); }

 private:
  FeatureMap denoise(FeatureMap latent) {
    const CallScope at(writer_, {"denoise", "diffusion/sampler.py", 46});
    const Bytes size = latent.tensor.size;
    FeatureMap twice = latent;
    twice.batch *= 2;
    twice.tensor = writer_.compute(guide_site, size * 2, memory_ns(size * 4));
    const FeatureMap noise = unet_.predict(twice);
    layers_.free(twice);
    const Tensor guided = writer_.elementwise(guide_site, size, 3);
    layers_.free(noise);
    const Tensor next = writer_.elementwise(diffusion_step_site, size, 3);
    writer_.free(guided);
    layers_.free(latent);
    latent.tensor = next;
    return latent;
  }

  void decode(FeatureMap latent) {
    constexpr std::array<std::uint64_t, 4> channels = {512, 512, 256, 128};
    const CallScope at(writer_, {"decode", "diffusion/vae.py", 77});
    FeatureMap current = layers_.convolve(latent, channels.front());
    layers_.free(latent);
    const auto replace = [&](const FeatureMap& next) {
      layers_.free(current);
      current = next;
    };
    for (std::size_t level = 0; level < channels.size(); ++level) {
      if (level > 0) replace(layers_.resample(current, current.pixels * 4));
      for (int block = 0; block < 3; ++block)
        replace(layers_.residual_block(current, channels[level]));
    }
    replace(layers_.convolve(current, 3));
    const Bytes bytes{current.batch * current.pixels * 3};
    const Tensor pictures = writer_.elementwise(picture_site, bytes, 3);
    writer_.synchronize();
    writer_.free(pictures);
    layers_.free(current);
  }

  WorkloadRun& run_;
  WorkloadWriter& writer_;
  Unet unet_;
  PictureLayers layers_{writer_};
};

void write_diffusion(WorkloadRun& run) {
  const CallScope at(run.writer, {"main", "make_pictures.py", 87});
  Painter painter(run);
  painter.load();
  run.repeat("picture", [&](std::uint64_t) { painter.paint(); });
  painter.stop();
}

}  // namespace

Workload diffusion_workload() {
  return {"diffusion", "pictures made with a U-Net in many steps and a decoder at the end",
          diffusion_options, write_diffusion};
}

}  // namespace vramlab::traces
