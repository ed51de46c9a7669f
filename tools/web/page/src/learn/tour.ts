// The guided tour: ten small programs, and what to look at in each. The programs bring their options
// and their device along, so `vramlab steps` shows the same.
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

export interface Station { title: string; file: string; program: string; text: string }

export const stations: Station[] = [
  { title: "Rounding", file: "01-rounding.vtrace.jsonl", program: rounding,
    text: "A request gets a block of a multiple of 512 bytes. Blocks up to 1 MiB are small, all others are " +
      "large, and the two never share a segment. In the middle of the program an option makes the steps " +
      "coarser: 1.14 MiB gets a block of 1.25 MiB." },
  { title: "Segments", file: "02-segments.vtrace.jsonl", program: segments,
    text: "If no free block fits, the device is asked for a segment: 2 MiB for small blocks, 20 MiB for " +
      "requests below 10 MiB, and otherwise the size in steps of 2 MiB. The rest of a segment is for later " +
      "requests. At the end, 1.05 MiB find room in a segment that is there." },
  { title: "Best fit and splitting", file: "03-best-fit.vtrace.jsonl", program: bestFit,
    text: "Two holes are made: 4 MiB and 6 MiB. The request for 3 MiB takes the smallest block that is large " +
      "enough; the megabyte that is left is too little to be split off and stays in the block. The next " +
      "request splits its block, and the rest is free again." },
  { title: "Merging", file: "04-merging.vtrace.jsonl", program: merging,
    text: "A freed block merges with free neighbours. While block 2 is held, 16 MiB are free in two parts, and " +
      "14 MiB still need a segment of their own: that is fragmentation. When block 2 is freed, all is one " +
      "block again." },
  { title: "Waiting for streams", file: "05-streams.vtrace.jsonl", program: streams,
    text: "Block 1 is used on stream 7, too (record_stream). Freed, it waits for the work there, and the next " +
      "request gets other memory. The allocator looks only when something is requested: after the work is " +
      "done, request 3 finds it complete. Memory of one stream is never given to another one." },
  { title: "Captures and private pools", file: "06-captures.vtrace.jsonl", program: captures,
    text: "While a graph is captured, requests on its stream come from a private pool, although 20 MiB are " +
      "cached for it. A free of memory that another stream uses is put off, as no event may be recorded. The pool " +
      "keeps its memory until nobody uses it: the second empty_cache releases it." },
  { title: "The split limit", file: "07-split-limit.vtrace.jsonl", program: splitLimit,
    text: "With max_split_size_mb:32, blocks from 32 MiB on are never split. So 10 MiB don't take the free " +
      "block of 64 MiB, 50 MiB take all of it, and 42 MiB would waste too much. When the device has no " +
      "room, just such a block is given back." },
  { title: "Collecting garbage", file: "08-garbage.vtrace.jsonl", program: garbage,
    text: "The program may use half of the device, and garbage_collection_threshold is 0.6: above 76.8 MiB of " +
      "reserved memory, a miss first releases free segments that were not used for long. The next miss " +
      "would exceed the limit." },
  { title: "Expandable segments", file: "09-expandable.vtrace.jsonl", program: expandable,
    text: "One range of addresses is reserved, and memory is mapped into it in units of 20 MiB. The segment " +
      "grows at its end, so that free memory there is used: compare with merging, where a segment of its " +
      "own was needed. At the end, whole units are unmapped." },
  { title: "Out of memory", file: "10-out-of-memory.vtrace.jsonl", program: outOfMemory,
    text: "The device has 64 MiB. Request 4 misses, and the device refuses: everything cached is released, and " +
      "the request is tried again. Request 6 finds nothing to release: a block of 6 MiB keeps the segment " +
      "that it lies in, so 14 MiB are free in vain. It fails." },
];

export const emptyProgram = `{"format":"vramlab-trace","version":1,"devices":[{"device":0,"memory":1073741824}]}
{"malloc":1,"bytes":4194304}
{"free":1}
`;
