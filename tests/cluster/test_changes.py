"""An edit of the stack file touches what it names and nothing else."""

from __future__ import annotations

import pytest

pytestmark = pytest.mark.cluster


def test_a_changed_script_runs_that_job_again_and_only_that_job(deployed):
    script = deployed.script("mnist.py")
    script.write_text(script.read_text() + "\n# changed\n")
    stack = deployed.stack
    users = {job["name"] for job in stack["jobs"] if job.get("script") == "mnist.py"}
    touched = {name.removesuffix("-tfjob").removesuffix("-script") for name in deployed.plan()}
    assert touched == users
    before = uids(deployed)
    deployed.up()
    after = uids(deployed)
    assert {name for name in after if after[name] != before[name]} == users


def test_a_changed_file_that_scripts_import_runs_their_jobs_again(deployed):
    shared = deployed.script("training_metrics.py")
    shared.write_text(shared.read_text() + "\n# changed\n")
    touched = {name.removesuffix("-tfjob").removesuffix("-script") for name in deployed.plan()}
    assert touched == {job["name"] for job in deployed.stack["jobs"]}


def test_a_changed_image_replaces_that_job_only(deployed):
    stack = deployed.stack
    stack["jobs"][1]["image"] = stack["jobs"][1]["image"] + "-next"
    deployed.write(stack)
    assert set(deployed.plan()) == {"tf-mnist-gpu-tfjob"}
    before = uids(deployed)
    deployed.up()
    after = uids(deployed)
    assert {name for name in after if after[name] != before[name]} == {"tf-mnist-gpu"}


def test_a_removed_job_is_deleted_and_an_added_one_touches_nothing_else(deployed):
    stack = deployed.stack
    before = uids(deployed)
    removed = stack["jobs"].pop(1)
    stack["jobs"].append({**removed, "name": "tf-added"})
    [offline] = [priority for priority in stack["priorities"] if priority["kind"] == "offline"]
    offline["value"] += 100
    deployed.write(stack)
    deployed.up()
    after = uids(deployed)
    # Kubernetes changes it in no class that is there: this one is new, and no job minds.
    assert deployed.sandbox.get("priorityclass", offline["name"])["value"] == offline["value"]
    assert set(after) == set(before) - {"tf-mnist-gpu"} | {"tf-added"}
    assert all(after[name] == before[name] for name in set(after) & set(before))


def uids(deployed):
    jobs = deployed.sandbox.items("tfjobs", "-n", "kubeflow")
    return {job["metadata"]["name"]: job["metadata"]["uid"] for job in jobs}
