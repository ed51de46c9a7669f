"""The steps of action.yml and of a GitLab component, run here: as much of the services' rules as these files use.

Expressions are names joined by `||`; a condition compares an input with a text; of others' actions only
the cache is known, which has nothing. All else is refused, so that the files stay within what is tested.
"""

import os
import re
import subprocess

import yaml


def text_of(value):
    return value if isinstance(value, str) else str(value).lower() if isinstance(value, bool) else str(value)


def looked_up(name, context):
    """The value of a name such as steps.compare.outputs.broken, empty where there is none."""
    for part in name.split("."):
        context = context.get(part, "") if isinstance(context, dict) else ""
    return "" if isinstance(context, dict) else text_of(context)


def filled_in(text, context):
    """A text with its expressions replaced."""
    def value(match):
        names = [name.strip() for name in match[1].split("||")]
        for name in names:
            if not re.fullmatch(r"[\w.-]+", name):
                raise ValueError(f"an expression that is not known here: {name}")
        return next(filter(None, (looked_up(name, context) for name in names)), "")
    return re.sub(r"\$\{\{(.*?)\}\}", value, text_of(text))


def holds(condition, context):
    match = re.fullmatch(r"([\w.-]+) == '([^']*)'", condition)
    if not match:
        raise ValueError(f"a condition that is not known here: {condition}")
    return looked_up(match[1], context) == match[2]


def pairs_in(path):
    """The outputs that a step wrote."""
    with open(path, encoding="utf-8") as file:
        return dict(line.split("=", 1) for line in file.read().splitlines())


class Action:
    """A composite action in a workspace; `scratch` is the runner's own folder."""

    def __init__(self, folder, workspace, scratch, environment):
        with open(os.path.join(folder, "action.yml"), encoding="utf-8") as file:
            self.action = yaml.safe_load(file)
        self.workspace, self.scratch = workspace, scratch
        self.summary = os.path.join(scratch, "summary.md")
        self.environment = {**environment, "GITHUB_ACTION_PATH": str(folder), "RUNNER_TEMP": str(scratch),
                            "GITHUB_STEP_SUMMARY": self.summary, "GITHUB_REPOSITORY": "owner/project"}
        self.said = ""

    def run(self, inputs, github):
        """The exit status of the first step that fails, and the action's outputs."""
        unknown = set(inputs) - set(self.action["inputs"])
        if unknown:
            raise ValueError(f"no such inputs: {unknown}")
        context = {"github": github, "runner": {"os": "Linux", "arch": "X64"}, "steps": {}}
        context["inputs"] = {name: inputs.get(name, filled_in(row.get("default", ""), context))
                             for name, row in self.action["inputs"].items()}
        status = 0
        for step in self.action["runs"]["steps"]:
            if holds(step["if"], context) if "if" in step else True:
                status = self.run_step(step, context)
            if status != 0:
                break
        outputs = {name: filled_in(row["value"], context) for name, row in self.action["outputs"].items()}
        return status, outputs

    def run_step(self, step, context):
        if "uses" in step:
            if step["uses"] != "actions/cache@v4":
                raise ValueError(f"an action that is not known here: {step['uses']}")
            assert all(filled_in(value, context) for value in step["with"].values())
            return 0
        if step["shell"] != "bash" or "${{" in step["run"]:
            raise ValueError("a step of another shell, or with an expression in its script")
        output = os.path.join(self.scratch, "output")
        open(output, "w", encoding="utf-8").close()
        own = {name: filled_in(value, context) for name, value in step.get("env", {}).items()}
        folder = os.path.join(self.workspace, filled_in(step.get("working-directory", "."), context))
        done = subprocess.run(["bash", "--noprofile", "--norc", "-eo", "pipefail", "-c", step["run"]], cwd=folder,
                              env={**self.environment, **own, "GITHUB_OUTPUT": output}, check=False,
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        self.said += done.stdout
        if "id" in step:
            context["steps"][step["id"]] = {"outputs": pairs_in(output)}
        return done.returncode


class Component:
    """A component of GitLab with its inputs, as jobs."""

    def __init__(self, path, inputs):
        with open(path, encoding="utf-8") as file:
            head, _, body = file.read().partition("\n---\n")
        known = yaml.safe_load(head)["spec"]["inputs"]
        if set(inputs) - set(known):
            raise ValueError(f"no such inputs: {set(inputs) - set(known)}")
        def value(match):
            return inputs[match[1]] if match[1] in inputs else text_of(known[match[1]]["default"])
        def replaced(node):
            if isinstance(node, dict):
                return {key: replaced(item) for key, item in node.items()}
            if isinstance(node, list):
                return [replaced(item) for item in node]
            return re.sub(r"\$\[\[ inputs\.([\w-]+) \]\]", value, node) if isinstance(node, str) else node
        self.jobs = replaced(yaml.safe_load(body))

    def run(self, name, workspace, environment):
        """The exit status of a job and what it said, the lines one after another as a runner does it."""
        job = self.jobs[name]
        script = "set -eo pipefail\n" + "\n".join(job["script"]) + "\n"
        done = subprocess.run(["bash", "-c", script], cwd=workspace, env={**environment, **job["variables"]},
                              stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, check=False)
        return done.returncode, done.stdout
