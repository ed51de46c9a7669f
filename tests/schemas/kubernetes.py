"""The manifest of docs/guide/sweep.md is a valid Job of Kubernetes that runs every shard once."""

import copy
import json
import os
import re
import subprocess

import jsonschema
import yaml

HERE = os.path.dirname(os.path.abspath(__file__))


def manifest(top):
    with open(top + "/docs/guide/sweep.md", encoding="utf-8") as page:
        blocks = re.findall(r"^```yaml\n(.*?)^```", page.read(), re.MULTILINE | re.DOTALL)
    jobs = [yaml.safe_load(block) for block in blocks]
    assert len(jobs) == 1, f"docs/guide/sweep.md has {len(jobs)} manifests"
    return jobs[0]


def spoiled(job):
    """The same with one fault each."""
    def changed(change):
        other = copy.deepcopy(job)
        change(other)
        return other

    pod = lambda other: other["spec"]["template"]["spec"]
    yield changed(lambda other: other.update(apiVersion="batch/v1beta1"))
    yield changed(lambda other: other["metadata"].update(name="Sweep"))
    yield changed(lambda other: other["spec"].update(completionMode="NonIndexed"))
    yield changed(lambda other: other["spec"].update(completion=32))
    yield changed(lambda other: pod(other).update(restartPolicy="OnFailure"))
    yield changed(lambda other: pod(other)["containers"][0].update(command="bash -c"))
    yield changed(lambda other: pod(other)["containers"][0]["resources"]["requests"].update(cpu=8))


def check_kubernetes(top):
    with open(HERE + "/kubernetes_job.json", encoding="utf-8") as text:
        schema = jsonschema.Draft202012Validator(json.load(text))
    job = manifest(top)
    errors = [error.message for error in schema.iter_errors(job)]
    assert not errors, f"docs/guide/sweep.md: {errors}"
    for wrong in spoiled(job):
        assert not schema.is_valid(wrong), "the schema takes a wrong manifest"

    pod = job["spec"]["template"]["spec"]
    container = pod["containers"][0]
    mounts = {mount["name"] for mount in container["volumeMounts"]}
    assert mounts == {volume["name"] for volume in pod["volumes"]}, "a mount has no volume"
    # The command that each index runs, with a function that prints its words in place of vramlab.
    shards = []
    for index in range(job["spec"]["completions"]):
        words = subprocess.run([*container["command"], "vramlab() { echo \"$@\"; }\n" + container["args"][0]],
                               env={**os.environ, "JOB_COMPLETION_INDEX": str(index)}, text=True,
                               capture_output=True, check=True).stdout.split()
        shards.append(words[words.index("--shard") + 1])
        assert f"shard-{index + 1}.json" in words[words.index("-o") + 1]
    count = job["spec"]["completions"]
    assert shards == [f"{number}/{count}" for number in range(1, count + 1)], shards
    print(f"docs/guide/sweep.md: the Job of Kubernetes is valid and has all {count} shards")
