#!/usr/bin/env python3
"""The installed library, used by programs outside of the tree, with CMake and with pkg-config:

    library_test.py CMAKE BUILD COMPILER [TestClass[.test]]

The programs are docs/examples, and what they print is what their page says. Ways that need pkg-config
are skipped where it is missing.
"""

import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

TOP = pathlib.Path(__file__).resolve().parents[2]
CMAKE, BUILD, COMPILER = sys.argv[1:4]
RECORDING = TOP / "traces/samples/gpt_training.pickle.gz"
PARTS = {"own_device": "allocator", "own_listener": "streams", "replay_recording": "replay"}


def call(*command, **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def install(component, prefix):
    call(CMAKE, "--install", BUILD, "--component", component, "--prefix", prefix)


def shown_outputs():
    """From each program to what its page says that it prints."""
    page = (TOP / "docs/examples/README.md").read_text(encoding="utf-8")
    blocks = re.findall(r"```\n\$ (\w+)[^\n]*\n(.*?)```", page, re.S)
    return {name: shown for name, shown in blocks if name in PARTS}


def stable_headers():
    """From each header that the page of the library lists to the part that it belongs to."""
    page = (TOP / "docs/reference/library.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| `([\w/]+\.h)` \| `vramlab::(\w+)` \|", page, re.M)
    return dict(rows)


class Library(unittest.TestCase):
    """An installed prefix, moved once."""

    @classmethod
    def setUpClass(cls):
        cls.scratch = tempfile.TemporaryDirectory()
        cls.home = pathlib.Path(cls.scratch.name)
        install("development", cls.home / "first")
        (cls.home / "first").rename(cls.home / "moved")
        cls.prefix = cls.home / "moved"
        cls.headers = cls.prefix / "include/vramlab"
        cls.examples = cls.prefix / "share/doc/vramlab/examples"
        cls.pkg_config = {**os.environ, "PKG_CONFIG_PATH":
                          str(next(cls.prefix.rglob("vramlab-allocator.pc")).parent)}

    @classmethod
    def tearDownClass(cls):
        cls.scratch.cleanup()

    def expect_outputs(self, folder):
        for name, shown in shown_outputs().items():
            arguments = [RECORDING] if name == "replay_recording" else []
            self.assertEqual(call(folder / name, *arguments), shown, name)

    def flags(self, *wanted):
        if shutil.which("pkg-config") is None:
            self.skipTest("pkg-config is missing")
        return call("pkg-config", *wanted, env=self.pkg_config).split()

    def test_examples_are_built_with_cmake_and_print_what_their_page_says(self):
        self.assertEqual(set(shown_outputs()), set(PARTS))
        built = self.home / "built"
        call(CMAKE, "-G", "Ninja", "-S", self.examples, "-B", built, f"-DCMAKE_PREFIX_PATH={self.prefix}",
             f"-DCMAKE_CXX_COMPILER={COMPILER}")
        call(CMAKE, "--build", built)
        self.expect_outputs(built)

    def test_examples_are_built_with_pkg_config_and_without_warnings(self):
        built = self.home / "by_hand"
        built.mkdir()
        for name, part in PARTS.items():
            flags = self.flags("--cflags", "--libs", f"vramlab-{part}")
            call(COMPILER, "-std=c++20", "-Wall", "-Wextra", "-Wpedantic", "-Werror",
                 self.examples / f"{name}.cpp", *flags, "-o", built / name)
        self.expect_outputs(built)

    def test_every_stable_header_can_be_included_alone(self):
        listed = stable_headers()
        self.assertGreater(len(listed), 10)
        self.assertLessEqual(set(listed.values()), {"allocator", "streams", "replay"})
        for header in listed:
            source = f'#include "{header}"\n#include "vramlab_version.h"\n'
            call(COMPILER, "-std=c++20", "-fsyntax-only", "-Wall", "-Wextra", "-Werror", "-x", "c++",
                 f"-I{self.headers}", "-", input=source)

    def test_every_header_finds_the_others(self):
        count = 0
        for path in self.headers.rglob("*.h"):
            for target in re.findall(r'#include "([^"]+)"', path.read_text(encoding="utf-8")):
                self.assertTrue((self.headers / target).exists(), f"{path}: {target}")
                count += 1
        self.assertGreater(count, 500)

    def test_the_version_is_that_of_the_project_everywhere(self):
        version = re.search(r"^project\(vramlab VERSION ([0-9.]+)", (TOP / "CMakeLists.txt").read_text(),
                            re.M)[1]
        numbers = re.findall(r"#define VRAMLAB_VERSION_\w+ (\d+)",
                             (self.headers / "vramlab_version.h").read_text())
        self.assertEqual(".".join(numbers), version)
        self.assertEqual(call(pathlib.Path(BUILD) / "vramlab", "--version").split()[1], version)
        for part in PARTS.values():
            self.assertEqual(self.flags("--modversion", f"vramlab-{part}"), [version])

    def test_another_minor_version_is_refused(self):
        project = self.home / "newer"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(newer LANGUAGES CXX)\n"
            "find_package(vramlab 0.2 QUIET)\nmessage(STATUS \"found: ${vramlab_FOUND}\")\n")
        told = call(CMAKE, "-G", "Ninja", "-S", project, "-B", project / "built", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertIn("found: 0", told)

    def test_without_a_component_nothing_of_others_is_needed(self):
        project = self.home / "alone"
        project.mkdir()
        (project / "CMakeLists.txt").write_text(
            "cmake_minimum_required(VERSION 3.25)\nproject(alone LANGUAGES CXX)\n"
            "set(CMAKE_DISABLE_FIND_PACKAGE_ZLIB ON)\nfind_package(vramlab REQUIRED)\n"
            "get_target_property(found vramlab::allocator INTERFACE_INCLUDE_DIRECTORIES)\n"
            "message(STATUS \"found: ${found}\")\n")
        told = call(CMAKE, "-G", "Ninja", "-S", project, "-B", project / "built", f"-DCMAKE_PREFIX_PATH={self.prefix}")
        self.assertIn(f"found: {self.headers}", told)

    def test_the_program_is_installed_without_the_library(self):
        program = self.home / "program"
        install("program", program)
        files = [path.relative_to(program).as_posix() for path in program.rglob("*") if path.is_file()]
        self.assertIn("bin/vramlab", files)
        self.assertEqual([file for file in files if file.endswith((".h", ".a", ".pc", ".cmake"))], [])
        self.assertFalse((self.prefix / "bin").exists())


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[4:]])
