// Kernels of PyTorch and CuPy by their names: the answers that programs read right after them, the
// memory that they write, and how many of their blocks fit. A kernel is never run; its name and its
// arguments tell.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "streams/device/gpu_models.h"
#include "tools/cuda_standins/code/kernel_facts.h"
#include "tools/cuda_standins/code/ptx_names.h"

namespace vramlab::dry_run {

/// The value in this place of an array.
template <class Value>
Value value_at(const void* array, std::size_t place = 0) {
  Value value{};
  std::memcpy(&value, static_cast<const char*>(array) + place * sizeof value, sizeof value);
  return value;
}

// Types of numbers as the names of kernels have them.

struct NumberType {
  std::string_view mangled;
  bool is_floating_point = false;
  std::uint8_t bytes = 0;
};

/// The one that the text begins with, or null.
inline const NumberType* number_type_at(std::string_view text) {
  static constexpr std::array<NumberType, 9> types = {{
      {"f", true, 4},
      {"d", true, 8},
      {"N3c104HalfE", true, 2},
      {"N3c108BFloat16E", true, 2},
      {"l", false, 8},
      {"i", false, 4},
      {"s", false, 2},
      {"a", false, 1},
      {"b", false, 1},
  }};
  for (const NumberType& type : types)
    if (text.starts_with(type.mangled)) return &type;
  return nullptr;
}

/// The origin of a value: nobody knows it, or it is that of a GPU.
enum class ValueOrigin : std::uint8_t { made_up, known };

// RememberedTruths: the value that a whole tensor of truths was last said to have. A mask is
// counted more than once, and two masks are joined, so each count must be the same. A program that
// reuses the memory for as many other truths, by a kernel of which nothing is known, gets the old
// answer: it is made up in any case, and either is possible.
//
// The program's side may know the truths of a mask one by one. It tells them for as long as it does
// not see who counts them, as in a backward pass.

class RememberedTruths {
 public:
  static constexpr std::size_t most = 4096;

  /// A tensor of so many truths, one byte each, that begins there.
  struct Place {
    std::uint64_t at = 0;
    std::uint64_t count = 0;
  };

  struct YesCount {
    std::uint64_t count = 0;
    ValueOrigin origin = ValueOrigin::made_up;
  };

  void set(const Place& place, bool is_yes) {
    if (truths_.size() >= most) truths_.clear();
    truths_.insert_or_assign(place.at, Truth{place.count, is_yes});
  }
  /// No, as zeros are, unless a kernel said otherwise of them, or of truths in whose middle they
  /// are.
  bool is_yes(const Place& place) const {
    const auto after = truths_.upper_bound(place.at);
    if (after == truths_.begin()) return false;
    const auto& [at, truth] = *std::prev(after);
    if (place.at == at) return truth.is_yes && truth.count == place.count;
    return truth.is_yes && place.at + place.count <= at + truth.count;
  }
  void tell(std::uint64_t at, std::vector<char> truths, ValueOrigin origin) {
    told_.insert_or_assign(at, Told{std::move(truths), origin});
  }
  void forget_told() { told_.clear(); }
  YesCount count_yes(const Place& place) const;
  void forget(std::uint64_t at, std::uint64_t bytes) {
    truths_.erase(truths_.lower_bound(at), truths_.lower_bound(at + bytes));
    if (const auto found = told_at(at); found != told_.end()) told_.erase(found);
  }
  void carry(std::uint64_t to, std::uint64_t from, std::uint64_t bytes) {
    const bool is_known_yes = is_yes({from, bytes});
    forget(to, bytes);
    if (is_known_yes) set({to, bytes}, true);
  }

 private:
  struct Truth {
    std::uint64_t count = 0;
    bool is_yes = false;
  };
  struct Told {
    std::vector<char> truths;
    ValueOrigin origin = ValueOrigin::made_up;
  };
  using ToldTruths = std::map<std::uint64_t, Told>;

  /// The told truths that this address lies in.
  ToldTruths::const_iterator told_at(std::uint64_t at) const {
    const auto after = told_.upper_bound(at);
    if (after == told_.begin()) return told_.end();
    const auto found = std::prev(after);
    return at < found->first + found->second.truths.size() ? found : told_.end();
  }

  ToldTruths told_;
  std::map<std::uint64_t, Truth> truths_;
};

// The answers of kernels that a program reads right after them, told by their names and arguments.
// Programs, and PyTorch itself, ask the device whether all values are right before they go on: no
// would end them with an error. So all() and isfinite() say yes, CuPy's all() too. With PyTorch, a
// comparison compares zeros, and a tensor that was filled with a truth has that truth. Counts are
// those of zeros, too: equal values are one run, the first is found at once, and as many truths are
// yes as there are.

/// The action of a kernel, as far as its answer depends on it.
struct KernelQuestion {
  enum class Kind : std::uint8_t {
    none,
    always_yes,
    fill,
    both,
    either,
    one_of_two,
    opposite,
    same,
    order,
    equality,
    one_run,
    first_place,
    count_of_truths,
    /// A part of another kernel's answer.
    passes_on
  };
  enum class Operand : std::uint8_t { zero, integer, floating_point };

  Kind kind = Kind::none;
  Operand operand = Operand::zero;
  std::uint8_t operand_bytes = 0;
  /// The word of its first argument that holds the address it reads.
  std::uint8_t address_word = 0;
  /// How many tensors it has, each with strides of its own; 0 where all lie alike, without gaps.
  std::uint8_t tensors_with_strides = 0;
};

KernelQuestion question_of(std::string_view kernel_name);

struct KernelAnswer {
  enum class Form : std::uint8_t { truth, count, place };

  Form form = Form::truth;
  /// The number that the bytes begin with.
  std::uint64_t number = 0;
  ValueOrigin origin = ValueOrigin::made_up;

  bool is_yes() const { return form == Form::truth && number != 0; }
  /// Says whether an answer has so many bytes.
  bool fits(std::uint64_t bytes) const;
};

/// The answers before this kernel.
struct SaidBefore {
  const KernelAnswer& last;
  const RememberedTruths& truths;
};

/// `arguments`: those of the launch; may be null.
KernelAnswer answer_of_zeros(const KernelQuestion& question, void* const* arguments,
                             const SaidBefore& before);
/// The place to which a kernel writes truths that are all the same; empty where it does something
/// else.
std::optional<RememberedTruths::Place> place_of_truths(const KernelQuestion& question,
                                                       void* const* arguments);

// The memory that a kernel of PyTorch writes and the bytes, as far as its name and its arguments
// tell. Most tell nothing, and may write anywhere. The one that works on each value of tensors
// alike writes to the first of its addresses, and the one that fills writes what stands in its
// functor.

struct KernelWriter {
  bool has_known_place = false;
  /// The size of the value that it fills with; 0 for a kernel that does something else.
  std::uint8_t filled_bytes = 0;
  /// Its first argument is the address where the tensor begins that it joins from others.
  bool begins_at_first_argument = false;
};

KernelWriter writer_of(std::string_view kernel_name);

struct KernelWrite {
  std::uint64_t at = 0;
  /// At most so many.
  std::uint64_t bytes = 0;
  /// The value that stands there again and again, where it is known.
  std::vector<char> value{};
  /// At least so many: all where the value is known, else one for each value.
  std::uint64_t sure_bytes = 0;
};

/// `arguments`: those of the launch; may be null. Empty where it may write anywhere.
std::optional<KernelWrite> write_of(const KernelWriter& writer, void* const* arguments);

/// Operations of PyTorch tell what their kernels write.
enum class CodeOwner : std::uint8_t { others, pytorch };

// KernelNames: the kernels that programs asked for by name. A module whose machine code can be read
// has the kernels that are in it, and one of PTX what that defines; any other has every kernel, and
// nothing more is known of them.

struct NamedKernel {
  std::string name;
  KernelQuestion question;
  KernelWriter writer;
  CodeOwner owner = CodeOwner::others;
  std::optional<KernelFacts> facts;
  /// The shared memory that the program asked for beyond that of every block.
  std::optional<int> dynamic_shared_bytes{};
};

class KernelNames {
 public:
  void load(std::uint64_t module, std::span<const char> code, CodeOwner owner) {
    if (owner == CodeOwner::pytorch) of_pytorch_.insert(module);
    FactsByName facts;
    add_facts(code, facts);
    if (!facts.empty()) modules_[module] = std::move(facts);
  }
  void load(std::uint64_t module, PtxNames names) {
    if (!names.kernels.empty()) modules_[module] = names.kernels;
    ptx_[module] = std::move(names);
  }
  void unload(std::uint64_t module) {
    ptx_.erase(module);
    modules_.erase(module);
    of_pytorch_.erase(module);
  }

  /// Its handle; nothing if the module has no such kernel.
  std::optional<std::uint64_t> find(std::uint64_t module, const std::string& name) {
    if (const auto text = ptx_.find(module);
        text != ptx_.end() && !text->second.functions.contains(name))
      return std::nullopt;
    const auto loaded = modules_.find(module);
    const CodeOwner owner = of_pytorch_.contains(module) ? CodeOwner::pytorch : CodeOwner::others;
    if (loaded == modules_.end())
      return handle_of({owner == CodeOwner::pytorch ? any_of_pytorch : any_of_others, name},
                       std::nullopt, owner);
    const auto found = loaded->second.find(name);
    if (found == loaded->second.end()) return std::nullopt;
    return handle_of({module, name}, found->second, owner);
  }
  /// Whether the module may have a variable of this name.
  bool may_have_variable(std::uint64_t module, std::string_view name) const {
    const auto text = ptx_.find(module);
    return text == ptx_.end() || text->second.variables.contains(name);
  }
  /// Null where no kernel has this handle.
  const NamedKernel* kernel_of(std::uint64_t handle) const {
    if (handle < first_handle || (handle - first_handle) % step_of_handles != 0) return nullptr;
    const std::uint64_t place = (handle - first_handle) / step_of_handles;
    return place < kernels_.size() ? &kernels_[place] : nullptr;
  }
  NamedKernel* kernel_of(std::uint64_t handle) {
    return const_cast<NamedKernel*>(std::as_const(*this).kernel_of(handle));
  }
  const std::string* name_of(std::uint64_t handle) const {
    const NamedKernel* const kernel = kernel_of(handle);
    return kernel == nullptr ? nullptr : &kernel->name;
  }

 private:
  using Key = std::pair<std::uint64_t, std::string>;

  std::uint64_t handle_of(const Key& key, std::optional<KernelFacts> facts, CodeOwner owner) {
    const auto [found, is_new] =
        handles_.try_emplace(key, first_handle + step_of_handles * kernels_.size());
    if (is_new)
      kernels_.push_back(
          {key.second, question_of(key.second), writer_of(key.second), owner, facts});
    return found->second;
  }

  static constexpr std::uint64_t first_handle = 0x50000000;
  static constexpr std::uint64_t step_of_handles = 16;

  /// Modules of one owner without code that can be read have the same kernels.
  static constexpr std::uint64_t any_of_others = 0;
  static constexpr std::uint64_t any_of_pytorch = ~std::uint64_t{0};

  std::map<std::uint64_t, FactsByName> modules_;
  std::map<std::uint64_t, PtxNames> ptx_;
  std::set<std::uint64_t> of_pytorch_;
  std::map<Key, std::uint64_t> handles_;
  /// Their names are told as pointers, so none may move.
  std::deque<NamedKernel> kernels_;
};

// The limits of a GPU, which CUDA's programming guide documents, and the facts of a kernel decide
// how many of its blocks run at once.

/// Shared memory beyond this has to be asked for.
inline constexpr int shared_bytes_of_every_block = 48 << 10;

MultiprocessorLimits limits_of(const streams::GpuProperties& gpu);

/// The facts of an average kernel if nothing is known.
KernelFacts known_facts(const NamedKernel& kernel);

}  // namespace vramlab::dry_run
