"""Every value of the module is that of the program's --json."""

import csv
import ctypes
import doctest
import importlib
import importlib.util
import io
import json
import os
import pickle
import subprocess
import sys
import tempfile
import unittest
from concurrent import futures

import vramlab
from vramlab import notebook

SAMPLES = "traces/samples"
TRAINING = f"{SAMPLES}/gpt_training.pickle.gz"
STREAM_PROGRAMS = ("missing_record_stream", "overlap", "overused_record_stream")
MODULES = ("vramlab", "vramlab.commands", "vramlab.program", "vramlab.recording",
           "vramlab.values", "vramlab.many", "vramlab.magic")


def samples():
    return [os.path.join(SAMPLES, name) for name in sorted(os.listdir(SAMPLES)) if "." in name
            and name != "README.md"]


def printed(*words):
    result = subprocess.run([os.environ["VRAMLAB_PROGRAM"], *words, "--json"],
                            capture_output=True, check=False)
    return json.loads(result.stdout)


class Equality(unittest.TestCase):
    """Each method's answer, compared with the command's."""

    def assert_equal(self, value, *words, part=None):
        document = printed(*words)
        self.assertEqual(value.to_dict(), document[part][0] if part else document)
        self.assertEqual(value, value.to_dict())

    def test_of_every_sample(self):
        for file in samples():
            with self.subTest(file=file):
                rec = vramlab.open(file)
                self.assert_equal(rec.info, "info", file, part="files")
                self.assert_equal(rec.replay(), "replay", file)
                self.assert_equal(rec.replay(conf="", gpu="a100-80gb"), "replay", file, "--conf",
                                  "", "--gpu", "a100-80gb")
                self.assert_equal(rec.top(by="size"), "top", file, "--by", "size")
                self.assert_equal(rec.streams(), "streams", file)
                self.assert_equal(rec.steps(count=5), "steps", file, "--count", "5")
                for at in ("peak", "end"):
                    self.assert_equal(rec.snapshot(at=at), "snapshot", file, "--at", at)

    def test_of_programs_with_much_memory(self):
        for file in samples():
            if any(name in file for name in STREAM_PROGRAMS):
                continue
            with self.subTest(file=file):
                rec = vramlab.open(file)
                confs = ["", "expandable_segments:True"]
                self.assert_equal(rec.sweep(confs), "sweep", file, "--conf", confs[0], "--conf",
                                  confs[1])
                self.assert_equal(rec.pack(), "pack", file)
                self.assert_equal(rec.policies(), "policies", file)
                self.assert_equal(rec.growth(every=3000), "top", file, "--growth", "--every",
                                  "3000")
                self.assert_equal(rec.diff(TRAINING, no_budget=True), "diff", file, TRAINING,
                                  "--no-budget")

    def test_of_slow_commands(self):
        rec = vramlab.open(f"{SAMPLES}/leak.vtrace")
        self.assert_equal(rec.advise(jobs=2), "advise", rec.path)
        self.assert_equal(rec.capacity([""], replays_above=5), "capacity", rec.path, "--conf", "",
                          "--replays-above", "5")
        self.assert_equal(vramlab.open(TRAINING).verify(), "verify", TRAINING, part="files")

    def test_of_commands_about_several_files(self):
        files = [f"{SAMPLES}/leak.vtrace", f"{SAMPLES}/training.vtrace"]
        self.assert_equal(vramlab.sweep(files, [""]), "sweep", *files, "--conf", "")
        self.assert_equal(vramlab.explain(files), "explain", *files)
        self.assert_equal(vramlab.advise(files, jobs=2), "advise", *files)
        self.assert_equal(vramlab.replay(files, conf=""), "replay", *files, "--conf", "")
        self.assert_equal(vramlab.top(files, by="size"), "top", *files, "--by", "size")
        self.assert_equal(vramlab.capacity(files, "", replays_above=5), "capacity", *files,
                          "--conf", "", "--replays-above", "5")
        case = "tests/conformance/small-1164.json.gz"
        self.assert_equal(vramlab.conform([case]), "conform", case)
        self.assertEqual([workload.name for workload in vramlab.workloads()],
                         [row["name"] for row in printed("generate", "--list")["workloads"]])

    def test_the_worst_of_several_files_and_all_of_them(self):
        files = [f"{SAMPLES}/leak.vtrace", f"{SAMPLES}/training.vtrace"]
        found = vramlab.replay(files)
        alone = [vramlab.open(file).replay() for file in files]
        self.assertEqual(found.answers, alone)
        self.assertEqual(found.worst, max(alone, key=lambda answer: answer.peak_reserved))
        self.assertEqual([row.peak_reserved for row in found.rows],
                         [answer.peak_reserved for answer in alone])
        needs = [vramlab.open(file).capacity("", replays_above=5).bytes for file in files]
        self.assertEqual(vramlab.capacity(files, "", replays_above=5).bytes, max(needs))
        one = vramlab.top(files[0])
        self.assertEqual(one.worst, vramlab.open(files[0]).top())
        self.assertEqual(vramlab.explain(files).answer.file,
                         vramlab.explain(reversed(files)).answer.file)

    def test_a_text_is_one_option_string_and_one_file(self):
        rec = vramlab.open(f"{SAMPLES}/leak.vtrace")
        self.assert_equal(rec.sweep(""), "sweep", rec.path, "--conf", "")
        self.assert_equal(vramlab.sweep(rec, "max_split_size_mb:64"), "sweep", rec.path, "--conf",
                          "max_split_size_mb:64")
        self.assertEqual(rec.capacity("", replays_above=5).rows[0].conf, "")
        self.assert_equal(vramlab.conform("tests/conformance/small-1164.json.gz"), "conform",
                          "tests/conformance/small-1164.json.gz")

    def test_of_files_with_any_name(self):
        with tempfile.TemporaryDirectory() as folder:
            for name in (b"-h", "Ünïcödé 名 🦊.vtrace".encode(), b"a\nb'\"$x", b"\xff\xfe.vtrace"):
                path = os.path.join(os.fsencode(folder), name)
                with self.subTest(path), open(f"{SAMPLES}/leak.vtrace", "rb") as source:
                    with open(path, "wb") as copy:
                        copy.write(source.read())
                    rec = vramlab.open(path)
                    self.assertEqual(rec.path, os.fsdecode(path))
                    self.assertTrue(rec.top().rows)
                    self.assertIn("Recording(", repr(rec))
                    rec.info._repr_html_().encode("utf-8")

    def test_of_shards(self):
        confs = ["", "expandable_segments:True"]
        with tempfile.TemporaryDirectory() as folder:
            shards = []
            for number in (1, 2):
                shards.append(os.path.join(folder, f"{number}.json"))
                with open(shards[-1], "w", encoding="utf-8") as file:
                    shard = vramlab.sweep([TRAINING], confs, shard=f"{number}/2")
                    json.dump(shard.to_dict(), file)
            merged = vramlab.merge(shards)
        self.assertEqual(merged.rows, vramlab.sweep([TRAINING], confs).rows)


class Properties(unittest.TestCase):
    """The properties that the classes add to the JSON."""

    @classmethod
    def setUpClass(cls):
        cls.rec = vramlab.open(TRAINING)

    def test_example_of_the_page(self):
        rec = self.rec
        self.assertEqual(rec.verify().label, "exact")
        self.assertEqual(rec.replay(conf="expandable_segments:True", gpu="a100-40gb").peak_reserved,
                         14275313664)
        self.assertEqual(rec.advise().setting, "expandable_segments:True")
        self.assertEqual(rec.top(at="peak").rows[0].key, "model.py:37 forward")
        with self.assertRaises(vramlab.InputError):
            rec.snapshot(at="oom")
        explanation = rec.snapshot(at="oom", device_memory="12GiB").explanation
        self.assertIn("out of memory on GPU 0: ", explanation)
        self.assertIn("found by replaying", explanation)

    def test_a_memory_timeline_has_an_answer_without_a_line(self):
        answer = vramlab.open("tests/traces/samples/memory_timeline.json").explain()
        self.assertTrue(answer.headline.startswith("peak 48.75 KiB after "))
        self.assertIn("parameters", answer.text)
        self.assertIsNone(answer.line)
        self.assertIsNone(answer.answer)

    def test_limits_that_hold_and_do_not(self):
        difference = self.rec.diff(self.rec, no_budget=True)
        self.assertTrue(difference.fail_if("peak_reserved > +2%").same)
        with self.assertRaises(vramlab.LimitError) as caught:
            difference.fail_if("peak_reserved > 1GiB", "requests > +1")
        self.assertEqual([limit["metric"] for limit in caught.exception.broken], ["peak_reserved"])
        self.assertEqual(str(caught.exception), "peak_reserved > 1GiB (--fail-if): 39.62 GiB")
        with self.assertRaisesRegex(vramlab.LimitError,
                                    r"^peak_reserved > \+2% \(--fail-if\): 39.62 GiB, before 630.00 MiB$"):
            vramlab.open(f"{SAMPLES}/leak.vtrace").diff(self.rec).fail_if("peak_reserved > +2%")

    def test_a_snapshot_from_memory(self):
        import gzip

        with gzip.open(TRAINING) as file:
            snapshot = pickle.load(file)
        self.assertEqual(vramlab.open(snapshot).replay().metrics, self.rec.replay().metrics)

    def test_bytes_and_open_files(self):
        with open(TRAINING, "rb") as file:
            data = file.read()
            file.seek(0)
            opened = [vramlab.open(source) for source in (data, bytearray(data), io.BytesIO(data), file)]
        for rec in opened:
            self.assertEqual(rec.info.format, self.rec.info.format)
        self.assertEqual(opened[2].replay().metrics, self.rec.replay().metrics)
        kept = opened[0].path
        self.assertTrue(os.path.exists(kept))
        del opened, rec
        self.assertFalse(os.path.exists(kept))

    def test_samples(self):
        self.assertEqual(vramlab.samples(), printed("sample")["samples"])
        for row in vramlab.samples():
            self.assertTrue(vramlab.sample(row.name).info.rows)
        self.assertEqual(vramlab.sample("gpt_training").replay().metrics, self.rec.replay().metrics)
        with tempfile.TemporaryDirectory() as folder:
            path = os.path.join(folder, "leak.vtrace")
            self.assertEqual(vramlab.sample("leak", path).path, path)
            with self.assertRaises(vramlab.InputError):
                vramlab.sample("leak", path)
            vramlab.sample("leak", path, force=True)
        with self.assertRaisesRegex(vramlab.InputError, "the nearest is leak"):
            vramlab.sample("leek")

    def test_the_version_is_that_of_the_program(self):
        told = subprocess.check_output([os.environ["VRAMLAB_PROGRAM"], "--version"], text=True)
        self.assertEqual(told.split()[1], vramlab.__version__)

    def test_files_that_are_written(self):
        with tempfile.TemporaryDirectory() as folder:
            page = os.path.join(folder, "out.html")
            self.assertEqual(self.rec.report(page).bytes, os.path.getsize(page))
            with self.assertRaises(vramlab.InputError):
                self.rec.report(page)
            self.rec.report(page, force=True)
            text = self.rec.convert(os.path.join(folder, "made.json"))
            self.assertEqual(text.replay().metrics, self.rec.replay().metrics)
            made = vramlab.generate("leak", os.path.join(folder, "-made.vtrace"), events=200)
            self.assertEqual(made.verify is not None, True)

    def test_memory_over_time_ends_at_the_end(self):
        replay = self.rec.replay()
        self.assertEqual(replay.rows[-1].reserved_bytes, replay.end_reserved)
        self.assertEqual(replay.rows[-1].event, replay.devices[0].curve.last_event)
        self.assertEqual(max(row.reserved_bytes for row in replay.rows), replay.peak_reserved)

    def test_pickles_and_unknown_fields(self):
        replay = pickle.loads(pickle.dumps(self.rec.replay()))
        self.assertEqual(replay, self.rec.replay())
        with self.assertRaisesRegex(AttributeError, "peak_reservd"):
            _ = replay.peak_reservd

    def test_notebooks_show_what_was_found(self):
        page = self.rec.replay()._repr_html_()
        self.assertIn("<svg", page)
        self.assertIn("39.62 GiB", page)
        self.assertIn("model.py:37 forward", self.rec.top()._repr_html_())
        self.assertIn("and 315 more rows", self.rec.snapshot()._repr_html_())

    def test_notebooks_run_nothing_of_a_file(self):
        page = notebook.rows_html([{"<key>": "<script>alert('x')</script>", "n": 1}])
        self.assertNotIn("<script>", page)
        self.assertIn("&lt;script&gt;", page)
        self.assertNotIn("<key>", page)


class Tables(unittest.TestCase):
    """Tables of other packages, where they are installed."""

    def test_pandas(self):
        try:
            import pandas  # noqa: F401
        except ImportError:
            self.skipTest("pandas is not installed")
        frame = vramlab.open(TRAINING).sweep(["", "expandable_segments:True"]).to_pandas()
        self.assertEqual(list(frame["peak_reserved"]), [14275313664, 15944646656])

    def test_polars(self):
        try:
            import polars  # noqa: F401
        except ImportError:
            self.skipTest("polars is not installed")
        frame = vramlab.open(TRAINING).top().to_polars()
        self.assertEqual(frame["key"][0], "model.py:37 forward")


    def test_columns_go_to_other_packages(self):
        for package in ("pandas", "polars", "pyarrow"):
            with self.subTest(package):
                try:
                    module = importlib.import_module(package)
                except ImportError:
                    self.skipTest(f"{package} is not installed")
                for columns in self.columns():
                    if package == "pyarrow":
                        table = module.table(columns)
                        table.validate(full=True)
                        found = {name: table[name].to_pylist() for name in columns.names}
                    elif package == "polars":
                        found = {name: columns.to_polars()[name].to_list() for name in columns.names}
                    else:
                        frame = columns.to_pandas()
                        found = {name: [None if module.isna(cell) else cell for cell in frame[name]]
                                 for name in columns.names}
                    self.assertEqual(found, {name: columns[name] for name in columns.names})

    @staticmethod
    def columns():
        for file in (TRAINING, f"{SAMPLES}/leak.vtrace", f"{SAMPLES}/missing_record_stream.vtrace.jsonl"):
            recording = vramlab.open(file)
            yield from (recording.allocations(), recording.events(), recording.allocations(kinds="guess"))

    def test_columns_are_the_rows_of_the_command(self):
        for file, rows in ((f"{SAMPLES}/leak.vtrace", "allocations"), (TRAINING, "events")):
            columns = getattr(vramlab.open(file), rows)()
            written = subprocess.check_output(
                [os.environ["VRAMLAB_PROGRAM"], "table", file, "--rows", rows], text=True)
            expected = list(csv.DictReader(io.StringIO(written)))
            told = [{name: "" if cell is None else str(cell) for name, cell in row.items()} for row in columns]
            self.assertEqual(told, expected)
            self.assertEqual(len(columns), len(expected))
            self.assertEqual(columns[-1], list(columns)[-1])
            again = pickle.loads(pickle.dumps(columns))
            self.assertEqual(again["bytes"], columns["bytes"])
            self.assertIn(f"{rows} of {file}", columns._repr_html_())

    def test_an_arrow_stream_gives_back_all_that_it_holds(self):
        from vramlab import arrow

        columns = vramlab.open(f"{SAMPLES}/leak.vtrace").allocations()
        capsule = columns.__arrow_c_stream__()
        self.assertEqual((len(arrow._given), len(arrow._in_capsules)), (1, 1))
        del capsule
        self.assertEqual((len(arrow._given), len(arrow._in_capsules)), (0, 0))
        stream = arrow._Stream(arrow._STREAM_SCHEMA, arrow._STREAM_NEXT, arrow._STREAM_ERROR,
                               arrow._STREAM_RELEASE)
        arrow._give(stream, arrow._Told([columns._arrow_column(column) for column in columns.document["columns"]],
                                        stream))
        schema, array, end = arrow._Schema(), arrow._Array(), arrow._Array()
        place = ctypes.pointer(stream)
        self.assertEqual(stream.get_schema(place, ctypes.pointer(schema)), 0)
        self.assertEqual(stream.get_next(place, ctypes.pointer(array)), 0)
        self.assertEqual(stream.get_next(place, ctypes.pointer(end)), 0)
        self.assertFalse(end.release)
        self.assertEqual([schema.children[at].contents.name.decode() for at in range(schema.n_children)],
                         columns.names)
        sizes = array.children[columns.names.index("bytes")].contents
        found = ctypes.cast(sizes.buffers[1], ctypes.POINTER(ctypes.c_int64))[:array.length]
        self.assertEqual(found, columns["bytes"])
        stream.release(place)
        schema.release(ctypes.pointer(schema))
        array.release(ctypes.pointer(array))
        self.assertEqual(len(arrow._given), 0)


class Pictures(unittest.TestCase):
    """Pictures of matplotlib, where it is installed; otherwise of a stand-in that notes the calls."""

    class Axes:
        def __init__(self):
            self.calls = {}

        def __getattr__(self, name):
            return lambda *words, **options: self.calls.setdefault(name, []).append((words, options))

    def pictures(self):
        rec = vramlab.open(TRAINING)
        return (rec.replay(), rec.sweep(["", "expandable_segments:True"]), rec.kinds(kinds="guess"), rec.top())

    def test_they_show_what_the_answers_have(self):
        replay, sweep, kinds, top = self.pictures()
        axes = replay.plot(self.Axes())
        self.assertEqual([options["label"] for _, options in axes.calls["fill_between"]], ["reserved", "allocated"])
        events, reserved = axes.calls["fill_between"][0][0]
        self.assertEqual(max(reserved) * 2**30, replay.peak_reserved)
        self.assertEqual(events[-1], replay.rows[-1].event)
        self.assertEqual(sweep.plot(self.Axes()).calls["set_yticks"][0][0][1],
                         ["expandable_segments:True", "no options"])
        groups = kinds.devices[0].groups
        self.assertEqual(kinds.plot(self.Axes()).calls["set_yticks"][0][0][1], [group.key for group in groups])
        self.assertEqual(len(top.plot(self.Axes()).calls["set_yticks"][0][0][1]),
                         min(30, len(top.devices[0].groups)))

    @unittest.skipUnless(importlib.util.find_spec("matplotlib"), "matplotlib is not installed")
    def test_matplotlib_draws_them(self):
        import matplotlib

        matplotlib.use("agg")
        for answer in self.pictures():
            picture = io.BytesIO()
            answer.plot().figure.savefig(picture)
            self.assertTrue(picture.getvalue().startswith(b"\x89PNG"))


class Many(unittest.TestCase):
    """One question about many recordings."""

    files = [f"{SAMPLES}/leak.vtrace", f"{SAMPLES}/training.vtrace"] * 3

    def test_answers_are_in_the_order_of_the_files(self):
        alone = [vramlab.open(file).replay(conf="").peak_reserved for file in self.files]
        for executor in (None, futures.ThreadPoolExecutor(3), futures.ProcessPoolExecutor(2)):
            answers = vramlab.map("replay", self.files, executor, conf="")
            self.assertEqual([answer.peak_reserved for answer in answers], alone)
            if executor:
                executor.shutdown()
        self.assertEqual(vramlab.map(lambda rec: rec.info.format, self.files[:1]), ["native trace (binary)"])
        self.assertEqual(vramlab.map("replay", []), [])

    def test_errors_are_raised_or_returned(self):
        files = [self.files[0], "no such file"]
        with self.assertRaises(FileNotFoundError):
            vramlab.map("replay", files)
        found = vramlab.map("replay", files, errors="return")
        self.assertEqual(found[0].file, files[0])
        self.assertIsInstance(found[1], FileNotFoundError)
        with self.assertRaisesRegex(AttributeError, "no method 'repaly'"):
            vramlab.map("repaly", files)
        with self.assertRaises(TypeError):
            vramlab.map("replay", files[:1], confs="")

    def test_a_sweep_in_parts_is_the_whole_sweep(self):
        confs = ["", "max_split_size_mb:64", "expandable_segments:True", "roundup_power2_divisions:4", "max_split_size_mb:32"]
        whole = vramlab.sweep(self.files[:2], confs)
        for parts in (1, 3, 9):
            with futures.ProcessPoolExecutor(2) as executor:
                found = vramlab.sweep(self.files[:2], confs, executor=executor, parts=parts)
            self.assertEqual(found.to_dict(), whole.to_dict())
        with futures.ThreadPoolExecutor(2) as executor:
            with self.assertRaises(FileNotFoundError):
                vramlab.sweep(["no such file"], confs, executor=executor, parts=2)

    def test_a_question_that_is_lost_with_its_worker_is_asked_again(self):
        class Losing(futures.ThreadPoolExecutor):
            """Loses every second question, the first time."""

            def __init__(self):
                super().__init__(2)
                self.asked = []

            def submit(self, function, /, *words):
                self.asked.append(words[1])
                is_lost = len(self.asked) % 2 == 0 and len(self.asked) <= len(Many.files)
                return super().submit(lose if is_lost else function, *words)

        def lose(*_):
            raise futures.BrokenExecutor("a worker went away")

        with Losing() as executor:
            answers = vramlab.map("replay", self.files, executor)
        self.assertEqual([answer.file for answer in answers], self.files)
        self.assertEqual(len(executor.asked), len(self.files) + len(self.files) // 2)


class Examples(unittest.TestCase):
    """The examples of the docstrings."""

    def test_docstrings(self):
        rec = vramlab.open(TRAINING)
        for name in MODULES:
            found = doctest.testmod(importlib.import_module(name), extraglobs={"rec": rec})
            self.assertEqual(found.failed, 0, name)

    def test_the_program_is_a_module_too(self):
        words = [sys.executable, "-m", "vramlab", "info", TRAINING]
        environment = {**os.environ, "PYTHONPATH": "tools/python"}
        result = subprocess.run(words, env=environment, capture_output=True, check=True)
        own = subprocess.run([os.environ["VRAMLAB_PROGRAM"], "info", TRAINING],
                             capture_output=True, check=True)
        self.assertEqual(result.stdout, own.stdout)


if __name__ == "__main__":
    unittest.main()
