"""Questions on clusters of this machine: Dask's and Ray's, each where it is installed. A worker that is
killed in the middle loses no answer, and none is counted twice."""

import importlib.util
import os
import signal
import sys
import tempfile
import unittest
from concurrent import futures

import vramlab

SAMPLES = os.path.abspath("traces/samples")
FILES = [f"{SAMPLES}/{name}.vtrace" for name in ("leak", "training", "diffusion", "experts")] * 2
CONFS = ["", "max_split_size_mb:64", "expandable_segments:True", "roundup_power2_divisions:4"]


def peak_once_lost(recording, lost, mark):
    """The recording's peak. The first question about the lost file leaves a mark and kills its worker."""
    if recording.path == lost and not os.path.exists(mark):
        with open(mark, "w", encoding="utf-8"):
            os.kill(os.getpid(), signal.SIGKILL)
    return recording.replay(conf="").peak_reserved


class Questions:
    """Questions that each cluster answers by its own executor."""

    executor = None

    def test_answers_are_in_the_order_of_the_files(self):
        alone = [vramlab.open(file).replay(conf="").peak_reserved for file in FILES]
        answers = vramlab.map("replay", FILES, self.executor, conf="")
        self.assertEqual([answer.peak_reserved for answer in answers], alone)

    def test_errors_are_those_of_the_question(self):
        found = vramlab.map("replay", [FILES[0], "no such file"], self.executor, errors="return")
        self.assertEqual(found[0].file, FILES[0])
        self.assertIsInstance(found[1], FileNotFoundError)

    def test_a_sweep_in_parts_is_the_whole_sweep(self):
        whole = vramlab.sweep(FILES[:2], CONFS)
        self.assertEqual(vramlab.sweep(FILES[:2], CONFS, executor=self.executor, parts=3).to_dict(),
                         whole.to_dict())

    def test_a_worker_that_is_killed_loses_no_answer(self):
        with tempfile.TemporaryDirectory() as folder:
            mark = os.path.join(folder, "lost")
            answers = vramlab.map(peak_once_lost, FILES, self.executor, lost=FILES[2], mark=mark)
            self.assertTrue(os.path.exists(mark))
        self.assertEqual(answers, [answer.peak_reserved for answer in vramlab.map("replay", FILES, conf="")])


@unittest.skipUnless(importlib.util.find_spec("ray"), "Ray is not installed")
class Ray(Questions, unittest.TestCase):
    """Ray has no executor; a few lines make one (docs/guide/ranks.md)."""

    @classmethod
    def setUpClass(cls):
        import ray

        class RayExecutor(futures.Executor):
            """Each call is a task of its own."""

            def submit(self, function, /, *words, **named):
                return ray.remote(function).remote(*words, **named).future()

        variables = {"PYTHONPATH": os.pathsep.join(path for path in sys.path if path),
                     "VRAMLAB_PROGRAM": os.environ["VRAMLAB_PROGRAM"]}
        ray.init(num_cpus=2, include_dashboard=False, log_to_driver=False, runtime_env={"env_vars": variables})
        cls.addClassCleanup(ray.shutdown)
        cls.executor = RayExecutor()


@unittest.skipUnless(importlib.util.find_spec("distributed"), "Dask is not installed")
class Dask(Questions, unittest.TestCase):
    """A local cluster of two processes."""

    @classmethod
    def setUpClass(cls):
        import distributed

        cluster = distributed.LocalCluster(n_workers=2, threads_per_worker=1, dashboard_address=None)
        cls.addClassCleanup(cluster.close)
        client = distributed.Client(cluster)
        cls.addClassCleanup(client.close)
        cls.executor = client.get_executor()
