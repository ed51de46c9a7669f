#!/usr/bin/env python3
"""What the packages hold and under which licences, as SPDX 2.3:

    python3 tools/packaging/contents.py ARCHITECTURE VERSION PACKAGE... >vramlab.spdx.json

ARCHITECTURE is Debian's name, amd64 or arm64, or all for the wheel for any system: the libraries are
those that packages for it are compiled with. The date comes from SOURCE_DATE_EPOCH. Packages hold the page if VRAMLAB_PAGE names it."""

import datetime
import hashlib
import json
import os
import pathlib
import subprocess
import sys

# Linked into the program or its libraries, or a part of the pages that it writes: Debian's package of
# each or the one of npm, its licence, where it is from. licences.txt has their notices.
LINKED_IN = [
    ("CLI11", "libcli11-dev", "BSD-3-Clause", "https://github.com/CLIUtils/CLI11"),
    ("fmt", "libfmt-dev", "MIT", "https://github.com/fmtlib/fmt"),
    ("libgcc and libstdc++", "libstdc++-*-dev", "GPL-3.0-or-later WITH GCC-exception-3.1",
     "https://gcc.gnu.org"),
    ("nlohmann-json", "nlohmann-json3-dev", "MIT", "https://github.com/nlohmann/json"),
    ("spdlog", "libspdlog-dev", "MIT", "https://github.com/gabime/spdlog"),
    ("uPlot", "uplot", "MIT", "https://github.com/leeoniya/uPlot"),
    ("zlib", "zlib1g-dev", "Zlib", "https://zlib.net"),
    ("zstd", "libzstd-dev", "BSD-3-Clause", "https://github.com/facebook/zstd"),
]
#: The page has these besides, from the system that it is built in; its own text has their notices.
IN_PAGE = [
    ("emscripten with musl, libc++ and compiler-rt", "emscripten", "MIT AND Apache-2.0 WITH LLVM-exception",
     "https://emscripten.org"),
]
#: What else is in a program of WebAssembly replaces them.
NOT_IN_PAGE = {"fmt", "libgcc and libstdc++", "spdlog"}
#: Compiled from Debian's sources, of the version that the system has installed as a library.
FROM_SOURCES = {"zlib1g-dev": "zlib1g", "libzstd-dev": "libzstd1"}
PAGE = pathlib.Path(__file__).resolve().parents[1] / "web" / "report" / "package.json"
PAGE_ROOT = os.environ.get("VRAMLAB_PAGE_ROOT", "/var/tmp/vramlab-page-root")
ARM64_ROOT = os.environ.get("VRAMLAB_ARM64_ROOT", "/var/tmp/vramlab-arm64-root")
#: The compiler for another processor, with its own library, is a program of this machine.
OF_ARM64_COMPILER = {"libstdc++-*-dev": "libstdc++-*-dev-arm64-cross"}


def version_of(package, root="/"):
    """The report's version, as it is bundled; else the newest installed: several compilers may be."""
    bundled = json.loads(PAGE.read_text(encoding="utf-8"))["dependencies"]
    if package in bundled:
        return bundled[package]
    listed = subprocess.run(["dpkg-query", f"--admindir={root}/var/lib/dpkg", "-W", "-f", "${db:Status-Status} ${Version}\n", package],
                            capture_output=True, text=True, check=False).stdout.split("\n")
    found = [line.split()[1] for line in listed if line.startswith("installed ")]
    if not found:
        sys.exit(f"contents.py: {package} is not installed, so its version is not known")
    return found[-1]


def library_version(package, architecture):
    """The version of a library that packages are compiled with."""
    if architecture == "amd64":
        return version_of(package)
    if architecture == "all":
        return version_of(FROM_SOURCES.get(package, package), PAGE_ROOT)
    if package in OF_ARM64_COMPILER:
        return version_of(OF_ARM64_COMPILER[package])
    return version_of(package, ARM64_ROOT)


def element(name, version, licence, place):
    return {"SPDXID": "SPDXRef-" + "".join(c if c.isalnum() else "-" for c in name),
            "name": name, "versionInfo": version, "downloadLocation": place,
            "licenseConcluded": licence, "licenseDeclared": licence,
            "copyrightText": "NOASSERTION", "filesAnalyzed": False}


def document(architecture, version, packages):
    moment = datetime.datetime.fromtimestamp(int(os.environ["SOURCE_DATE_EPOCH"]),
                                             datetime.timezone.utc)
    own = [element(path.name, version, "BSD-3-Clause", "NOASSERTION") for path in packages]
    for described, path in zip(own, packages):
        described["checksums"] = [{"algorithm": "SHA256",
                                   "checksumValue": hashlib.sha256(path.read_bytes()).hexdigest()}]
    inside = [element(name, library_version(package, architecture), licence, place)
              for name, package, licence, place in LINKED_IN
              if architecture != "all" or name not in NOT_IN_PAGE]
    if os.environ.get("VRAMLAB_PAGE"):
        inside += [element(name, version_of(package, PAGE_ROOT), licence, place)
                   for name, package, licence, place in IN_PAGE]
    relations = [{"spdxElementId": "SPDXRef-DOCUMENT", "relationshipType": "DESCRIBES",
                  "relatedSpdxElement": one["SPDXID"]} for one in own]
    relations += [{"spdxElementId": one["SPDXID"], "relationshipType": "CONTAINS",
                   "relatedSpdxElement": other["SPDXID"]} for one in own for other in inside]
    return {"spdxVersion": "SPDX-2.3", "dataLicense": "CC0-1.0", "SPDXID": "SPDXRef-DOCUMENT",
            "name": f"vramlab-{version}",
            "documentNamespace": f"https://spdx.org/spdxdocs/vramlab-{version}-"
                                 + hashlib.sha256(b"".join(sorted(
                                     path.read_bytes() for path in packages))).hexdigest(),
            "creationInfo": {"created": moment.strftime("%Y-%m-%dT%H:%M:%SZ"),
                             "creators": ["Tool: vramlab-contents"]},
            "packages": own + inside, "relationships": relations}


if __name__ == "__main__":
    print(json.dumps(document(sys.argv[1], sys.argv[2], [pathlib.Path(name) for name in sys.argv[3:]]), indent=1))
