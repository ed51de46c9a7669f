"""The plug-in as a script uses it, without torch: python3 ctypes_test.py libvramlab_torch.so vramlab,
with a driver that LD_LIBRARY_PATH names. What docs/guide/live.md shows of ctypes is done here."""

import ctypes
import json
import os
import pickle
import subprocess
import sys
import tempfile

MIB = 1 << 20
POINTER = ctypes.c_void_p


def load(path):
    plugin = ctypes.CDLL(path)
    plugin.vramlab_torch_malloc.restype = POINTER
    plugin.vramlab_torch_malloc.argtypes = [ctypes.c_size_t, ctypes.c_int, POINTER]
    plugin.vramlab_torch_free.restype = None
    plugin.vramlab_torch_free.argtypes = [POINTER, ctypes.c_size_t, ctypes.c_int, POINTER]
    for name in ["memory_stats", "segment_stats", "snapshot", "last_error"]:
        getattr(plugin, "vramlab_torch_" + name).restype = ctypes.c_char_p
    return plugin


def check_caching(plugin):
    first = plugin.vramlab_torch_malloc(3 * MIB, 0, None)
    assert first, "an address"
    plugin.vramlab_torch_free(first, 3 * MIB, 0, None)
    assert plugin.vramlab_torch_malloc(3 * MIB, 0, None) == first, "cached memory comes back"
    stats = json.loads(plugin.vramlab_torch_memory_stats(0))
    assert stats["allocated_bytes.all.current"] == 3 * MIB, stats
    assert stats["num_device_alloc"] == 1, stats
    assert stats["num_oom_rejections"] == 0, stats
    assert len(stats) == 123, "one more than PyTorch 2.6.0 has"
    assert plugin.vramlab_torch_malloc(0, 0, None) is None, "0 bytes are nothing"


def check_snapshot(plugin):
    snapshot = json.loads(plugin.vramlab_torch_snapshot())
    (segment,) = snapshot["segments"]
    states = [block["state"] for block in segment["blocks"]]
    assert states == ["active_allocated", "inactive"], states
    assert segment["segment_type"] == "large", segment


def check_snapshot_files(plugin, vramlab):
    """As PyTorch writes a snapshot, pickled by Python, and as it is: `vramlab` reads both."""
    assert plugin.vramlab_torch_record_memory_history(0, 1000) == 0
    for _ in range(10):
        block = plugin.vramlab_torch_malloc(30 * MIB, 0, None)
        plugin.vramlab_torch_free(block, 30 * MIB, 0, None)
    text = plugin.vramlab_torch_snapshot()
    snapshot = json.loads(text)
    assert set(snapshot) >= {"segments", "device_traces", "allocator_settings"}, set(snapshot)
    actions = {entry["action"] for entry in snapshot["device_traces"][0]}
    assert actions == {"segment_alloc", "alloc", "free_requested", "free_completed"}, actions
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("snapshot.pickle", "snapshot.json")]
        with open(paths[0], "wb") as file:
            pickle.dump(snapshot, file)
        with open(paths[0], "rb") as file:
            assert pickle.load(file) == snapshot
        with open(paths[1], "wb") as file:
            file.write(text)
        for path in paths:
            info = json.loads(subprocess.run([vramlab, "info", "--json", path], check=True,
                                             capture_output=True).stdout)
            (device,) = info["files"][0]["devices"]
            assert device["events"] == len(snapshot["device_traces"][0]), info
            assert device["segments"]["count"] == len(snapshot["segments"]), info
            assert device["peak_requested_bytes"] == 33 * MIB, info
            subprocess.run([vramlab, "top", path], check=True, capture_output=True)


def check_errors(plugin):
    assert plugin.vramlab_torch_memory_stats(99) is None, "there is no GPU 99"
    assert b"there is no GPU 99" in plugin.vramlab_torch_last_error()
    assert plugin.vramlab_torch_set_options(0, b"max_split_size_mb:1") == 1
    assert b"max_split_size_mb" in plugin.vramlab_torch_last_error()


def check_without_driver(path):
    """Loading it needs no driver; asking does, and says so."""
    script = ("import ctypes, sys; plugin = ctypes.CDLL(sys.argv[1]); "
              "plugin.vramlab_torch_last_error.restype = ctypes.c_char_p; "
              "plugin.vramlab_torch_memory_stats.restype = ctypes.c_char_p; "
              "assert plugin.vramlab_torch_memory_stats(0) is None; "
              "print(plugin.vramlab_torch_last_error().decode())")
    environment = {key: value for key, value in os.environ.items() if key != "LD_LIBRARY_PATH"}
    run = subprocess.run([sys.executable, "-c", script, path], env=environment, check=True,
                         capture_output=True, text=True)
    # A machine with a GPU has a driver of its own.
    print("without the fake driver:", run.stdout.strip())


def main():
    path = sys.argv[1]
    plugin = load(path)
    check_caching(plugin)
    check_snapshot(plugin)
    check_snapshot_files(plugin, sys.argv[2])
    check_errors(plugin)
    needed = subprocess.run(["readelf", "-d", path], check=True, capture_output=True, text=True)
    assert "libcuda" not in needed.stdout, "no library of CUDA is linked"
    if not os.path.exists("/dev/nvidiactl"):
        check_without_driver(path)
    print("the plug-in does what the page says")


main()
