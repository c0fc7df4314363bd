"""A lost state, a lost key, a lost cluster, a job applied by hand: what the pages say is typed here.

With a small stack of its own, which the next test takes as the one before left it.
"""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from dataclasses import dataclass, field
from pathlib import Path

import pytest
import yaml

from sandbox import images, scratch
from tests.cluster.conftest import Deployment, eventually
from tests.docs.conftest import ROOT, Page

pytestmark = pytest.mark.cluster

RECOVERY = Page(ROOT / "docs" / "tasks" / "recovery.md")
REMOVAL = Page(ROOT / "docs" / "tasks" / "destroy-and-keep-data.md")
IMPORT = Page(ROOT / "docs" / "tasks" / "import-a-job.md")
NAMESPACE, CLASS = "recovery", "recovery-low"
RESOURCES = {"requests": {"cpu": "50m", "memory": "64Mi"}, "limits": {"cpu": "1", "memory": "256Mi"}}


def job(name):
    command = ["python3", "-c", "print('trained')"]
    image = images.reference("tensorflow")
    whose = {"tenant": NAMESPACE, "priority": CLASS}
    return {"name": name, **whose, "image": image, "command": command, "worker": {"resources": RESOURCES}}


STACK = {
    # Below the default class of the stack that is there.
    "priorities": [{"name": CLASS, "value": -10, "kind": "offline"}],
    "pools": [{"name": "recovery", "nodes": ["node-cpu-02"], "labels": {"example.org/drill": "recovery"}}],
    "tenants": [{"name": NAMESPACE}],
    # Never mounted: nobody answers there, and the sandbox's own volumes are few.
    "storage": [
        {
            "name": "data",
            "tenant": NAMESPACE,
            "size": "1Mi",
            "nfs": {"server": "nfs.example.org", "path": "/data"},
        }
    ],
    "training_operator": {"install": False, "namespace": "kubeflow"},
    "jobs": [job("train")],
}


@dataclass
class Terminal:
    """Somebody who types the commands of a page, with `dev` where it says `lab`."""

    deployment: Deployment
    variables: dict[str, str] = field(default_factory=dict)

    def type(self, command, *, fails=False):
        """What the command says; it has to succeed, or to fail."""
        line = re.sub(r"\blab\b", "dev", command)
        line = line.replace("pulumi up", "pulumi up --skip-preview").replace(
            "pulumi cancel", "pulumi cancel --yes"
        )
        found = self.deployment.workspace
        done = subprocess.run(
            ["bash", "-ec", line],
            cwd=found.project,
            env={
                **found.environment(),
                "PATH": f"{found.kubectl.parent}:{found.environment()['PATH']}",
                "PULUMI_SKIP_CONFIRMATIONS": "true",
                **self.variables,
            },
            input="a-value\n",
            capture_output=True,
            text=True,
            check=False,
        )
        said = done.stdout + done.stderr
        assert (done.returncode != 0) == fails, f"{line}: {said[-3000:]}"
        return said

    def section(self, page, heading):
        return [self.type(command) for command in page.typed(heading)]

    @property
    def state(self):
        return self.deployment.workspace.backend / ".pulumi" / "stacks" / "colocation" / "dev.json"

    def identities(self):
        """Of what must not be made anew."""
        get = self.deployment.sandbox.get
        jobs = self.deployment.sandbox.items("tfjobs", "-n", NAMESPACE)
        found = [*jobs, get("pvc", "data", "-n", NAMESPACE), get("namespace", NAMESPACE)]
        return {one["metadata"]["name"]: one["metadata"]["uid"] for one in found}


@pytest.fixture(scope="module")
def terminal(deployed_once, sandbox, tmp_path_factory):
    copy = scratch.copied(sandbox.workspace, tmp_path_factory.mktemp("recovery") / "project")
    stack = Deployment(sandbox, scratch.with_own_state(copy))
    stack.write(STACK)
    # The first preview of a cluster, where not even the namespace is.
    assert set(stack.plan().values()) == {"create"}
    stack.up()
    yield Terminal(stack)
    sandbox.kubectl("delete", "namespace", NAMESPACE, "research", "--ignore-not-found")
    sandbox.kubectl("delete", "priorityclass", CLASS, "--ignore-not-found")
    sandbox.kubectl("delete", "pv", f"{NAMESPACE}-data", "--ignore-not-found")
    sandbox.kubectl(
        "label", "node", "node-cpu-02", "example.org/drill-", "colocation.io/pool-", "colocation.io/stack-"
    )


def damage(state):
    state.write_text(state.read_text()[: state.stat().st_size // 2])


def test_the_lock_of_a_killed_pulumi_is_taken_away(terminal):
    child = terminal.deployment.start_up()
    locks = terminal.deployment.workspace.backend / ".pulumi" / "locks"
    eventually(lambda: list(locks.glob("**/*.json")))
    os.killpg(child.pid, signal.SIGKILL)
    child.wait()
    assert "currently locked by 1 lock(s)" in terminal.type("pulumi up --stack lab", fails=True)
    *_, up = terminal.section(RECOVERY, "The stack is locked")
    assert "unchanged" in up


def test_a_damaged_state_is_replaced_by_an_export_or_by_a_copy_of_the_backend(terminal):
    before = terminal.identities()
    terminal.section(RECOVERY, "Back up")
    damage(terminal.state)
    assert "failed to load checkpoint" in terminal.type("pulumi up --stack lab", fails=True)
    imported, up = terminal.section(RECOVERY, "The state cannot be read")
    assert "Import complete." in imported
    assert "created" not in up.partition("Resources:")[2]

    damage(terminal.state)
    [*_, newest] = sorted(terminal.state.parents[2].glob("backups/colocation/dev/*.json"))
    shutil.copy(newest, terminal.state)
    terminal.type("pulumi preview --stack lab --expect-no-changes")
    assert terminal.identities() == before


def test_what_was_made_after_the_backup_is_taken_over(terminal):
    terminal.type("pulumi stack export --stack lab --file older.json")
    terminal.deployment.write({**STACK, "jobs": [job("train"), job("later")]})
    terminal.type("pulumi up --stack lab")
    before = terminal.identities()
    assert "later" in before
    terminal.type("pulumi stack import --stack lab --file older.json")
    terminal.type("PULUMI_K8S_UPSERT_EXISTING_OBJECTS=true pulumi up --refresh --stack lab")
    assert terminal.identities() == before


def test_a_lost_state_is_made_of_what_the_cluster_holds_and_no_job_runs_again(terminal):
    before = terminal.identities()
    shutil.rmtree(terminal.state.parents[2])
    *_, up = terminal.section(RECOVERY, "The state is gone")
    assert "created" in up
    assert terminal.identities() == before
    again = terminal.deployment.plan()
    assert set(again) <= {"cluster"}


def test_a_lost_passphrase_costs_the_values_and_nothing_in_the_cluster(terminal):
    before = terminal.identities()
    terminal.type("pulumi config set --secret --stack lab dingtalk-ops-url")
    terminal.variables["PULUMI_CONFIG_PASSPHRASE"] = "another"
    assert "incorrect passphrase" in terminal.type("pulumi up --stack lab", fails=True)
    forget, *anew = RECOVERY.typed("The passphrase is lost")
    terminal.type(forget)
    file = terminal.deployment.workspace.config_file
    kept = yaml.safe_load(file.read_text())
    del kept["encryptionsalt"]
    del kept["config"]["colocation:dingtalk-ops-url"]
    file.write_text(yaml.safe_dump(kept))
    for command in anew:
        terminal.type(command)
    assert terminal.identities() == before
    shown = terminal.type("pulumi config get --stack lab dingtalk-ops-url")
    assert "a-value" in shown


def test_another_address_of_the_cluster_would_replace_everything(terminal):
    found = terminal.deployment.workspace
    kubeconfig = yaml.safe_load(Path(found.variables["KUBECONFIG"]).read_text())
    kubeconfig["clusters"][0]["cluster"]["server"] = "https://127.0.0.1:1"
    other = found.project / "other-address"
    other.write_text(yaml.safe_dump(kubeconfig))
    said = Terminal(terminal.deployment, {**terminal.variables, "KUBECONFIG": str(other)}).type(
        "pulumi preview --stack lab || true"
    )
    assert "to replace" in said


def test_after_a_lost_cluster_everything_is_made_anew_with_or_without_the_old_state(terminal):
    sandbox = terminal.deployment.sandbox
    forget, init, up, refresh, up_again = RECOVERY.typed("The cluster is gone")
    for commands in ((refresh, up_again), (forget, init, up)):
        before = terminal.identities()
        sandbox.kubectl("delete", "namespace", NAMESPACE)
        sandbox.kubectl("delete", "priorityclass", CLASS)
        sandbox.kubectl("delete", "pv", f"{NAMESPACE}-data")
        for command in commands:
            terminal.type(command)
        after = terminal.identities()
        assert set(after) == set(before)
        assert set(after.values()) & set(before.values()) == set()


def test_a_job_that_was_applied_by_hand_becomes_one_of_the_stack_and_is_not_started_again(terminal):
    sandbox, stack = terminal.deployment.sandbox, terminal.deployment
    sandbox.kubectl("create", "namespace", "research")
    sandbox.kubectl("apply", "-f", "-", stdin=json.dumps(ranking()))
    pod = eventually(lambda: running(sandbox))
    copy, imported, check, preview, up, *look = IMPORT.typed("Take over jobs that are in the cluster")
    terminal.type(copy)
    assert not re.search(r"^fault ", terminal.type(imported), re.MULTILINE)
    [entry] = [yaml.safe_load((stack.workspace.project / "entry.yaml").read_text())]
    entry["priority"] = CLASS
    [tenants] = [yaml.safe_load(block) for block in IMPORT.blocks("yaml") if "tenants:" in block]
    more = {"tenants": [*STACK["tenants"], *tenants["tenants"]], "storage": STACK["storage"]}

    larger = {"resources": {"limits": {"cpu": "2", "memory": "128Mi"}}}
    stack.write({**STACK, **more, "jobs": [{**entry, "worker": larger}]})
    refused = terminal.type(up, fails=True)
    assert 'conflict with "kubectl-client-side-apply"' in refused

    stack.write({**STACK, **more, "jobs": [entry]})
    terminal.type(check)
    terminal.type(preview)
    terminal.type(up)
    _, manifest = [terminal.type(command) for command in look]
    assert running(sandbox) == pod
    found = sandbox.get("tfjob", "ranking", "-n", "research")
    assert found["metadata"]["ownerReferences"][0]["name"] == "colocation-jobs"
    for manager in ("colocation-dev", "kubectl-client-side-apply"):
        assert f"manager: {manager}\n" in manifest
    # Without the variable there would be one change: the provider that no longer takes over.
    terminal.type(preview.replace("--diff", "--expect-no-changes"))


def ranking():
    """A raw TFJob as a team has it."""
    container = {
        "name": "tensorflow",
        "image": images.reference("tensorflow"),
        "command": ["sh", "-c", "trap 'exit 1' TERM; sleep 600 & wait"],
        "resources": {"limits": {"cpu": "500m", "memory": "128Mi"}},
    }
    template = {"spec": {"containers": [container]}}
    worker = {"replicas": 1, "restartPolicy": "OnFailure", "template": template}
    return {
        "apiVersion": "kubeflow.org/v1",
        "kind": "TFJob",
        "metadata": {"name": "ranking", "namespace": "research"},
        "spec": {"runPolicy": {"cleanPodPolicy": "Running"}, "tfReplicaSpecs": {"Worker": worker}},
    }


def running(sandbox):
    """The uid of the job's pod, once it runs."""
    pods = sandbox.items("pods", "-n", "research")
    return [pod["metadata"]["uid"] for pod in pods if pod["status"]["phase"] == "Running"]


def test_nothing_is_left_of_a_stack_that_is_removed_as_the_page_says(terminal):
    sandbox, stack = terminal.deployment.sandbox, terminal.deployment
    assert "protected" in terminal.type("pulumi destroy --stack lab --skip-preview", fails=True)
    free = [{**STACK["storage"][0], "protect": False}]
    stack.write({**STACK, "storage": free, "jobs": [job("train")]})
    terminal.type("pulumi up --stack lab")
    [destroyed] = terminal.section(REMOVAL, "Give up the data as well")
    assert "The resources in the stack have been deleted" in destroyed
    look, *_, remove, nodes, objects = REMOVAL.typed("Remove what still stays")
    terminal.type(look)
    terminal.type(remove)
    assert not stack.workspace.config_file.exists()
    assert not terminal.state.exists()
    assert "node-cpu-02" not in terminal.type(nodes)
    terminal.type(objects)
    left = sandbox.kubectl("get", "namespaces,priorityclasses", "-o", "name")
    assert [name for name in (NAMESPACE, "research", CLASS) if f"/{name}\n" in left] == []
