"""A small valid stack, as data, as a Stack, and as a file."""

import copy
import re

import pytest
import yaml

from infra.checks import Finding, Subject
from infra.load import StackFileError
from infra.models import Stack
from infra.places import ROOT
from infra.plan import plan

DOCUMENTED = {
    code
    for page in (ROOT / "docs" / "checks").glob("*.md")
    for code in re.findall(r"^## ([a-z0-9-]+)$", page.read_text("utf-8"), re.MULTILINE)
}

TOKEN = {"token": "secret-token"}

SMALL = {
    "pools": [
        {
            "name": "gpu",
            "nodes": ["n1", "n2"],
            "labels": {"node-type": "gpu"},
            "taints": [{"key": "gpu", "value": "reserved", "effect": "NoSchedule"}],
        }
    ],
    "priorities": [
        {"name": "online-high", "value": 100000, "kind": "online", "global_default": True},
        {"name": "offline-low", "value": 1000, "kind": "offline"},
    ],
    "tenants": [{"name": "vision"}],
    "training_operator": {"namespace": "vision"},
    "storage": [{"name": "data", "tenant": "vision", "size": "10Gi", "storage_class": "shared"}],
    "jobs": [
        {
            "name": "mnist",
            "tenant": "vision",
            "priority": "offline-low",
            "pool": "gpu",
            "image": "registry.example/mnist:1.4",
            "script": "train.py",
            "worker": {"replicas": 1, "resources": {"gpus": 1}},
            "volumes": [{"claim": "data", "mount_path": "/data"}],
            "checkpoint_path": "/data/mnist",
        }
    ],
}


@pytest.fixture(autouse=True)
def _every_code_is_documented(monkeypatch):
    """Whatever a test finds has a section in docs/checks."""
    made = Finding.__init__

    def make(self, **fields):
        assert fields["code"] in DOCUMENTED, f"{fields['code']} has no section in docs/checks"
        made(self, **fields)

    monkeypatch.setattr(Finding, "__init__", make)


@pytest.fixture
def accepts_rule(promtool, tmp_path):
    """Whether Prometheus loads a rule with this expression and these annotations."""

    def check(expr="up == 0", **annotations):
        file = tmp_path / "rules.yaml"
        rule = {"alert": "A", "expr": expr, "annotations": annotations}
        file.write_text(yaml.safe_dump({"groups": [{"name": "g", "rules": [rule]}]}))
        return promtool("check", "rules", file).returncode == 0

    return check


@pytest.fixture
def kubeconfig(tmp_path, monkeypatch):
    """Makes the commands look at a server, as a user of its kubeconfig."""

    def point_to(url, user=TOKEN):
        entry = {"name": "x"}
        config = {
            "apiVersion": "v1",
            "kind": "Config",
            "current-context": "x",
            "clusters": [entry | {"cluster": {"server": url}}],
            "contexts": [entry | {"context": {"cluster": "x", "user": "x"}}],
            "users": [entry | {"user": user}],
        }
        file = tmp_path / "kubeconfig"
        file.write_text(yaml.safe_dump(config))
        monkeypatch.setenv("KUBECONFIG", str(file))
        return file

    monkeypatch.delenv("KUBERNETES_SERVICE_HOST", raising=False)
    return point_to


@pytest.fixture
def data():
    """The stack as plain data, free to be changed."""
    return copy.deepcopy(SMALL)


@pytest.fixture
def stack_file(tmp_path):
    """Writes data, or text, as a stack file beside a folder of scripts."""

    def write(content):
        (tmp_path / "scripts").mkdir(exist_ok=True)
        (tmp_path / "scripts" / "train.py").write_text("print('accuracy=1.0')\n")
        file = tmp_path / "test.yaml"
        if isinstance(content, bytes):
            file.write_bytes(content)
        else:
            file.write_text(content if isinstance(content, str) else yaml.safe_dump(content))
        return file

    return write


@pytest.fixture
def subject():
    """What the checks look at, from data."""

    def build(data, scripts=None):
        return Subject(Stack.model_validate(data), scripts or {"train.py": "print()"})

    return build


@pytest.fixture
def faults():
    """The faults of a stack file as sentences, without the folder that the test happens to be in."""

    def find(file):
        with pytest.raises(StackFileError) as caught:
            plan(file)
        found = [found for found in caught.value.findings if found.severity == "fault"]
        return [f"{f.place}: {f.sentence}".replace(str(file), "test.yaml") for f in found]

    return find
