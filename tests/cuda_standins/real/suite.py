"""The programs of the suite: how each is run, and what is compared."""

import dataclasses
import pathlib

PROGRAMS_FOLDER = pathlib.Path(__file__).resolve().parent / "programs"
# Entries do not name the pools of requests, and a scope of a pool is that of a thread.
POOLS_UNNAMED = tuple((2, minor) for minor in range(7, 12))
EXPANDABLE = "expandable_segments:True"
BOTH = ("", EXPANDABLE)
MANY = ("", EXPANDABLE, "max_split_size_mb:64", "roundup_power2_divisions:4",
        "garbage_collection_threshold:0.6,max_split_size_mb:200")


@dataclasses.dataclass(frozen=True)
class Program:
    name: str
    arguments: tuple = ()
    option_strings: tuple = ("",)
    # Each answer for one option string must be what the program then did under the other.
    what_if: bool = True
    gpus: int = 1
    memory: str = ""
    processes: int = 1
    by_torchrun: bool = False
    since: tuple = (2, 4)
    # Versions whose histories do not tell what the answers need.
    no_what_if_in: tuple = ()
    # Versions in which PyTorch refuses it with expandable segments.
    not_expandable_in: tuple = ()
    packages: tuple = ()
    # Options of `vramlab dry-run`.
    options: tuple = ()
    # Run again, for the same history.
    twice: bool = False
    # The file of the model whose lines stand in for code that inductor made.
    compiled_from: str = ""
    # Run again with zeros in place of computed values, for the same history.
    zeros: bool = True
    # Run again without kinds of memory, for the same history.
    kinds: bool = True
    # At its peak nearly all memory has a kind.
    labelled: bool = False
    # Also run with its memory from the plug-in.
    plugin: bool = False
    # Also run inside `vramlab run` and `vramlab record`.
    inside_others: bool = False
    says: str = ""
    # Writes a trace of its pinned memory, pinned.vtrace.jsonl.
    pinned: bool = False
    # Tells how much managed memory there was.
    managed: bool = False
    # The program of fit_compared.py with which `vramlab fit` is asked, too, and its values.
    compared_by_fit: str = ""
    fit_values: tuple = ()
    # Runs an inference engine: what `vramlab serve` says of it is what the engine says.
    served: bool = False
    # Tells which option strings PyTorch takes.
    asks_options: bool = False

    @property
    def label(self):
        return " ".join([self.name, *self.arguments])

    def in_version(self, version):
        kept = self.option_strings
        if version in self.not_expandable_in:
            kept = tuple(text for text in kept if text != EXPANDABLE)
        what_if = self.what_if and version not in self.no_what_if_in
        return dataclasses.replace(self, option_strings=kept, what_if=what_if)


PROGRAMS = [
    Program("gpt_fixed", option_strings=BOTH, plugin=True, inside_others=True, labelled=True),
    Program("gpt_large", option_strings=BOTH),
    Program("gpt_variable", option_strings=MANY, plugin=True),
    Program("gpt_checkpoint", option_strings=BOTH, labelled=True),
    Program("early_stops", option_strings=BOTH, says="STEPS 4"),
    Program("gpt_amp", option_strings=BOTH, labelled=True),
    Program("gpt_accumulation", option_strings=BOTH, labelled=True),
    Program("conv_net", option_strings=BOTH, labelled=True),
    Program("lstm", option_strings=BOTH),
    Program("generation", option_strings=BOTH),
    Program("cuda_graph", option_strings=BOTH),
    Program("graphed_callables", option_strings=BOTH),
    Program("memory_pools", option_strings=BOTH, since=(2, 6), no_what_if_in=POOLS_UNNAMED,
            not_expandable_in=((2, 7),)),
    # Earlier histories do not name the pool of a request that failed. Whether one fails in a capture
    # depends on what fits, so another option string is another program.
    Program("pool_scopes", option_strings=BOTH, what_if=False, since=(2, 12), memory="1536MiB",
            says="SCOPES END"),
    Program("scope_in_a_capture", option_strings=BOTH, no_what_if_in=POOLS_UNNAMED, since=(2, 6),
            not_expandable_in=((2, 7),), says="GIVEN BACK"),
    Program("late_events", option_strings=BOTH, plugin=True),
    Program("many_streams", option_strings=BOTH, plugin=True),
    # Its requests depend on what fits, so another option string is another program.
    Program("out_of_memory", option_strings=BOTH, what_if=False, memory="6GiB", says="FAILURES"),
    Program("memory_fraction", option_strings=BOTH, what_if=False, memory="40GiB",
            says="FAILURES"),
    Program("loader_workers"),
    # 2.4 cannot empty the cache of pinned memory.
    Program("pinned_memory", since=(2, 5), says="HOST", pinned=True,
            options=("--kernel-time", "1000s")),
    Program("kinds_recorded", says="ALIVE 0"),
    Program("modules_told", ("plain",), what_if=False, says="PATHS"),
    Program("modules_told", ("checkpointed",), what_if=False, says="PATHS"),
    Program("modules_told", ("compiled",), what_if=False, says="PATHS"),
    Program("managed_memory", says="MANAGED", managed=True),
    Program("pinned_pools", since=(2, 12), says="PEAKS"),
    Program("reserved_addresses", since=(2, 15),
            option_strings=(EXPANDABLE, f"{EXPANDABLE},expandable_segments_reserve:1G",
                            f"{EXPANDABLE},expandable_segments_reserve:2G")),
    # A share of the device's memory, which no history tells.
    Program("reserved_addresses", ("fails",), since=(2, 15), memory="24GiB", what_if=False,
            option_strings=(f"{EXPANDABLE},expandable_segments_reserve:1G",
                            f"{EXPANDABLE},expandable_segments_reserve:0.04"), says="FAILURES 6"),
    Program("exact_addresses", since=(2, 13), what_if=False, says="REFUSED 3"),
    Program("option_strings", since=(2, 13), says="TAKEN", asks_options=True),
    Program("sized", ("--model", "conv", "--batch", "3"), option_strings=BOTH, compared_by_fit="conv",
            fit_values=(4, 7)),
    Program("optimizers", option_strings=BOTH, labelled=True),
    Program("empty_cache_loop", option_strings=BOTH, plugin=True),
    Program("unrecorded_calls", option_strings=BOTH, since=(2, 6), no_what_if_in=POOLS_UNNAMED,
            not_expandable_in=((2, 7),)),
    # Its own options take the place of others.
    Program("settings_on_the_way", option_strings=BOTH, what_if=False, says="FAILURES"),
    Program("load_and_serve", option_strings=BOTH, says="PEAK"),
    Program("options_after_import", what_if=False, says="ROUNDED"),
    Program("random_requests", option_strings=MANY, plugin=True),
    # Its shapes depend on values.
    Program("host_reads", zeros=False),
    # Repeats by numbers that are known.
    Program("value_checks", zeros=False),
    # How many elements of an identity matrix a sparse one keeps is known.
    Program("linear_algebra", zeros=False),
    Program("operations", since=(2, 6), says="TRIED", zeros=False),
    Program("operations", ("zeros",), since=(2, 6), says="TRIED", zeros=False,
            options=("--values", "zeros")),
    Program("two_devices", gpus=2, option_strings=BOTH),
    Program("ddp", ("gloo",), gpus=2, processes=2, says="RANK 1 ends"),
    Program("ddp", ("nccl",), gpus=2, processes=2, says="RANK 1 ends", labelled=True),
    Program("fsdp", ("1",), gpus=2, processes=2, by_torchrun=True, says="RANK 1 ends",
            labelled=True),
    Program("fsdp", ("2",), gpus=2, processes=2, by_torchrun=True, since=(2, 6),
            says="RANK 1 ends", labelled=True),
    Program("pipeline", gpus=2, processes=2, by_torchrun=True, says="RANK 1 ends"),
    Program("objects_of_ranks", gpus=2, processes=2, by_torchrun=True, says="RANK 1 ends"),
    Program("objects_of_ranks", ("alone",), processes=3, says="RANK 2 ends",
            options=("--ranks", "all", "--world-size", "3")),
    Program("values_of_ranks", ("nccl",), gpus=2, processes=2, by_torchrun=True,
            says="RANK 1 ends", zeros=False),
    Program("values_of_ranks", ("gloo",), gpus=2, processes=2, by_torchrun=True,
            says="RANK 1 ends", zeros=False),
    Program("values_of_ranks", ("nccl", "zeros"), gpus=2, processes=2, by_torchrun=True,
            says="RANK 1 ends", zeros=False, options=("--values", "zeros")),
    Program("values_of_ranks", ("gloo", "zeros"), gpus=2, processes=2, by_torchrun=True,
            says="RANK 1 ends", zeros=False, options=("--values", "zeros")),
    Program("values_of_ranks", ("nccl", "alone"), processes=3, says="RANK 2 ends",
            options=("--ranks", "all", "--world-size", "3")),
    Program("fsdp", ("1", "alone"), options=("--rank", "5", "--world-size", "64"),
            says="RANK 0 ends"),
    Program("values_from_file", says="READ 409600",
            options=("--values-from", str(PROGRAMS_FOLDER / "values_for_it.py"))),
    Program("computed_values", zeros=False, says="ALL RIGHT"),
    # Older versions of torchvision keep all known boxes, too: they look through a mask on the host.
    Program("detector", packages=("torchvision",), since=(2, 7), zeros=False,
            says="PROPOSED [[512, 512], [150, 150]]"),
    Program("ones_of_their_type", zeros=False, says="ALL RIGHT", options=("--values", "ones")),
    Program("compiled_step", says="COMPILED 3"),
    Program("compile_aot_eager", labelled=True, says="COMPILED 1"),
    Program("compile_inductor", packages=("triton",), twice=True, compiled_from="gpt.py",
            labelled=True),
    Program("triton_kernel", packages=("triton",), option_strings=BOTH, twice=True),
    Program("explained_oom", option_strings=BOTH, what_if=False, memory="1GiB",
            says="EXPLAINED 8"),
    Program("watched", what_if=False, memory="1GiB", says="WATCHED watched.py"),
    # The newest transformers, diffusers and peft ask for 2.6.
    Program("hf_callback", packages=("transformers", "accelerate"), since=(2, 6), says="STEPS 3"),
    Program("limits_in_pytest", packages=("pytest",), what_if=False, says="JUDGED 4"),
    Program("lightning_callback", packages=("lightning",), says="STEPS 2"),
    Program("hf_trainer", packages=("transformers", "accelerate"), since=(2, 6),
            option_strings=BOTH),
    Program("hf_generate", packages=("transformers",), since=(2, 6), option_strings=BOTH,
            labelled=True),
    Program("accelerate_loop", packages=("accelerate",)),
    Program("peft_lora", packages=("peft",), since=(2, 6), option_strings=BOTH, labelled=True),
    Program("eight_bit_adam", packages=("bitsandbytes",), since=(2, 6), labelled=True),
    Program("vision", packages=("torchvision", "timm"), option_strings=BOTH),
    Program("diffusion", packages=("diffusers",), since=(2, 6), option_strings=BOTH),
    # It asks how much memory there is.
    Program("vllm_llama", packages=("vllm",), what_if=False, zeros=False, kinds=False, memory="38GiB",
            options=("--gpu", "a100-40gb"), says="TOKENS [8, 8, 8, 8]", served=True),
]
