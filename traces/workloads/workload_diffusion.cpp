// Making pictures with a diffusion model: noise is taken away in many steps, all alike, then a
// decoder makes a picture of what is left, at full size and so with the largest tensors of all.
#include <algorithm>
#include <array>

#include "traces/workloads/workload_costs.h"
#include "traces/workloads/workload_run.h"
#include "traces/workloads/workload_unet.h"

namespace vramlab::traces {
namespace {

using allocator::Bytes;

constexpr std::array<WorkloadOption, 4> diffusion_options = {{
    {"resolution", "height and width of a square picture, in pixels", 1'024, 64, 4'096},
    {"channels", "channels of the first level", 320, 8, 2'048},
    {"steps", "steps for a picture", 25, 1, 1'000},
    {"batch", "most pictures at a time", 2, 1, 64},
}};

constexpr std::uint64_t latent_channels = 4;

constexpr CallSite diffusion_main_site{"main", "make_pictures.py", 87};
constexpr CallSite prompt_site{"encode_prompt", "diffusion/text.py", 29};
constexpr CallSite noise_site{"initial_noise", "diffusion/sampler.py", 18};
constexpr CallSite denoise_site{"denoise", "diffusion/sampler.py", 46};
constexpr CallSite guide_site{"guide", "diffusion/sampler.py", 55};
constexpr CallSite diffusion_step_site{"step", "diffusion/scheduler.py", 61};
constexpr CallSite diffusion_decode_site{"decode", "diffusion/vae.py", 77};
constexpr CallSite picture_site{"to_bytes", "diffusion/vae.py", 93};

/// A picture is wide, square or tall, of about as many pixels.
struct PictureSize {
  std::uint64_t width = 0;
  std::uint64_t height = 0;
};

PictureSize draw_size(WorkloadRun& run) {
  constexpr std::uint64_t shape_count = 5;
  constexpr std::array<PictureSize, shape_count> sixteenths = {
      {{16, 16}, {18, 14}, {14, 18}, {20, 12}, {12, 20}}};
  const PictureSize& shape = sixteenths[run.random.below(shape_count)];
  const std::uint64_t resolution = run.size_of("resolution");
  return {resolution * shape.width / 16, resolution * shape.height / 16};
}

class Painter {
 public:
  explicit Painter(WorkloadRun& run)
      : run_(run), writer_(run.writer), unet_(run.writer, run.size_of("channels")) {}

  void load() { unet_.load(); }
  void paint();
  void stop() { unet_.free_all(); }

 private:
  FeatureMap denoise(FeatureMap latent);
  void decode(FeatureMap latent);

  WorkloadRun& run_;
  WorkloadWriter& writer_;
  Unet unet_;
  PictureLayers layers_{writer_};
};

/// Each picture is predicted twice, with and without its prompt.
void Painter::paint() {
  constexpr std::uint64_t prompt_numbers = 77ULL * 2'048;
  const PictureSize size = draw_size(run_);
  const std::uint64_t count = run_.random.between(1, run_.size_of("batch"));
  const Bytes prompt_bytes = half_bytes(2 * count, prompt_numbers);
  const Tensor prompt = writer_.compute(prompt_site, prompt_bytes, memory_ns(prompt_bytes * 100));
  FeatureMap latent = {count, (size.width / 8) * (size.height / 8), latent_channels, {}};
  const Bytes latent_bytes = half_bytes(count * latent.pixels, latent_channels);
  latent.tensor = writer_.compute(noise_site, latent_bytes, memory_ns(latent_bytes));
  for (std::uint64_t step = 1; step <= run_.size_of("steps"); ++step)
    writer_.in_range("denoise " + std::to_string(step), [&] { latent = denoise(latent); });
  writer_.free(prompt);
  writer_.in_range("decode", [&] { decode(latent); });
}

FeatureMap Painter::denoise(FeatureMap latent) {
  const CallScope at(writer_, denoise_site);
  const Bytes size = latent.tensor.size;
  FeatureMap twice = latent;
  twice.batch *= 2;
  twice.tensor = writer_.compute(guide_site, size * 2, memory_ns(size * 4));
  const FeatureMap noise = unet_.predict(twice);
  layers_.free(twice);
  const Tensor guided = writer_.compute(guide_site, size, memory_ns(size * 3));
  layers_.free(noise);
  const Tensor next = writer_.compute(diffusion_step_site, size, memory_ns(size * 3));
  writer_.free(guided);
  layers_.free(latent);
  latent.tensor = next;
  return latent;
}

void Painter::decode(FeatureMap latent) {
  constexpr std::array<std::uint64_t, 4> channels = {512, 512, 256, 128};
  const CallScope at(writer_, diffusion_decode_site);
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
  const Tensor pictures = writer_.compute(picture_site, bytes, memory_ns(bytes * 3));
  writer_.synchronize();
  writer_.free(pictures);
  layers_.free(current);
}

void write_diffusion(WorkloadRun& run) {
  const CallScope at(run.writer, diffusion_main_site);
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
