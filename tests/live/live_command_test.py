"""`vramlab live` as people run it, on the fake libcuda.so.1:
live_command_test.py VRAMLAB FOLDER_OF_LIBCUDA SOURCES"""

import json
import os
import subprocess
import sys
import tempfile

try:
    import jsonschema
except ImportError:
    jsonschema = None

VRAMLAB, DRIVER, SOURCES = sys.argv[1:4]
SAMPLE = SOURCES + "/traces/samples/serving.vtrace.jsonl"


def run(*arguments, driver=DRIVER, **settings):
    environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
    if driver:
        environment["LD_LIBRARY_PATH"] = driver
    environment.update(settings)
    return subprocess.run([VRAMLAB, *arguments], env=environment, capture_output=True, text=True,
                          check=False)


def check_schema(name, document):
    if jsonschema is None:
        print("SKIPPED: a schema; python3-jsonschema is missing")
        return
    with open(f"{SOURCES}/docs/reference/schemas/{name}.schema.json", encoding="utf-8") as file:
        jsonschema.validate(document, json.load(file))


def check_same_decisions():
    done = run("live", SAMPLE, "--json", FAKE_CUDA_MEMORY="64G")
    assert done.returncode == 0, done.stderr + done.stdout
    report = json.loads(done.stdout)
    check_schema("live", report)
    assert report["same_decisions"] is True
    assert report["devices"][0]["compared_memory_calls"] > 0, report
    memory = report["driver_memory"]
    peak = memory["free_at_start_bytes"] - memory["least_free_bytes"]
    assert peak == report["devices"][0]["peak_reserved_bytes"], report
    assert memory["free_at_end_bytes"] == memory["free_at_start_bytes"], report
    assert any(row["call"] == "cuMemAlloc" for row in report["calls"]), report
    text = run("live", SAMPLE, FAKE_CUDA_MEMORY="64G").stdout
    assert "the same as simulated" in text, text


def check_difference():
    done = run("live", SAMPLE, FAKE_CUDA_MEMORY="64G", FAKE_CUDA_FAIL="cuMemAlloc_v2=2@2x1")
    assert done.returncode == 1, done.stdout + done.stderr
    assert "DIFFERENT from the simulation" in done.stdout, done.stdout
    done = run("live", SAMPLE, "--json", FAKE_CUDA_MEMORY="64G",
               FAKE_CUDA_FAIL="cuMemAlloc_v2=2@2x1")
    report = json.loads(done.stdout)
    check_schema("live", report)
    assert report["devices"][0]["first_difference"]["live"].endswith("no room"), report


def check_calibration():
    with tempfile.TemporaryDirectory() as folder:
        output = folder + "/calls.json"
        done = run("live", "--calibrate", "--repeats", "3", "-o", output, FAKE_CUDA_MEMORY="256M")
        assert done.returncode == 0, done.stderr
        with open(output, encoding="utf-8") as file:
            table = json.load(file)
        check_schema("device-calls", table)
        calls = {(row["call"], row["bytes"]) for row in table["calls"]}
        assert ("cuMemAlloc", 2 << 20) in calls and ("cuMemFree", 64 << 10) in calls, calls
        assert ("cuMemMap", 20 << 20) in calls and ("cuEventRecord", 0) in calls, calls
        again = run("live", "--calibrate", "-o", output, FAKE_CUDA_MEMORY="256M")
        assert again.returncode == 2 and "--force" in again.stderr, again.stderr


def expect_refusal(done, sentence):
    assert done.returncode == 2, done
    lines = done.stderr.splitlines()
    assert len(lines) == 1 and sentence in lines[0], done.stderr
    assert done.stdout == "", done.stdout


def check_refusals():
    expect_refusal(run("live", SAMPLE, "--device", "5"), "there is no GPU 5")
    expect_refusal(run("live"), "a FILE to replay, or --calibrate")
    expect_refusal(run("live", SAMPLE, "--frees", "modelled"), "--frees")
    expect_refusal(run("live", SAMPLE, FAKE_CUDA_FAIL="cuInit=100"), "CUDA_ERROR_NO_DEVICE")
    if not os.path.exists("/dev/nvidiactl"):
        expect_refusal(run("live", SAMPLE, driver=None), "there is no CUDA driver")


check_same_decisions()
check_difference()
check_calibration()
check_refusals()
print("vramlab live does what its page says")
