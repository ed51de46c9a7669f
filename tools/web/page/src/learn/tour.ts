// The guided tour: small programs, what to look at in each, and a question with its answer, all of them in
// tour/. The programs bring their options and their device along, so `vramlab steps` shows the same.
import texts from "../../tour/stations.json";
import rounding from "../../tour/01-rounding.vtrace.py";
import segments from "../../tour/02-segments.vtrace.py";
import bestFit from "../../tour/03-best-fit.vtrace.py";
import merging from "../../tour/04-merging.vtrace.py";
import streams from "../../tour/05-streams.vtrace.py";
import captures from "../../tour/06-captures.vtrace.py";
import splitLimit from "../../tour/07-split-limit.vtrace.py";
import garbage from "../../tour/08-garbage.vtrace.py";
import expandable from "../../tour/09-expandable.vtrace.py";
import outOfMemory from "../../tour/10-out-of-memory.vtrace.py";
import emptyCache from "../../tour/11-empty-cache.vtrace.py";
import checkpoint from "../../tour/12-checkpoint.vtrace.py";
import twoVersions from "../../tour/13-two-versions.vtrace.py";
import pinned from "../../tour/14-pinned.vtrace.py";
import sharing from "../../tour/15-sharing.vtrace.py";

const programs: Record<string, string> = {
  "01-rounding.vtrace.py": rounding,
  "02-segments.vtrace.py": segments,
  "03-best-fit.vtrace.py": bestFit,
  "04-merging.vtrace.py": merging,
  "05-streams.vtrace.py": streams,
  "06-captures.vtrace.py": captures,
  "07-split-limit.vtrace.py": splitLimit,
  "08-garbage.vtrace.py": garbage,
  "09-expandable.vtrace.py": expandable,
  "10-out-of-memory.vtrace.py": outOfMemory,
  "11-empty-cache.vtrace.py": emptyCache,
  "12-checkpoint.vtrace.py": checkpoint,
  "13-two-versions.vtrace.py": twoVersions,
  "14-pinned.vtrace.py": pinned,
  "15-sharing.vtrace.py": sharing,
};

export interface Station {
  title: string;
  file: string;
  program: string;
  text: string;
  question: string;
  answer: string;
  /** The version of PyTorch that is shown beside it; mostly none. */
  beside?: string;
}

export const stations: Station[] = texts.map((station) => ({ ...station, program: programs[station.file]! }));

export const emptyProgram = `program(memory=1*GiB)
a = empty(4*MiB)
del a
`;
