"""Pods against the nodes that the stack declares."""

import pytest

TAINT = {"key": "gpu", "value": "reserved", "effect": "NoSchedule"}
SMALL, LARGE = {"cpu": "8", "memory": "32Gi"}, {"cpu": "32", "memory": "64Gi", "gpus": 4}


@pytest.fixture
def stack(data, cpu_job):
    """A tainted GPU pool of two nodes, a CPU pool of one, and jobs."""

    gpu = data["pools"][0] | {"taints": [TAINT], "capacity": LARGE}

    def build(*jobs, **gpu_pool):
        data["pools"] = [
            {"name": "cpu", "nodes": ["c1"], "labels": {"node-type": "cpu"}, "capacity": SMALL},
            gpu | gpu_pool,
        ]
        data["jobs"] = [cpu_job(f"j{i}", **job) for i, job in enumerate(jobs)]
        return data

    return build


def worker(replicas=1, **resources):
    return {"worker": {"replicas": replicas, "resources": resources}}


def test_pods_that_fit_are_fine(stack, found):
    jobs = [
        worker(requests={"cpu": "8", "memory": "32Gi"}) | {"pool": "cpu"},
        worker(requests={"cpu": "32", "memory": "64Gi"}, gpus=4) | {"pool": "gpu"},
        worker(requests={"cpu": "8"}),
    ]
    assert found(stack(*jobs)) == []


@pytest.mark.parametrize(
    ("asked", "need", "has"),
    [
        ({"requests": {"cpu": "9999"}}, "9999 cpu", "32 cpu"),
        ({"requests": {"cpu": "40", "memory": "65Gi"}}, "40 cpu, 65Gi memory", "32 cpu, 64Gi memory"),
        ({"gpus": 5}, "5 nvidia.com/gpu", "4 nvidia.com/gpu"),
    ],
)
def test_a_pod_that_no_node_of_its_pool_holds_is_refused(stack, one, asked, need, has):
    finding = one(stack(worker(**asked) | {"pool": "gpu"}))
    assert (finding.severity, finding.code) == ("fault", "pod-fits-no-node")
    assert finding.place == ("jobs", 0, "worker", "resources")
    assert (
        finding.message == f"a pod needs {need}, and the largest node that takes it, in pool gpu, has {has}"
    )


def test_gpus_on_a_pool_without_any_are_refused(stack, one):
    assert "has 0 nvidia.com/gpu" in one(stack(worker(gpus=1) | {"pool": "cpu"})).message


def test_a_pool_of_unknown_capacity_holds_anything(stack, found):
    assert found(stack(worker(requests={"cpu": "9999"}, gpus=9) | {"pool": "gpu"}, capacity=None)) == []


def test_a_pod_for_any_node_that_fits_no_declared_one_is_a_warning(stack, one):
    finding = one(stack(worker(requests={"cpu": "9"})))
    assert (finding.severity, finding.code) == ("warning", "pod-fits-no-node")
    assert "in pool cpu, has 8 cpu" in finding.message


def test_nodes_behind_a_taint_do_not_count_for_pods_that_do_not_tolerate_it(stack, found):
    data = stack(worker(requests={"cpu": "9"}))
    data["jobs"][0]["tolerations"] = [{"key": "gpu", "operator": "Exists"}]
    assert found(data) == []


def test_where_every_declared_node_keeps_pods_out_others_may_take_them(stack, found):
    data = stack(worker(requests={"cpu": "9999"}))
    del data["pools"][0]
    assert found(data) == []


def test_a_sidecar_takes_part_of_the_node(stack, found):
    beside = [{"name": "b", "image": "b:1", "resources": {"requests": {"cpu": "1"}}}]
    job = worker(requests={"cpu": "8"}) | {"pool": "cpu"}
    assert found(stack(job | {"init_containers": beside})) == []
    assert [code for code, _ in found(stack(job | {"sidecars": beside}))] == ["pod-fits-no-node"]


def test_a_job_larger_than_its_whole_pool_is_refused(stack, one):
    finding = one(stack(worker(9, gpus=1) | {"pool": "gpu"}))
    assert (finding.severity, finding.code, finding.place) == ("fault", "job-exceeds-pool", ("jobs", 0))
    assert finding.message == (
        "its pods together need 9 nvidia.com/gpu, and the 2 nodes of pool gpu have 8 nvidia.com/gpu"
    )


def test_a_job_that_fills_its_pool_is_fine(stack, found):
    assert found(stack(worker(8, gpus=1) | {"pool": "gpu"})) == []


def test_a_pool_that_a_selector_fills_may_grow(stack, found):
    data = stack(worker(9, gpus=1) | {"pool": "gpu"}, nodes=[], selector={"gpus": "yes"})
    assert found(data) == []


def test_b3_gpus_where_no_declared_node_has_any_are_refused(stack, one):
    data = stack(worker(gpus=1))
    del data["pools"][1]
    finding = one(data)
    assert (finding.severity, finding.code) == ("fault", "no-gpus-declared")
    assert finding.place == ("jobs", 0, "worker", "resources", "gpus")


def test_gpus_without_a_pool_get_its_name(stack, one):
    finding = one(stack(worker(gpus=1)))
    assert (finding.severity, finding.code) == ("warning", "gpus-without-pool")
    assert finding.remedy == "name the pool that holds the GPUs: pool: gpu"


def test_gpus_that_the_job_finds_by_its_own_marks_need_no_pool(stack, found):
    by_hand = {"node_selector": {"node-type": "gpu"}, "tolerations": [TAINT]}
    assert found(stack(worker(gpus=1) | by_hand)) == []


def test_d4_a_selector_of_tainted_nodes_without_the_toleration_is_refused(stack, one):
    finding = one(stack(worker(gpus=1) | {"node_selector": {"node-type": "gpu"}}))
    assert (finding.severity, finding.code) == ("fault", "untolerated-taint")
    assert finding.message == (
        "the worker pods ask for the nodes of pool gpu, and do not tolerate their taint "
        "gpu=reserved:NoSchedule"
    )
    assert finding.remedy == "write pool: gpu, which brings what its pods need"


@pytest.mark.parametrize(
    "toleration",
    [
        {"key": "gpu", "value": "other"},
        {"key": "gpus", "operator": "Exists"},
        TAINT | {"effect": "NoExecute"},
    ],
)
def test_d4_a_toleration_that_does_not_match_is_none(stack, found, toleration):
    by_hand = {"node_selector": {"node-type": "gpu"}, "tolerations": [toleration]}
    assert "untolerated-taint" in [code for code, _ in found(stack(worker(gpus=1) | by_hand))]


@pytest.mark.parametrize(
    "toleration",
    [TAINT, {"operator": "Exists"}, {"key": "gpu", "operator": "Exists", "effect": "NoSchedule"}],
)
def test_d4_a_toleration_that_matches_lets_the_pods_in(stack, found, toleration):
    by_hand = {"node_selector": {"node-type": "gpu"}, "tolerations": [toleration]}
    assert found(stack(worker(gpus=1) | by_hand)) == []


def test_d4_overrides_that_drop_a_pools_tolerations_are_refused(stack, found):
    overrides = {"tolerations": [{"key": "gpu", "operator": "Equal", "value": "x"}]}
    data = stack(worker(gpus=1) | {"pool": "gpu", "pod_overrides": overrides})
    assert ("untolerated-taint", ("jobs", 0, "pod_overrides")) in found(data)


def test_d4_a_preference_of_the_node_keeps_nobody_out(stack, found):
    taint = TAINT | {"effect": "PreferNoSchedule"}
    assert found(stack(worker(gpus=1) | {"node_selector": {"node-type": "gpu"}}, taints=[taint])) == []


def test_d4_foreign_taints_keep_pods_out_like_our_own(stack, found):
    data = stack(worker(gpus=1) | {"node_selector": {"node-type": "gpu"}}, taints=[], foreign_taints=[TAINT])
    assert [code for code, _ in found(data)] == ["untolerated-taint"]


def test_d4_parameter_servers_without_gpus_do_not_tolerate_the_taint_of_gpus(stack, subject):
    job = worker(gpus=1) | {"pool": "gpu", "ps": {}}
    [workload] = subject(stack(job)).workloads
    assert [(pods.role, bool(pods.tolerations)) for pods in workload.pods] == [
        ("worker", True),
        ("ps", False),
    ]


def test_required_node_affinity_chooses_nodes_too(stack, found):
    def affinity(**term):
        return {"affinity": {"node_affinity": [{"key": "node-type", **term}]}}

    job = worker(gpus=1)
    assert [c for c, _ in found(stack(job | affinity(values=["gpu", "tpu"])))] == ["untolerated-taint"]
    assert [c for c, _ in found(stack(job | affinity(values=["gpu"], weight=5)))] == ["gpus-without-pool"]
    cpu = worker(requests={"cpu": "9"})
    assert found(stack(cpu | affinity(operator="NotIn", values=["cpu"]))) == []
    assert found(stack(cpu | affinity(operator="DoesNotExist"))) == []


def test_a_selector_that_contradicts_the_pool_is_refused(stack, found, subject):
    data = stack(worker() | {"pool": "gpu", "node_selector": {"node-type": "cpu"}})
    assert ("selector-contradicts-pool", ("jobs", 0, "node_selector", "node-type")) in found(data)


def test_a_gpu_model_that_the_pool_does_not_have_is_refused(stack, found):
    data = stack(worker(gpus=1) | {"pool": "gpu", "gpu_model": "A100"}, gpu_model="T4")
    place = ("jobs", 0, "gpu_model")
    assert found(data) == [("selector-contradicts-pool", place), ("unknown-node-label", place)]


def test_a_gpu_model_that_the_pool_has_is_fine(stack, found):
    assert found(stack(worker(gpus=1) | {"pool": "gpu", "gpu_model": "T4"}, gpu_model="T4")) == []


def test_a_job_of_an_unknown_pool_is_not_weighed(stack, found):
    assert [code for code, _ in found(stack(worker(gpus=9) | {"pool": "gpus"}))] == ["unknown-pool"]
