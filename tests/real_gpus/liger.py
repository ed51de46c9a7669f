"""The memory figures that Liger-Kernel publishes in benchmark/data/*.csv, and the dry run of the scripts behind them.

A figure enters the tables with a commit; the scripts and the kernels of that commit are run, unmodified.
"""

import collections
import csv
import io
import os
import pathlib
import re
import subprocess
import tempfile

from tables import add_package, git, packages_of, unpack, write

HERE = pathlib.Path(__file__).resolve().parent
TABLES = ("all_benchmark_data.csv", "all_benchmark_data_cutile.csv", "all_benchmark_data_cutedsl.csv")
GPUS = {"NVIDIA A100-SXM4-80GB": "a100-80gb", "NVIDIA H100 80GB HBM3": "h100-80gb", "NVIDIA H100 PCIe": "h100-pcie",
        "NVIDIA GeForce RTX 3090": "rtx3090", "NVIDIA GeForce RTX 4090": "rtx4090", "NVIDIA B200": "b200"}
KEY = ("kernel", "provider", "mode", "x_name", "x", "config")

Group = collections.namedtuple("Group", "table commit gpu kernel")


def rows_of_table(text):
    """The memory figures of one version of a table, by what was measured and on which GPU."""
    rows = {}
    for row in csv.DictReader(io.StringIO(text)):
        if row["metric_name"] == "memory":
            key = (row["kernel_name"], row["kernel_provider"], row["kernel_operation_mode"] or "", row["x_name"],
                   row["x_value"], row["extra_benchmark_config_str"] or "", row["gpu_name"])
            rows[key] = (row["y_value_50"], row["timestamp"], row["liger_version"])
    return rows


def published(clone):
    """Every memory figure of the tables, with the commit at which it entered."""
    for table in TABLES:
        path = f"benchmark/data/{table}"
        entered, before = {}, {}
        for commit in git(clone, "log", "--reverse", "--format=%H", "--", path).decode().split():
            now = rows_of_table(git(clone, "show", f"{commit}:{path}").decode())
            entered.update({key: commit for key, figure in now.items() if before.get(key) != figure})
            before = now
        for (kernel, provider, mode, x_name, x, config, gpu), (value, timestamp, version) in before.items():
            commit = entered[kernel, provider, mode, x_name, x, config, gpu]
            yield {"table": table, "commit": commit, "gpu": gpu, "kernel": kernel, "provider": provider, "mode": mode,
                   "x_name": x_name, "x": x, "config": config, "real": value, "measured": timestamp[:10],
                   "version": version}


def groups(rows):
    """The figures that one run of a script gives."""
    found = collections.defaultdict(list)
    for row in rows:
        found[Group(row["table"], row["commit"], row["gpu"], row["kernel"])].append(row)
    return found


def script_of(folder, kernel):
    """The script that names this kernel."""
    pattern = re.compile(rf'"?kernel_name"?\s*[:=]\s*"{kernel}"')
    scripts = [path for path in sorted((folder / "benchmark/scripts").glob("benchmark_*.py"))
               if pattern.search(path.read_text(encoding="utf-8"))]
    short = re.sub("^fused_linear_|^tiled_", "", kernel)
    exact = [path for path in scripts if path.stem in (f"benchmark_{kernel}", f"benchmark_{short}")]
    if not scripts:
        scripts = [folder / f"benchmark/scripts/benchmark_{re.sub('_(token|sequence)$', '', short)}.py"]
    return (exact or scripts)[0]


def environment(folder, group, version, extra_path):
    """Liger's own package from the commit, with the version that its scripts look up."""
    add_package(folder / "facts", "liger-kernel", version)
    parts = [str(folder / "src"), str(folder / "facts"), *extra_path]
    changed = {**os.environ, "PYTHONPATH": os.pathsep.join(parts)}
    if group.table != TABLES[0]:  # the tables that compare Triton with other compilers
        changed["LIGER_BENCH_PROVIDER_TAG"] = "liger_triton"
        changed["LIGER_KERNEL_IMPL"] = ""
    return changed


def command_of(group, folder, how):
    answers = ["--values-from", str(HERE / "answers.py")] if how.answers else []
    return [how.vramlab, "dry-run", "--quiet", "--gpu", GPUS[group.gpu], "--kernel-time", how.kernel_time,
            "--values", how.values, *answers, "--", how.python, "-B", str(HERE / "liger_inside.py"),
            str(script_of(folder, group.kernel)), how.parts, *how.arguments]


def run_group(group, version, how):
    """Runs the script of a group dry; returns what it measured, by key."""
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        unpack(how.clone, group.commit, ("src", "benchmark", "test"), folder)
        data = folder / "benchmark/data"
        data.mkdir()
        subprocess.run(command_of(group, folder, how), cwd=folder / "benchmark/scripts", check=False,
                       env=environment(folder, group, version, how.path))
        tables = [rows_of_table(path.read_text(encoding="utf-8")) for path in data.glob("*.csv")]
    return {key[:-1]: figure[0] for table in tables for key, figure in table.items() if figure[0] != "nan"}


def name_of(group):
    return "/".join((group.table.replace("all_benchmark_data", "all").removesuffix(".csv"), group.commit[:8],
                     GPUS[group.gpu], group.kernel))


def key_of(row):
    return tuple(row[part] for part in KEY)


def tell(group, rows, done):
    equal = sum(row["real"] == row["dry"] for row in done)
    print(f"{name_of(group)}: {len(rows)} rows, {len(done)} run, {equal} equal", flush=True)
    for row in done:
        if row["real"] != row["dry"]:
            print("   ", row["provider"], row["mode"], row["x"], row["config"], row["real"], row["dry"])


def repeat(how):
    """Runs the groups that were asked for; each row is printed, and kept in the file."""
    facts = {**packages_of(how, ("torch", "triton", "transformers", "deepspeed")), "parts": how.parts,
             "values": "answers.py" if how.answers else how.values}
    for group, rows in groups(published(how.clone)).items():
        if not all(text in name_of(group) for text in how.match):
            continue
        if how.list:
            print(len(rows), name_of(group), *sorted({row["provider"] for row in rows}))
            continue
        dry = run_group(group, rows[0]["version"], how)
        done = [{**row, **facts, "dry": dry[key_of(row)]} for row in rows if key_of(row) in dry]
        tell(group, rows, done)
        if how.out and done:
            write(how.out, done)
    return 0
