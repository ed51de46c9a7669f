#!/usr/bin/env python3
"""Write one list of tools/cuda_standins/libraries/lists: see make_lists.sh, which runs this, and the README of lists."""
import argparse
import pathlib
import re

HANDLE = re.compile(r"(cublas|cusolverDn|cusolverSp|cusolverRf|cusolverMg|cusparse|cudnn)Handle_t|curandGenerator_t")
SIZE_NAME = re.compile(r"(?i)^p?(lwork|\w*buffer_?size|\w*work_?size|\w*work\w*bytes|\w*size_?in_?bytes|"
                       r"buffer\w*size\w*)\w*$")
IN_FLOAT_REGISTERS = {"float", "double", "cuComplex", "cuDoubleComplex", "__half"}
# Functions that are given the stream that their work goes to.
ON_A_STREAM = re.compile(r"p?nccl|cublasLtMat(mul|rixTransform)$|cusparseLtSpMMA|nvshmemx_\w+_on_stream$")
# Libraries whose functions all succeed without any effect when no tool listens.
SILENT = re.compile(r"nvtx|cupti(Activity|Enable|Subscribe|Unsubscribe|Finalize|SetThreadIdType)|cusparseLt|"
                    r"cuFile(Buf|Driver|Handle|Set|Stream)|nvshmem_(barrier|sync|quiet|fence)|nvshmemx?_\w*(init|final)")


def read_symbols(path):
    """SONAME, version node (or None) and functions of one library; of variables also their bytes."""
    soname, node, names, variables = None, None, set(), {}
    for line in path.read_text().splitlines():
        if "SONAME" in line:
            soname = line.split("[")[1].split("]")[0]
        fields = line.split()
        if len(fields) < 8 or fields[4] == "LOCAL" or not re.match(r"\d", fields[6]):
            continue
        name, _, version = fields[7].partition("@@")
        if fields[3] == "FUNC":
            names.add(name.split("@")[0])
        elif fields[3] == "OBJECT":
            variables[name.split("@")[0]] = int(fields[2], 0)
        node = version or node
    return soname, node, names, variables


def declarations(text):
    """Yields (name, [parameters]) for each function that a header declares."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S)
    text = re.sub(r"^\s*#(?:[^\n\\]|\\.|\\\n)*", " ", text, flags=re.M)
    for match in re.finditer(r"\b(\w+)\s*\(([^()]*)\)\s*;", text):
        if re.search(r"(\breturn|[=,(])\s*$", text[max(0, match.start() - 80):match.start()]):
            continue  # a call in an inline function
        parameters = [" ".join(part.split()) for part in match[2].split(",")]
        yield match[1], [part for part in parameters if part and part != "void"]


def split_parameter(parameter):
    """Type without names and spaces, and name."""
    parameter = re.sub(r"\[\w*\]", "", parameter)
    match = re.match(r"(.*?)(\w+)$", parameter)
    kind, name = (match[1], match[2]) if match and match[1].strip() else (parameter, "")
    return re.sub(r"\s*\*\s*", "*", kind).strip(), name


def in_integer_registers(parameters):
    """Which of the parameters count when arguments are addressed by number."""
    split = [split_parameter(parameter) for parameter in parameters]
    return [(kind, name) for kind, name in split if kind.replace("const ", "") not in IN_FLOAT_REGISTERS]


def size_actions(name, parameters):
    if not re.search(r"(?i)buffer_?size|work\w*size|estimation", name):
        return []
    actions = []
    for index, (kind, parameter) in enumerate(parameters):
        width = {"int*": 32, "size_t*": 64, "int64_t*": 64}.get(kind)
        if width and SIZE_NAME.match(parameter):
            actions.append(f"size{width}:{index}")
    return actions


def creation_actions(parameters):
    for index, (kind, _) in enumerate(parameters):
        if re.fullmatch(r"(?!const )(?!u?int|size_t)\w+\*+", kind) and not kind.startswith("void"):
            return [f"new:{index}"]
    return []


def actions_of(name, parameters):
    """Actions of a generated function beside succeeding; with none it is noted as unknown."""
    first = parameters[0][0] if parameters else ""
    if re.search(r"SetStream(_v2)?$", name):
        return ["stream"]
    if re.search(r"GetStream(_v2)?$", name):
        return ["get_stream"]
    streams = [index for index, (kind, _) in enumerate(parameters) if kind == "cudaStream_t"]
    if ON_A_STREAM.match(name) and streams:
        return [f"work_on:{streams[0]}"]
    if sizes := size_actions(name, parameters):
        return sizes
    if SILENT.match(name):
        return ["plain"]
    if re.match(r"cublas|cusolver|cusparse|cudnn|curand", name):
        if re.search(r"[cC]reate", name):
            return creation_actions(parameters)
        if re.search(r"[dD]estroy", name) and len(parameters) == 1:
            return ["free:0"]
        if re.match(r"[a-z]+(Dn|Sp|Rf|Mg|Lt)?(\w*?)Set[A-Z]", name) and "Get" not in name:
            return ["plain"]
        if HANDLE.fullmatch(first) and not re.search(r"Get[A-Z]|Query", name):
            return ["work"]
    return []


def main():
    arguments = argparse.ArgumentParser()
    arguments.add_argument("--prefixes", required=True)
    arguments.add_argument("--library", required=True)
    arguments.add_argument("packages", nargs="+", type=pathlib.Path)
    chosen = arguments.parse_args()
    is_public = re.compile(f"({'|'.join(chosen.prefixes.split())})[A-Za-z_]").match

    libraries, exported, variables, declared = {}, set(), {}, {}
    for package in chosen.packages:
        for path in sorted(package.rglob(chosen.library.replace(".so", "_so") + "*.symbols")):
            soname, node, names, found = read_symbols(path)
            libraries[soname] = node
            variables |= {name: size for name, size in found.items() if is_public(name)}
            exported |= {name for name in names if is_public(name)}
        for header in sorted(package.rglob("*.h")):
            for name, parameters in declarations(header.read_text(errors="replace")):
                declared[name] = in_integer_registers(parameters)
    if not libraries:  # headers alone: this library comes with the driver
        libraries[chosen.library] = None
        exported = {name for name in declared if is_public(name)}

    packages = ", ".join(package.name for package in chosen.packages)
    print(f"# Made by tools/cuda_standins/make_lists.sh from {packages}.")
    for soname, node in sorted(libraries.items()):
        print("library", soname, node or "-")
    for name in sorted(exported):
        actions = actions_of(name, declared[name]) if name in declared else []
        print(" ".join([name] + actions))
    for name, size in sorted(variables.items()):
        print(name, f"data:{size}")


main()
