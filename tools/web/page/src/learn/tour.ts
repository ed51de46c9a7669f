// The guided tour: small programs, what to look at in each, and a question with its answer. The programs bring their
// options and their device along, so `vramlab steps` shows the same.
import rounding from "../../tour/01-rounding.vtrace.jsonl";
import segments from "../../tour/02-segments.vtrace.jsonl";
import bestFit from "../../tour/03-best-fit.vtrace.jsonl";
import merging from "../../tour/04-merging.vtrace.jsonl";
import streams from "../../tour/05-streams.vtrace.jsonl";
import captures from "../../tour/06-captures.vtrace.jsonl";
import splitLimit from "../../tour/07-split-limit.vtrace.jsonl";
import garbage from "../../tour/08-garbage.vtrace.jsonl";
import expandable from "../../tour/09-expandable.vtrace.jsonl";
import outOfMemory from "../../tour/10-out-of-memory.vtrace.jsonl";
import emptyCache from "../../tour/11-empty-cache.vtrace.jsonl";
import checkpoint from "../../tour/12-checkpoint.vtrace.jsonl";
import twoVersions from "../../tour/13-two-versions.vtrace.jsonl";

export interface Station {
  title: string;
  file: string;
  program: string;
  text: string;
  question: string;
  answer: string;
}

export const stations: Station[] = [
  { title: "Rounding", file: "01-rounding.vtrace.jsonl", program: rounding,
    text: "A request gets a block of a multiple of 512 bytes. Blocks up to 1 MiB are small, all others are " +
      "large, and the two never share a segment. In the middle of the program an option makes the steps " +
      "coarser: 1.14 MiB gets a block of 1.25 MiB.",
    question: "How large is the block of a request for 1 MiB and one byte, and in which half does it lie?",
    answer: "1 MiB and 512 bytes: the next multiple of 512. That is above 1 MiB, so it is a large block." },
  { title: "Segments", file: "02-segments.vtrace.jsonl", program: segments,
    text: "If no free block fits, the device is asked for a segment: 2 MiB for small blocks, 20 MiB for " +
      "requests below 10 MiB, and otherwise the size in steps of 2 MiB. The rest of a segment is for later " +
      "requests. At the end, 1.05 MiB find room in a segment that is there.",
    question: "What does a first request for 10 MiB ask of the device, and what one for 9.9 MiB?",
    answer: "10 MiB get a segment of 10 MiB of their own. Below 10 MiB the segment has 20 MiB, and half of it " +
      "is left for others." },
  { title: "Best fit and splitting", file: "03-best-fit.vtrace.jsonl", program: bestFit,
    text: "Two holes are made: 4 MiB and 6 MiB. The request for 3 MiB takes the smallest block that is large " +
      "enough; the megabyte that is left is too little to be split off and stays in the block. The next " +
      "request splits its block, and the rest is free again.",
    question: "Two blocks of 6 MiB lie free, and 5.5 MiB are requested. How large is the block that is handed " +
      "out?",
    answer: "6 MiB: the rest of half a megabyte is not above 1 MiB, so it is not split off. memory_stats() " +
      "counts 6 MiB as allocated and 5.5 MiB as requested." },
  { title: "Merging", file: "04-merging.vtrace.jsonl", program: merging,
    text: "A freed block merges with free neighbours. While block 2 is held, 16 MiB are free in two parts, and " +
      "14 MiB still need a segment of their own: that is fragmentation. When block 2 is freed, all is one " +
      "block again.",
    question: "In which order would you free blocks 1, 2 and 3, so that 14 MiB never need another segment?",
    answer: "Any order that frees block 2 before the request: neighbours merge at once, and free memory in " +
      "one piece serves it." },
  { title: "Waiting for streams", file: "05-streams.vtrace.jsonl", program: streams,
    text: "Block 1 is used on stream 7, too (record_stream). Freed, it waits for the work there, and the next " +
      "request gets other memory. The allocator looks only when something is requested: after the work is " +
      "done, request 3 finds it complete. Memory of one stream is never given to another one.",
    question: "A program frees a tensor that another stream still reads, without record_stream. What goes " +
      "wrong?",
    answer: "The block is free at once, and the next request on its own stream may write there while the " +
      "other one still reads." },
  { title: "Captures and private pools", file: "06-captures.vtrace.jsonl", program: captures,
    text: "While a graph is captured, requests on its stream come from a private pool, although 20 MiB are " +
      "cached for it. A free of memory that another stream uses is put off, as no event may be recorded. The pool " +
      "keeps its memory until nobody uses it: the second empty_cache releases it.",
    question: "Why does a graph need a pool of its own?",
    answer: "Its kernels use fixed addresses each time it is launched. If others could get this memory in " +
      "between, they would be overwritten." },
  { title: "The split limit", file: "07-split-limit.vtrace.jsonl", program: splitLimit,
    text: "With max_split_size_mb:32, blocks from 32 MiB on are never split. So 10 MiB don't take the free " +
      "block of 64 MiB, 50 MiB take all of it, and 42 MiB would waste too much. When the device has no " +
      "room, just such a block is given back.",
    question: "A split limit keeps large blocks whole. What does that cost?",
    answer: "Small requests can not use what large blocks leave free, so more segments are needed. It pays " +
      "where large sizes come again exactly." },
  { title: "Collecting garbage", file: "08-garbage.vtrace.jsonl", program: garbage,
    text: "The program may use half of the device, and garbage_collection_threshold is 0.6: above 76.8 MiB of " +
      "reserved memory, a miss first releases free segments that were not used for long. The next miss " +
      "would exceed the limit.",
    question: "Which free segments does a collection release first: large ones, or those that were unused for " +
      "long?",
    answer: "Those that were unused for at least the average time; their size does not matter. Only whole " +
      "segments are released." },
  { title: "Expandable segments", file: "09-expandable.vtrace.jsonl", program: expandable,
    text: "One range of addresses is reserved, and memory is mapped into it in units of 20 MiB. The segment " +
      "grows at its end, so that free memory there is used: compare with merging, where a segment of its " +
      "own was needed. At the end, whole units are unmapped.",
    question: "Why can an expandable segment release memory in its middle, and a segment of cudaMalloc not?",
    answer: "Each unit of 20 MiB is a piece of memory of its own, mapped at its address. cudaFree takes back " +
      "a whole segment only." },
  { title: "Out of memory", file: "10-out-of-memory.vtrace.jsonl", program: outOfMemory,
    text: "The device has 64 MiB. Request 4 misses, and the device refuses: everything cached is released, and " +
      "the request is tried again. Request 6 finds nothing to release: a block of 6 MiB keeps the segment " +
      "that it lies in, so 14 MiB are free in vain. It fails.",
    question: "18 MiB are requested, and 20 MiB of the device are reserved but not allocated. Why does the " +
      "request fail?",
    answer: "They are not in one piece, or not on its stream or in its pool, and a live block keeps the rest " +
      "of its segment from being released." },
  { title: "Emptying the cache", file: "11-empty-cache.vtrace.jsonl", program: emptyCache,
    text: "torch.cuda.empty_cache() releases segments without a live block: the one of 12 MiB, and not the " +
      "one of 20 MiB, in which block 3 lies. Of an expandable segment whole units of 20 MiB are " +
      "released: 40 of the 50 MiB that are free at its begin.",
    question: "Does empty_cache() give a program more memory?",
    answer: "Not the program itself: before a request fails, everything cached is released anyway. It gives " +
      "memory to other processes, and costs new calls of the device afterwards." },
  { title: "Checkpoints of a pool", file: "12-checkpoint.vtrace.jsonl", program: checkpoint,
    text: "torch.compile notes how the pool of its graphs is cut into blocks, and sets it back before it " +
      "captures another graph. The checkpoint is taken while block 2 is held; after it is restored, " +
      "memory is cut as it was then, and a block of that size is held again, by the name 10.",
    question: "Restoring hands out three blocks and frees two. Why?",
    answer: "The segment is cut from its front: each block is handed out in turn, and those that were free " +
      "then are freed again. The history of PyTorch shows the same." },
  { title: "Two versions", file: "13-two-versions.vtrace.jsonl", program: twoVersions,
    text: "Two segments of 12 MiB are free; the one at the higher address was got first. PyTorch 2.6 gives " +
      "the last request the lowest address. Choose version 2.15 below: it takes the segment that was " +
      "got first. Peaks can differ by that, although no request does.",
    question: "What does this mean for a comparison of two versions?",
    answer: "A difference of reserved memory may be luck of addresses. Compare allocated peaks first, or " +
      "replay one recording by the rules of both versions." },
];

export const emptyProgram = `{"format":"vramlab-trace","version":1,"devices":[{"device":0,"memory":1073741824}]}
{"malloc":1,"bytes":4194304}
{"free":1}
`;
