"""Node labels and tolerations that jobs write by hand."""

import pytest


@pytest.fixture
def stack(data, cpu_job):
    def build(**job):
        data["jobs"] = [cpu_job(**job)]
        return data

    return build


def tolerating(**toleration):
    return {"tolerations": [toleration]}


def test_a_label_that_no_pool_carries_is_a_warning_with_the_nearest(stack, one):
    finding = one(stack(node_selector={"node-type": "gpus"}))
    assert (finding.severity, finding.code) == ("warning", "unknown-node-label")
    assert finding.place == ("jobs", 0, "node_selector", "node-type")
    assert (finding.message, finding.remedy) == (
        "no pool of the stack has nodes with node-type=gpus",
        "write gpu",
    )


def test_a_label_of_overrides_is_looked_at_too(stack, found):
    data = stack(pod_overrides={"nodeSelector": {"disk": "ssd"}})
    assert found(data) == [("unknown-node-label", ("jobs", 0, "pod_overrides", "nodeSelector", "disk"))]


@pytest.mark.parametrize("key", ["kubernetes.io/arch", "topology.kubernetes.io/zone", "a.k8s.io/b"])
def test_labels_of_kubernetes_are_on_nodes_without_a_pool(stack, found, key):
    assert found(stack(node_selector={key: "x"})) == []


def test_a_gpu_model_is_declared_at_a_pool(stack, one):
    job = {"worker": {"resources": {"gpus": 1}}, "pool": "gpu", "gpu_model": "A100"}
    finding = one(stack(**job))
    assert (finding.code, finding.place) == ("unknown-node-label", ("jobs", 0, "gpu_model"))
    assert finding.remedy == "write gpu_model at the pool that has it"


def test_a_toleration_of_nothing_is_a_warning(stack, one):
    finding = one(stack(**tolerating(key="gpus", operator="Exists")))
    assert (finding.severity, finding.code) == ("warning", "toleration-without-taint")
    assert finding.place == ("jobs", 0, "tolerations", 0)
    assert finding.remedy == "leave it out, or make it match one of gpu=reserved:NoSchedule"


@pytest.mark.parametrize(
    "toleration",
    [
        {"operator": "Exists"},
        {"key": "gpu", "value": "reserved"},
        {"key": "gpu", "operator": "Exists", "effect": "NoSchedule"},
        {"key": "node.kubernetes.io/unreachable", "operator": "Exists", "effect": "NoExecute"},
        {"key": "node-role.kubernetes.io/control-plane", "operator": "Exists"},
    ],
)
def test_a_toleration_of_something_is_fine(stack, found, toleration):
    assert found(stack(**tolerating(**toleration))) == []


def test_foreign_taints_are_taints(stack, found, data):
    data["pools"][0]["foreign_taints"] = [{"key": "kwok", "value": "fake", "effect": "NoSchedule"}]
    assert found(stack(**tolerating(key="kwok", value="fake"))) == []


def test_a_stack_without_taints_knows_nothing_of_tolerations(stack, found, data):
    data["pools"] = []
    assert found(stack(**tolerating(key="x", operator="Exists"))) == []


def test_d4_equal_without_a_value_gets_the_value_of_the_taint(stack, one):
    finding = one(stack(**tolerating(key="gpu")))
    assert (finding.severity, finding.code) == ("warning", "equal-without-value")
    assert finding.remedy == "write value: reserved, or operator: Exists"


def test_d4_equal_without_a_value_tolerates_a_taint_without_one(stack, found, data):
    data["pools"][0]["taints"] = [{"key": "gpu", "effect": "NoSchedule"}]
    assert found(stack(**tolerating(key="gpu"))) == []


@pytest.mark.parametrize(
    ("toleration", "code"),
    [
        ({"key": "gpu", "operator": "Exists", "value": "reserved"}, "exists-with-value"),
        ({"value": "reserved"}, "equal-without-key"),
        ({"key": "gpu", "value": "reserved", "toleration_seconds": 5}, "seconds-without-no-execute"),
    ],
)
def test_d4_what_the_api_server_refuses_is_refused(stack, one, toleration, code):
    finding = one(stack(**tolerating(**toleration)))
    assert (finding.severity, finding.code, finding.place) == ("fault", code, ("jobs", 0, "tolerations", 0))


def test_d4_tolerations_of_overrides_are_looked_at_too(stack, found):
    raw = [{"key": "gpu", "operator": "Exists", "value": "reserved"}]
    place = ("jobs", 0, "pod_overrides", "tolerations", 0)
    assert found(stack(pod_overrides={"tolerations": raw})) == [("exists-with-value", place)]
