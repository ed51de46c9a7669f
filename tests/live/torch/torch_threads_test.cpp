// Many threads in the plug-in at once, as PyTorch has them: one for each device, autograd's, and
// the loaders'. The race oracle of the fake driver hears of every block, so none is handed out
// twice or while earlier work is on it; the thread sanitizer looks at the plug-in itself.
#include <gmock/gmock.h>

#include <atomic>
#include <deque>
#include <mutex>
#include <random>
#include <set>
#include <thread>

#include "tests/live/torch/torch_plugin.h"

namespace vramlab::tests {
namespace {

constexpr int device_count = 2;
constexpr int thread_count = 4;

struct TorchBlock {
  void* at = nullptr;
  std::size_t size = 0;
  int device = 0;
  CUstream stream = nullptr;
};

class TorchThreads : public TorchPlugin {
 protected:
  void SetUp() override {
    setenv("FAKE_CUDA_CALL_NS", "300", 1);
    TorchPlugin::SetUp();
    for (int device = 0; device < device_count; ++device) {
      contexts_.push_back(driver_.retain(device));
      driver_.make_current(contexts_.back());
      for (std::vector<CUstream>* one : {&streams_, &side_streams_})
        one->push_back(driver_.new_stream());
      kernels_.push_back(driver_.use_kernel());
    }
    driver_.make_current(context_);
  }

  /// Each runs `work(i)` with the context of one device current, and finds it current afterwards.
  template <class Work>
  void in_threads(const Work& work) {
    std::vector<std::thread> threads;
    for (int i = 0; i < thread_count; ++i)
      threads.emplace_back([this, &work, i] {
        const CUcontext context = contexts_[static_cast<std::size_t>(i % device_count)];
        driver_.make_current(context);
        work(i);
        EXPECT_EQ(driver_.current(), context);
      });
    for (std::thread& thread : threads) thread.join();
  }

  void note_handed_out(const TorchBlock& block) const {
    handed_out_(reinterpret_cast<std::uint64_t>(block.at), block.size);
  }
  void free(const TorchBlock& block, CUstream stream) const {
    given_back_(reinterpret_cast<std::uint64_t>(block.at));
    // PyTorch may pass another block's size and device.
    torch_.free(block.at, block.size / 2, 1 - block.device, stream);
  }
  std::string first_race() const {
    char text[300] = "";
    driver_.find<void (*)(char*, std::size_t)>("fake_cuda_first_race")(text, sizeof text);
    return text;
  }
  std::uint64_t races() const {
    return driver_.find<std::uint64_t (*)()>("fake_cuda_race_count")();
  }

  std::vector<CUcontext> contexts_;
  /// One of each device.
  std::vector<CUstream> streams_;
  std::vector<CUstream> side_streams_;
  std::vector<CUfunction> kernels_;
  void (*handed_out_)(std::uint64_t, std::size_t) =
      driver_.find<void (*)(std::uint64_t, std::size_t)>("fake_cuda_handed_out");
  void (*given_back_)(std::uint64_t) =
      driver_.find<void (*)(std::uint64_t)>("fake_cuda_given_back");
};

/// Blocks that any thread may free.
class SharedBlocks {
 public:
  void put(const TorchBlock& block) {
    const std::lock_guard lock(mutex_);
    blocks_.push_back(block);
  }
  /// One without an address where there is none.
  TorchBlock take(std::size_t number) {
    const std::lock_guard lock(mutex_);
    if (blocks_.empty()) return {};
    std::swap(blocks_[number % blocks_.size()], blocks_.back());
    const TorchBlock block = blocks_.back();
    blocks_.pop_back();
    return block;
  }

 private:
  std::mutex mutex_;
  std::vector<TorchBlock> blocks_;
};

TEST_F(TorchThreads, first_requests_at_once_make_one_allocator_for_each_device) {
  in_threads([this](int i) {
    for (int device = 0; device < device_count; ++device)
      EXPECT_NE(torch_.malloc(mib / 2, (device + i) % device_count, nullptr), nullptr);
  });
  for (int device = 0; device < device_count; ++device)
    EXPECT_EQ(stats(device)["allocation.all.current"], thread_count);
}

TEST_F(TorchThreads, run_random_programs_without_races) {
  SharedBlocks shared;
  in_threads([&](int i) {
    std::mt19937 random(static_cast<unsigned>(i) + 1);
    const auto draw = [&random](std::size_t below) { return random() % below; };
    const auto own = static_cast<std::size_t>(i % device_count);
    for (int step = 0; step < 800; ++step) {
      const std::size_t what = draw(100);
      if (what < 45) {
        const auto device = draw(device_count);
        TorchBlock block{nullptr, 1 + draw(what < 30 ? mib : 9 * mib), static_cast<int>(device),
                         draw(2) == 0 ? nullptr : streams_[device]};
        try {
          block.at = torch_.malloc(block.size, block.device, block.stream);
          note_handed_out(block);
          shared.put(block);
        } catch (const std::bad_alloc&) {
          for (int n = 0; n < 20; ++n)
            if (const TorchBlock old = shared.take(draw(1000)); old.at != nullptr)
              free(old, nullptr);
        }
      } else if (what < 80) {
        if (const TorchBlock block = shared.take(draw(1000)); block.at != nullptr)
          free(block, streams_[own]);
      } else if (what < 92) {
        const TorchBlock block = shared.take(draw(1000));
        if (block.at == nullptr) continue;
        if (block.device == static_cast<int>(own)) {
          torch_.record_stream(block.at, side_streams_[own]);
          EXPECT_EQ(driver_.submit(kernels_[own], side_streams_[own], 20000,
                                   {reinterpret_cast<std::uint64_t>(block.at), block.size, 1}),
                    CUDA_SUCCESS);
        }
        std::size_t size = 0;
        EXPECT_LE(torch_.base_alloc(block.at, &size), block.at);
        shared.put(block);
      } else if (what < 95) {
        EXPECT_NE(torch_.stats(static_cast<int>(draw(device_count))), nullptr);
      } else if (what < 96) {
        EXPECT_NE(torch_.snapshot(), nullptr);
      } else if (what < 97) {
        torch_.reset();
      } else if (what < 98) {
        EXPECT_EQ(torch_.reset_peaks(static_cast<int>(own)), 0);
      } else if (void* const segment =
                     torch_.segment_malloc(2 * mib, static_cast<int>(own), nullptr)) {
        torch_.segment_free(segment, 2 * mib, static_cast<int>(own), nullptr);
      }
    }
  });
  EXPECT_EQ(races(), 0U) << first_race();
  for (TorchBlock block = shared.take(0); block.at != nullptr; block = shared.take(0))
    free(block, nullptr);
  for (int device = 0; device < device_count; ++device) {
    EXPECT_EQ(stats(device)["allocation.all.current"], 0);
    EXPECT_GT(stats(device)["allocation.all.allocated"], 500);
    EXPECT_GT(stats(device)["num_device_alloc"], 5);
  }
}

/// The addresses that a history leaves in use.
std::set<std::uint64_t> live_after(const nlohmann::json& history) {
  std::set<std::uint64_t> live;
  for (const auto& entry : history) {
    const bool begins = entry["action"] == "alloc";
    if (!begins && entry["action"] != "free_requested") continue;
    const auto at = entry["addr"].get<std::uint64_t>();
    const bool has_changed = begins ? live.insert(at).second : live.erase(at) == 1;
    EXPECT_TRUE(has_changed) << entry;
  }
  return live;
}

std::set<std::uint64_t> live_in(const nlohmann::json& segments, int device) {
  std::set<std::uint64_t> live;
  for (const auto& segment : segments) {
    if (segment["device"] != device) continue;
    for (const auto& block : segment["blocks"])
      if (block["state"] == "active_allocated") live.insert(block["address"].get<std::uint64_t>());
  }
  return live;
}

TEST_F(TorchThreads, the_history_of_a_snapshot_ends_where_its_segments_are) {
  for (int device = 0; device < device_count; ++device)
    ASSERT_EQ(torch_.record_history(device, 100000), 0);
  std::atomic<bool> is_over = false;
  in_threads([&](int i) {
    for (int round = 0; i == 0 && round < 25; ++round) {
      const auto snapshot = nlohmann::json::parse(torch_.snapshot());
      for (std::size_t device = 0; device < device_count; ++device)
        EXPECT_EQ(live_after(snapshot["device_traces"][device]),
                  live_in(snapshot["segments"], static_cast<int>(device)));
    }
    if (i == 0) is_over = true;
    std::deque<TorchBlock> mine;
    for (int step = 0; i != 0 && step < 800 && !is_over; ++step) {
      const int device = (step + i) % device_count;
      mine.push_back({torch_.malloc(mib / 4, device, nullptr), mib / 4, device, nullptr});
      if (mine.size() < 20) continue;
      torch_.free(mine.front().at, mine.front().size, mine.front().device, nullptr);
      mine.pop_front();
    }
  });
}

TEST_F(TorchThreads, each_may_have_a_pool_of_its_own) {
  in_threads([this](int i) {
    const int device = i % device_count;
    const CUstream mine = driver_.new_stream();
    // As long as any pool is open, memory of those that were given up is kept.
    for (int round = 0; round < 4; ++round) {
      // A name that was given up is not used again.
      const PoolName pool{0, static_cast<unsigned long long>(i * 100 + round) + 1};
      torch_.begin_pool(device, pool, [mine](CUstream asked) { return asked == mine; });
      void* const in_pool = torch_.malloc(5 * mib, device, mine);
      void* const outside = torch_.malloc(mib, device, nullptr);
      torch_.end_pool(device, pool);
      EXPECT_NE(torch_.base_alloc(in_pool, nullptr), torch_.base_alloc(outside, nullptr));
      torch_.free(in_pool, 5 * mib, device, mine);
      torch_.free(outside, mib, device, nullptr);
      torch_.release_pool(device, pool);
    }
  });
  torch_.reset();
  for (int device = 0; device < device_count; ++device)
    EXPECT_EQ(stats(device)["reserved_bytes.all.current"], 0);
}

}  // namespace
}  // namespace vramlab::tests
