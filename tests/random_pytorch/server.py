"""Runs the programs of a file, inside `vramlab dry-run -o FOLDER/%p.pickle`: imports PyTorch once and forks for each.
Each child leaves NAME.told.json in the working folder, with torch.cuda.memory_stats() of each device."""

import atexit
import json
import os
import sys
import traceback

import torch

from interpreter import Interpreter, straight_line


def tell(run, interpreter, errors):
    devices = range(torch.cuda.device_count())
    told = {"pid": os.getpid(), "errors": errors, "memory": torch.cuda.mem_get_info()[1],
            "devices": [torch.cuda.memory_stats(device) for device in devices]}
    with open(f"{run['name']}.told.json", "w", encoding="utf-8") as file:
        json.dump(told, file)


def run_program(run):
    os.environ["PYTORCH_CUDA_ALLOC_CONF"] = run["conf"]
    os.environ.pop("PYTORCH_ALLOC_CONF", None)
    # Names of C++ functions would take most of the time.
    torch.cuda.memory._record_memory_history(stacks="python")
    interpreter, errors = Interpreter(), []
    # The figures are told when the history is written, with all blocks that live at the end.
    atexit.register(tell, run, interpreter, errors)
    try:
        if run["straight_line"]:
            exec(straight_line(run["operations"]), {"interpreter": interpreter})
        else:
            for operation in run["operations"]:
                interpreter.do(operation)
    except Exception:
        errors.append(traceback.format_exc()[-600:])


def main():
    with open(sys.argv[1], encoding="utf-8") as file:
        runs = json.load(file)
    children = 0
    for run in runs:
        if children == os.cpu_count():
            os.wait()
            children -= 1
        if os.fork() == 0:
            run_program(run)
            sys.exit(0)
        children += 1
    for _ in range(children):
        os.wait()


main()
