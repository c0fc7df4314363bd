"""Node protection that a node does not apply."""

import pytest

from infra.cluster.logs import Log, Source
from tests.infra.doctor.conftest import container, named, pod

READY = [{"type": "Ready", "status": "True"}]
OFFLINE = {"priorityClassName": "offline-low"}


@pytest.fixture
def clinic(clinic_of, data):
    found = clinic_of(data | {"node_protection": {"image": "registry.example/python:3.13.7"}})
    found.kinds["namespaces"].append(named("node-protection", None))
    found.pods = [pod(spec=OFFLINE, age=300), agent()]
    return found


def agent(node="n1", *, ready=True, age=300):
    conditions = [{"type": "Ready", "status": "True" if ready else "False"}]
    return named(
        f"node-protection-{node}",
        "node-protection",
        age=age,
        labels={"app.kubernetes.io/name": "node-protection"},
        spec={"containers": [{"name": "node-protection"}], "nodeName": node},
        status={
            "phase": "Running",
            "conditions": conditions,
            "containerStatuses": [container("node-protection")],
        },
    )


def says(clinic, text):
    clinic.logs[Source("node-protection", "node-protection-n1", "node-protection")] = Log((text,))


def test_a_node_that_applies_it_is_no_finding(clinic):
    assert clinic.found() == ()


def test_a_node_with_training_and_without_protection_is_told(clinic):
    clinic.pods[1] = agent("n2")
    found = clinic.only("node-unprotected")
    assert (found.object, found.severity) == ("Node n1", "warning")
    assert found.cause == (
        "protection is declared, and node n1 does not apply it: training slows services down"
    )
    assert found.evidence[-1].text == "no pod of it is there"


def test_why_it_is_not_ready_is_told_by_its_log(clinic):
    clinic.pods[1] = agent(ready=False)
    says(clinic, "the kernel 5.4.0 has no cpu.idle: it takes Linux 5.15 or newer")
    found = clinic.only("node-unprotected")
    assert found.evidence[-1].text == "the kernel 5.4.0 has no cpu.idle: it takes Linux 5.15 or newer"
    assert found.fix.startswith("update the node's kernel")


def test_a_node_whose_kubelet_assigns_processors_gets_the_setting_that_fits(clinic):
    clinic.pods[1] = agent(ready=False)
    says(clinic, "the kubelet assigns processors to containers here: set spare_cores: 0")
    assert clinic.only("node-unprotected").fix.startswith("write spare_cores: 0 under node_protection; then ")


def test_what_it_may_not_write_leads_to_the_page(clinic):
    clinic.pods[1] = agent(ready=False)
    says(clinic, "cannot set cpu.idle: [Errno 13] Permission denied")
    assert "docs/tasks/node-protection.md" in clinic.only("node-unprotected").fix


def test_one_that_has_just_started_is_waited_for(clinic):
    clinic.pods[1] = agent(ready=False, age=20)
    assert clinic.found() == ()


def test_nodes_without_training_need_none(clinic):
    clinic.pods = [pod(spec={"priorityClassName": "online-high"}, age=300)]
    assert clinic.found() == ()


def test_a_namespace_that_is_not_there_is_told(clinic):
    clinic.kinds["namespaces"].pop()
    assert clinic.only("not-in-cluster").object == "Namespace node-protection"
