#!/usr/bin/env python3
"""The ways into CI, each run as its service would, on a small project with two commits:

    ci_test.py CMAKE BUILD [TestClass[.test]]

The project's program asks CUDA's runtime for memory, so that no PyTorch is needed.
"""

import http.server
import importlib.util
import json
import os
import pathlib
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import tempfile
import threading
import unittest
import urllib.parse
import xml.etree.ElementTree

TOP = pathlib.Path(__file__).resolve().parents[2]
CMAKE, BUILD = sys.argv[1], os.path.abspath(sys.argv[2])
MARK = "<!-- vramlab memory -->\n"
LIMIT = "peak_reserved > +2%"
PROGRAM = """import ctypes
import os
import sys

print("in the folder", os.path.basename(os.getcwd()))

ctypes.CDLL("libcuda.so.1").cuInit(0)
runtime = ctypes.CDLL("libcudart.so.12")
place = ctypes.c_void_p()
assert runtime.cudaMalloc(ctypes.byref(place), ctypes.c_size_t(int(sys.argv[1]) * MEBIBYTES << 20)) == 0
sys.exit(STATUS)
"""

try:
    import services
except ImportError as error:
    print(f"skipped: {error}")
    sys.exit(77)


def call(*command, **more):
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, check=False, **more)
    if done.returncode != 0:
        raise AssertionError(f"{command} ended with {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout.strip()


def backend():
    spec = importlib.util.spec_from_file_location("backend", TOP / "tools/python/backend.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


class Project:
    """A clone as services make it: the newest commit alone, of a repository that has the base too."""

    def __init__(self, home, mebibytes, status=0):
        self.folder = home / "project"
        origin = home / "origin"
        call("git", "init", "--quiet", origin)
        self.base = self.commit(origin, 64, 0)
        self.commit(origin, mebibytes, status)
        call("git", "clone", "--quiet", "--depth=1", f"file://{origin}", self.folder)

    @staticmethod
    def commit(folder, mebibytes, status):
        text = PROGRAM.replace("MEBIBYTES", str(mebibytes)).replace("STATUS", str(status))
        (folder / "train.py").write_text(text)
        (folder / "requirements.txt").write_text("")
        call("git", "add", ".", cwd=folder)
        call("git", "-c", "user.name=a", "-c", "user.email=a@b", "commit", "--quiet", "--allow-empty", "-m",
             f"{mebibytes} MiB", cwd=folder)
        return call("git", "rev-parse", "HEAD", cwd=folder)


class Service(unittest.TestCase):
    """A folder of its own for each test, and an installed program that all share."""

    @classmethod
    def setUpClass(cls):
        cls.shared = tempfile.TemporaryDirectory()
        cls.installed = pathlib.Path(cls.shared.name) / "vramlab-1-linux"
        call(CMAKE, "--install", BUILD, "--component", "program", "--prefix", cls.installed)

    @classmethod
    def tearDownClass(cls):
        cls.shared.cleanup()

    @classmethod
    def wheel(cls):
        path = pathlib.Path(cls.shared.name) / f"vramlab-{backend()._version()}-py3-none-any.whl"
        if not path.exists():
            backend()._write_wheel(path, dict(backend()._wheel_files(cls.installed, "py3-none-any")))
        return path

    def setUp(self):
        scratch = tempfile.TemporaryDirectory()
        self.addCleanup(scratch.cleanup)
        self.home = pathlib.Path(scratch.name)
        self.environment = {"PATH": os.environ["PATH"], "HOME": str(self.home)}

    def results_in(self, folder):
        """From each limit to whether it is broken, as a service reads it."""
        root = xml.etree.ElementTree.parse(folder / "memory.xml").getroot()
        return {case.get("name"): case.find("failure") is not None for case in root.iter("testcase")}


class GitHub(Service):
    """The action, with stand-ins for GitHub's program and for the build's two scripts."""

    def setUp(self):
        super().setUp()
        self.comments_file = self.home / "comments.json"
        self.environment.update(VRAMLAB_COMMENTS=str(self.comments_file),
                                PATH=f"{TOP / 'tests/ci'}{os.pathsep}{os.environ['PATH']}")
        self.scratch = self.home / "runner"
        self.scratch.mkdir()

    def action_folder(self):
        """The action as it is checked out, but built already."""
        folder = self.home / "action"
        (folder / "tools").mkdir(parents=True)
        shutil.copy(TOP / "action.yml", folder)
        shutil.copytree(TOP / "tools/python", folder / "tools/python")
        (folder / "build").symlink_to(BUILD)
        for name in ("setup.sh", "build.sh"):
            (folder / "tools" / name).write_text(f'echo "{name} $*" >> "{self.home}/built"\n')
        return folder

    def run_action(self, folder, workspace, inputs, base=""):
        self.action = services.Action(folder, workspace, self.scratch, self.environment)
        pull_request = {"base": {"sha": base}, "number": 7}
        return self.action.run(inputs, {"event": {"pull_request": pull_request}, "token": "secret"})

    def comments(self):
        return json.loads(self.comments_file.read_text()) if self.comments_file.exists() else []

    def test_dry_runs_of_two_commits_are_compared_and_commented_once(self):
        project = Project(self.home, 128)
        folder = self.action_folder()
        for limit, broken in ((LIMIT, "true"), (f"{LIMIT}\nout_of_memory > 0", "true"), ("peak_reserved > 1GiB", "false")):
            inputs = {"run": "python3 train.py 1", "fail-if": limit, "gpu": "t4"}
            status, outputs = self.run_action(folder, project.folder, inputs, project.base)
            self.assertEqual((status != 0, outputs["broken"]), (broken == "true", broken), self.action.said)
            self.assertEqual(len(self.comments()), 1)
            [comment] = self.comments()
            self.assertTrue(comment.startswith(MARK))
            self.assertIn("+64.00 MiB (+100.0 %)", comment)
            results = self.results_in(pathlib.Path(outputs["folder"]))
            self.assertEqual(len(results), len(limit.splitlines()))
            self.assertEqual(any(results.values()), broken == "true")
        self.assertIn("### Memory", pathlib.Path(self.action.summary).read_text())
        # Call sites are known by the last two parts of a file's name.
        self.assertEqual(self.action.said.count("in the folder project\n"), 2, self.action.said)
        # The other two found what the cache, or the first, had left.
        self.assertEqual((self.home / "built").read_text(), "setup.sh --program\nbuild.sh program\n")
        self.assertEqual(call("git", "worktree", "list", cwd=project.folder).count("\n"), 0)

    def test_recordings_are_compared_with_an_archive_and_without_a_comment(self):
        archive = self.home / "vramlab.tar.gz"
        with tarfile.open(archive, "w:gz", compresslevel=1) as file:
            file.add(self.installed, "vramlab-1-linux")
        samples = TOP / "traces/samples"
        inputs = {"base-recording": samples / "training.vtrace", "new-recording": samples / "recompute.vtrace",
                  "package": archive, "comment": "false"}
        status, outputs = self.run_action(TOP, self.home, {name: str(value) for name, value in inputs.items()})
        self.assertEqual((status, outputs["broken"]), (0, "false"), self.action.said)
        self.assertEqual(self.results_in(pathlib.Path(outputs["folder"])), {LIMIT: False})
        self.assertEqual(self.comments(), [])

    def test_a_program_that_fails_is_broken_although_it_needs_no_more(self):
        project = Project(self.home, 64, status=3)
        inputs = {"run": "python3 train.py 1", "package": str(self.wheel())}
        status, outputs = self.run_action(TOP, project.folder, inputs, project.base)
        self.assertEqual((status, outputs["broken"]), (1, "true"), self.action.said)
        self.assertIn("the program ended with 3", self.action.said)
        self.assertEqual(len(self.comments()), 1)

    def test_a_comment_that_cannot_be_written_is_a_warning(self):
        project = Project(self.home, 64)
        inputs = {"run": "python3 train.py 1", "token": "of a fork"}
        status, _ = self.run_action(self.action_folder(), project.folder, inputs, project.base)
        self.assertEqual(status, 0, self.action.said)
        self.assertIn("::warning::", self.action.said)

    def test_without_a_base_nothing_is_compared(self):
        project = Project(self.home, 64)
        status, outputs = self.run_action(self.action_folder(), project.folder, {"run": "python3 train.py 1"})
        self.assertEqual((status, outputs["broken"]), (2, ""), self.action.said)
        self.assertIn("is this no pull request?", self.action.said)
        self.assertEqual(self.comments(), [])


class GitLab(Service):
    """The component, in a virtual environment, with a server that takes comments."""

    def environment_of(self, project):
        made = subprocess.run([sys.executable, "-m", "venv", self.home / "venv"], capture_output=True, check=False)
        if made.returncode != 0:
            self.skipTest("this Python makes no virtual environments")
        return {**self.environment, "PATH": f"{self.home}/venv/bin{os.pathsep}{os.environ['PATH']}",
                "CI_MERGE_REQUEST_DIFF_BASE_SHA": project.base, "CI_PROJECT_ID": "5", "CI_MERGE_REQUEST_IID": "9"}

    def serve(self):
        told = self.told = []

        class Handler(http.server.BaseHTTPRequestHandler):
            """Notes each comment."""

            def do_POST(self):
                body = self.rfile.read(int(self.headers["Content-Length"])).decode()
                told.append((self.path, self.headers["PRIVATE-TOKEN"], urllib.parse.parse_qs(body)["body"][0]))
                self.send_response(201)
                self.end_headers()

            def log_message(self, *_):
                pass

        server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.addCleanup(server.server_close)
        self.addCleanup(server.shutdown)
        return f"http://127.0.0.1:{server.server_address[1]}/api/v4"

    def test_a_merge_request_gets_a_report_and_a_comment(self):
        project = Project(self.home, 128)
        environment = self.environment_of(project)
        component = services.Component(TOP / "templates/memory.yml", {
            "package": str(self.wheel()), "run": "python3 train.py 1", "gpu": "t4",
            "fail-if": f"{LIMIT}\nout_of_memory > 0"})
        job = component.jobs["vramlab-memory"]
        status, said = component.run("vramlab-memory", project.folder, environment)
        self.assertEqual(status, 1, said)
        report = project.folder / job["artifacts"]["reports"]["junit"]
        self.assertEqual(self.results_in(report.parent), {LIMIT: True, "out_of_memory > 0": False})
        address = self.serve()
        environment.update(CI_API_V4_URL=address, MEMORY_COMMENT_TOKEN="secret")
        status, said = component.run("vramlab-memory", project.folder, environment)
        self.assertEqual(status, 1, said)
        [(path, token, body)] = self.told
        self.assertEqual((path, token), ("/api/v4/projects/5/merge_requests/9/notes", "secret"))
        self.assertTrue(body.startswith(MARK))
        self.assertIn("+64.00 MiB (+100.0 %)", body)


class PreCommit(Service):
    """The hook, in the top folder of a repository."""

    def hook(self, project, *words):
        [hook] = services.yaml.safe_load((TOP / ".pre-commit-hooks.yaml").read_text())
        self.assertEqual((hook["id"], hook["language"]), ("vramlab-memory", "system"))
        done = subprocess.run([*shlex.split(hook["entry"]), *words], cwd=project.folder, text=True, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
                              env={**self.environment, "PYTHONPATH": str(TOP / "tools/python"),
                                   "VRAMLAB_PROGRAM": str(self.installed / "bin/vramlab")})
        return done.returncode, done.stdout

    def test_the_first_run_keeps_a_recording_and_later_ones_compare_with_it(self):
        project = Project(self.home, 64)
        words = ["--kept", "memory/base.pickle.gz", "--gpu", "t4", "--fail-if", LIMIT, "--run"]
        status, said = self.hook(project, *words, "python3 train.py 1")
        self.assertEqual(status, 1, said)
        self.assertIn("memory/base.pickle.gz is written", said)
        self.assertEqual(call("git", "status", "--short", cwd=project.folder), "?? memory/")
        status, said = self.hook(project, *words, "python3 train.py 1")
        self.assertEqual(status, 0, said)
        status, said = self.hook(project, *words, "python3 train.py 2")
        self.assertEqual(status, 1, said)
        self.assertIn("BROKEN  peak_reserved > +2%", said)

    def test_what_cannot_be_compared_is_said_in_a_line(self):
        project = Project(self.home, 64)
        for words, sentence in (
                (["--run", "true", "--kept", "a.pickle"], "left no history: exit status 0"),
                (["--run", "python3 train.py 1", "--base", "0" * 40], "git fetch"),
                (["--recordings", "none.pickle", "none.pickle"], "vramlab diff ended with 2"),
                (["--kept", "a.pickle"], "expected either --run or --recordings"),
                (["--run", "true", "--base", "a", "--kept", "b"], "expected --base or --kept")):
            status, said = self.hook(project, *words)
            self.assertEqual(status, 2, said)
            self.assertIn(sentence, said)


class ThePage(unittest.TestCase):
    """docs/guide/diff.md shows lines that the services take."""

    def setUp(self):
        page = (TOP / "docs/guide/diff.md").read_text(encoding="utf-8")
        self.blocks = list(map(services.yaml.safe_load, re.findall(r"```yaml\n(.*?)```", page, re.S)))

    def found(self, node, key):
        """All values of a key, at any depth."""
        if isinstance(node, list):
            return [value for item in node for value in self.found(item, key)]
        if not isinstance(node, dict):
            return []
        own = [node] if key in node else []
        return own + [value for item in node.values() for value in self.found(item, key)]

    def test_every_input_exists(self):
        known = services.yaml.safe_load((TOP / "action.yml").read_text())["inputs"]
        uses = [step for step in self.found(self.blocks, "uses") if step["uses"].startswith("OWNER/vramlab@")]
        self.assertEqual(len(uses), 2)
        for step in uses:
            self.assertLessEqual(set(step["with"]), set(known))
        [included] = self.found(self.blocks, "component")
        services.Component(TOP / "templates/memory.yml", included["inputs"])

    def test_the_hook_takes_its_arguments(self):
        [hook] = self.found(self.blocks, "args")
        self.assertEqual(hook["id"], "vramlab-memory")
        done = subprocess.run([sys.executable, "-c", "import sys, vramlab.ci; print(vramlab.ci.arguments_of(sys.argv[1:]))",
                               *hook["args"]], env={**os.environ, "PYTHONPATH": str(TOP / "tools/python")},
                              capture_output=True, text=True, check=False)
        self.assertIn(f"fail_if=['{LIMIT}']", done.stdout, done.stderr)


if __name__ == "__main__":
    unittest.main(argv=[sys.argv[0], *sys.argv[3:]])
