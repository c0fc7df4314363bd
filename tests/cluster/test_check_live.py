"""`colo check --live` against the running sandbox: silent where all is well, and each thing broken is told.

The tests read what the stack `dev` deployed; what they break is theirs, and goes away with them.
"""

from __future__ import annotations

import json
import re
import subprocess
import sys
import time

import pytest
import yaml

from infra.places import ROOT, stack_file
from tests.cluster.conftest import eventually, until_the_operator_answers, whole

pytestmark = pytest.mark.cluster

LIVE_CODES = set(re.findall(r"^## (\S+)$", (ROOT / "docs/checks/live.md").read_text("utf-8"), re.MULTILINE))


@pytest.fixture(scope="module", autouse=True)
def deployed_stack(sandbox):
    """The stack `dev` is there, and its operator answers; this file leaves it as it is."""
    operator = ("deployment", "training-operator", "-n", "kubeflow", "--ignore-not-found", "-o", "name")
    if not sandbox.kubectl("get", *operator):
        done = sandbox.workspace.update("up", "--yes", "--skip-preview", capture=True)
        assert done.returncode == 0, done.stdout[-6000:] + done.stderr[-2000:]
    until_the_operator_answers(sandbox)


@pytest.fixture
def environment(sandbox):
    return sandbox.workspace.environment()


@pytest.fixture
def check(environment):
    """Runs the command; exit code, and what it finds in the cluster, as the JSON form has it."""

    def run(*arguments, **variables):
        done = subprocess.run(
            [sys.executable, "-m", "infra.cli", "check", "--live", "--format", "json", *arguments],
            cwd=ROOT,
            env=environment | variables,
            capture_output=True,
            text=True,
            check=False,
        )
        assert "Traceback" not in done.stderr
        findings = json.loads(done.stdout)["findings"]
        return done.returncode, [found for found in findings if found["code"] in LIVE_CODES]

    return run


@pytest.fixture
def dev():
    """The stack `dev` as data, to be changed into a stack of the test's own."""
    return whole(stack_file("dev"))


@pytest.fixture
def check_stack(check, tmp_path):
    """Checks changed data; the scripts are those of the project."""

    def run(stack):
        (tmp_path / "scripts").symlink_to(ROOT / "stacks" / "scripts")
        file = tmp_path / "dev.yaml"  # named as the stack that holds the nodes
        file.write_text(yaml.safe_dump(stack, sort_keys=False))
        code, findings = check("--file", str(file))
        assert code == int(any(found["severity"] == "fault" for found in findings))
        return {(found["severity"], found["code"], found["path"]): found["message"] for found in findings}

    return run


@pytest.fixture
def second_operator(sandbox, namespace):
    """Makes a Deployment without pods that looks like an operator; gone before the next test looks."""

    def create(name, image):
        sandbox.kubectl("create", "-n", namespace, "-f", "-", stdin=json.dumps(deployment(name, image)))

    yield create
    sandbox.kubectl("delete", "deployment", "--all", "-n", namespace)


def deployment(name, image):
    labels = {"app": name}
    pod = {"metadata": {"labels": labels}, "spec": {"containers": [{"name": "main", "image": image}]}}
    spec = {"replicas": 0, "selector": {"matchLabels": labels}, "template": pod}
    return {"apiVersion": "apps/v1", "kind": "Deployment", "metadata": {"name": name}, "spec": spec}


def test_the_deployed_stack_gives_no_finding(check):
    assert check("--stack", "dev") == (0, [])


def test_every_command_of_the_page_finds_the_stack_fine(environment):
    page = (ROOT / "docs/tasks/check-a-stack.md").read_text("utf-8")
    commands = re.findall(r"^\.venv/bin/colo (.+)$", page, re.MULTILINE)
    assert "check --live --stack dev" in commands
    for command in commands:
        done = subprocess.run(
            [sys.executable, "-m", "infra.cli", *command.split()],
            cwd=ROOT,
            env=environment,
            capture_output=True,
            text=True,
            check=False,
        )
        assert (done.returncode, done.stderr) == (0, ""), command
        assert "stacks/dev.yaml: no faults" in done.stdout, command


def test_an_operator_of_others_is_told_also_while_it_has_no_pods(namespace, second_operator, check):
    second_operator("trainer", "example/kubeflow/training-operator:v1")
    code, [finding] = check("--stack", "dev")
    assert (code, finding["code"], finding["path"]) == (1, "operator-of-others", "training_operator.install")
    assert f"Deployment {namespace}/trainer" in finding["message"]


def test_an_operator_is_attached_to_where_it_is(dev, check_stack):
    dev["training_operator"] = {"install": False, "namespace": "kubeflow"}
    assert check_stack(dev) == {}


def test_an_operator_elsewhere_than_declared_is_told(dev, check_stack):
    dev["training_operator"] = {"install": False, "namespace": "operators"}
    place = ("fault", "operator-elsewhere", "training_operator.namespace")
    assert "Deployment kubeflow/training-operator, not in operators" in check_stack(dev)[place]


def test_a_second_operator_is_told_where_the_stack_attaches_to_one(second_operator, dev, check_stack):
    second_operator("training-operator", "example/x:1")
    dev["training_operator"] = {"install": False, "namespace": "kubeflow"}
    found = check_stack(dev)
    assert list(found) == [("fault", "two-operators", "training_operator.install")]


def tenant(dev, name):
    """A stack of one tenant, and of the operator of the stack `dev`."""
    attached = {"install": False, "namespace": "kubeflow"}
    return {"priorities": dev["priorities"], "tenants": [{"name": name}], "training_operator": attached}


def test_a_namespace_of_others_is_told_with_its_maker(namespace, dev, check_stack):
    found = check_stack(tenant(dev, namespace))
    assert list(found) == [("fault", "namespace-of-others", "tenants[0].name")]
    assert "managed by kubectl-create" in found["fault", "namespace-of-others", "tenants[0].name"]


def test_istio_in_a_namespace_of_training_is_told(sandbox, namespace, dev, check_stack):
    sandbox.kubectl("label", "namespace", namespace, "istio-injection=enabled")
    assert ("warning", "istio-injection", "tenants[0].name") in check_stack(tenant(dev, namespace))


def test_nodes_that_are_absent_are_told(dev, check_stack):
    dev["pools"][0]["nodes"] = ["node-gpu-01", "node-gpu-05"]
    found = check_stack(dev)
    assert list(found) == [("fault", "node-absent", "pools[0].nodes[1]")]


def test_a_selector_of_no_node_is_told(dev, check_stack):
    del dev["pools"][0]["nodes"]
    dev["pools"][0]["selector"] = {"example.com/none": "here"}
    assert list(check_stack(dev)) == [("warning", "selector-selects-nothing", "pools[0].selector")]


def test_nodes_of_another_pool_are_told(dev, check_stack):
    dev["pools"][0]["name"] = dev["jobs"][1]["pool"] = "other"
    found = check_stack(dev)
    assert {(severity, code) for severity, code, _ in found} == {("fault", "node-claimed")}
    assert len(found) == len(dev["pools"][0]["nodes"])


def test_nodes_of_another_stack_are_told(check, dev, tmp_path):
    (tmp_path / "scripts").symlink_to(ROOT / "stacks" / "scripts")
    (tmp_path / "other.yaml").write_text(yaml.safe_dump(dev))
    code, findings = check("--file", str(tmp_path / "other.yaml"))
    assert (code, {found["code"] for found in findings}) == (1, {"node-claimed"})
    assert "pool gpu of stack dev" in findings[0]["message"]


def test_labels_and_taints_of_others_are_told(dev, check_stack):
    dev["pools"][0]["labels"]["type"] = "real"  # the simulated nodes carry type=kwok
    dev["pools"][0]["taints"].append({"key": "kwok.x-k8s.io/node", "value": "mine", "effect": "NoSchedule"})
    dev["pools"][0]["foreign_taints"] = []
    found = check_stack(dev)
    assert ("fault", "node-label-of-others", "pools[0].labels.type") in found
    assert ("fault", "node-taint-of-others", "pools[0].taints[1]") in found


def test_nodes_without_gpus_are_told(dev, check_stack):
    dev["pools"] = [{"name": "gpu", "nodes": ["node-cpu-01"]}]
    found = check_stack(dev)
    assert list(found) == [("fault", "gpus-not-allocatable", "pools[0]")]


def test_more_gpus_than_a_node_has_are_told(dev, check_stack):
    dev["jobs"][1]["worker"]["resources"]["gpus"] = 5
    dev["pools"][0]["capacity"]["gpus"] = 8  # as the file would have it
    assert ("fault", "gpus-not-allocatable", "jobs[1].worker.resources.gpus") in check_stack(dev)


def test_a_storage_class_that_is_absent_is_told(dev, check_stack):
    dev["storage"][0]["storage_class"] = "sharde"
    found = check_stack(dev)
    place = "storage[0].storage_class"  # of a claim that is there, too, and whose class cannot be changed
    assert set(found) == {
        ("fault", code, place) for code in ("storage-class-absent", "claim-would-be-replaced")
    }


@pytest.fixture
def disks(sandbox):
    name = "check-live-disks"
    scratch_class = {
        "apiVersion": "storage.k8s.io/v1",
        "kind": "StorageClass",
        "metadata": {"name": name},
        "provisioner": "ebs.csi.aws.com",
    }
    sandbox.kubectl("create", "-f", "-", stdin=json.dumps(scratch_class))
    yield name
    sandbox.kubectl("delete", "storageclass", name)


def test_a_storage_class_of_disks_is_told(dev, check_stack, disks):
    dev["storage"][0]["storage_class"] = disks
    place = ("warning", "storage-class-not-shared", "storage[0].storage_class")
    assert "ebs.csi.aws.com" in check_stack(dev)[place]


@pytest.fixture
def idle_webhook(sandbox, namespace):
    """Answered by nobody; it is asked about TFJobs of the test's namespace alone."""
    name = "check-live.example.com"
    webhook = {
        "name": name,
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "clientConfig": {"service": {"namespace": namespace, "name": "nobody"}},
        "namespaceSelector": {"matchLabels": {"kubernetes.io/metadata.name": namespace}},
        "rules": [
            {
                "apiGroups": ["kubeflow.org"],
                "apiVersions": ["v1"],
                "operations": ["CREATE"],
                "resources": ["tfjobs"],
            }
        ],
    }
    configuration = {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "metadata": {"name": name},
        "webhooks": [webhook],
    }
    sandbox.kubectl("create", "-f", "-", stdin=json.dumps(configuration))
    yield name
    sandbox.kubectl("delete", "validatingwebhookconfiguration", name)


def test_a_webhook_without_an_endpoint_is_told(check, idle_webhook):
    code, [finding] = check("--stack", "dev")
    assert (code, finding["code"]) == (1, "webhook-without-endpoint")
    assert idle_webhook in finding["message"]


@pytest.fixture
def viewer(sandbox, namespace, tmp_path):
    """A kubeconfig of an account that may read namespaces, and nothing else of the cluster."""
    binding = f"check-live-{namespace}"
    sandbox.kubectl("create", "serviceaccount", "viewer", "-n", namespace)
    sandbox.kubectl("create", "clusterrole", binding, "--verb=get,list", "--resource=namespaces")
    sandbox.kubectl(
        "create",
        "clusterrolebinding",
        binding,
        f"--clusterrole={binding}",
        f"--serviceaccount={namespace}:viewer",
    )
    yield written(tmp_path, sandbox, sandbox.kubectl("create", "token", "viewer", "-n", namespace).strip())
    sandbox.kubectl("delete", "clusterrolebinding", binding)
    sandbox.kubectl("delete", "clusterrole", binding)


def written(folder, sandbox, token, **cluster):
    """A kubeconfig for the sandbox's server with other credentials."""
    config = json.loads(sandbox.kubectl("config", "view", "--raw", "--flatten", "-o", "json"))
    config["clusters"][0]["cluster"] |= cluster
    config["users"][0]["user"] = {"token": token}
    file = folder / "kubeconfig"
    file.write_text(json.dumps(config))
    return str(file)


def test_what_an_account_may_not_read_is_advice_each_and_the_rest_is_checked(check, viewer):
    def allowed():
        code, findings = check("--stack", "dev", KUBECONFIG=viewer)
        unread = {f["message"].partition(" ")[0] for f in findings if f["code"] == "live-unread"}
        return (code, {f["code"] for f in findings}) == (0, {"live-unread"}) and unread

    assert eventually(allowed) == {
        "nodes",
        "deployments",
        "storageclasses",
        "persistentvolumeclaims",
        "customresourcedefinitions",
        "validatingwebhookconfigurations",
        "mutatingwebhookconfigurations",
    }


def test_wrong_credentials_are_one_finding(check, sandbox, tmp_path):
    code, [finding] = check("--stack", "dev", KUBECONFIG=written(tmp_path, sandbox, "nobody"))
    assert (code, finding["code"]) == (1, "cluster-unreachable")
    assert "does not accept these credentials" in finding["message"]


def test_a_server_that_is_away_is_one_finding_within_seconds(check, sandbox, tmp_path):
    since = time.monotonic()
    away = written(tmp_path, sandbox, "nobody", server="https://127.0.0.1:1")
    code, [finding] = check("--stack", "dev", KUBECONFIG=away)
    assert (code, finding["code"]) == (1, "cluster-unreachable")
    assert time.monotonic() - since < 20


def test_the_monitoring_that_is_there_is_one_to_attach_to(check_stack, dev):
    assert check_stack(dev | {"monitoring": {"install": False}}) == {}


def test_monitoring_is_not_installed_beside_that_which_is_there(check_stack, dev):
    [(key, message)] = check_stack(dev | {"monitoring": {"namespace": "observability"}}).items()
    assert key == ("fault", "monitoring-of-others", "monitoring.install")
    assert "Deployment monitoring/kube-prometheus-stack-operator" in message
