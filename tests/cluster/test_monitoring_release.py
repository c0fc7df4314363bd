"""The stack's own monitoring, through the real provider and its Helm, from a small chart of the same values.

In a namespace of its own: the sandbox has a monitoring stack, which these tests do not touch.
"""

from __future__ import annotations

import base64
import json
import shutil
import subprocess
import tarfile

import pytest

from components.rendering.monitoring.values import chart_values
from infra.models import MonitoringSpec
from sandbox import scratch
from tests.cluster.conftest import Deployment, eventually
from tests.docs.conftest import ROOT, Page

pytestmark = pytest.mark.cluster

CHART = ROOT / "tests" / "charts" / "kube-prometheus-stack"
PAGE = Page(ROOT / "docs" / "tasks" / "monitoring.md")
NAMESPACE = "observability"
CLASS = "observability-test"
BARE = {
    "training_operator": {"install": False},
    "priorities": [{"name": CLASS, "value": 1000, "kind": "online"}],
}
MONITORING = {
    "namespace": NAMESPACE,
    "priority": CLASS,
    "chart": {"source": "charts/kube-prometheus-stack"},
    "prometheus": {"storage": {"size": "1Gi"}, "external_labels": {"cluster": "sandbox"}},
    "grafana": {"storage": {"size": "1Mi", "storage_class": CLASS}},
}
WATCHED = {**BARE, "monitoring": MONITORING}
CRD = "releasemarks.test.colocation.io"


@pytest.fixture
def bare(sandbox, tmp_path):
    """A deployed stack without monitoring, and a volume for Grafana; whatever stays behind is removed."""
    copy = scratch.copied(sandbox.workspace, tmp_path / "project")
    shutil.copytree(CHART, copy.project / "charts" / CHART.name)
    stack = Deployment(sandbox, scratch.with_own_state(copy))
    volume = {
        "apiVersion": "v1",
        "kind": "PersistentVolume",
        "metadata": {"name": CLASS},
        "spec": {
            "storageClassName": CLASS,
            "capacity": {"storage": "1Mi"},
            "accessModes": ["ReadWriteOnce"],
            "hostPath": {"path": "/tmp"},
        },
    }
    sandbox.kubectl("apply", "-f", "-", stdin=json.dumps(volume))
    stack.write(BARE)
    stack.up()
    yield stack
    stack.destroy()
    sandbox.kubectl("delete", "namespace", NAMESPACE, "--ignore-not-found")
    sandbox.kubectl("delete", "pv", CLASS, "--ignore-not-found")
    sandbox.kubectl("delete", "crd", CRD, "--ignore-not-found")


def password(stack):
    """As a person gets it."""
    shown = stack.workspace.run(
        "stack", "output", "--stack", "dev", "grafana_password", "--show-secrets", capture=True
    )
    assert shown.returncode == 0, shown.stderr
    return shown.stdout.strip()


def values(stack):
    [text] = stack.sandbox.get("configmap", "kube-prometheus-stack-values", "-n", NAMESPACE)["data"].values()
    return json.loads(text)


def left(sandbox):
    """What is in the namespace that no controller of Kubernetes keeps there."""
    kinds = "all,secrets,configmaps,persistentvolumeclaims,networkpolicies,serviceaccounts,endpointslices"
    found = {
        f"{item['kind']}/{item['metadata']['name']}"
        for item in sandbox.items(kinds, "-n", NAMESPACE)
        if not item["metadata"].get("deletionTimestamp")
    }
    return found - {"ConfigMap/kube-root-ca.crt", "ServiceAccount/default"}


def test_monitoring_is_turned_on_and_off_and_on_again(bare):
    sandbox = bare.sandbox

    bare.write(WATCHED)
    bare.up()
    first = password(bare)
    assert contains(values(bare), chart_values(MonitoringSpec.model_validate(MONITORING)))
    held = sandbox.get("secret", "grafana-admin", "-n", NAMESPACE)["data"]
    assert base64.b64decode(held["admin-password"]).decode() == first
    assert len(first) >= 32
    assert bare.plan() == {}
    bare.up("--refresh", "--expect-no-changes")

    replicas = {**MONITORING, "prometheus": {**MONITORING["prometheus"], "replicas": 2}}
    bare.write({**BARE, "monitoring": replicas})
    assert bare.plan() == {"monitoring-release": "update"}
    bare.up()
    servers = sandbox.get("deployment", "kube-prometheus-stack-prometheus", "-n", NAMESPACE)
    assert servers["status"]["readyReplicas"] == 2
    assert servers["spec"]["template"]["spec"]["priorityClassName"] == CLASS
    assert password(bare) == first

    bare.write(BARE)
    bare.up()
    eventually(lambda: left(sandbox) == {"PersistentVolumeClaim/kube-prometheus-stack-grafana"})
    assert CRD in sandbox.kubectl("get", "crd", CRD)
    assert bare.plan() == {}

    bare.write(WATCHED)
    bare.up()
    assert bare.plan() == {}
    assert password(bare) != first


def test_the_password_is_nowhere_in_plain_text(bare):
    bare.write(WATCHED)
    said = bare.up()
    word = password(bare)
    assert word not in said
    assert bare.workspace.outputs()["grafana_password"] == "[secret]"
    state = bare.workspace.run("stack", "export", "--stack", "dev", capture=True).stdout
    assert word not in state
    assert base64.b64encode(word.encode()).decode() not in state
    bare.destroy()
    eventually(lambda: left(bare.sandbox) == {"PersistentVolumeClaim/kube-prometheus-stack-grafana"})


def test_a_chart_is_taken_from_an_archive(bare):
    archive = bare.workspace.project / "charts" / "kube-prometheus-stack-88.5.3.tgz"
    with tarfile.open(archive, "w:gz") as packed:
        packed.add(CHART, CHART.name)
    from_archive = {
        **MONITORING,
        "chart": {"source": f"charts/{archive.name}"},
        "grafana": {"install": False},
    }
    bare.write({**BARE, "monitoring": from_archive})
    bare.up()
    assert values(bare)["grafana"]["enabled"] is False
    assert "grafana_password" not in bare.workspace.outputs()
    assert bare.plan() == {}
    # The definitions in it, upgraded as docs/tasks/monitoring.md says.
    [command] = [line for line in PAGE.commands() if line.startswith("tar ")]
    shell = ["sh", "-ec", command]
    where = {"cwd": bare.workspace.project, "env": tools(bare)}
    done = subprocess.run(shell, **where, capture_output=True, text=True, check=False)
    assert f"customresourcedefinition.apiextensions.k8s.io/{CRD} serverside-applied" in done.stdout, (
        done.stderr
    )


def tools(stack):
    """An environment that finds kubectl."""
    found = stack.workspace.environment()
    return {**found, "PATH": f"{stack.workspace.kubectl.parent}:{found['PATH']}"}


def contains(whole, part):
    """Whether all of `part` is in `whole`, which has the chart's defaults too."""
    if isinstance(part, dict) and part:
        return isinstance(whole, dict) and all(contains(whole.get(key), part[key]) for key in part)
    return whole == part or (not part and not whole)
