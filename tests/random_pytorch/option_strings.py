"""The option strings that a program is run under."""

import random

COMMON = ["", "expandable_segments:True", "max_split_size_mb:32", "max_split_size_mb:40,max_non_split_rounding_mb:24",
          "roundup_power2_divisions:4", "roundup_power2_divisions:[1:2,8:4,64:8,>:1]",
          "expandable_segments:True,roundup_power2_divisions:8", "expandable_segments:True,max_split_size_mb:50",
          "garbage_collection_threshold:0.5", "garbage_collection_threshold:0.6,max_split_size_mb:50"]
WITH_A_FRACTION = ["garbage_collection_threshold:0.5", "garbage_collection_threshold:0.6,max_split_size_mb:50", "",
                   "expandable_segments:True", "max_split_size_mb:32,garbage_collection_threshold:0.8"]
SINCE_2_12 = ["large_segment_size_mb:64", "large_segment_size_mb:12,expandable_segments:True",
              "graph_capture_record_stream_reuse:True",
              "large_segment_size_mb:30,max_split_size_mb:40,roundup_power2_divisions:2"]
# These fractions are of the GPU's memory, so programs with another limit are not run under them, nor those with
# frees that wait: a retry would complete these (programs.py).
FRACTIONS_SINCE_2_12 = ["per_process_memory_fraction:0.01", "per_process_memory_fraction:0.02,throw_on_cudamalloc_oom:True",
                        "per_process_memory_fraction:0.02,garbage_collection_threshold:0.4"]


def choose(family, seed, operations, version):
    """Two option strings, and one of those that only newer versions have."""
    chance = random.Random(f"{family.name}/{seed}/options")
    kinds = {operation[0] for operation in operations}
    chosen = chance.sample(WITH_A_FRACTION if "fraction" in kinds else COMMON, 2)
    if version < (2, 12) or "options" in kinds:
        return chosen
    may_be_short = family.memory == ("none",) and not kinds & {"record", "fraction"}
    return chosen + [chance.choice(SINCE_2_12 + (FRACTIONS_SINCE_2_12 if may_be_short else []))]
